// Draws launches and copies: kernel, ranges and argument that mostly fit together, now and then not.
#pragma once

#include "props/profile.hpp"
#include "props/random.hpp"
#include "props/slots.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

// The trace language's name of the kernel that a shape is about.
[[nodiscard]] const char* kernel_name(Shape shape);

// Fills in kernel, reads, writes and scalar. Marks what is written in `slots`.
void draw_launch(Random& random, const Profile& profile, Slots& slots, traces::Operation& operation);

// The same for a kernel that faults or hangs, which may declare anything.
void draw_ill_launch(Random& random, Shape shape, Slots& slots, traces::Operation& operation);

// Fills in the two refs of a copy.
void draw_copy(Random& random, Slots& slots, traces::Operation& operation);

}  // namespace taintgraph::props

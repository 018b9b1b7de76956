// Places for objects behind tables with CUDA's C ABI, whose functions carry no pointer to the object they mean.
//
// There are 16 places for each type of object, each with functions of its own; a place knows its object through the one
// global array that this ABI forces on us. Places may be taken and left in any thread; calls through different places
// do not meet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace taintgraph::sim {

inline constexpr std::size_t kPlaces = 16;

template <class Object>
class Places {
 public:
  // A free place, from now on taken. Throws std::runtime_error if there is none.
  [[nodiscard]] static std::uint32_t take() {
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
      if (!occupants_[i].taken.exchange(true)) return i;
    }
    throw std::runtime_error("no more than 16 simulated drivers or injectors can exist at once");
  }
  static void leave(std::uint32_t place) {
    occupants_[place].object = nullptr;
    occupants_[place].taken = false;
  }

  static void occupy(std::uint32_t place, Object& object) { occupants_[place].object = &object; }
  [[nodiscard]] static Object& at(std::size_t place) { return *occupants_[place].object; }

 private:
  struct Occupant {
    std::atomic<bool> taken = false;
    Object* object = nullptr;
  };
  static inline constinit std::array<Occupant, kPlaces> occupants_{};
};

}  // namespace taintgraph::sim

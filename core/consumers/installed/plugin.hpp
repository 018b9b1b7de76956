#pragma once

#include <string>

// Launches without a driver table worth the name: what the device says to that.
std::string refusal();

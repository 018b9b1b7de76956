#include "sim/trampolines.hpp"

#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "sim/driver_entries.hpp"

namespace taintgraph::sim {
namespace {

constexpr std::size_t kPlaces = 16;

struct Occupant {
  std::atomic<bool> taken = false;
  DriverEntries* entries = nullptr;
};

// The only global of the simulator: an entry of the table is a plain function and cannot know its driver otherwise.
constinit std::array<Occupant, kPlaces> occupants{};

template <std::size_t place, auto member>
struct Trampoline;

template <std::size_t place, class Result, class... Arguments, Result (DriverEntries::*member)(Arguments...)>
struct Trampoline<place, member> {
  static Result call(Arguments... arguments) { return (occupants[place].entries->*member)(arguments...); }
};

template <std::size_t place>
constexpr gpu::DriverApi driver_table() {
  gpu::DriverApi table;
#define TAINTGRAPH_FILL(name, parameters) table.name = &Trampoline<place, &DriverEntries::name>::call;
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_FILL)
#undef TAINTGRAPH_FILL
  return table;
}

template <std::size_t place>
constexpr gpu::CompilerApi compiler_table() {
  gpu::CompilerApi table;
#define TAINTGRAPH_FILL(name, parameters) table.name = &Trampoline<place, &DriverEntries::name>::call;
  TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_FILL)
#undef TAINTGRAPH_FILL
  return table;
}

template <std::size_t... place>
constexpr std::array<gpu::DriverApi, kPlaces> driver_tables(std::index_sequence<place...>) {
  return {driver_table<place>()...};
}

template <std::size_t... place>
constexpr std::array<gpu::CompilerApi, kPlaces> compiler_tables(std::index_sequence<place...>) {
  return {compiler_table<place>()...};
}

constexpr auto kDriverTables = driver_tables(std::make_index_sequence<kPlaces>());
constexpr auto kCompilerTables = compiler_tables(std::make_index_sequence<kPlaces>());

std::uint32_t take_place() {
  for (std::uint32_t i = 0; i < kPlaces; ++i) {
    if (!occupants[i].taken.exchange(true)) return i;
  }
  throw std::runtime_error("no more than 16 simulated drivers can exist at once");
}

}  // namespace

Place::Place() : number_(take_place()) {}

Place::~Place() {
  occupants[number_].entries = nullptr;
  occupants[number_].taken = false;
}

void Place::open(DriverEntries& entries) const { occupants[number_].entries = &entries; }

const gpu::DriverApi& Place::driver() const { return kDriverTables[number_]; }

const gpu::CompilerApi& Place::compiler() const { return kCompilerTables[number_]; }

}  // namespace taintgraph::sim

#include "sim/trampolines.hpp"

#include <array>
#include <utility>

#include "sim/driver_entries.hpp"
#include "sim/places.hpp"

namespace taintgraph::sim {
namespace {

template <std::size_t place, auto member>
struct Trampoline;

template <std::size_t place, class Result, class... Arguments, Result (DriverEntries::*member)(Arguments...)>
struct Trampoline<place, member> {
  static Result call(Arguments... arguments) { return (Places<DriverEntries>::at(place).*member)(arguments...); }
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

}  // namespace

Place::Place() : number_(Places<DriverEntries>::take()) {}

Place::~Place() { Places<DriverEntries>::leave(number_); }

void Place::open(DriverEntries& entries) const { Places<DriverEntries>::occupy(number_, entries); }

const gpu::DriverApi& Place::driver() const { return kDriverTables[number_]; }

const gpu::CompilerApi& Place::compiler() const { return kCompilerTables[number_]; }

}  // namespace taintgraph::sim

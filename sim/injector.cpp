#include "sim/injector.hpp"

#include <array>
#include <utility>

#include "sim/interposer.hpp"
#include "sim/places.hpp"

namespace taintgraph::sim {
namespace {

using Occupied = Places<Interposer>;

// One function of a table: the interposer at `place`, told which entry was called.
template <std::size_t place, Call call, auto entry>
struct Interposed;

template <std::size_t place, Call call, class... Arguments, CUresult (*gpu::DriverApi::*entry)(Arguments...)>
struct Interposed<place, call, entry> {
  static CUresult answer(Arguments... arguments) {
    return Occupied::at(place).template drive<call>(entry, arguments...);
  }
};

template <std::size_t place, Call call, class... Arguments, nvrtcResult (*gpu::CompilerApi::*entry)(Arguments...)>
struct Interposed<place, call, entry> {
  static nvrtcResult answer(Arguments... arguments) {
    return Occupied::at(place).template compile<call>(entry, arguments...);
  }
};

template <std::size_t place>
constexpr gpu::DriverApi driver_table() {
  gpu::DriverApi table;
#define TAINTGRAPH_FILL(name, parameters) table.name = &Interposed<place, Call::name, &gpu::DriverApi::name>::answer;
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_FILL)
#undef TAINTGRAPH_FILL
  return table;
}

template <std::size_t place>
constexpr gpu::CompilerApi compiler_table() {
  gpu::CompilerApi table;
#define TAINTGRAPH_FILL(name, parameters) table.name = &Interposed<place, Call::name, &gpu::CompilerApi::name>::answer;
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

struct Injector::State {
  State(const gpu::DriverApi& driver, const gpu::CompilerApi& compiler, ErrorSurfacing surfacing, FaultPlan& plan)
      : interposer(driver, compiler, surfacing, plan), place(Occupied::take()) {
    Occupied::occupy(place, interposer);
  }
  ~State() { Occupied::leave(place); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Interposer interposer;
  std::uint32_t place;
};

Injector::Injector(const gpu::DriverApi& driver, const gpu::CompilerApi& compiler, ErrorSurfacing surfacing,
                   FaultPlan& plan)
    : state_(std::make_unique<State>(driver, compiler, surfacing, plan)) {}

Injector::~Injector() = default;

const gpu::DriverApi& Injector::driver() const { return kDriverTables[state_->place]; }

const gpu::CompilerApi& Injector::compiler() const { return kCompilerTables[state_->place]; }

gpu::LaunchObserver Injector::observer(const gpu::LaunchObserver& behind) {
  state_->interposer.observe_with(behind);
  return {&state_->interposer,
          [](void* self, gpu::CUstream stream, const gpu::DeclaredAccess* accesses, std::size_t count) {
            static_cast<Interposer*>(self)->declare(stream, accesses, count);
          }};
}

}  // namespace taintgraph::sim

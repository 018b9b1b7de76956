#include "props/fault_cells.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>

namespace taintgraph::props {
namespace {

using gpu::Call;

template <std::size_t n>
bool is_among(Call call, const Call (&calls)[n]) {
  return std::find(std::begin(calls), std::end(calls), call) != std::end(calls);
}

// Calls of the driver's table that the backend does not make, or makes only to open a device or with a primary context
// that it adopted, which is not drawn; and of the compiler's, those that have no kind of failure.
constexpr Call kNeverMade[] = {Call::cuDriverGetVersion,
                               Call::cuDeviceGetCount,
                               Call::cuDeviceGetName,
                               Call::cuDevicePrimaryCtxRetain,
                               Call::cuDevicePrimaryCtxRelease,
                               Call::cuCtxSynchronize,
                               Call::cuEventSynchronize,
                               Call::cuMemGetInfo,
                               Call::cuFuncLoad};
constexpr Call kAroundEveryCall[] = {Call::cuCtxGetCurrent, Call::cuCtxSetCurrent};
constexpr Call kBeforeEveryWait[] = {Call::cuStreamQuery};
constexpr Call kTakesDown[] = {Call::cuEventDestroy};
constexpr Call kMakesContexts[] = {Call::cuInit, Call::cuDeviceGet, Call::cuCtxCreate, Call::cuCtxDestroy};
constexpr Call kOfAReset[] = {Call::cuInit,         Call::cuDeviceGet,   Call::cuCtxCreate,   Call::cuCtxDestroy,
                              Call::cuStreamCreate, Call::cuEventCreate, Call::cuMemAllocHost};
constexpr Call kForRecordedTables[] = {Call::cuStreamCreate, Call::cuStreamDestroy, Call::cuMemAllocHost,
                                       Call::cuMemFreeHost};
constexpr Call kEndsWindows[] = {Call::cuStreamEndCapture, Call::cuGraphInstantiate, Call::cuGraphDestroy};

struct Rule {
  std::string_view reason;
  bool (*excludes)(const FaultCell& cell);
};

// The first that excludes a cell is the one that counts it.
constexpr Rule kRules[] = {
    {"not an error but an answer, and not injectable",
     [](const FaultCell& cell) { return !gpu::row(cell.kind).injectable; }},
    {"the backend never makes the call on the devices drawn, which have a context of their own",
     [](const FaultCell& cell) { return is_among(cell.call, kNeverMade); }},
    {"made before every other call, to no effect or to that of the other call failing, which has cells of its own",
     [](const FaultCell& cell) { return is_among(cell.call, kAroundEveryCall); }},
    {"made before every wait, as often as it takes: struck there, the wait fails, which has cells of its own",
     [](const FaultCell& cell) { return is_among(cell.call, kBeforeEveryWait); }},
    {"made only to take a device down: after the program's end, or on a poisoned context, which has its answer",
     [](const FaultCell& cell) { return is_among(cell.call, kTakesDown); }},
    {"a reset ends every capture before it makes a context",
     [](const FaultCell& cell) { return cell.context == ContextState::renewing && cell.capturing; }},
    {"a reset only makes a context, on which nothing runs yet; what it calls on the old one has its answer",
     [](const FaultCell& cell) { return cell.context == ContextState::renewing && !is_among(cell.call, kOfAReset); }},
    {"contexts are made and destroyed only by a reset",
     [](const FaultCell& cell) {
       return cell.context != ContextState::renewing && is_among(cell.call, kMakesContexts);
     }},
    {"outside a reset made only for the table of a recorded launch, so while a stream captures",
     [](const FaultCell& cell) {
       return cell.context != ContextState::renewing && !cell.capturing && is_among(cell.call, kForRecordedTables);
     }},
    {"ends a window, so a stream captures",
     [](const FaultCell& cell) { return !cell.capturing && is_among(cell.call, kEndsWindows); }},
};

constexpr std::size_t kRuleCount = std::size(kRules);

// The index of the rule that leaves the cell out; kRuleCount if it is in reach.
std::size_t excluded_by(const FaultCell& cell) {
  std::size_t rule = 0;
  while (rule < kRuleCount && !kRules[rule].excludes(cell)) ++rule;
  return rule;
}

template <class Visit>
void for_each_cell(Visit visit) {
  for (std::size_t call = 0; call < gpu::kCallCount; ++call) {
    for (const gpu::FaultRow& row : gpu::fault_table()) {
      if (!gpu::may_return(static_cast<Call>(call), row.kind)) continue;
      for (std::size_t context = 0; context < kContextStateCount; ++context) {
        for (const bool capturing : {false, true}) {
          visit(FaultCell{static_cast<Call>(call), row.kind, static_cast<ContextState>(context), capturing});
        }
      }
    }
  }
}

template <class Wanted>
std::vector<CallAndKind> pairs_of_cells(Wanted wanted) {
  std::vector<CallAndKind> pairs;
  for (const FaultCell& cell : cells_in_reach()) {
    const CallAndKind pair{cell.call, cell.kind};
    if (wanted(cell) && (pairs.empty() || !(pairs.back() == pair))) pairs.push_back(pair);
  }
  return pairs;
}

bool renewing(const FaultCell& cell) { return cell.context == ContextState::renewing; }

}  // namespace

std::string_view to_string(ContextState state) {
  constexpr std::string_view kNames[] = {"first", "renewed", "pending", "renewing"};
  return kNames[static_cast<std::size_t>(state)];
}

const std::vector<FaultCell>& cells_in_reach() {
  static const std::vector<FaultCell> cells = [] {
    std::vector<FaultCell> reachable;
    for_each_cell([&](const FaultCell& cell) {
      if (excluded_by(cell) == kRuleCount) reachable.push_back(cell);
    });
    return reachable;
  }();
  return cells;
}

std::span<const CallAndKind> passing_pairs_in_reach() {
  static const std::vector<CallAndKind> pairs =
      pairs_of_cells([](const FaultCell& cell) { return !renewing(cell) && !gpu::row(cell.kind).sticky; });
  return pairs;
}

std::span<const CallAndKind> sticky_pairs_in_reach() {
  static const std::vector<CallAndKind> pairs =
      pairs_of_cells([](const FaultCell& cell) { return !renewing(cell) && gpu::row(cell.kind).sticky; });
  return pairs;
}

std::span<const CallAndKind> pairs_of_a_reset() {
  static const std::vector<CallAndKind> pairs = pairs_of_cells(renewing);
  return pairs;
}

std::vector<Exclusion> exclusions() {
  std::vector<Exclusion> result;
  for (const Rule& rule : kRules) result.push_back({rule.reason, 0});
  for_each_cell([&](const FaultCell& cell) {
    if (const std::size_t rule = excluded_by(cell); rule < kRuleCount) ++result[rule].cells;
  });
  return result;
}

std::size_t cells_in_all() {
  std::size_t count = 0;
  for_each_cell([&count](const FaultCell&) { ++count; });
  return count;
}

std::size_t CellCoverage::count() const {
  const std::vector<FaultCell>& cells = cells_in_reach();
  return static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [this](const FaultCell& cell) { return contains(cell); }));
}

std::string text_of(const FaultCell& cell) {
  return std::string(gpu::to_string(cell.call)) + ' ' + std::string(gpu::row(cell.kind).name) + ", context " +
         std::string(to_string(cell.context)) + (cell.capturing ? ", capturing" : "");
}

std::optional<FaultCell> cell_from_string(std::string_view text) {
  constexpr std::string_view kContext = ", context ";
  constexpr std::string_view kCapturing = ", capturing";
  FaultCell cell;
  cell.capturing = text.size() > kCapturing.size() && text.substr(text.size() - kCapturing.size()) == kCapturing;
  if (cell.capturing) text.remove_suffix(kCapturing.size());
  const std::size_t blank = text.find(' ');
  const std::size_t comma = text.find(kContext);
  if (comma == std::string_view::npos || blank >= comma) return std::nullopt;
  const auto call = gpu::call_from_string(text.substr(0, blank));
  const auto kind = gpu::fault_from_string(text.substr(blank + 1, comma - blank - 1));
  for (std::size_t i = 0; i < kContextStateCount; ++i) {
    const auto state = static_cast<ContextState>(i);
    if (!call || !kind || to_string(state) != text.substr(comma + kContext.size())) continue;
    return FaultCell{*call, *kind, state, cell.capturing};
  }
  return std::nullopt;
}

void show_matrix(std::ostream& out) {
  out << "A cell is a driver call, a kind of failure that it may return, what its context has been through (first,\n"
         "renewed by a reset, with an asynchronous fault pending, or being renewed), and whether a stream captures.\n\n"
      << std::setw(6) << cells_in_all() << "  in all, of which are out of reach:\n";
  for (const Exclusion& each : exclusions()) out << std::setw(6) << each.cells << "  " << each.reason << '\n';
  out << std::setw(6) << cells_in_reach().size() << "  in reach, by call:\n";
  for (std::size_t call = 0; call < gpu::kCallCount; ++call) {
    const auto cells = std::count_if(cells_in_reach().begin(), cells_in_reach().end(),
                                     [call](const FaultCell& cell) { return cell.call == static_cast<Call>(call); });
    if (cells > 0) out << std::setw(12) << cells << "  " << gpu::to_string(static_cast<Call>(call)) << '\n';
  }
}

}  // namespace taintgraph::props

#include "props/conform/conformance.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "props/isolation.hpp"
#include "traces/comparison.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::props {
namespace {

constexpr std::chrono::milliseconds kLookLimit{60'000};

// A child's death as a step that nobody expects.
std::string seen_of(const Death& death) {
  std::string text = "died:" + death.text();
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

// The part of a trace's observation that is expected of it.
bool is_allowed_of(const ConformRow& row, const std::string& seen) {
  if (row.expected != kNoMismatch) return is_allowed(seen, row.expected);
  return seen == kNoMismatch || seen.substr(0, kNoMismatch.size() + 1) == std::string(kNoMismatch) + " ";
}

}  // namespace

std::string_view to_string(Agreement agreement) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "agree", "both allowed", "simulator differs", "hardware differs", "both differ", "left out"};
  return kNames[static_cast<std::size_t>(agreement)];
}

void judge(ConformRow& row) {
  const bool simulated = is_allowed_of(row, row.simulated);
  const bool real = is_allowed_of(row, row.real);
  if (simulated && real) {
    row.agreement = row.simulated == row.real ? Agreement::agree : Agreement::both_allowed;
  } else if (simulated) {
    row.agreement = Agreement::hardware_differs;
  } else {
    row.agreement = real ? Agreement::simulator_differs : Agreement::both_differ;
  }
}

std::vector<Probe> all_probes() {
  std::vector<Probe> all;
  for (const std::span<const Probe> some :
       {memory_probes(), handle_probes(), code_probes(), capture_probes(), fault_probes()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

tl::expected<Machine, std::string> look_at(const RigMaker& make) {
  const SharedProgress progress;
  const auto work = [&]() -> std::string {
    try {
      const std::unique_ptr<Rig> rig = make();
      std::array<char, 256> name{};
      int driver = 0;
      int major = 0;
      int minor = 0;
      gpu::CUdevice device = 0;
      const gpu::DriverApi& cu = rig->driver();
      if (cu.cuInit(0) != gpu::CUDA_SUCCESS || cu.cuDeviceGet(&device, rig->device()) != gpu::CUDA_SUCCESS ||
          cu.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device) != gpu::CUDA_SUCCESS ||
          cu.cuDriverGetVersion(&driver) != gpu::CUDA_SUCCESS ||
          rig->compiler().nvrtcVersion(&major, &minor) != gpu::NVRTC_SUCCESS)
        return "!the driver does not answer";
      return std::to_string(driver) + " " + std::to_string(major * 1000 + minor * 10) + " " + name.data();
    } catch (const traces::NoGpu& missing) {
      return std::string("!") + missing.what();
    }
  };
  const auto told = run_isolated(work, progress, kLookLimit);
  if (!told) return tl::unexpected("asking the driver for its GPU " + told.error().text());
  if (told->empty() || told->front() == '!') return tl::unexpected(told->empty() ? *told : told->substr(1));
  Machine machine;
  std::size_t end = 0;
  machine.driver_version = std::stoi(*told, &end);
  const std::string rest = told->substr(end + 1);
  machine.compiler_version = std::stoi(rest, &end);
  machine.card = rest.substr(end + 1);
  return machine;
}

Observation observe(const Probe& probe, const RigMaker& make, std::chrono::milliseconds limit) {
  const SharedProgress progress;
  const auto work = [&] {
    const std::unique_ptr<Rig> rig = make();
    const Observation seen = run_probe(probe.body, *rig);
    return seen.seen + "\n" + seen.expected;
  };
  const auto told = run_isolated(work, progress, limit);
  if (!told) return {seen_of(told.error()), {}};
  const std::size_t line = told->find('\n');
  return {told->substr(0, line), told->substr(line + 1)};
}

std::string observe(const traces::Program& program, const traces::SessionOptions& options,
                    std::chrono::milliseconds limit) {
  const SharedProgress progress;
  const auto work = [&] {
    std::string outcomes;
    std::string mismatched;
    traces::Replayer replayer(
        program.header, program.names, options,
        [&](const traces::Operation&, const traces::StepResult& result, const std::vector<traces::Mismatch>& found) {
          const std::uint64_t ordinal = replayer.session().operations();
          for (const traces::Mismatch& each : found) mismatched += " #" + std::to_string(ordinal) + ":" + each.what;
          if (result.outcome == traces::Outcome::ok) return;
          outcomes += " #" + std::to_string(ordinal) + "=" + std::string(traces::to_string(result.outcome));
          for (const std::uint64_t root : result.roots) outcomes += "<" + std::to_string(root);
        });
    for (const traces::Operation& operation : program.operations) replayer.execute(operation);
    replayer.finish();
    for (const traces::Mismatch& each : replayer.whole_run()) mismatched += " end:" + each.what;
    return "mismatches=" + std::to_string(replayer.mismatches()) + mismatched + outcomes;
  };
  const auto told = run_isolated(work, progress, limit);
  return told ? *told : seen_of(told.error());
}

}  // namespace taintgraph::props

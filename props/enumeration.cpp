#include "props/enumeration.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "props/every_fault.hpp"
#include "props/exit_status.hpp"
#include "props/failure_report.hpp"
#include "props/order_search.hpp"
#include "props/progress_line.hpp"
#include "props/signature.hpp"
#include "props/small_programs.hpp"
#include "props/sweep.hpp"
#include "traces/interrupt.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::props {
namespace {

using Clock = std::chrono::steady_clock;

class Enumeration {
 public:
  Enumeration(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err), start_(Clock::now()), programs_(options.operations) {
    options_.out += "/enumerate";
    every_order_ = [judge](const traces::Program& program, const CheckOptions& check_options) {
      return judge_every_order(judge, program, check_options);
    };
    every_fault_ = [judge](const traces::Program& program, const CheckOptions& check_options) {
      return judge_every_fault(judge, program, check_options);
    };
    single_faults_ = [judge](const traces::Program& program) { return single_faults_of(judge, program); };
  }

  int run(const GraphRenderer& render) {
    out_ << "all " << programs_.size() << " programs of up to " << options_.operations
         << " operations, with every fault, in every order" << std::endl;
    const Campaign campaign(campaign_options([this](std::uint64_t number) { return programs_.program(number); }),
                            every_fault_);
    const SweepResult result = sweep(campaign);
    int status = kAllHeld;
    if (result.end == SweepResult::End::interrupted) {
      out_ << "inconclusive: interrupted after " << result.totals.cases << " of " << programs_.size() << " programs\n";
      status = kInconclusive;
    }
    std::size_t reported = 0;
    for (const FailureGroup* group : result.failures.in_order()) {
      out_ << "failure: " << signature_of(group->disagreement) << ", " << group->cases
           << (group->cases == 1 ? " program" : " programs") << std::endl;
      status =
          worse(status, ++reported > kMostReported ? status_of(group->disagreement) : report(reported, *group, render));
    }
    return close(result, status);
  }

 private:
  CampaignOptions campaign_options(std::function<traces::Program(std::uint64_t)> source) const {
    CampaignOptions result;
    result.source = std::move(source);
    result.limits = options_.limits;
    result.twice = false;
    result.goes_on = [this](const std::string&) { return options_.keep_going; };
    return result;
  }

  SweepResult sweep(const Campaign& campaign) {
    ProgressLine progress(err_, {.cases = programs_.size(), .time = std::nullopt});
    SweepOptions options;
    options.workers = static_cast<std::size_t>(std::min<std::uint64_t>(options_.jobs, programs_.size()));
    options.interrupted = traces::InterruptGuard::interrupted;
    options.show_progress = [&progress](const Totals& totals) { progress.show(totals); };
    return Sweep(campaign, CaseDeal(0, programs_.size(), {}), std::move(options)).run();
  }

  // Deals with the program together with the fault that makes it fail.
  int report(std::size_t number, const FailureGroup& group, const GraphRenderer& render) {
    const traces::Program failing = with_its_fault(programs_.program(group.shortest_case), group);
    Campaign campaign(campaign_options([&failing](std::uint64_t) { return traces::Program(failing); }), every_order_);
    FailureReport report(options_, campaign.seed(), campaign, out_, err_);
    const ReportedFailure reported = report.make(number, group, render, traces::InterruptGuard::interrupted);
    return reported.written ? reported.status : worse(reported.status, kInternalError);
  }

  // Judged in children, one a fault: it may be one that crashes.
  traces::Program with_its_fault(const traces::Program& program, const FailureGroup& group) const {
    const std::string signature = signature_of(group.disagreement);
    Campaign campaign(campaign_options({}), every_order_);
    const auto fails = [&](const traces::Program& candidate) {
      const Verdict verdict = campaign.check_alone(candidate, {});
      return verdict.disagreement && signature_of(*verdict.disagreement) == signature;
    };
    if (fails(program)) return program;
    for (const SingleFault& fault : single_faults_(program)) {
      traces::Program candidate = with_single_fault(program, fault);
      if (fails(candidate)) return candidate;
    }
    return program;
  }

  int close(const SweepResult& result, int status) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_);
    const Totals& totals = result.totals;
    out_ << (status == kAllHeld ? "PASSED" : "FAILED") << " enumerate=" << options_.operations
         << " programs=" << totals.cases << '/' << programs_.size() << " faults=" << totals.faults
         << " orders=" << totals.orders << " runs=" << totals.runs << " ops=" << totals.operations
         << " fingerprint=" << traces::fingerprint_text(totals.fingerprint) << " time=" << seconds_text(took)
         << std::endl;
    return status;
  }

  FuzzOptions options_;
  std::ostream& out_;
  std::ostream& err_;
  Clock::time_point start_;
  traces::InterruptGuard guard_;
  SmallPrograms programs_;
  Judge every_order_;
  Judge every_fault_;
  std::function<std::vector<SingleFault>(const traces::Program&)> single_faults_;
};

}  // namespace

int enumerate(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err,
              const GraphRenderer& render) {
  return Enumeration(options, judge, out, err).run(render);
}

}  // namespace taintgraph::props

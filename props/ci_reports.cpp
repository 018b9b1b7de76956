#include "props/ci_reports.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <vector>

#include "props/exit_status.hpp"

namespace taintgraph::props {
namespace {

constexpr std::size_t kMostAnnotations = 10;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// ---- JUnit

// The length of the UTF-8 sequence at `at` that XML may have; 0 if there is none.
std::size_t xml_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(at);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6) | (byte(at + i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool forbidden =
      code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF;
  return forbidden ? 0 : length;
}

std::string disagreement_text(const Disagreement& disagreement) {
  std::string text = "property: " + disagreement.property + "\nstep: " + std::to_string(disagreement.step);
  if (!disagreement.operation.empty()) text += "\noperation: " + disagreement.operation;
  return text + "\nexpected: " + disagreement.expected + "\nfound: " + disagreement.found;
}

std::string failure_text(const FailureSummary& failure) {
  return disagreement_text(failure.disagreement) + "\ncases: " + std::to_string(failure.cases) +
         ", the first is case " + std::to_string(failure.first_case) + "\nreproduce: " + failure.command;
}

// A test case of a suite: what its element holds is a failure, an error, a skip or nothing.
struct TestCase {
  std::string name;
  std::string element;  // "failure", "error", "skipped"; empty: it passed
  std::string message;
  std::string text;
};

std::vector<TestCase> test_cases(const RunSummary& summary) {
  std::vector<TestCase> result;
  TestCase run{cases_text(summary), "", "", ""};
  if (summary.totals.cases == 0) {
    run.element = "skipped";
    run.message = "no case was run";
  }
  for (const std::string& reason : inconclusive_reasons(summary)) {
    run.element = "error";
    run.message = "inconclusive";
    run.text += (run.text.empty() ? "" : "\n") + reason;
  }
  result.push_back(std::move(run));
  if (summary.regressions > 0) {
    TestCase regressions{"regressions", "", "", ""};
    for (const RegressionFailure& each : summary.failed_regressions) {
      regressions.element = "failure";
      regressions.message = std::to_string(summary.failed_regressions.size()) + " traces fail";
      regressions.text += each.path + "\n" + disagreement_text(each.disagreement) + "\n";
    }
    result.push_back(std::move(regressions));
  }
  for (const FailureSummary& each : summary.failures) {
    const bool error = each.status != kFailed;
    result.push_back({each.signature,
                      each.known ? "skipped"
                      : error    ? "error"
                                 : "failure",
                      each.known ? "known" : each.disagreement.property, failure_text(each)});
  }
  return result;
}

void write_case(std::ostream& out, const TestCase& each, std::uint64_t seed) {
  out << "    <testcase classname=\"fuzz.seed-" << seed << "\" name=\"" << xml_escaped(each.name) << '"';
  if (each.element.empty()) {
    out << "/>\n";
    return;
  }
  out << ">\n      <" << each.element << " message=\"" << xml_escaped(each.message) << "\">" << xml_escaped(each.text)
      << "</" << each.element << ">\n    </testcase>\n";
}

// ---- GitHub

// A workflow command's value; in a property two more characters would end it.
std::string command_escaped(std::string_view text, bool in_property) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '%':
        result += "%25";
        break;
      case '\r':
        result += "%0D";
        break;
      case '\n':
        result += "%0A";
        break;
      case ':':
        result += in_property ? "%3A" : ":";
        break;
      case ',':
        result += in_property ? "%2C" : ",";
        break;
      default:
        result += character;
    }
  }
  return result;
}

std::string annotation(const std::string& file, const std::string& title, const std::string& message) {
  std::string text = "::error ";
  if (!file.empty()) text += "file=" + command_escaped(file, true) + ",";
  return text + "title=" + command_escaped(title, true) + "::" + command_escaped(message, false) + "\n";
}

}  // namespace

bool on_github() {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  return actions != nullptr && std::string_view(actions) == "true";
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = xml_character(text, i);
    const char character = text[i];
    if (length == 0) {
      result += kReplacement;
    } else if (character == '&') {
      result += "&amp;";
    } else if (character == '<') {
      result += "&lt;";
    } else if (character == '>') {
      result += "&gt;";
    } else if (character == '"') {
      result += "&quot;";
    } else if (character == '\n' || character == '\r' || character == '\t') {
      result += "&#" + std::to_string(static_cast<int>(character)) + ";";  // an attribute would make it a blank
    } else {
      result += text.substr(i, length);
    }
    i += std::max<std::size_t>(1, length);
  }
  return result;
}

std::string junit_text(const RunSummary& summary) {
  const std::vector<TestCase> cases = test_cases(summary);
  const auto count = [&](std::string_view element) {
    return std::count_if(cases.begin(), cases.end(), [&](const TestCase& each) { return each.element == element; });
  };
  std::ostringstream out;
  const auto counts = [&] {
    out << " tests=\"" << cases.size() << "\" failures=\"" << count("failure") << "\" errors=\"" << count("error")
        << "\" skipped=\"" << count("skipped") << "\" time=\"" << summary.milliseconds / 1000 << '.' << std::setw(3)
        << std::setfill('0') << summary.milliseconds % 1000 << "\">\n";
  };
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"taintgraph fuzz\"";
  counts();
  out << "  <testsuite name=\"taintgraph fuzz\"";
  counts();
  for (const TestCase& each : cases) write_case(out, each, summary.seed);
  out << "  </testsuite>\n</testsuites>\n";
  return out.str();
}

std::string annotations_text(const RunSummary& summary, const std::string& out) {
  std::vector<std::string> lines;
  for (const RegressionFailure& each : summary.failed_regressions) {
    lines.push_back(
        annotation(each.path, "regression: " + each.disagreement.property, disagreement_text(each.disagreement)));
  }
  for (const FailureSummary& each : summary.failures) {
    if (each.known) continue;
    const std::string file = each.folder.empty() ? "" : out + "/" + each.folder + "/trace.jsonl";
    lines.push_back(annotation(file, each.signature, failure_text(each)));
  }
  if (lines.size() > kMostAnnotations) lines.resize(kMostAnnotations);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace taintgraph::props

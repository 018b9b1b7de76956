#include "props/conform/transcript.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "props/json_field.hpp"

namespace taintgraph::props {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "taintgraph-conform";
constexpr std::uint64_t kMostVersion = std::numeric_limits<int>::max();

// Throws BadJson.
void read_line(const std::string& line, bool first, Transcript& transcript) {
  const Json document = parse_json(line);
  const JsonField json(document);
  if (first) {
    if (json.at("format").text() != kFormat) json.at("format").refuse(std::string("is not ") + kFormat);
    (void)json.at("version").whole(1, 1);
    transcript.machine.card = json.at("card").text();
    transcript.machine.driver_version = static_cast<int>(json.at("driver").whole(0, kMostVersion));
    transcript.machine.compiler_version = static_cast<int>(json.at("nvrtc").whole(0, kMostVersion));
    return;
  }
  ConformRow& row = transcript.rows.emplace_back();
  row.name = json.at("name").text();
  row.expected = json.at("expected").text();
  row.simulated = json.at("simulated").text();
  row.real = json.at("real").text();
  judge(row);
  if (json.at("verdict").text() == to_string(Agreement::left_out)) row.agreement = Agreement::left_out;
}

// A driver may name its card as it likes.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string transcript_text(const Transcript& transcript) {
  const Machine& machine = transcript.machine;
  std::string text = line_of({{"format", kFormat},
                              {"version", 1},
                              {"card", machine.card},
                              {"driver", machine.driver_version},
                              {"nvrtc", machine.compiler_version}});
  for (const ConformRow& row : transcript.rows) {
    text += line_of({{"name", row.name},
                     {"expected", row.expected},
                     {"simulated", row.simulated},
                     {"real", row.real},
                     {"verdict", to_string(row.agreement)}});
  }
  return text;
}

tl::expected<Transcript, std::string> read_transcript(std::istream& text) {
  Transcript transcript;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    try {
      read_line(line, number == 1, transcript);
    } catch (const BadJson& error) {
      return tl::unexpected("line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (number == 0) return tl::unexpected(std::string("empty; expected a transcript of conform"));
  return transcript;
}

}  // namespace taintgraph::props

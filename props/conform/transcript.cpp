#include "props/conform/transcript.hpp"

#include <nlohmann/json.hpp>

namespace taintgraph::props {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "taintgraph-conform";

// Throws nlohmann's exceptions, or std::runtime_error in words of ours.
void read_line(const std::string& line, bool first, Transcript& transcript) {
  const Json json = Json::parse(line);
  if (first) {
    if (json.at("format") != kFormat || json.at("version") != 1)
      throw std::runtime_error("expected \"format\":\"taintgraph-conform\" and \"version\":1");
    json.at("card").get_to(transcript.machine.card);
    json.at("driver").get_to(transcript.machine.driver_version);
    json.at("nvrtc").get_to(transcript.machine.compiler_version);
    return;
  }
  ConformRow& row = transcript.rows.emplace_back();
  json.at("name").get_to(row.name);
  json.at("expected").get_to(row.expected);
  json.at("simulated").get_to(row.simulated);
  json.at("real").get_to(row.real);
  judge(row);
  if (json.at("verdict") == to_string(Agreement::left_out)) row.agreement = Agreement::left_out;
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
    } catch (const std::exception& error) {
      return tl::unexpected("line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (number == 0) return tl::unexpected(std::string("empty; expected a transcript of conform"));
  return transcript;
}

}  // namespace taintgraph::props

#include "traces/internal/expectation_reader.hpp"

#include <array>

#include "traces/internal/fault_reader.hpp"
#include "traces/internal/members.hpp"

namespace taintgraph::traces::internal {
namespace {

enum ExpectationMember : std::size_t { outcome, bytes, fill, roots, via, error };
constexpr std::array<std::string_view, 6> kExpectationNames = {"outcome", "bytes", "fill", "roots", "via", "error"};

}  // namespace

std::optional<ExpectationText> read_expectation(ValueReader& in) {
  if (!in.object()) return std::nullopt;
  ExpectationText text;
  Members members(in, kExpectationNames);
  while (const auto member = members.next()) {
    switch (*member) {
      case outcome:
        text.value.outcome = in.word(kOutcomeWords);
        break;
      case bytes:
      case fill:
        text.bytes_place = members.key_place();
        text.bytes_member = kExpectationNames[*member];
        if (*member == bytes) {
          text.value.bytes = in.hex();
        } else {
          text.value.fill = in.byte();
        }
        break;
      case roots:
        text.value.roots = in.operation_names();
        break;
      case via:
        text.value.via = in.operation_names();
        break;
      default:
        text.value.error = read_fault_kind(in, FaultUse::expected);
        break;
    }
  }
  if (members.has(bytes) && members.has(fill)) {
    in.problems().add(*text.bytes_place, "bytes and fill say the same; expected one of them");
  }
  return text;
}

}  // namespace taintgraph::traces::internal

#include "core/error.hpp"

namespace taintgraph::core {

std::string_view to_string(Recovery recovery) {
  switch (recovery) {
    case Recovery::none:
      return "none";
    case Recovery::retry:
      return "retry";
    case Recovery::context:
      return "context";
    case Recovery::process:
      return "process";
  }
  return "none";
}

namespace {

constexpr std::string_view kOutOfMemory = "out_of_memory";

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

void add_detail(Error& error, std::string_view doing, const Error& also) {
  if (!error.detail.empty()) error.detail += '\n';
  error.detail.append("then, ").append(doing).append(", ");
  if (!also.call.empty()) error.detail.append(also.call).append(" returned ");
  error.detail.append(also.name);
}

Error never_fits(std::uint64_t size_bytes, std::uint64_t most_bytes) {
  return Error{
      .name = kOutOfMemory,
      .call = {},
      .recovery = Recovery::none,
      .detail = bytes_text(size_bytes) + " can never be had: there are " + std::to_string(most_bytes) + " in all"};
}

Error over_limit(std::uint64_t size_bytes, std::uint64_t limit_bytes) {
  return Error{
      .name = kOutOfMemory,
      .call = {},
      .recovery = Recovery::retry,
      .detail = bytes_text(size_bytes) + " more would take the pool over its limit of " + bytes_text(limit_bytes)};
}

}  // namespace taintgraph::core

// Reads the members of a trace's header: format, version, device, fault plan, required features.
#pragma once

#include "traces/internal/members.hpp"
#include "traces/internal/value_reader.hpp"
#include "traces/program.hpp"

namespace taintgraph::traces::internal {

class HeaderReader {
 public:
  // Requires: in.object() has just said true.
  explicit HeaderReader(ValueReader& in);

  enum class Step : std::uint8_t {
    more,        // read one member
    operations,  // stands before the value of "ops", which the caller reads or skips
    done         // behind the last member, or after a fatal problem
  };
  [[nodiscard]] Step step();

  // Whether "ops" was met: the trace is one document.
  [[nodiscard]] bool is_document() const;

  // What must be there and is not; to be called once, after the last member.
  void check_complete();
  // Whether this is a trace of our format and version, so that the rest of the file can be judged.
  [[nodiscard]] bool ours() const { return format_good_ && version_good_; }
  [[nodiscard]] Header& header() { return header_; }

 private:
  void read_format();
  void read_version();
  void read_device();
  void read_device_member(std::size_t member);
  void read_requires();

  ValueReader& in_;
  Header header_;
  Members members_;
  bool format_good_ = false;
  bool version_good_ = false;
};

}  // namespace taintgraph::traces::internal

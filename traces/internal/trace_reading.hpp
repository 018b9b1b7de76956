// One reading of a trace: finds out which of the two forms it has, takes it apart into header, operations and closing
// line, and hands these on.
//
// A document's header may go on behind its operations, which must be delivered after it. A stream that can be read
// again is therefore read up to its end for the header, and once more for the operations; in any other, header fields
// behind "ops" are a problem. Nothing is delivered any more once there is a problem.
#pragma once

#include <cstdint>
#include <istream>
#include <vector>

#include "traces/internal/header_reader.hpp"
#include "traces/internal/operation_reader.hpp"
#include "traces/reader.hpp"

namespace taintgraph::traces::internal {

class TraceReading {
 public:
  TraceReading(std::istream& input, NameTable& names, const TraceSink& sink);

  // To be called once.
  [[nodiscard]] std::vector<Problem> run();

 private:
  // Whether to read on behind the header, and how.
  enum class Form : std::uint8_t { lines, document, none };

  void skip_byte_order_mark();
  [[nodiscard]] bool to_next_line();
  [[nodiscard]] bool finish_line();
  [[nodiscard]] bool within_limit(std::size_t bytes);
  [[nodiscard]] bool line_within_limit();

  [[nodiscard]] Form read_header();
  [[nodiscard]] bool meet_operations(HeaderReader& header);
  [[nodiscard]] bool look_past_operations();
  void finish_document();
  void deliver_header(HeaderReader& header);

  void read_lines();
  void read_document_operations();
  // Reads one operation or the closing line; deliver() hands on what was found.
  void read_operation();
  void deliver();
  [[nodiscard]] bool done() const { return stopped_ || problems_.full(); }

  const TraceSink& sink_;
  NameTable& names_;
  ProblemList problems_;
  NameLedger ledger_;
  TextWindow window_;
  JsonScanner scanner_;
  ValueReader values_;
  OperationReader reader_;

  std::uint64_t operations_ = 0;  // so far
  OperationReader::Line found_ = OperationReader::Line::unknown;
  bool ended_ = false;          // the closing line was met
  bool names_complete_ = true;  // no operation was lost whose names would be missed
  bool stopped_ = false;        // the sink has had enough, or nothing further can be judged
  bool header_late_ = false;    // the operations were delivered already
  bool header_whole_ = true;
  TextWindow::Mark operations_mark_;
};

}  // namespace taintgraph::traces::internal

#include "traces/internal/trace_reading.hpp"

#include <string>
#include <utility>

namespace taintgraph::traces::internal {

TraceReading::TraceReading(std::istream& input, NameTable& names, const TraceSink& sink)
    : sink_(sink),
      names_(names),
      window_(input),
      scanner_(window_, problems_),
      values_(scanner_, problems_, names, ledger_),
      reader_(values_) {}

std::vector<Problem> TraceReading::run() {
  scanner_.set_line_mode(true);
  skip_byte_order_mark();
  if (!to_next_line()) {
    problems_.add(window_.place(), "the file is empty; expected a trace, which begins with its header");
    return problems_.take();
  }
  switch (read_header()) {
    case Form::lines:
      read_lines();
      break;
    case Form::document:
      finish_document();
      break;
    case Form::none:
      return problems_.take();
  }
  if (!done() && names_complete_) ledger_.report(names_, operations_, problems_);
  return problems_.take();
}

void TraceReading::skip_byte_order_mark() {
  for (const int expected : {0xEF, 0xBB, 0xBF}) {
    if (window_.current() != expected) return;
    window_.advance();
  }
  problems_.add({1, 1}, "the file begins with a byte order mark; expected UTF-8 without one");
}

// Moves to the next line that is not blank and opens it as a unit; false at the end of the input.
bool TraceReading::to_next_line() {
  for (;;) {
    window_.begin_unit();
    if (!scanner_.at_end_of_line() || !line_within_limit()) return true;  // something is there, or the line is too long
    if (window_.current() == TextWindow::kNothing) {
      window_.end_unit();
      return false;
    }
    window_.advance();
    window_.newline_passed();
  }
}

bool TraceReading::within_limit(std::size_t bytes) {
  if (bytes <= kMaxUnitBytes) return true;
  scanner_.fail_limit();
  return false;
}

// At the end of a line, which does not count itself.
bool TraceReading::line_within_limit() {
  std::size_t length = window_.unit_bytes();
  if (length > 0 && window_.at()[-1] == '\r') --length;
  return within_limit(length);
}

// Behind a line's value: nothing else may be on the line.
bool TraceReading::finish_line() {
  if (scanner_.failed()) return false;
  if (!scanner_.at_end_of_line()) {
    scanner_.fail_here("the end of the line, since a line holds one value");
    return false;
  }
  if (!line_within_limit()) return false;
  if (window_.current() == '\n') {
    window_.advance();
    window_.newline_passed();
  }
  return true;
}

TraceReading::Form TraceReading::read_header() {
  scanner_.set_line_mode(false);
  if (!values_.object()) return Form::none;
  const Place start = scanner_.place();
  HeaderReader header(values_);
  for (bool more = true; more && !done();) {
    switch (header.step()) {
      case HeaderReader::Step::more:
        if (header_late_) {
          problems_.add(scanner_.key_place(),
                        "a header field behind \"ops\" in input that cannot be read twice; "
                        "expected all of them before it");
        }
        break;
      case HeaderReader::Step::operations:
        more = meet_operations(header);
        break;
      case HeaderReader::Step::done:
        more = false;
        break;
    }
  }
  if (done()) return Form::none;
  if (header.is_document() && !header_whole_) return Form::document;
  if (scanner_.failed()) return Form::none;
  header.check_complete();
  if (header.is_document()) {
    if (!scanner_.at_end_of_input()) scanner_.fail_here("the end of the file behind the document");
    if (scanner_.failed() || !header.ours()) return Form::none;
    if (!header_late_) deliver_header(header);
    return Form::document;
  }
  if (scanner_.place().line != start.line) {
    problems_.add(start, "a header over several lines without \"ops\"; expected the header on one line, or a document");
    return Form::none;
  }
  scanner_.set_line_mode(true);
  if (!finish_line() || !header.ours()) return Form::none;
  deliver_header(header);
  return done() ? Form::none : Form::lines;
}

// Before the value of "ops". False if reading the header cannot go on behind it.
bool TraceReading::meet_operations(HeaderReader& header) {
  if (scanner_.peek() != ValueKind::array) {
    (void)values_.list();
    header_late_ = true;  // there is nothing to read again
    return true;
  }
  window_.end_unit();
  operations_mark_ = window_.mark();
  if (window_.can_go_back()) {
    header_whole_ = look_past_operations();
    return header_whole_;
  }
  header.check_complete();
  stopped_ = !header.ours();
  if (stopped_) return false;
  deliver_header(header);
  if (done()) return false;
  read_document_operations();
  header_late_ = true;
  window_.begin_unit();
  return true;
}

// Passes over the operations. Whatever is wrong with them is said when they are read; false if they have no end.
bool TraceReading::look_past_operations() {
  problems_.mute(true);
  scanner_.enter();
  while (scanner_.next_element()) {
    window_.begin_unit();
    scanner_.skip();
    window_.end_unit();
  }
  problems_.mute(false);
  window_.begin_unit();
  return !scanner_.failed();
}

void TraceReading::finish_document() {
  if (header_late_ || done()) return;
  if (!window_.go_back(operations_mark_)) {
    problems_.add(window_.place(), "the file cannot be read again; expected one that can");
    return;
  }
  scanner_.restart(1);
  const PathStep step(problems_, "ops");
  read_document_operations();
}

void TraceReading::read_document_operations() {
  if (scanner_.peek() != ValueKind::array) return;
  scanner_.enter();
  for (std::uint64_t i = 0; scanner_.next_element(); ++i) {
    const PathStep step(problems_, i);
    window_.begin_unit();
    read_operation();
    if (!scanner_.failed()) (void)within_limit(window_.unit_bytes());
    window_.end_unit();
    if (scanner_.failed()) break;
    deliver();
    if (done()) return;
  }
  if (scanner_.failed()) names_complete_ = false;
}

void TraceReading::read_lines() {
  while (!done() && to_next_line()) {
    read_operation();
    if (finish_line()) {
      deliver();
      continue;
    }
    names_complete_ = false;
    if (window_.broken()) return;
    scanner_.recover_line();
  }
}

void TraceReading::read_operation() {
  found_ = OperationReader::Line::unknown;
  if (ended_) {
    if (scanner_.peek() != ValueKind::nothing) {
      problems_.add(scanner_.place(), "something behind the closing line; expected the end of the file");
    }
    scanner_.skip();
    return;
  }
  values_.set_ordinal(operations_ + 1);
  found_ = reader_.read();
  if (found_ == OperationReader::Line::unknown) names_complete_ = false;
  if (found_ == OperationReader::Line::end) {
    ended_ = true;
  } else {
    ++operations_;
  }
}

void TraceReading::deliver() {
  if (!problems_.empty() || !header_whole_) return;
  if (found_ == OperationReader::Line::operation) {
    stopped_ = sink_.operation && !sink_.operation(std::move(reader_.operation()));
  } else if (found_ == OperationReader::Line::end) {
    stopped_ = sink_.end && !sink_.end(reader_.end());
  }
}

void TraceReading::deliver_header(HeaderReader& header) {
  if (problems_.empty() && sink_.header) stopped_ = !sink_.header(header.header());
}

}  // namespace taintgraph::traces::internal

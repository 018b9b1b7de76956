// The JSON Schema of a trace, for editors and for programs that write traces. Made from the tables that the reader
// uses, so that neither can know a field, kernel or fault that the other does not.
//
// It describes one value: a line of JSON Lines (a header, an operation, the closing line), or a whole document. What
// takes more than one value to see (names that are never allocated, duplicate ids, the count of operations) it cannot
// say, and JSON Schema counts characters where the format counts bytes; the reader judges more strictly.
#pragma once

#include <string>

namespace taintgraph::traces {

// Draft 2020-12, indented, with a newline at its end. The same text in every run.
[[nodiscard]] std::string schema_text();

}  // namespace taintgraph::traces

#include "traces/writer.hpp"

#include <ostream>
#include <vector>

#include "gpu/kernel_info.hpp"
#include "traces/internal/fault_text.hpp"
#include "traces/internal/json_line.hpp"
#include "traces/internal/spelling.hpp"

namespace taintgraph::traces {
namespace {

using internal::JsonLine;

// Writes the members of one operation.
class OperationText {
 public:
  OperationText(const Operation& operation, const NameTable& names) : operation_(operation), names_(names) {}

  std::string text() {
    line_.open_object();
    line_.member("op", to_string(operation_.kind));
    name("id", operation_.id);
    write_own_fields();
    const bool named = operation_.has_stream || (operation_.kind != OpKind::sync && operation_.stream != 0);
    if (named) line_.member("stream", operation_.stream);
    if (operation_.kind == OpKind::wait) line_.member("on", operation_.on);
    if (operation_.deadline) line_.member("deadline", *operation_.deadline);
    if (operation_.kind == OpKind::cleanup && operation_.cleanup != CleanupMode::explicit_) {
      line_.member("mode", internal::word_of(internal::kCleanupWords, operation_.cleanup));
    }
    name("graph", operation_.graph);
    if (operation_.annotations && operation_.annotations->check) write_check(*operation_.annotations->check);
    if (operation_.fault) write_fault(*operation_.fault);
    if (operation_.annotations) write_annotations(*operation_.annotations);
    line_.close_object();
    return line_.take();
  }

 private:
  void write_own_fields() {
    name("buffer", operation_.buffer);
    switch (operation_.kind) {
      case OpKind::alloc:
        line_.member("size", operation_.size);
        break;
      case OpKind::write:
        one_ref("to", operation_.writes);
        if (operation_.has_bytes) {
          line_.key("bytes");
          line_.hex(operation_.bytes);
        } else {
          line_.member("fill", operation_.fill);
        }
        break;
      case OpKind::launch:
        write_launch();
        break;
      case OpKind::copy:
        one_ref("to", operation_.writes);
        one_ref("from", operation_.reads);
        break;
      case OpKind::read:
        refs("from", operation_.reads);
        break;
      case OpKind::trust:
        one_ref("to", operation_.writes);
        break;
      default:
        break;
    }
  }

  void write_launch() {
    const gpu::KernelInfo& kernel = gpu::kernel_catalog()[operation_.kernel];
    line_.member("kernel", kernel.name);
    refs("reads", operation_.reads);
    refs("writes", operation_.writes);
    if (kernel.scalar.empty()) return;
    line_.key("args");
    line_.open_object();
    line_.member(kernel.scalar, operation_.scalar);
    line_.close_object();
  }

  void write_fault(const sim::Fault& fault) {
    line_.key("fault");
    if (!fault.when && fault.bytes_done == 0 && !fault.surface_after_calls) {
      line_.string(gpu::row(fault.kind).name);
      return;
    }
    line_.open_object();
    internal::write_fault_members(line_, fault);
    line_.close_object();
  }

  void write_check(const Check& check) {
    number("failures", check.failures);
    number("tags", check.tags);
    number("pages", check.pages);
    number("bytes_in_use", check.bytes_in_use);
    if (!check.clean.empty()) refs("clean", check.clean);
    if (check.claimed.empty()) return;
    line_.key("claimed");
    line_.open_list();
    for (const auto& [claimed, root] : check.claimed) {
      line_.open_list();
      ref(claimed);
      line_.string(names_.text(root));
      line_.close_list();
    }
    line_.close_list();
  }

  void write_fired(const std::vector<sim::CallFault>& fired) {
    line_.key("fired");
    line_.open_list();
    for (const sim::CallFault& each : fired) {
      line_.open_object();
      line_.member("call", gpu::to_string(each.call));
      line_.member("nth", each.nth);
      internal::write_fault_members(line_, each.fault);
      line_.close_object();
    }
    line_.close_list();
  }

  void write_annotations(const Annotations& annotations) {
    if (annotations.expect) write_expectation(*annotations.expect);
    if (!annotations.fired.empty()) write_fired(annotations.fired);
    if (annotations.has_schedule) {
      line_.key("schedule");
      line_.open_list();
      for (const std::uint32_t stream : annotations.schedule) line_.integer(stream);
      line_.close_list();
    }
    if (!annotations.note.empty()) line_.member("note", annotations.note);
    line_.members(annotations.extensions);
  }

  void write_expectation(const Expectation& expect) {
    line_.key("expect");
    line_.open_object();
    if (expect.outcome) line_.member("outcome", to_string(*expect.outcome));
    if (expect.bytes) {
      line_.key("bytes");
      line_.hex(*expect.bytes);
    }
    if (expect.fill) line_.member("fill", *expect.fill);
    if (expect.roots) operation_names("roots", *expect.roots);
    if (expect.via) operation_names("via", *expect.via);
    if (expect.error) line_.member("error", gpu::row(*expect.error).name);
    line_.close_object();
  }

  void operation_names(std::string_view key, const std::vector<NameId>& ids) {
    line_.key(key);
    line_.open_list();
    for (const NameId id : ids) line_.string(names_.text(id));
    line_.close_list();
  }

  void name(std::string_view key, NameId id) {
    if (id != NameId::none) line_.member(key, names_.text(id));
  }
  void number(std::string_view key, const std::optional<std::uint64_t>& value) {
    if (value) line_.member(key, *value);
  }
  void one_ref(std::string_view key, const std::vector<Ref>& refs) {
    if (refs.empty()) return;
    line_.key(key);
    ref(refs.front());
  }
  void refs(std::string_view key, const std::vector<Ref>& refs) {
    line_.key(key);
    line_.open_list();
    for (const Ref& one : refs) ref(one);
    line_.close_list();
  }
  void ref(const Ref& ref) {
    if (ref.whole) {
      line_.string(names_.text(ref.buffer));
      return;
    }
    line_.open_list();
    line_.string(names_.text(ref.buffer));
    line_.integer(ref.begin);
    line_.integer(ref.end);
    line_.close_list();
  }

  const Operation& operation_;
  const NameTable& names_;
  JsonLine line_;
};

}  // namespace

std::string operation_line(const Operation& operation, const NameTable& names) {
  return OperationText(operation, names).text();
}

void write_program(std::ostream& output, const Program& program) {
  output << header_line(program.header) << '\n';
  for (const Operation& operation : program.operations) output << operation_line(operation, program.names) << '\n';
  if (program.end) output << end_line(*program.end) << '\n';
}

}  // namespace taintgraph::traces

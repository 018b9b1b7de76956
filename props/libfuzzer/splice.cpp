#include "props/libfuzzer/splice.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "props/removal.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::Program;

constexpr std::uint64_t kKeepNamesOneIn = 2;  // of splices: strangers stay strangers, unless called the same
constexpr std::uint64_t kAdoptOneIn = 4;      // of names in the other splices that are kept all the same

// The names of one kind of thing, from one program to another.
class Renaming {
 public:
  Renaming(Random& random, bool keep, const Program& from, Program& into, std::vector<NameId> known)
      : random_(random), keep_(keep), from_(from), into_(into), known_(std::move(known)) {}

  void apply(NameId& name) {
    if (name == NameId::none) return;
    const auto [found, fresh] = renamed_.emplace(name, NameId::none);
    if (fresh) found->second = draw(name);
    name = found->second;
  }

 private:
  NameId draw(NameId name) {
    if (keep_ || known_.empty() || random_.one_in(kAdoptOneIn)) return into_.names.intern(from_.names.text(name));
    return random_.pick<NameId>(known_);
  }

  Random& random_;
  bool keep_;
  const Program& from_;
  Program& into_;
  std::vector<NameId> known_;
  std::map<NameId, NameId> renamed_;
};

std::set<NameId> ids_of(const Program& program) {
  std::set<NameId> ids;
  for (const Operation& operation : program.operations) ids.insert(operation.id);
  return ids;
}

}  // namespace

void splice(Random& random, Program& into, std::size_t at, const Program& from, std::size_t begin, std::size_t end) {
  const bool keep = random.one_in(kKeepNamesOneIn);
  Renaming buffers(random, keep, from, into, buffers_of(into));
  Renaming graphs(random, keep, from, into, graphs_of(into));
  std::set<NameId> ids = ids_of(into);
  std::vector<Operation> spliced;
  for (std::size_t i = begin; i < end; ++i) {
    Operation& operation = spliced.emplace_back(from.operations[i]);
    buffers.apply(operation.buffer);
    graphs.apply(operation.graph);
    for (traces::Ref& ref : operation.reads) buffers.apply(ref.buffer);
    for (traces::Ref& ref : operation.writes) buffers.apply(ref.buffer);
    operation.annotations.reset();  // they name operations of the other program
    if (operation.id == NameId::none) continue;
    operation.id = into.names.intern(from.names.text(operation.id));
    if (!ids.insert(operation.id).second) operation.id = NameId::none;
  }
  into.operations.insert(into.operations.begin() + static_cast<std::ptrdiff_t>(at),
                         std::make_move_iterator(spliced.begin()), std::make_move_iterator(spliced.end()));
}

}  // namespace taintgraph::props

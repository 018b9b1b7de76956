// The failing cases of a run, those with one signature together: a bug that a thousand cases meet is one failure.
//
// Of each group only the case that shows it soonest is kept. What is kept does not depend on the order in which cases
// are added.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "props/disagreement.hpp"
#include "props/packet.hpp"

namespace taintgraph::props {

// Properties of ways to fail that no step of a comparison has.
inline constexpr const char* kCrashProperty = "crash";
inline constexpr const char* kHangProperty = "hang";
inline constexpr const char* kMemoryProperty = "out of memory";
inline constexpr const char* kDeterminismProperty = "determinism";

struct FailureGroup {
  std::uint64_t cases = 0;
  std::uint64_t first_case = 0;     // the lowest number
  std::uint64_t shortest_case = 0;  // the one that took fewest operations to fail; of several, the lowest
  Disagreement disagreement;        // of that one
};

class FailureGroups {
 public:
  void add(std::uint64_t case_number, const Disagreement& disagreement);
  void add(const FailureGroups& other);

  [[nodiscard]] bool empty() const { return groups_.empty(); }
  // By signature.
  [[nodiscard]] const std::map<std::string, FailureGroup>& by_signature() const { return groups_; }
  // By the case that first showed them.
  [[nodiscard]] std::vector<const FailureGroup*> in_order() const;

  void put(Packer& packer) const;
  void get(Unpacker& unpacker);

 private:
  void add(const std::string& signature, const FailureGroup& group);

  std::map<std::string, FailureGroup> groups_;
};

void put(Packer& packer, const Disagreement& disagreement);
void get(Unpacker& unpacker, Disagreement& disagreement);

}  // namespace taintgraph::props

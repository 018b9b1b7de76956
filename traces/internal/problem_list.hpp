// The problems found in one trace so far, and the place within the JSON value that is being read.
//
// Code that reads a member or an element holds a PathStep while it does; a problem added then gets the JSON pointer of
// all steps held. Nothing is rendered unless there is a problem, so a step costs two stores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/reader.hpp"

namespace taintgraph::traces::internal {

// A byte of the file: both count from 1, columns in bytes.
struct Place {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

class PathStep;

class ProblemList {
 public:
  // Keeps the first kMaxProblems; does nothing while muted.
  void add(Place place, std::string message);
  void add_at(Place place, std::string message, std::string pointer);

  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] bool full() const { return problems_.size() >= kMaxProblems; }
  // While muted nothing is added: for text that will be read once more.
  void mute(bool on) { muted_ = on; }
  [[nodiscard]] bool muted() const { return muted_; }

  // The JSON pointer of the steps held now, e.g. "/reads/0"; empty for the value as a whole.
  [[nodiscard]] std::string pointer() const;

  // All problems in the order of their places; leaves none.
  [[nodiscard]] std::vector<Problem> take();

 private:
  friend class PathStep;
  std::vector<Problem> problems_;
  const PathStep* innermost_ = nullptr;
  bool muted_ = false;
};

// One member's name or one element's index, for as long as that member or element is being read.
class PathStep {
 public:
  // `key` must outlive the step.
  PathStep(ProblemList& list, std::string_view key) : list_(list), outer_(list.innermost_), key_(key) {
    list.innermost_ = this;
  }
  PathStep(ProblemList& list, std::uint64_t index)
      : list_(list), outer_(list.innermost_), index_(index), is_index_(true) {
    list.innermost_ = this;
  }
  ~PathStep() { list_.innermost_ = outer_; }
  PathStep(const PathStep&) = delete;
  PathStep& operator=(const PathStep&) = delete;

 private:
  friend class ProblemList;
  ProblemList& list_;
  const PathStep* outer_;
  std::string_view key_;
  std::uint64_t index_ = 0;
  bool is_index_ = false;
};

// `text` in double quotes as it may stand in a message: escaped, and cut if it is long.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace taintgraph::traces::internal

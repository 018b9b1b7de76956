#include "props/candidates.hpp"

#include <algorithm>
#include <utility>

#include "props/removal.hpp"
#include "props/simplify.hpp"

namespace taintgraph::props {

using traces::Program;

Candidates::Candidates(Program program)
    : program_(std::move(program)),
      chunk_(std::max<std::size_t>(1, program_.operations.size() / 2)),
      chunk_end_(program_.operations.size()) {
  if (program_.operations.empty()) stage_ = Stage::whole;
}

std::optional<Program> Candidates::next() {
  while (queued_.empty()) {
    switch (stage_) {
      case Stage::chunks:
        if (auto program = next_without_chunk()) return program;
        stage_ = Stage::whole;
        break;
      case Stage::whole:
        fill_with_whole();
        stage_ = Stage::operations;
        break;
      case Stage::operations:
        if (operation_ == program_.operations.size()) {
          stage_ = Stage::done;
        } else {
          fill_with_operation();
        }
        break;
      case Stage::done:
        return std::nullopt;
    }
  }
  Program program = std::move(queued_.back());
  queued_.pop_back();
  return program;
}

std::optional<Program> Candidates::next_without_chunk() {
  if (chunk_end_ == 0) {
    if (chunk_ == 1) return std::nullopt;
    chunk_ /= 2;
    chunk_end_ = program_.operations.size();
  }
  const std::size_t begin = chunk_end_ > chunk_ ? chunk_end_ - chunk_ : 0;
  const std::size_t end = std::exchange(chunk_end_, begin);
  return without_range(program_, begin, end);
}

void Candidates::fill_with_whole() {
  for (traces::Header& header : simpler_headers(program_.header)) {
    queued_.push_back(program_);
    queued_.back().header = std::move(header);
  }
  for (Program& program : simpler_programs(program_)) queued_.push_back(std::move(program));
  std::reverse(queued_.begin(), queued_.end());
}

void Candidates::fill_with_operation() {
  for (traces::Operation& operation : simpler_operations(program_.operations[operation_])) {
    queued_.push_back(program_);
    queued_.back().operations[operation_] = std::move(operation);
  }
  ++operation_;
  std::reverse(queued_.begin(), queued_.end());
}

}  // namespace taintgraph::props

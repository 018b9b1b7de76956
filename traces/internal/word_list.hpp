// "a, b or c": the choices that a message offers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taintgraph::traces::internal {

class WordList {
 public:
  void add(std::string_view word) { words_.push_back(word); }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (i > 0) text += i + 1 == words_.size() ? " or " : ", ";
      text += words_[i];
    }
    return text;
  }

 private:
  std::vector<std::string_view> words_;
};

}  // namespace taintgraph::traces::internal

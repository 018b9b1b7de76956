// Reading is flat in memory: counted at the allocator, over a trace that is made up while it is read.

#include <gtest/gtest.h>

#include <cstdlib>
#include <istream>
#include <new>
#include <streambuf>
#include <string>

#include "traces/reader.hpp"

namespace {

// Bytes asked for and not given back, and the most there were. The allocator is global, so its counters must be too.
std::size_t live_bytes = 0;
std::size_t peak_bytes = 0;

constexpr std::size_t kPrefix = alignof(std::max_align_t);

void* counted(std::size_t size) {
  void* memory = std::malloc(size + kPrefix);
  if (memory == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(memory) = size;
  live_bytes += size;
  peak_bytes = std::max(peak_bytes, live_bytes);
  return static_cast<char*>(memory) + kPrefix;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  void* whole = static_cast<char*>(memory) - kPrefix;
  live_bytes -= *static_cast<std::size_t*>(whole);
  std::free(whole);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace taintgraph::traces {
namespace {

// A trace of `operations` operations on 16 buffers, in either form, that exists a block at a time.
class Endless : public std::streambuf {
 public:
  Endless(std::uint64_t operations, bool document) : operations_(operations), document_(document) {
    block_ = R"({"format":"taintgraph-trace","version":1)";
    block_ += document ? ",\"ops\":[" : "}";
    setg(block_.data(), block_.data(), block_.data() + block_.size());
  }

 private:
  int_type underflow() override {
    if (next_ > operations_) return traits_type::eof();
    block_.clear();
    for (int i = 0; i < 100 && next_ < operations_; ++i, ++next_) {
      if (document_ && next_ > 0) block_ += ',';
      block_ += '\n';
      const std::string buffer = "\"B" + std::to_string(next_ % 16) + "\"";
      if (next_ < 16) {
        block_ += "{\"op\":\"alloc\",\"buffer\":" + buffer + ",\"size\":64}";
      } else {
        block_ += "{\"op\":\"launch\",\"kernel\":\"iota\",\"writes\":[" + buffer +
                  "],\"note\":\"a note that is too long for a short "
                  "string\",\"expect\":{\"outcome\":\"ok\",\"roots\":[\"#7\"]}}";
      }
    }
    if (next_ == operations_) {
      ++next_;
      if (document_) block_ += "]}";
    }
    setg(block_.data(), block_.data(), block_.data() + block_.size());
    return traits_type::to_int_type(block_.front());
  }

  std::uint64_t operations_;
  bool document_;
  std::uint64_t next_ = 0;
  std::string block_;
};

// The most memory that reading took beyond what there was before.
std::size_t peak_of_reading(std::uint64_t operations, bool document) {
  Endless text(operations, document);
  std::istream input(&text);
  NameTable names;
  std::uint64_t seen = 0;
  const TraceSink sink{.header = {},
                       .operation =
                           [&](Operation&&) {
                             ++seen;
                             return true;
                           },
                       .end = {}};
  const std::size_t before = live_bytes;
  peak_bytes = live_bytes;
  const auto problems = read_trace(input, names, sink);
  EXPECT_TRUE(problems.empty()) << to_string(problems.front(), "trace");
  EXPECT_EQ(seen, operations);
  return peak_bytes - before;
}

TEST(ReaderMemory, DoesNotGrowWithTheFile) {
  for (const bool document : {false, true}) {
    const std::size_t small = peak_of_reading(2000, document);
    const std::size_t large = peak_of_reading(200000, document);
    EXPECT_LT(large, 512U << 10);
    EXPECT_LE(large, small + 4096) << (document ? "document" : "lines");
  }
}

}  // namespace
}  // namespace taintgraph::traces

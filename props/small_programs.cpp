#include "props/small_programs.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "gpu/kernel_catalog.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Program;

constexpr std::uint64_t kSmallBufferBytes = 3;
constexpr std::uint32_t kBitsALetter = 6;
constexpr std::uint64_t kLetterMask = (std::uint64_t{1} << kBitsALetter) - 1;

// An operation of the alphabet: which kind, on which buffer and stream, as far as the kind has one.
struct Letter {
  OpKind kind = OpKind::sync;
  bool has_buffer = false;
  bool has_stream = false;
  std::uint8_t buffer = 0;
  std::uint8_t stream = 0;

  friend bool operator==(const Letter&, const Letter&) = default;
};

struct Kind {
  OpKind kind;
  bool has_buffer;
  bool has_stream;
};

constexpr Kind kKinds[] = {
    {OpKind::write, true, true},   {OpKind::launch, true, true},         {OpKind::copy, true, true},
    {OpKind::read, true, true},    {OpKind::relocate, true, true},       {OpKind::free, true, false},
    {OpKind::alloc, true, false},  {OpKind::sync, false, false},         {OpKind::sync, false, true},
    {OpKind::wait, false, true},   {OpKind::capture_begin, false, true}, {OpKind::capture_end, false, true},
    {OpKind::replay, false, true},
};

std::vector<Letter> make_alphabet() {
  std::vector<Letter> letters;
  for (const Kind& kind : kKinds) {
    const std::uint8_t buffers = kind.has_buffer ? 2 : 1;
    const std::uint8_t streams = kind.has_stream ? 2 : 1;
    for (std::uint8_t buffer = 0; buffer < buffers; ++buffer) {
      for (std::uint8_t stream = 0; stream < streams; ++stream) {
        letters.push_back({kind.kind, kind.has_buffer, kind.has_stream, buffer, stream});
      }
    }
  }
  return letters;
}

const std::vector<Letter>& alphabet() {
  static const std::vector<Letter> letters = make_alphabet();
  return letters;
}

// The place of each letter once the buffers, the streams or both have changed names.
using Images = std::array<std::vector<std::uint64_t>, 3>;

const Images& images() {
  static const Images made = [] {
    Images result;
    for (std::size_t swap = 0; swap < result.size(); ++swap) {
      for (Letter letter : alphabet()) {
        if (letter.has_buffer && swap != 1) letter.buffer ^= 1U;
        if (letter.has_stream && swap != 0) letter.stream ^= 1U;
        const auto at = std::find(alphabet().begin(), alphabet().end(), letter);
        result[swap].push_back(static_cast<std::uint64_t>(at - alphabet().begin()));
      }
    }
    return result;
  }();
  return made;
}

std::vector<std::size_t> places_of(std::uint64_t sequence) {
  std::vector<std::size_t> places;
  for (; sequence != 0; sequence >>= kBitsALetter) places.push_back((sequence & kLetterMask) - 1);
  return places;
}

// No other name for the same program comes before this one.
bool stands_for_its_images(const std::vector<std::size_t>& places) {
  for (const std::vector<std::uint64_t>& image : images()) {
    for (const std::size_t place : places) {
      if (image[place] < place) return false;
      if (image[place] > place) break;
    }
  }
  return true;
}

// What a program can still do, whatever its operations come to.
class Prospects {
 public:
  // Takes the next operation into account. False: it is rejected for sure.
  bool admit(const Letter& letter) {
    switch (letter.kind) {
      case OpKind::alloc:
        return !std::exchange(live_[letter.buffer], true);
      case OpKind::free:
        return std::exchange(live_[letter.buffer], false);
      case OpKind::launch:
      case OpKind::copy:
        return live_[0] && live_[1];
      case OpKind::write:
      case OpKind::read:
      case OpKind::relocate:
        return live_[letter.buffer];
      case OpKind::capture_begin:
        capturing_[letter.stream] = true;
        return true;
      case OpKind::capture_end:
        if (!capturing_[letter.stream]) return false;
        // Into the name of a graph that lives it is rejected, and the capture goes on.
        capturing_[letter.stream] = graph_;
        graph_ = true;
        return true;
      case OpKind::replay:
        return graph_;
      default:
        return true;
    }
  }
  [[nodiscard]] bool live(std::size_t buffer) const { return live_[buffer]; }

 private:
  std::array<bool, 2> live_{true, true};
  std::array<bool, 2> capturing_{};
  bool graph_ = false;
};

// Writes a program down.
class Spelling {
 public:
  Spelling() {
    traces::DeviceConfig& device = program_.header.device;
    device.streams = 2;
    device.memory_bytes = 1024;
    device.page_bytes = 64;  // of two buffers
    for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i] = program_.names.intern(i == 0 ? "X" : "Y");
    graph_ = program_.names.intern("graph");
    for (std::uint8_t buffer = 0; buffer < 2; ++buffer) add({OpKind::alloc, true, false, buffer, 0});
    for (std::uint8_t buffer = 0; buffer < 2; ++buffer) add({OpKind::write, true, true, buffer, 0});
    add({OpKind::sync, false, false, 0, 0});
  }

  void add_counted(const Letter& letter) {
    Operation& operation = add(letter);
    operation.id = program_.names.intern("op" + std::to_string(++counted_));
    captures_ = captures_ || letter.kind == OpKind::capture_begin;
    (void)prospects_.admit(letter);
  }

  Program finish() {
    if (captures_) {
      for (const std::uint8_t stream : {std::uint8_t{0}, std::uint8_t{1}}) {
        add({OpKind::capture_end, false, true, 0, stream}).graph = program_.names.intern(stream == 0 ? "g0" : "g1");
      }
    }
    add({OpKind::sync, false, false, 0, 0});
    for (std::uint8_t buffer = 0; buffer < 2; ++buffer) {
      if (prospects_.live(buffer)) add({OpKind::read, true, true, buffer, 0});
    }
    add({OpKind::reset, false, false, 0, 0});
    return std::move(program_);
  }

 private:
  Operation& add(const Letter& letter) {
    Operation operation;
    operation.kind = letter.kind;
    operation.stream = letter.stream;
    const NameId mine = buffers_[letter.buffer];
    const NameId other = buffers_[letter.buffer ^ 1U];
    switch (letter.kind) {
      case OpKind::alloc:
        operation.size = kSmallBufferBytes;
        [[fallthrough]];
      case OpKind::free:
      case OpKind::relocate:
        operation.buffer = mine;
        break;
      case OpKind::write:
        operation.writes = {{mine, true, 0, 0}};
        operation.fill = static_cast<std::uint8_t>(program_.operations.size());  // no two alike
        break;
      case OpKind::launch:
        operation.kernel = gpu::kernel_index("copy");
        operation.reads = {{mine, true, 0, 0}};
        operation.writes = {{other, true, 0, 0}};
        break;
      case OpKind::copy:
        operation.reads = {{mine, false, 0, 1}};
        operation.writes = {{other, false, 1, 2}};
        break;
      case OpKind::read:
        operation.reads = {{mine, true, 0, 0}};
        break;
      case OpKind::sync:
        operation.has_stream = letter.has_stream;
        break;
      case OpKind::wait:
        operation.on = letter.stream ^ 1U;
        break;
      case OpKind::capture_end:
      case OpKind::replay:
        operation.graph = graph_;
        break;
      default:
        break;
    }
    return program_.operations.emplace_back(std::move(operation));
  }

  Program program_;
  std::array<NameId, 2> buffers_{};
  NameId graph_ = NameId::none;
  Prospects prospects_;
  std::size_t counted_ = 0;
  bool captures_ = false;
};

}  // namespace

SmallPrograms::SmallPrograms(std::uint32_t operations) : sequences_{0} {
  std::size_t begin = 0;
  for (std::uint32_t length = 0; length < operations; ++length) {
    const std::size_t end = sequences_.size();
    for (; begin < end; ++begin) extend(sequences_[begin], length);
  }
}

void SmallPrograms::extend(std::uint64_t sequence, std::uint32_t length) {
  std::vector<std::size_t> places = places_of(sequence);
  Prospects prospects;
  for (const std::size_t place : places) {
    if (!prospects.admit(alphabet()[place])) return;
  }
  places.push_back(0);
  for (std::size_t place = 0; place < alphabet().size(); ++place) {
    places.back() = place;
    if (!stands_for_its_images(places)) continue;
    sequences_.push_back(sequence | ((place + 1) << (kBitsALetter * length)));
  }
}

Program SmallPrograms::program(std::uint64_t number) const {
  Spelling spelling;
  for (const std::size_t place : places_of(sequences_[number])) spelling.add_counted(alphabet()[place]);
  return spelling.finish();
}

}  // namespace taintgraph::props

// Values as bytes, to be handed from a child process to its parent: the same program on the same machine, so sizes and
// byte order are its own. Not a file format.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace taintgraph::props {

class Packer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }

  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  void put(const std::string& text) { put(std::string_view(text)); }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a Packer wrote, in the same order. Once anything is missing, ok() is false and values are zero or empty.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!has(sizeof(T))) return;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
  }

  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    if (!has(size)) return;
    text.assign(bytes_.substr(0, static_cast<std::size_t>(size)));
    bytes_.remove_prefix(static_cast<std::size_t>(size));
  }

  [[nodiscard]] bool ok() const { return ok_; }

 private:
  bool has(std::uint64_t size) {
    ok_ = ok_ && size <= bytes_.size();
    return ok_;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace taintgraph::props

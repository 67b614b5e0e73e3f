// SPDX-License-Identifier: MIT
// Values as bytes, for files. All numbers are little endian; a text or a list begins with its length. Bytes
// come from disks and networks: whatever they are, reading ends with a value or with an error.
#pragma once

#include "runtime/error.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

class ByteWriter {
 public:
  template <std::unsigned_integral T> void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes.push_back(static_cast<std::byte>(value >> 8 * i));
  }
  void text(std::string_view text) {
    number(static_cast<std::uint64_t>(text.size()));
    raw(std::as_bytes(std::span(text)));
  }
  void raw(std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
  template <class T, class F> void list(const std::vector<T> &items, F &&write) {
    number(static_cast<std::uint64_t>(items.size()));
    for (const T &item : items)
      write(item);
  }
  std::vector<std::byte> bytes;
};

class ByteReader {
 public:
  // For messages: "these bytes are not `what`: ...", and the remedy.
  struct Subject {
    const char *what, *remedy;
  };
  [[noreturn]] static void refuse(const Subject &subject, const std::string &why) {
    throw Error("these bytes are not " + std::string(subject.what) + ": " + why, {}).add_help(subject.remedy);
  }

  ByteReader(std::span<const std::byte> bytes, const Subject &subject) : left_(bytes), subject_(&subject) {}

  [[noreturn]] void refuse(const std::string &why) const { refuse(*subject_, why); }
  template <std::unsigned_integral T> T number() {
    const std::span<const std::byte> bytes = take(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[i]) << 8 * i));
    return value;
  }
  // A number that means something up to `most`.
  template <std::unsigned_integral T> T number(T least, T most, const char *what) {
    const T value = number<T>();
    if (value < least || value > most)
      refuse(std::string(what) + " is " + std::to_string(value));
    return value;
  }
  std::string text() {
    const std::span<const std::byte> bytes = take(number<std::uint64_t>());
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > left_.size())
      refuse("a part of " + std::to_string(count) + " bytes is longer than the rest of the bytes");
    const std::span<const std::byte> taken = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  // An item has a byte at least: a length that cannot be true costs no memory.
  template <class F> auto list(F &&read) {
    const auto count = number<std::uint64_t>();
    if (count > left_.size())
      refuse("a list of " + std::to_string(count) + " items is longer than the rest of the bytes");
    std::vector<decltype(read())> items;
    for (std::uint64_t i = 0; i < count; ++i)
      items.push_back(read());
    return items;
  }
  bool is_at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  const Subject *subject_;
};

// A file that one write made: a mark of 8 bytes, the version of the format, the length of the payload and its
// checksum, 8 bytes each but for the version's 4; then the payload.
std::vector<std::byte> sealed(std::string_view mark, std::uint32_t version,
                              std::span<const std::byte> payload);
// The payload of such bytes. More bytes may follow it if `rest` is given, which then gets them. Throws
// tile::Error where the bytes are not as they were written.
std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::string_view mark,
                                    std::uint32_t version, const ByteReader::Subject &subject,
                                    std::span<const std::byte> *rest = nullptr);

}   // namespace tile

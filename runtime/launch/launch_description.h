// SPDX-License-Identifier: MIT
// What a kernel object says of a launch, beside its arguments: which launches share a config, what a launch
// does and with which memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace tile {

// The numbers that a tuning result depends on: tune again when one changes. Part of every launch, so it
// allocates nothing.
class Key {
 public:
  static constexpr std::size_t most = 16;

  Key() = default;
  Key(std::initializer_list<std::int64_t> values) : size_(values.size()) {
    if (size_ > most)
      refuse();
    std::size_t at = 0;
    for (std::int64_t value : values)
      values_[at++] = value;
  }
  std::span<const std::int64_t> values() const { return {values_.data(), size_}; }

 private:
  [[noreturn]] void refuse() const;   // throws tile::Error
  std::array<std::int64_t, most> values_;
  std::size_t size_ = 0;
};

// What a launch does, for rates: products and additions; bytes that it must move.
struct Work {
  double flop = 0, bytes = 0;
};

// When the configs of a kernel are measured (docs/tuning.md).
enum class Tunes : std::uint8_t {
  at_first_launch,   // of each key
  when_asked,        // no launch waits for it: until then they take what is known, or expected, to be fast
};

namespace tuning {

// What a launch does with the memory that an argument points to.
enum class Access : std::uint8_t {
  reads,     // or it is no pointer
  writes,    // it may
  reaches,   // it reads pointers there, through which it may write
};

}   // namespace tuning
}   // namespace tile

// SPDX-License-Identifier: MIT
// The description of a launch that a kernel object gives beside the arguments: which launches share a config,
// how much work a launch does, and how it uses memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace tile {

// The numbers that a tuning result depends on: when one changes, the kernel is tuned again. Every launch
// makes a key, so it allocates nothing.
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

// The work of a launch, to compute rates: multiplications and additions; bytes that it must move.
struct Work {
  double flop = 0, bytes = 0;
};

// When the configs of a kernel are measured (docs/tuning.md).
enum class Tunes : std::uint8_t {
  at_first_launch,   // for each key
  when_asked,        // launches do not wait for tuning; they use a config known or expected to be fast
};

namespace tuning {

// How a launch uses the memory that an argument points to.
enum class Access : std::uint8_t {
  reads,     // also for arguments that are no pointers
  writes,    // it may write
  reaches,   // it reads pointers there and may write through them
};

}   // namespace tuning
}   // namespace tile

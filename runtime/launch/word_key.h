// SPDX-License-Identifier: MIT
// The key of the caches that every launch looks into.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tile::launching {

// A sequence of words. Up to 40 words need no heap.
class WordKey {
 public:
  void push(std::uint64_t word) {
    if (size_ < inline_.size())
      inline_[size_] = word;
    else
      more_.push_back(word);
    ++size_;
    hash_ = (hash_ ^ word) * 0x100000001B3u;   // FNV-1a, word by word
  }
  std::size_t hash() const { return hash_ ^ hash_ >> 32; }
  bool operator==(const WordKey &other) const {
    return hash_ == other.hash_ && size_ == other.size_ &&
           std::equal(inline_.begin(),
                      inline_.begin() + static_cast<std::ptrdiff_t>(std::min(size_, inline_.size())),
                      other.inline_.begin()) &&
           more_ == other.more_;
  }

 private:
  std::array<std::uint64_t, 40> inline_;
  std::vector<std::uint64_t> more_;
  std::size_t size_ = 0;
  std::uint64_t hash_ = 0xCBF29CE484222325u;
};
struct HashWords {
  std::size_t operator()(const WordKey &key) const { return key.hash(); }
};

}   // namespace tile::launching

// SPDX-License-Identifier: MIT
// What is known about a kernel function from earlier launches: the executables by device, config and argument
// classes, and the configs that tuning chose. A lookup allocates nothing.
#pragma once

#include "tile/device.h"
#include "tile/tuning.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tile::detail {

// A row of words, the usual number of them without a heap.
class WordKey {
 public:
  void push(std::uint64_t word) {
    if (size_ < inline_.size())
      inline_[size_] = word;
    else
      more_.push_back(word);
    ++size_;
    hash_ = (hash_ ^ word) * 0x100000001B3u;   // FNV-1a, a word at a time
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

struct Choice {   // of a config, for a key and a list of configs
  std::size_t config = 0;
  Executable *executable = nullptr;
  // The config itself, against a list that was replaced by another at the same address.
  WordKey fields;
};

// What tuning found out about a key. Whoever tunes it holds the lock.
struct Tunings {
  std::mutex one_at_a_time;
  std::map<std::string, tuning::Record> records;   // by config
};

class LaunchCache {
 public:
  Executable *find(const WordKey &key) const {
    const std::shared_lock lock(mutex_);
    const auto found = executables_.find(key);
    return found == executables_.end() ? nullptr : found->second.get();
  }
  // The first of two threads that compiled the same kernel wins.
  Executable *insert(const WordKey &key, std::unique_ptr<Executable> made) {
    const std::unique_lock lock(mutex_);
    return executables_.try_emplace(key, std::move(made)).first->second.get();
  }

  // Null, or what stays valid and constant.
  std::shared_ptr<const Choice> choice(const WordKey &key) const {
    const std::shared_lock lock(mutex_);
    const auto found = choices_.find(key);
    return found == choices_.end() ? nullptr : found->second;
  }
  void choose(const WordKey &key, Choice choice) {
    const std::unique_lock lock(mutex_);
    if (choices_.size() >= most_choices)
      choices_.clear();   // a program that makes kernel objects all the time: their addresses are in the key
    choices_[key] = std::make_shared<const Choice>(std::move(choice));
  }
  Tunings &tunings(const WordKey &key) {
    const std::unique_lock lock(mutex_);
    return tunings_[key];
  }

 private:
  static constexpr std::size_t most_choices = 4096;
  mutable std::shared_mutex mutex_;
  std::unordered_map<WordKey, std::unique_ptr<Executable>, HashWords> executables_;
  std::unordered_map<WordKey, std::shared_ptr<const Choice>, HashWords> choices_;
  std::unordered_map<WordKey, Tunings, HashWords> tunings_;
};

}   // namespace tile::detail

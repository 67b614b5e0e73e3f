// SPDX-License-Identifier: MIT
// What is known about a kernel function from earlier launches: the executables by device, config and argument
// classes, and the configs that tuning chose. A lookup allocates nothing.
#pragma once

#include "tile/device.h"
#include "tile/tuning.h"
#include "tile/word_key.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tile::launching {

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
  // What the first launch with this key recorded.
  std::string first_trace(const WordKey &key, const std::string &now) {
    const std::unique_lock lock(mutex_);
    return traces_.try_emplace(key, now).first->second;
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
  std::unordered_map<WordKey, std::string, HashWords> traces_;
};

}   // namespace tile::launching

// SPDX-License-Identifier: MIT
// What is known about a kernel function from earlier launches: the executables by device, config and argument
// classes, their code by model of device, and the configs that tuning chose. A lookup allocates nothing.
#pragma once

#include "runtime/argument_class.h"
#include "runtime/device.h"
#include "runtime/launch/word_key.h"
#include "runtime/lowered_kernel.h"
#include "runtime/tuning/known.h"
#include "runtime/tuning/tuning.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tile::launching {

// Code that is compiled in the background.
struct BackgroundCompile {
  enum class State : std::uint8_t { under_way, ready, failed, dropped };
  std::atomic<State> state = State::under_way;
  std::exception_ptr error;   // of `failed`; set before
  std::atomic<bool> is_reported = false;
  void fail(std::exception_ptr why) {
    error = std::move(why);
    state = State::failed;
  }
};

struct Choice {   // of a config, for a key and a list of configs
  std::size_t config = 0;
  Executable *executable = nullptr;
  // The config itself, against a list that was replaced by another at the same address.
  WordKey fields;
  // It stands in for another config as long as this is under way; null: it is the one.
  std::shared_ptr<const BackgroundCompile> until = nullptr;
};

// What an executable is made of.
struct Origin {
  std::uint64_t device = 0;
  const char *name = nullptr;   // by its address, as in the keys
  WordKey fields;               // of its config
  std::vector<ArgClass> classes;
};

// A config of a kernel's list that packs have code for.
struct PackedPlace {
  std::size_t place = 0;
  WordKey fields;
  std::vector<std::vector<ArgClass>> classes;   // of each entry
};
using PackedPlaces = std::vector<PackedPlace>;

// What tuning found out about a key. Whoever tunes it holds the lock.
struct Tunings {
  std::mutex one_at_a_time;
  tuning::Known known;
};

// What an executable is wanted for.
enum class Use : std::uint8_t {
  launch,   // it stays
  trial,    // of a tuner: it stays to the end of the Trials
};

class LaunchCache {
 public:
  Executable *find(const WordKey &key, Use use) const {
    const std::shared_lock lock(mutex_);
    const auto found = executables_.find(key);
    return found == executables_.end() ? nullptr : found->second.taken(use);
  }
  // The first of two threads that compiled the same kernel wins.
  Executable *insert(const WordKey &key, std::unique_ptr<Executable> made, Use use, Origin origin) {
    const std::unique_lock lock(mutex_);
    Loaded &loaded = executables_[key];
    if (!loaded.executable) {
      loaded.executable = std::move(made);
      loaded.origin = std::move(origin);
    }
    return loaded.taken(use);
  }
  bool has(const WordKey &key) const {
    const std::shared_lock lock(mutex_);
    return executables_.contains(key);
  }

  // What launches have taken before: it stays, and no tuner is still to find out that it is wrong.
  struct Usable {
    WordKey fields;
    Executable *executable;
    std::ptrdiff_t specialised;   // for so many arguments
  };
  // Those that rely on nothing that is not so of arguments of these classes.
  std::vector<Usable> usable(std::uint64_t device, const char *name,
                             std::span<const ArgClass> classes) const {
    const std::shared_lock lock(mutex_);
    std::vector<Usable> all;
    for (const auto &[key, loaded] : executables_) {
      const Origin &origin = loaded.origin;
      if (loaded.is_launched && origin.device == device && origin.name == name &&
          serves(origin.classes, classes))
        all.push_back(
            {origin.fields, loaded.executable.get(),
             std::ranges::count_if(origin.classes, [](ArgClass c) { return c != ArgClass::generic; })});
    }
    return all;
  }

  // Null where nothing was begun.
  std::shared_ptr<BackgroundCompile> background_compile(const WordKey &key) const {
    const std::shared_lock lock(mutex_);
    const auto found = background_compiles_.find(key);
    return found == background_compiles_.end() ? nullptr : found->second;
  }
  // And whether it is new: nothing was begun of it before, or it was dropped.
  std::pair<std::shared_ptr<BackgroundCompile>, bool> begin_background_compile(const WordKey &key) {
    const std::unique_lock lock(mutex_);
    std::shared_ptr<BackgroundCompile> &compile = background_compiles_[key];
    const bool is_new = !compile || compile->state == BackgroundCompile::State::dropped;
    if (is_new)
      compile = std::make_shared<BackgroundCompile>();
    return {compile, is_new};
  }

  // Code by the model of device that it is for, or null.
  std::shared_ptr<const LoweredKernel> code(const WordKey &key) const {
    const std::shared_lock lock(mutex_);
    const auto found = codes_.find(key);
    return found == codes_.end() ? nullptr : found->second;
  }
  void keep(const WordKey &key, const LoweredKernel &code) {
    const std::unique_lock lock(mutex_);
    codes_.try_emplace(key, std::make_shared<const LoweredKernel>(code));
  }

  // While one lives, what was loaded to be tried stays.
  class Trials {
   public:
    explicit Trials(LaunchCache &cache) : cache_(cache) {
      const std::unique_lock lock(cache_.mutex_);
      ++cache_.trials_;
    }
    ~Trials() {
      const std::unique_lock lock(cache_.mutex_);
      --cache_.trials_;
    }
    Trials(const Trials &) = delete;
    Trials &operator=(const Trials &) = delete;
    // Unloads what was only tried and whose code is kept, unless somebody else is trying something.
    void unload_losers() { cache_.unload_losers(); }

   private:
    LaunchCache &cache_;
  };

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
  // made(), which says what a config is compiled from, or what it has said before.
  template <class Make> std::string sum(const WordKey &key, const Make &made) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = sums_.find(key); found != sums_.end())
        return found->second;
    }
    std::string sum = made();
    const std::unique_lock lock(mutex_);
    return sums_.try_emplace(key, std::move(sum)).first->second;
  }
  // What a config computes, as packs know it; empty: nobody has asked yet.
  std::string computation(const WordKey &key) const {
    const std::shared_lock lock(mutex_);
    const auto found = computations_.find(key);
    return found == computations_.end() ? "" : found->second;
  }
  void keep_computation(const WordKey &key, const std::string &computation) {
    const std::unique_lock lock(mutex_);
    computations_.try_emplace(key, computation);
  }
  // Null: nobody has looked yet.
  std::shared_ptr<const PackedPlaces> packed_places(const WordKey &key) const {
    const std::shared_lock lock(mutex_);
    const auto found = packed_places_.find(key);
    return found == packed_places_.end() ? nullptr : found->second;
  }
  std::shared_ptr<const PackedPlaces> keep_packed_places(const WordKey &key, PackedPlaces places) {
    const std::unique_lock lock(mutex_);
    return packed_places_[key] = std::make_shared<const PackedPlaces>(std::move(places));
  }
  Tunings &tunings(const WordKey &key) {
    const std::unique_lock lock(mutex_);
    return tunings_[key];
  }

 private:
  struct Loaded {
    std::unique_ptr<Executable> executable;
    Origin origin;
    mutable std::atomic<bool> is_launched = false;
    Executable *taken(Use use) const {
      if (use == Use::launch && !is_launched.load(std::memory_order_relaxed))
        is_launched = true;
      return executable.get();
    }
  };
  void unload_losers() {
    std::vector<std::unique_ptr<Executable>> losers;   // unloaded when the lock is not held any more
    const std::unique_lock lock(mutex_);
    if (trials_ > 1)
      return;
    for (auto entry = executables_.begin(); entry != executables_.end();) {
      Loaded &loaded = entry->second;
      if (loaded.is_launched || !loaded.executable->reusable()) {
        ++entry;
        continue;
      }
      losers.push_back(std::move(loaded.executable));
      entry = executables_.erase(entry);
    }
  }

  static constexpr std::size_t most_choices = 4096;
  mutable std::shared_mutex mutex_;
  int trials_ = 0;
  std::unordered_map<WordKey, Loaded, HashWords> executables_;
  std::unordered_map<WordKey, std::shared_ptr<const LoweredKernel>, HashWords> codes_;
  std::unordered_map<WordKey, std::shared_ptr<BackgroundCompile>, HashWords> background_compiles_;
  std::unordered_map<WordKey, std::shared_ptr<const Choice>, HashWords> choices_;
  std::unordered_map<WordKey, Tunings, HashWords> tunings_;
  std::unordered_map<WordKey, std::shared_ptr<const PackedPlaces>, HashWords> packed_places_;
  std::unordered_map<WordKey, std::string, HashWords> traces_, sums_, computations_;
};

}   // namespace tile::launching

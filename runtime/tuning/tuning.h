// SPDX-License-Identifier: MIT
// What a tuner tells: what was found out about each config. Records are plain values, one per config: a list
// of configs that grows or shrinks does not spoil what is known about the others, and a file can hold them.
#pragma once

#include "tile/launch_description.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tile::tuning {

struct Record {
  enum class Outcome : std::uint8_t {
    open,   // nothing is known yet
    timed,
    pruned,     // the kernel's own `keep` refused it
    failed,     // it does not compile, does not run, or gives another result
    left_out,   // others came first: of a sweep that was to try few, or not to take long
  };
  std::string config;   // "block_m=128 launch.num_warps=8"
  Outcome outcome = Outcome::open;
  std::string reason;    // why it was not timed, one line
  double expected = 0;   // seconds of one launch, by the kernel's `cost`; 0: it has none
  double median = 0;     // seconds of one launch
  double spread = 0;     // half the distance of the 20 % and 80 % quantiles, as a part of the median
  int samples = 0;
  std::vector<double> rounds;   // the median of each, in the order in which they were timed
  bool stopped_early = false;   // it was clearly behind after the first rounds
  int registers = -1, spill_bytes = -1, shared_bytes = -1;   // -1: not known
  std::string code;   // a sum of what it was compiled from: another one's times are not its own
};

// One sweep over the configs of a kernel.
struct Sweep {
  std::string kernel, key;       // "matmul", "4096 4096 4096"
  std::string arguments;         // the types of its pointers: "f16* f16* f32*"
  std::vector<Record> records;   // in the order of the configs
  std::size_t winner = 0;        // of records
  double seconds = 0;            // that the sweep took
  double compiled_after = 0;     // of these, when the last config was compiled; 0: none was
  double finals_after = 0;       // when the finals began, with what settles the clock; 0: there were none
  std::string not_timed;         // why the first config that works was taken instead; empty: by time
  Work work;
};

struct Progressed {                                      // how far a sweep is
  std::size_t compiled = 0, timed = 0, candidates = 0;   // measurements of later rounds do not count anew
  const Record *best = nullptr;
};

// What a sweep that somebody asks for may cost.
struct Options {
  double seconds = 0;   // so long at most, what is measured until then decides; 0: as long as it takes
  int at_most = 0;      // so many configs, those with the least expected cost; 0: as the kernel says
  bool force = false;   // also what was measured before
};

// While it lives, launches of this thread tune: those of kernels that are tuned when asked, too.
class Asking {
 public:
  explicit Asking(const Options &options = {});
  ~Asking();
  Asking(const Asking &) = delete;
  Asking &operator=(const Asking &) = delete;
  static const Options *current();   // null: nobody asks

 private:
  Options options_;
  const Options *outer_;
};

// Is told about sweeps while an Observing for it lives.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void started(const Sweep &) {}
  virtual void progressed(const Sweep &, const Progressed &) {}   // from any thread, one at a time
  virtual void finished(const Sweep &) {}                         // also when no config works
};

// The observer of the sweeps that this thread starts, while it lives.
class Observing {
 public:
  explicit Observing(Observer &observer);
  ~Observing();
  Observing(const Observing &) = delete;
  Observing &operator=(const Observing &) = delete;
  static Observer *current();   // null: nobody observes this thread

 private:
  Observer *outer_;
};

}   // namespace tile::tuning

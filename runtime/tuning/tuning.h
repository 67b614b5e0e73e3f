// SPDX-License-Identifier: MIT
// The results of tuning: one record per config. Records are plain values, so a file can hold them. When the
// list of configs grows or shrinks, the records of the other configs stay valid.
#pragma once

#include <tile/launch_description.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tile::tuning {

struct Record {
  enum class Outcome : std::uint8_t {
    open,   // not tried yet
    timed,
    pruned,     // the kernel's `keep` refused it
    failed,     // it does not compile, does not run, or gives a wrong result
    left_out,   // not tried, because the number of configs or the seconds of the sweep were limited
  };
  std::string config;   // "block_m=128 launch.num_warps=8"
  Outcome outcome = Outcome::open;
  std::string reason;    // why it was not timed, one line
  double expected = 0;   // seconds of one launch, by the kernel's `cost`; 0: the kernel has no `cost`
  double median = 0;     // seconds of one launch
  double spread = 0;     // half the distance between the 20 % and 80 % quantiles, divided by the median
  int samples = 0;
  std::vector<double> rounds;   // the median of each round, in the order of timing
  bool stopped_early = false;   // it was clearly slower after the first rounds
  int registers = -1, spill_bytes = -1, shared_bytes = -1;   // -1: not known
  std::string code;   // a checksum of the source that it was compiled from: times of other code do not count
};

// One sweep over the configs of a kernel.
struct Sweep {
  std::string kernel, key;       // "matmul", "4096 4096 4096"
  std::string arguments;         // the types of its pointers: "f16* f16* f32*"
  std::vector<Record> records;   // in the order of the configs
  std::size_t winner = 0;        // its index in records
  double seconds = 0;            // duration of the sweep
  double compiled_after = 0;     // seconds until the last config was compiled; 0: none was
  double finals_after = 0;       // seconds until the finals began, which first settle the clock; 0: no finals
  std::string not_timed;         // why the first working config was chosen; empty: the fastest was chosen
  bool is_predicted = false;     // the times are a model's, and nothing was measured
  Work work;
};

struct Progressed {                                      // the progress of a sweep
  std::size_t compiled = 0, timed = 0, candidates = 0;   // each config counts once, not once per round
  const Record *best = nullptr;
};

// The limits of a sweep that a user asks for.
struct Options {
  double seconds = 0;   // the sweep ends after this time with the results so far; 0: no limit
  int at_most = 0;      // the number of configs, those with the least expected cost; 0: the kernel decides
  bool force = false;   // measure again what was measured before
};

// While this object lives, launches of this thread tune, also for kernels with Tunes::when_asked.
class Asking {
 public:
  explicit Asking(const Options &options = {});
  ~Asking();
  Asking(const Asking &) = delete;
  Asking &operator=(const Asking &) = delete;
  static const Options *current();   // null: no such object lives

 private:
  Options options_;
  const Options *outer_;
};

// Receives the progress of sweeps while an Observing object for it lives.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void started(const Sweep &) {}
  virtual void progressed(const Sweep &, const Progressed &) {}   // from any thread, one at a time
  // Also when no config works, and when none is timed where tuning was asked for.
  virtual void finished(const Sweep &) {}
};

// While this object lives, sweeps that this thread starts report to the observer.
class Observing {
 public:
  explicit Observing(Observer &observer);
  ~Observing();
  Observing(const Observing &) = delete;
  Observing &operator=(const Observing &) = delete;
  static Observer *current();   // null: no observer for this thread

 private:
  Observer *outer_;
};

}   // namespace tile::tuning

// SPDX-License-Identifier: MIT
#include "runtime/tuning/tuner.h"

#include "runtime/bench/stopwatch.h"
#include "runtime/cores.h"
#include "runtime/tuning/agreement.h"
#include "runtime/tuning/compilers.h"
#include "runtime/tuning/guarded_inputs.h"
#include "runtime/tuning/rotating_sets.h"
#include "runtime/tuning/scratch.h"
#include "runtime/tuning/warming.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

namespace tile::tuning {
namespace {

// Two kernels at a time on the same hardware spoil both timings.
std::mutex &lock_of(const Device &device) {
  static std::mutex guard;
  static std::map<std::string, std::mutex> locks;
  const std::string place = device.place();
  const std::lock_guard lock(guard);
  return locks[place.empty() ? std::to_string(device.id()) : place];
}

// What a record says of an error: its first line, and where that is all there is to say, no more.
std::string reason_of(const std::exception &e) {
  const auto *error = dynamic_cast<const Error *>(&e);
  const std::string text = error ? error->message() : e.what();
  return text.substr(0, text.find('\n'));
}

template <class T> void abandon(std::unique_ptr<T> what) {
  static std::mutex guard;
  static auto &abandoned = *new std::vector<std::unique_ptr<T>>;   // no one destroys it
  const std::lock_guard lock(guard);
  abandoned.push_back(std::move(what));
}

struct Hangs {   // thrown through what knows errors only as reasons to leave a candidate out
  std::size_t candidate;
  std::string when;
};

class Tuning {
 public:
  explicit Tuning(const Task &task) : task_(task), executables_(task.candidates.size()) {
    sweep_.kernel = task.kernel;
    sweep_.key = task.key;
    sweep_.arguments = task.arguments_text;
    sweep_.work = task.work;
    for (const Candidate &candidate : task.candidates) {
      Record &record = sweep_.records.emplace_back();
      record.config = candidate.config;
      record.expected = candidate.expected;
      if (candidate.pruned) {
        record.outcome = Record::Outcome::pruned;
        record.reason = "refused by keep()";
      } else if (!candidate.left_out.empty()) {
        record.outcome = Record::Outcome::left_out;
        record.reason = candidate.left_out;
      }
    }
    open_ = order_ = order_of(task);
    progress_.candidates = open_.size();
    if (task.observer)
      task.observer->started(sweep_);
  }

  // From here on there are other threads, until all is compiled or the sweep ends.
  void begin_compiling() {
    const int jobs = task_.jobs > 0 ? task_.jobs : usable_cores();
    compilers_ = std::make_unique<Compilers>(order_.size(), jobs, [this](std::size_t place) {
      if (place > 0 && is_over())
        return leave_out(order_[place]);
      compile(order_[place]);
      tell(&Progressed::compiled);
    });
  }
  // Waits until one is compiled; false: none can be.
  bool has_compiled() {
    while (const std::optional<std::size_t> place = compilers_->next()) {
      given_.push_back(*place);
      if (works(order_[*place]))
        return true;
    }
    drop_failed();
    return false;
  }
  // The first that works, though others may be compiled before it.
  Tuned without_timing(std::string why) {
    std::vector<bool> are_given(order_.size());
    for (const std::size_t place : given_)
      are_given[place] = true;
    for (std::size_t place = 0; place < order_.size(); ++place) {
      while (!are_given[place])
        are_given[compilers_->next().value()] = true;
      if (works(order_[place]))
        return result(order_[place], std::move(why));
    }
    none_works();
  }

  void compile(std::size_t i) {
    try {
      executables_[i] = task_.candidates[i].compile();
      const KernelResources resources = executables_[i]->resources();
      const std::lock_guard lock(mutex_);   // an observer in another thread may be looking
      Record &record = sweep_.records[i];
      record.registers = resources.registers;
      record.spill_bytes = resources.spill_bytes;
      record.shared_bytes = resources.shared_bytes;
      sweep_.compiled_after = now() - start_;
    } catch (const std::exception &e) {
      executables_[i] = nullptr;
      fail(i, reason_of(e), std::current_exception());
    }
  }

  // Runs every candidate on copies of what it writes, as soon as it is compiled. What most of them make of
  // these is the result; those that make another, or fail, are out.
  void check_all(Scratch &scratch, Stopwatch &stopwatch) {
    GuardedInputs inputs(scratch.snapshots(), task_.arguments, task_.access, task_.memory);
    std::vector<Agreement::Group> groups = sorted_as_compiled(scratch, stopwatch);
    drop_failed();
    // To look at large inputs takes longer than many a launch: only where they have changed it is asked who
    // did it, and what was computed of changed inputs is computed anew.
    if (!inputs.changed().empty())
      groups = sorted_anew(scratch, stopwatch, inputs);
    // Of those that are as large the one with the reference, else the first: that of the earliest config.
    const auto right = std::ranges::max_element(groups, {}, [&](const Agreement::Group &group) {
      const auto has = [&](std::optional<std::size_t> i) {
        return i && std::ranges::count(group.candidates, *i) > 0;
      };
      const std::size_t earliest = std::ranges::min(group.candidates);
      return std::tuple(has(task_.trusted), group.candidates.size(), has(task_.reference),
                        sweep_.records.size() - earliest);
    });
    for (auto wrong = groups.begin(); wrong != groups.end(); ++wrong)
      if (wrong != right)
        for (std::size_t i : wrong->candidates)
          fail(i, "result differs from that of " + named(right->candidates) + ": " +
                      scratch.difference(wrong->result, right->result));
    drop_failed();
  }

  // No call stops a kernel, and none that waits for the device returns: not even the one that frees memory.
  // So it is said here, before the caller's buffers are.
  [[noreturn]] void hangs(const Hangs &hanging) {
    const std::size_t i = hanging.candidate;
    const std::string seconds = std::to_string(std::lround(task_.limit)) + " s";
    fail(i, "hangs: " + hanging.when + " was not done after " + seconds);
    Error error("kernel " + task_.kernel + ", config " + sweep_.records[i].config +
                    ", does not end: the tuner gave up " + hanging.when + " after " + seconds +
                    "; it occupies the device until this process ends",
                {});
    error.add_help(
        "remove the config from the kernel's list; if it is only slow, set TILE_TUNE_LIMIT to more "
        "seconds");
    error.with_code(ErrorCode::hung);
    std::fprintf(stderr, "error: %s\n", error.message().c_str());
    finish();   // what is being compiled may wait for the device, too
    throw error;
  }

  void time_all(Scratch &scratch, Stopwatch &stopwatch) {
    std::vector<bool> seen(sweep_.records.size());
    RoundOptions rounds = task_.rounds;
    if (rounds.settle_seconds > 0)   // one round stays: who comes first finds what another one has left
      rounds.settle_seconds = std::max(rounds.settle_seconds - warmed_seconds_, 1e-9);
    series_.resize(sweep_.records.size());
    time_in_rounds(
        sweep_.records, open_,
        [&](const Measurement &measurement) {
          const std::size_t i = measurement.candidate;
          if (!seen[i])
            ++progress_.timed;
          seen[i] = true;
          if (measurement.is_final && sweep_.finals_after <= 0)
            sweep_.finals_after = now() - start_;
          if (!measurement.is_final)
            scratch.restore();   // what works in place starts where the launch would
          timed_last_ = i;
          try {
            return measure(measurement, scratch, stopwatch);
          } catch (const NotDone &) {
            throw Hangs{i, "a launch of round " + std::to_string(measurement.round)};
          }
        },
        [&] {
          tell(nullptr);
          if (sweep_.records[timed_last_].outcome == Record::Outcome::failed)
            require_device(timed_last_);
        },
        task_.seconds > 0 ? std::function<bool()>([this] { return is_over(); }) : nullptr, rounds);
    series_.clear();
    sets_.reset();
    for (std::size_t i : open_)
      if (sweep_.records[i].outcome == Record::Outcome::open)
        leave_out(i);
  }
  // What hangs is used by the device to the end of the process.
  std::vector<std::unique_ptr<Series>> take_series() { return std::move(series_); }
  std::unique_ptr<RotatingSets> take_sets() { return std::move(sets_); }

  bool has_candidates() const { return !open_.empty(); }
  const std::vector<std::size_t> &open() const { return open_; }
  // `though_late`: what was left out when the time was over, too.
  bool works(std::size_t i, bool though_late = false) const {
    const Record &record = sweep_.records[i];
    return executables_[i] &&
           (record.reason.empty() || (though_late && record.outcome == Record::Outcome::left_out));
  }

  Tuned result(std::size_t winner, std::string not_timed = {}) {
    compilers_.reset();
    sweep_.winner = winner;
    sweep_.not_timed = std::move(not_timed);
    sweep_.seconds = now() - start_;
    finish();
    return {std::move(sweep_), executables_[winner]};
  }
  Tuned fastest() {
    const std::size_t winner = pick(sweep_.records);
    if (winner < sweep_.records.size())
      return result(winner);
    if (is_over())
      for (std::size_t i : order_) {
        if (!executables_[i] && sweep_.records[i].outcome == Record::Outcome::left_out)
          compile(i);
        if (works(i, /*though_late=*/true))
          return result(i, "the " + limit_text() + " were over before a config was timed");
      }
    none_works();
  }
  Tuned settled() {
    finish();
    return {std::move(sweep_), nullptr, true};
  }

  [[noreturn]] void none_works() {
    finish();
    throw_what_all_say();
    std::vector<Error::Note> notes;
    for (const Record &record : sweep_.records)
      notes.push_back({(record.config.empty() ? "the config" : record.config) + ": " + record.reason, {}});
    throw Error("no config of kernel " + task_.kernel + " works for these arguments", {}, std::move(notes));
  }

 private:
  // Has a candidate work on the copies. False: it fails, and is out.
  bool runs(std::size_t i, Scratch &scratch, const std::function<void()> &work) {
    try {
      work();
      return true;
    } catch (const NotDone &) {
      scratch.snapshots().abandon();
      throw Hangs{i, "a launch before it was timed"};
    } catch (const Error &error) {
      fail(i, reason_of(error), std::current_exception());
      require_device(i);
      return false;
    }
  }

  // `objection` says, at the end of the candidate's run, what else it did.
  std::optional<Scratch::Result> result_of(std::size_t i, Scratch &scratch, Stopwatch &stopwatch,
                                           const std::function<std::string()> &objection) {
    std::optional<Scratch::Result> result;
    runs(i, scratch, [&] {
      result = scratch.result_of([&] {
        executables_[i]->launch(task_.candidates[i].grid, scratch.arguments());
        if (!stopwatch.done_within(task_.limit))
          throw NotDone();
        task_.device.synchronize();
      });
      const std::string other = objection ? objection() : std::string();
      if (result->overrun.empty() && other.empty())
        return;
      fail(i, result->overrun.empty() ? other : result->overrun);
      result.reset();
    });
    return result;
  }
  static auto alike_in(Scratch &scratch) {
    return [&scratch](const Scratch::Result &a, const Scratch::Result &b) {
      return scratch.difference(a, b).empty();
    };
  }

  std::vector<Agreement::Group> sorted_as_compiled(Scratch &scratch, Stopwatch &stopwatch) {
    Warming warming(stopwatch, task_.limit);
    Agreement agreement(
        order_,
        [&](std::size_t i) -> std::optional<Scratch::Result> {
          if (!agreement.is_empty() && is_over()) {
            leave_out(i);
            return std::nullopt;
          }
          std::optional<Scratch::Result> result = result_of(i, scratch, stopwatch, nullptr);
          if (result && task_.keeps_busy && !runs(i, scratch, [&] {
                warming.offer(i, [this, i, &scratch] {
                  executables_[i]->launch(task_.candidates[i].grid, scratch.arguments());
                });
              }))
            return std::nullopt;
          return result;
        },
        alike_in(scratch));
    const auto sort = [&](std::size_t place) {
      works(order_[place]) ? agreement.add(place) : agreement.drop(place);
    };
    std::ranges::for_each(given_, sort);
    for (;;) {
      while (warming.candidate() && !compilers_->is_ready())
        keep_busy(warming, scratch);
      const std::optional<std::size_t> place = compilers_->next();
      if (!place)
        break;
      sort(*place);
    }
    warmed_seconds_ = warming.seconds();
    return agreement.take();
  }
  void keep_busy(Warming &warming, Scratch &scratch) {
    const auto work = [&] {
      scratch.restore();   // what works in place would come to infinities, which cost no power
      warming.work();
    };
    if (!runs(*warming.candidate(), scratch, work))
      warming.stop();
  }
  std::vector<Agreement::Group> sorted_anew(Scratch &scratch, Stopwatch &stopwatch, GuardedInputs &inputs) {
    Agreement agreement(
        open_,
        [&](std::size_t i) { return result_of(i, scratch, stopwatch, [&] { return inputs.changed(); }); },
        alike_in(scratch));
    for (std::size_t place = 0; place < open_.size(); ++place)
      agreement.add(place);
    return agreement.take();
  }

  std::vector<double> measure_final(const Measurement &measurement, Scratch &scratch, Stopwatch &stopwatch) {
    const std::size_t i = measurement.candidate;
    if (!sets_) {
      series_.clear();   // of launches that were timed before
      series_.resize(sweep_.records.size());
      scratch.restore();
      sets_ = std::make_unique<RotatingSets>(task_.device, scratch.arguments(), scratch.memory());
    }
    const int count = static_cast<int>(sets_->count());
    const int launches =
        (measurement.launches + count - 1) / count * count;   // each set as old as all others
    const double limit = task_.limit * launches;
    if (!series_[i]) {
      series_[i] = stopwatch.series(
          [this, i, count](int n) {
            executables_[i]->launch(task_.candidates[i].grid,
                                    sets_->arguments(static_cast<std::size_t>(n % count)));
          },
          launches);
      if (!measurement.is_settling)   // else this is the one
        series_[i]->run(limit);       // the first time it is brought to the device
    }
    return {series_[i]->run(limit) / launches};
  }

  std::vector<double> measure(const Measurement &measurement, Scratch &scratch, Stopwatch &stopwatch) {
    if (measurement.is_final)
      return measure_final(measurement, scratch, stopwatch);
    const std::size_t i = measurement.candidate;
    const int launches = measurement.launches;
    const double limit = task_.limit * launches;
    const auto launch = [this, i, &scratch] {
      executables_[i]->launch(task_.candidates[i].grid, scratch.arguments());
    };
    if (!measurement.in_a_row)
      return stopwatch.time(launch, launches, limit);
    if (!series_[i]) {
      series_[i] = stopwatch.series([launch](int) { launch(); }, launches);
      series_[i]->run(limit);   // the first time it is brought to the device
      scratch.restore();
    }
    return {series_[i]->run(limit) / launches};
  }

  double now() const {
    using Seconds = std::chrono::duration<double>;
    return task_.clock ? task_.clock() : Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  bool is_over() const { return task_.seconds > 0 && now() - start_ >= task_.seconds; }
  std::string limit_text() const {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%g s", task_.seconds);
    return text.data();
  }
  void leave_out(std::size_t i) {
    const std::lock_guard lock(mutex_);
    sweep_.records[i].outcome = Record::Outcome::left_out;
    sweep_.records[i].reason = "the " + limit_text() + " were over";
  }
  void fail(std::size_t i, std::string reason, std::exception_ptr error = {}) {
    const std::lock_guard lock(mutex_);
    if (error)
      errors_.emplace(i, std::move(error));
    sweep_.records[i].outcome = Record::Outcome::failed;
    sweep_.records[i].reason = std::move(reason);
  }
  // If all configs fail for the same reason, the cause is not in the configs: a folder cannot be written, or
  // a function of the kernel's author throws. Then the error is thrown as it is, with its place and advice.
  void throw_what_all_say() {
    const auto is_other = [](const Record &a, const Record &b) { return a.reason != b.reason; };
    std::vector<Record> failed;
    std::ranges::copy_if(sweep_.records, std::back_inserter(failed),
                         [](const Record &r) { return r.outcome == Record::Outcome::failed; });
    if (errors_.empty() || std::ranges::adjacent_find(failed, is_other) != failed.end())
      return;
    try {
      std::rethrow_exception(errors_.begin()->second);
    } catch (Error &error) {
      if (failed.size() > 1)
        error.add_context("all configs of kernel " + task_.kernel + " fail in this way");
      throw;
    }
  }
  std::string named(const std::vector<std::size_t> &candidates) const {
    return candidates.size() > 1 ? std::to_string(candidates.size()) + " configs"
                                 : "config " + sweep_.records[candidates.front()].config;
  }
  void drop_failed() {
    std::erase_if(open_, [&](std::size_t i) { return !works(i); });
  }

  // A candidate's crash may have cost the context, and with it everything that would come after.
  void require_device(std::size_t i) {
    try {
      task_.device.synchronize();
    } catch (Error &lost) {
      lost.add_context("kernel " + task_.kernel + ", config " + sweep_.records[i].config +
                       " was tried by the tuner before");
      compilers_.reset();   // its threads write records
      if (const std::size_t best = pick(sweep_.records); best < sweep_.records.size())
        lost.add_context("the fastest until then was config " + sweep_.records[best].config);
      finish();
      throw;
    }
  }

  // Nothing is compiled from here on, and nobody tells.
  void finish() {
    compilers_.reset();
    if (task_.observer)
      task_.observer->finished(sweep_);
  }

  void tell(std::size_t Progressed::*counter) {
    const std::lock_guard lock(mutex_);
    if (counter)
      ++(progress_.*counter);
    progress_.best = nullptr;
    for (const Record &record : sweep_.records)
      if (record.outcome == Record::Outcome::timed && record.samples &&
          (!progress_.best || record.median < progress_.best->median))
        progress_.best = &record;
    if (task_.observer)
      task_.observer->progressed(sweep_, progress_);
  }

  const Task &task_;
  const double start_ = now();
  std::mutex mutex_;
  Sweep sweep_;
  Progressed progress_;
  std::vector<Executable *> executables_;
  std::map<std::size_t, std::exception_ptr> errors_;   // what candidates failed with
  std::vector<std::size_t> open_;                      // candidates that may still win
  std::vector<std::size_t> order_;                     // all that are tried, the most promising first
  std::size_t timed_last_ = 0;
  std::unique_ptr<RotatingSets> sets_;
  std::vector<std::unique_ptr<Series>> series_;   // by candidates
  std::vector<std::size_t> given_;                // places in `order_` of who was compiled before the checks
  double warmed_seconds_ = 0;                     // of work while candidates were compiled
  std::unique_ptr<Compilers> compilers_;          // the last member: its threads use the others
};

}   // namespace

// What compares their results is compiled beside the candidates.
static std::jthread compile_comparer(const Task &task) {
  std::vector<ElementType> types{element_type<i8>};
  for (std::size_t i = 0; i < task.arguments.size(); ++i)
    if (task.access[i] == Access::writes && task.arguments[i].type.is_pointer())
      types.push_back(task.arguments[i].type.pointee());
  return std::jthread([&device = task.device, types = std::move(types)] { prepare_comparer(device, types); });
}

std::vector<std::size_t> order_of(const Task &task) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < task.candidates.size(); ++i)
    if (!task.candidates[i].pruned && task.candidates[i].left_out.empty())
      order.push_back(i);
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::pair(i != task.preferred, task.candidates[i].expected); });
  return order;
}

Tuned take_first(const Task &task, std::string why) {
  Tuning tuning(task);
  for (std::size_t i : tuning.open()) {
    tuning.compile(i);
    if (tuning.works(i))
      return tuning.result(i, std::move(why));
  }
  tuning.none_works();
}

Tuned tune(const Task &task) {
  Tuning tuning(task);
  std::jthread beside = compile_comparer(task);
  tuning.begin_compiling();
  if (!tuning.has_compiled())
    return tuning.fastest();
  const std::lock_guard alone(lock_of(task.device));
  const std::shared_ptr<void> reserved = task.reserve ? task.reserve() : nullptr;
  if (task.settled && task.settled())
    return tuning.settled();
  task.device.synchronize();   // an error that is not the candidates' shows here
  std::unique_ptr<Scratch> scratch;
  std::unique_ptr<Stopwatch> stopwatch;
  try {
    scratch = std::make_unique<Scratch>(task.device, task.arguments, task.access, task.memory);
    stopwatch = task.device.stopwatch();
  } catch (const Error &error) {
    return tuning.without_timing(error.message());
  }
  beside.join();
  try {
    tuning.check_all(*scratch, *stopwatch);
    if (!tuning.has_candidates())
      return tuning.fastest();
    tuning.time_all(*scratch, *stopwatch);
  } catch (const Hangs &hanging) {
    // To free memory is to wait for the device, for ever: it is left to the end of the process.
    for (std::unique_ptr<Series> &series : tuning.take_series())
      abandon(std::move(series));
    abandon(tuning.take_sets());
    abandon(std::move(scratch));
    abandon(std::move(stopwatch));
    tuning.hangs(hanging);
  }
  task.device.synchronize();
  return tuning.fastest();
}

}   // namespace tile::tuning

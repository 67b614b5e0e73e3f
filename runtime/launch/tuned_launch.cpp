// SPDX-License-Identifier: MIT
#include "runtime/launch/tuned_launch.h"

#include "runtime/environment.h"
#include "runtime/launch/copied_arguments.h"
#include "runtime/launch/kept_tunings.h"
#include "runtime/launch/launch_steps.h"
#include "runtime/launch/packed_configs.h"
#include "runtime/launch/stand_in.h"
#include "runtime/pack/policy.h"
#include "runtime/tuning/report.h"
#include "runtime/tuning/tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

namespace tile::launching {
namespace {

using Outcome = tuning::Record::Outcome;

// That a kernel which could be tuned is not, once for each reason.
void say_once(const char *kernel, const std::string &why) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  const std::string text = std::string("note: kernel ") + kernel + " is not tuned: " + why;
  if (said.insert(text).second)
    std::fprintf(stderr, "%s\n", text.c_str());
}

// What the launch would take with a config; 0: nobody knows.
double expected(const LaunchRequest &r, const ConfigSpace &space, std::size_t config,
                const Machine &machine) {
  if (machine.multiprocessors == 0)
    return 0;
  const std::optional<double> seconds = space.cost(config, machine);
  if (seconds && !(*seconds > 0))
    throw Error("the cost of a launch of kernel " + std::string(r.name) + " with config " +
                    space.text(config) + " is " + std::to_string(*seconds) + " s",
                r.where.where)
        .add_help("`.cost` must return the expected seconds of a launch: more than 0, or infinity for a "
                  "config that is not worth a try");
  return seconds.value_or(0);
}

tuning::Task task_of(const LaunchRequest &r, const ConfigSpace &space, const Key &key) {
  tuning::Task task{.device = r.where.device,
                    .kernel = r.name,
                    .key = text_of(key),
                    .arguments_text = pointer_types(r),
                    .work = space.work(),
                    .limit = static_cast<double>(environment::tune_limit()),
                    .jobs = environment::jobs(),
                    .reference = space.reference()};
  if (task.reference == space.size())
    throw Error("the reference of kernel " + std::string(r.name) + " is not one of its configs",
                r.where.where)
        .add_help("set `.reference` to one of `.configs`, with the same value in every field");
  const Machine machine = r.where.device.machine();
  task.keeps_busy = machine.multiprocessors > 0;   // a GPU: its clock drops under load
  for (std::size_t i = 0; i < space.size(); ++i) {
    tuning::Candidate candidate{.config = space.text(i)};
    candidate.pruned = !space.takes(i);
    candidate.compile = [&r, &space, i] { return executable_of(r, space, i, Use::trial); };
    try {
      if (!candidate.pruned)
        candidate.grid = grid_of(r, space, i);
    } catch (const Error &) {
      candidate.compile = [&r, &space, i]() -> Executable * {
        grid_of(r, space, i);
        return nullptr;
      };
    }
    if (!candidate.pruned)
      candidate.expected = expected(r, space, i, machine);
    task.candidates.push_back(std::move(candidate));
  }
  return task;
}

// Only those that have not failed when they were measured.
void leave_out_failed(tuning::Task &task, const tuning::Known &known) {
  for (tuning::Candidate &candidate : task.candidates) {
    candidate.left_out.clear();
    if (const tuning::Record *record = known.find(candidate.config);
        record && record->outcome == Outcome::failed)
      candidate.left_out = record->reason;
  }
}

// All but the few that are expected to be the fastest.
void leave_out_beyond(tuning::Task &task, int at_most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < task.candidates.size(); ++i)
    if (!task.candidates[i].pruned)
      order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return task.candidates[i].expected; });
  for (std::size_t n = 0; n < order.size(); ++n) {
    const double seconds = task.candidates[order[n]].expected;
    if (at_most > 0 && n >= static_cast<std::size_t>(at_most))
      task.candidates[order[n]].left_out = "others are expected to be faster";
    else if (n > 0 && std::isinf(seconds))
      task.candidates[order[n]].left_out = "its cost is infinite";
  }
}

std::vector<std::string> names_of(const tuning::Task &task, auto &&which) {
  std::vector<std::string> names;
  for (const tuning::Candidate &candidate : task.candidates)
    if (which(candidate))
      names.push_back(candidate.config);
  return names;
}
std::size_t place_of(const tuning::Task &task, const std::string &config) {
  return static_cast<std::size_t>(std::ranges::find(task.candidates, config, &tuning::Candidate::config) -
                                  task.candidates.begin());
}

// The fastest of those that were measured, be it all or not.
std::optional<std::size_t> fastest_known(const tuning::Task &task, const tuning::Known &known) {
  const std::vector<std::string> names = names_of(
      task, [&](const tuning::Candidate &c) { return !c.pruned && known.find(c.config) != nullptr; });
  const std::optional<std::size_t> fastest = known.fastest(names);
  return fastest ? std::optional(place_of(task, names[*fastest])) : std::nullopt;
}

// Whether something is to be measured yet. `asked`: also what an earlier sweep had no time for.
bool is_missing(const tuning::Candidate &candidate, const tuning::Known &known, bool asked) {
  if (candidate.pruned || !candidate.left_out.empty())
    return false;
  const tuning::Record *record = known.find(candidate.config);
  return !record || (asked && record->outcome == Outcome::left_out);
}
bool is_complete(const tuning::Task &task, const tuning::Known &known, bool asked) {
  return std::ranges::none_of(task.candidates,
                              [&](const tuning::Candidate &c) { return is_missing(c, known, asked); });
}

// The tuner knows no line of the user's.
template <class F> auto placed(const LaunchRequest &r, F &&tune) {
  try {
    return tune();
  } catch (const Error &e) {
    if (e.where().known())
      throw;
    throw e.at(r.where.where);
  }
}

tuning::Tuned sweep(const LaunchRequest &r, tuning::Task &task) {
  std::optional<tuning::Printer> printer;
  task.observer = tuning::Observing::current();
  if (!task.observer && environment::tune_log())
    task.observer = &printer.emplace();
  const Row row(r.arguments);
  std::vector<tuning::Access> access;
  std::vector<MemoryExtent> memory;
  for (const PackedArgument &p : r.arguments) {
    access.push_back(p.access);
    memory.push_back(p.memory);
  }
  task.arguments = row.arguments();
  task.access = access;
  task.memory = memory;
  return tuning::tune(task);
}

// A sweep that need not be made: what earlier ones have found out.
tuning::Sweep as_sweep(const tuning::Task &task, const tuning::Known &known, std::size_t winner) {
  tuning::Sweep all{.kernel = task.kernel, .key = task.key, .arguments = task.arguments_text};
  for (const tuning::Candidate &candidate : task.candidates) {
    const tuning::Record *record = known.find(candidate.config);
    tuning::Record &to =
        all.records.emplace_back(record ? *record : tuning::Record{.config = candidate.config});
    to.expected = candidate.expected;
    if (candidate.pruned)
      to = {.config = candidate.config, .outcome = Outcome::pruned, .reason = "refused by keep()"};
    else if (!record && !candidate.left_out.empty()) {
      to.outcome = Outcome::left_out;
      to.reason = candidate.left_out;
    }
  }
  all.winner = winner;
  all.work = task.work;
  return all;
}

// Who a launch takes: what is known where something is, else what a sweep finds out, or who is expected to be
// the fastest.
class Choosing {
 public:
  Choosing(const LaunchRequest &r, const ConfigSpace &space, const Key &key, const WordKey &choice_key,
           const tuning::Options *asked, environment::Tune tune, StandIns stand_ins = StandIns::as_usual)
      : r_(r), space_(space), key_(key), choice_key_(choice_key), asked_(asked), kept_(r, space, key),
        tune_(tune), stand_ins_(stand_ins) {}

  Chosen choose(const WordKey &tuning_key) {
    const std::size_t first = first_kept(r_, space_);
    if (is_empty(grid_of(r_, space_, first))) {   // nothing to launch, so nothing to learn
      found_.not_timed = "there is nothing to launch";
      return {space_.place_in_list(first), nullptr};
    }
    is_recording_ = r_.where.device.is_recording();
    if (count_kept() == 1 && !asked_)
      return settle_on(first, {});
    const std::shared_ptr<void> beside = r_.where.device.beside_recordings();
    tuning::Task task = task_of(r_, space_, key_);
    leave_out_beyond(task, asked_ && asked_->at_most > 0 ? asked_->at_most : space_.tune_at_most());
    return choose_of(task, r_.cache.tunings(tuning_key));
  }
  tuning::Sweep found() { return std::move(found_); }

 private:
  std::size_t count_kept() const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < space_.size(); ++i)
      kept += space_.takes(i);
    return kept;
  }
  Chosen to_launch(std::size_t config) {
    return {space_.place_in_list(config), executable_of(r_, space_, config)};
  }
  Chosen remember(std::size_t config) {
    const Chosen chosen = to_launch(config);
    WordKey fields;
    space_.push_values(config, fields);
    r_.cache.choose(choice_key_, {chosen.config, chosen.executable, fields});
    return chosen;
  }

  // Whether a launch takes other code while its own is compiled. What is recorded is replayed for ever.
  bool may_stand_in() const {
    return stand_ins_ == StandIns::as_usual && !asked_ && !is_recording_ &&
           space_.tunes() == Tunes::when_asked && tune_ != environment::Tune::never &&
           policy().compile != Compile::never && r_.where.device.loads_in_background() &&
           environment::stand_ins();
  }
  Chosen remember(const Choice &choice, const std::string &wanted = {}) {
    if (choice.until && environment::tune_log())
      std::fprintf(stderr, "note: kernel %s key %s takes %s until %s is compiled\n", r_.name,
                   text_of(key_).c_str(), space_.text(choice.config).c_str(), wanted.c_str());
    r_.cache.choose(choice_key_, choice);
    return {choice.config, choice.executable};
  }
  // The config, or one of the others while it is compiled, or for good where that has failed and was said.
  Chosen settle_on(std::size_t wanted, const std::vector<std::size_t> &others) {
    if (!may_stand_in() || is_loaded(r_, space_, wanted))
      return remember(wanted);
    const std::shared_ptr<BackgroundCompile> compile = background_compile_of(r_, space_, wanted);
    if (!compile || compile->state != BackgroundCompile::State::failed) {
      const std::optional<Choice> other = stand_in(r_, space_, wanted, others);
      return other ? remember(*other, space_.text(wanted)) : remember(wanted);
    }
    if (!compile->is_reported.exchange(true))
      placed(r_, [&]() -> Chosen { std::rethrow_exception(compile->error); });
    const std::optional<Choice> other = first_loaded(r_, space_, others);
    return other ? remember(*other) : remember(wanted);
  }

  Chosen unloaded(const Chosen &chosen) {
    trials_.unload_losers();
    return chosen;
  }

  // Why no config is measured by this launch; empty: they are.
  std::string objection() const {
    using environment::Tune;
    if (!r_.where.device.can_time())
      return "the " + std::string(r_.where.device.kind()) + " has no clock";
    if (policy().compile == Compile::never)
      return "compiling is forbidden";
    if (tune_ == Tune::never)
      return "TILE_TUNE=never";
    if (tune_ == Tune::stored)
      return "TILE_TUNE=stored, and no result is stored for it";
    if (asked_ || tune_ == Tune::always || space_.tunes() == Tunes::at_first_launch)
      return {};
    return "it is tuned only on request";
  }

  Chosen choose_of(tuning::Task &task, Tunings &tunings) {
    std::unique_lock one_at_a_time(tunings.one_at_a_time, std::defer_lock);
    const std::string objection = this->objection();
    const bool sweeps = objection.empty() && !is_recording_, is_asked = asked_ != nullptr;
    // Who does not tune does not wait for the sweep of another thread.
    if (sweeps)
      one_at_a_time.lock();
    else
      static_cast<void>(one_at_a_time.try_lock());
    const bool force = sweeps && asked_ && asked_->force;
    tuning::Known nothing;   // of what another thread is finding out
    tuning::Known &known = one_at_a_time.owns_lock() ? tunings.known : nothing;
    if (!force && tune_ != environment::Tune::never) {
      // Another thread may have tuned this key meanwhile, or a launch of another list of configs before, or
      // another process.
      if (one_at_a_time.owns_lock() && !is_complete(task, known, is_asked) &&
          tune_ != environment::Tune::always)
        take_kept(task, known);
      if (!sweeps || is_complete(task, known, is_asked))
        if (const std::optional<std::size_t> fastest = fastest_known(task, known))
          return settle(task, known, *fastest);
    }
    if (!sweeps)
      return take_untimed(task, known, objection, one_at_a_time.owns_lock());
    return measure(task, tunings, force);
  }

  // What is on disk, unless this process knows more.
  void take_kept(const tuning::Task &task, tuning::Known &known) {
    tuning::Known kept;
    kept_.take(kept);
    if (!kept.empty() && (known.empty() || is_complete(task, kept, asked_ != nullptr)))
      known = std::move(kept);
  }

  Chosen settle(tuning::Task &task, const tuning::Known &known, std::size_t fastest) {
    found_ = as_sweep(task, known, fastest);
    leave_out_failed(task, known);
    return settle_on(fastest, worth_a_try(task));
  }

  static std::vector<std::size_t> worth_a_try(const tuning::Task &task) {
    std::vector<std::size_t> order = tuning::order_of(task);
    std::erase_if(order, [&](std::size_t i) { return std::isinf(task.candidates[i].expected); });
    return order;
  }

  // What stands in for the first config that is not known to fail, where that is not compiled yet. Where all
  // have failed in the background, they say so once, as they would in a launch; then somebody stands in.
  std::optional<Chosen> untimed_stand_in(tuning::Task &task) {
    bool is_news = false;
    for (const std::size_t i : tuning::order_of(task)) {
      if (is_loaded(r_, space_, i))
        return std::nullopt;
      const std::shared_ptr<BackgroundCompile> compile = background_compile_of(r_, space_, i);
      if (!compile || compile->state != BackgroundCompile::State::failed) {
        const std::optional<Choice> other = stand_in(r_, space_, i, worth_a_try(task));
        return other ? std::optional(remember(*other, task.candidates[i].config)) : std::nullopt;
      }
      is_news = !compile->is_reported.exchange(true) || is_news;
      task.candidates[i].compile = [compile]() -> Executable * {
        try {
          std::rethrow_exception(compile->error);
        } catch (const Error &error) {
          throw Error(error);   // who reports it adds to it
        }
      };
    }
    const std::optional<Choice> other = is_news ? std::nullopt : first_loaded(r_, space_, worth_a_try(task));
    return other ? std::optional(remember(*other)) : std::nullopt;
  }

  // Who came with the kernel, or is expected to be fast, or is the first.
  Chosen take_untimed(tuning::Task &task, const tuning::Known &known, std::string why, bool may_settle) {
    const bool would_tune = is_recording_ && why.empty();
    if (would_tune) {
      why = "its first launch is recorded into a graph; launch it once before recording";
      say_once(r_.name, why);
    }
    if (r_.where.device.machine().multiprocessors > 0)
      task.preferred = kept_.shipped();
    leave_out_failed(task, known);   // the others count where those that are tried do not fit
    if (may_stand_in())
      if (const std::optional<Chosen> other = untimed_stand_in(task))
        return *other;
    tuning::Tuned taken = placed(r_, [&] { return tuning::take_first(task, why); });
    found_ = std::move(taken.sweep);
    if (environment::tune_log() && space_.tunes() == Tunes::when_asked && !would_tune)
      std::fprintf(stderr, "note: kernel %s key %s takes %s: %s\n", r_.name, task.key.c_str(),
                   found_.records[found_.winner].config.c_str(), why.c_str());
    if (tuning::Observer *observer = tuning::Observing::current(); observer && asked_)
      observer->finished(found_);
    if (would_tune || !may_settle)
      return to_launch(found_.winner);   // for this launch only
    return remember(found_.winner);
  }

  Chosen measure(tuning::Task &task, Tunings &tunings, bool force) {
    tuning::Known &known = tunings.known;
    // New configs are measured beside the best that is known.
    std::string beside;
    if (!force)
      if (const std::optional<std::size_t> best = fastest_known(task, known)) {
        beside = task.candidates[*best].config;
        task.trusted = *best;
        for (tuning::Candidate &candidate : task.candidates)
          if (!candidate.pruned && candidate.left_out.empty() && candidate.config != beside &&
              !is_missing(candidate, known, asked_ != nullptr))
            candidate.left_out = "was measured before";
        task.candidates[*best].left_out.clear();
      }
    task.seconds = asked_ ? asked_->seconds : 0;
    task.reserve = [&] { return kept_.reserve(task.limit); };
    // Another process may have measured the same while this one was compiling and waiting for it.
    std::optional<std::size_t> settled;
    if (!force && tune_ != environment::Tune::always)
      task.settled = [&] {
        tuning::Known now;
        kept_.take(now);
        if (now.empty() || !is_complete(task, now, asked_ != nullptr))
          return false;
        settled = fastest_known(task, now);
        if (settled)
          known = std::move(now);
        return settled.has_value();
      };
    tuning::Tuned tuned = placed(r_, [&] { return sweep(r_, task); });
    if (tuned.is_settled)
      return unloaded(settle(task, known, *settled));
    found_ = std::move(tuned.sweep);
    if (!found_.not_timed.empty()) {
      say_once(r_.name, found_.not_timed);
      return unloaded(remember(found_.winner));
    }
    known.add(found_.records, found_.records[found_.winner].config, beside);
    tuning::Sweep news = found_;
    if (!beside.empty())   // and of the others nothing was found out
      for (tuning::Record &record : news.records)
        if (record.outcome == Outcome::left_out && known.find(record.config)->outcome != Outcome::left_out)
          record.outcome = Outcome::open;
    kept_.keep(news, beside);
    return unloaded(remember(found_.winner));
  }

  const LaunchRequest &r_;
  const ConfigSpace &space_;
  const Key &key_;
  const WordKey &choice_key_;
  const tuning::Options *asked_;   // null: it is only launched
  const KeptTunings kept_;
  LaunchCache::Trials trials_{r_.cache};
  const environment::Tune tune_;
  const StandIns stand_ins_;
  bool is_recording_ = false;
  tuning::Sweep found_;
};

Key checked_key(const LaunchRequest &r, const ConfigSpace &space) {
  try {
    return space.key();
  } catch (const Error &e) {
    throw e.at(e.where().known() ? e.where() : Location(r.where.where))
        .add_context(std::string("kernel ") + r.name);
  }
}

struct Keys {   // of what was found out, and of what a list of configs makes of it
  WordKey tuning, choice;
};
Keys keys_of(const LaunchRequest &r, const ConfigSpace &space, const Key &key) {
  const auto with_numbers = [&](WordKey of) {
    for (std::int64_t value : key.values())
      of.push(static_cast<std::uint64_t>(value));
    return of;
  };
  Keys keys{with_numbers(model_key_of(r)), with_numbers(key_of(r))};
  keys.choice.push(reinterpret_cast<std::uintptr_t>(space.list()));
  keys.choice.push(space.completed_as());
  keys.choice.push(space.size());
  return keys;
}

}   // namespace

Chosen tuned_choice(const LaunchRequest &r, const ConfigSpace &space, StandIns stand_ins) {
  const Key key = checked_key(r, space);
  const Keys keys = keys_of(r, space, key);
  const tuning::Options *asked = tuning::Asking::current();
  if (!asked)
    if (const std::shared_ptr<const Choice> known = r.cache.choice(keys.choice)) {
      WordKey fields;
      space.push_values(known->config, fields);
      const bool stands = !known->until || (stand_ins == StandIns::as_usual &&
                                            known->until->state == BackgroundCompile::State::under_way &&
                                            !r.where.device.is_recording());
      // `keep` may look at more than the key does.
      if (stands && fields == known->fields && space.keeps(known->config))
        return {known->config, known->executable};
    }
  if (policy().compile == Compile::never)
    if (std::vector<std::size_t> packed = packed_for(r, space); !packed.empty())
      return Choosing(r, PackedConfigs(space, std::move(packed)), key, keys.choice, asked,
                      environment::Tune::never, stand_ins)
          .choose(keys.tuning);   // what is measured elsewhere is in the packs, and no file is read
  return Choosing(r, space, key, keys.choice, asked, environment::tune(), stand_ins).choose(keys.tuning);
}

tuning::Sweep tune(const LaunchRequest &r, const ConfigSpace &space, const tuning::Options &options) {
  if (CopiedArguments::are_needed(r)) {
    CopiedArguments copied(r);
    return tune(copied.request(), space, options);
  }
  const Key key = checked_key(r, space);
  const Keys keys = keys_of(r, space, key);
  Choosing choosing(r, space, key, keys.choice, &options, environment::tune());
  choosing.choose(keys.tuning);
  return choosing.found();
}

}   // namespace tile::launching

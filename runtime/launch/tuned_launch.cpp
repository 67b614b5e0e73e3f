// SPDX-License-Identifier: MIT
#include "runtime/launch/tuned_launch.h"

#include "runtime/checksum.h"
#include "runtime/launch/launch_steps.h"
#include "runtime/tuning/report.h"
#include "runtime/tuning/stored.h"
#include "runtime/tuning/tuner.h"
#include "tile/environment.h"

#include <cstdio>
#include <optional>
#include <set>

namespace tile::launching {
namespace {

std::string text_of(const Key &key) {
  std::string text;
  for (std::int64_t value : key.values())
    text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

// That a kernel which could be tuned is not, once for each reason.
void say_once(const char *kernel, const std::string &why) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  const std::string text = std::string("note: kernel ") + kernel + " is not tuned: " + why;
  if (said.insert(text).second)
    std::fprintf(stderr, "%s\n", text.c_str());
}

tuning::Task task_of(const LaunchRequest &r, const ConfigSpace &space, const Key &key) {
  tuning::Task task{.device = r.where.device,
                    .kernel = r.name,
                    .key = text_of(key),
                    .work = space.work(),
                    .limit = static_cast<double>(environment::tune_limit()),
                    .jobs = environment::jobs(),
                    .reference = space.reference()};
  if (task.reference == space.size())
    throw Error("the reference of kernel " + std::string(r.name) + " is none of its configs", r.where.where)
        .add_help("write one of `.configs` as `.reference`, every field as it is there");
  for (std::size_t i = 0; i < space.size(); ++i) {
    tuning::Candidate candidate{.config = space.text(i)};
    candidate.pruned = !space.keeps(i);
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
    task.candidates.push_back(std::move(candidate));
  }
  return task;
}

// The choice that earlier sweeps have all records for.
std::optional<std::size_t> known_choice(const tuning::Task &task, const Tunings &tunings) {
  std::vector<tuning::Record> records;
  for (const tuning::Candidate &candidate : task.candidates) {
    const auto found = tunings.records.find(candidate.config);
    if (candidate.pruned)
      records.emplace_back();
    else if (found == tunings.records.end())
      return {};
    else
      records.push_back(found->second);
  }
  const std::size_t picked = tuning::pick(records);
  return picked < records.size() ? std::optional(picked) : std::nullopt;
}

// The tuner knows no line of the user's.
template <class F> tuning::Tuned placed(const LaunchRequest &r, F &&tune) {
  try {
    return tune();
  } catch (const Error &e) {
    if (e.where().known())
      throw;
    Error here(e.message(), r.where.where, e.notes());
    for (const std::string &line : e.context())
      here.add_context(line);
    throw here;
  }
}

// Other processes that time on the same hardware, such as those of one job, wait for each other, if not for
// ever.
std::shared_ptr<void> reserve(const LaunchRequest &r, double seconds) {
  const std::string place = r.where.device.place();
  const std::unique_ptr<tuning::StoredTunings> all =
      place.empty() ? nullptr : tuning::StoredTunings::of_environment();
  if (!all)
    return nullptr;
  auto lock = std::make_shared<CacheFolder::Lock>(all->reserve(place, seconds));
  if (lock->state() == CacheFolder::Lock::State::busy)
    std::fprintf(
        stderr,
        "note: kernel %s is tuned though another process has been timing on %s for %.0f s: what they "
        "measure may be wrong\n",
        r.name, place.c_str(), seconds);
  return lock;
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
  task.reserve = [&] { return reserve(r, task.limit); };
  return tuning::tune(task);
}

// ---- what earlier processes found out

// Tells what a config is compiled from from what it was before an edit.
std::string code_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  return digest(space.fingerprint(config, classes_of(r)));
}

CacheKey stored_key(const LaunchRequest &r, const ConfigSpace &space, const Key &key, std::size_t first) {
  CacheKey stored;
  stored.add("kernel", r.name);
  stored.add("key", text_of(key));
  std::string classes;
  for (const PackedArgument &p : r.arguments)
    classes +=
        std::string(p.argument.type.name()) + " " + std::to_string(static_cast<int>(p.argument_class)) + "; ";
  stored.add("arguments", classes);
  stored.add("device", r.where.device.description());
  stored.add("toolchain", r.where.device.toolchain());
  stored.add("code", code_of(r, space, first));   // tells kernels of one name apart
  return stored;
}

// Nothing where nothing is to be kept of this device.
std::unique_ptr<tuning::StoredTunings> stored_tunings(const LaunchRequest &r) {
  return r.where.device.toolchain().empty() ? nullptr : tuning::StoredTunings::of_environment();
}

void take_stored(const LaunchRequest &r, const ConfigSpace &space, const Key &key, std::size_t first,
                 Tunings &tunings) {
  const std::unique_ptr<tuning::StoredTunings> all = stored_tunings(r);
  std::optional<tuning::Stored> stored = all ? all->find(stored_key(r, space, key, first)) : std::nullopt;
  if (!stored)
    return;
  const std::size_t fastest = tuning::pick(stored->records);
  for (std::size_t i = 0; i < space.size() && fastest < stored->records.size(); ++i)
    if (space.text(i) == stored->records[fastest].config)
      if (code_of(r, space, i) == stored->fastest)   // and was not edited since
        for (tuning::Record &record : stored->records)
          tunings.records.try_emplace(record.config, std::move(record));
}

void store(const LaunchRequest &r, const ConfigSpace &space, const Key &key, std::size_t first,
           const tuning::Sweep &sweep) {
  if (const std::unique_ptr<tuning::StoredTunings> all = stored_tunings(r))
    all->insert(stored_key(r, space, key, first), {sweep.records, code_of(r, space, sweep.winner)});
}

Chosen find_choice(const LaunchRequest &r, const ConfigSpace &space, const Key &key,
                   const WordKey &tuning_key, const WordKey &choice_key) {
  const std::size_t first = first_kept(r, space);
  if (is_empty(grid_of(r, space, first)))
    return {first, nullptr};   // nothing to launch, so nothing to learn
  const bool observed = tuning::Observing::current();
  auto to_launch = [&](std::size_t config) { return Chosen{config, executable_of(r, space, config)}; };
  auto remember = [&](std::size_t config) {
    const Chosen chosen = to_launch(config);
    WordKey fields;
    space.push_values(config, fields);
    r.cache.choose(choice_key, {config, chosen.executable, fields});
    return chosen;
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < space.size(); ++i)
    kept += space.keeps(i);
  if (kept == 1 && !observed)
    return remember(first);

  const std::shared_ptr<void> beside = r.where.device.beside_recordings();
  LaunchCache::Trials trials(r.cache);
  tuning::Task task = task_of(r, space, key);
  Tunings &tunings = r.cache.tunings(tuning_key);
  std::unique_lock one_at_a_time(tunings.one_at_a_time, std::defer_lock);
  // A launch that is recorded does not wait for the sweep of another thread.
  const bool is_recording = r.where.device.is_recording();
  if (is_recording)
    static_cast<void>(one_at_a_time.try_lock());
  else
    one_at_a_time.lock();
  const environment::Tune tune = environment::tune();
  if (one_at_a_time.owns_lock() && !observed) {
    // Another thread may have tuned this key meanwhile, or a launch of another list of configs before, or
    // another process.
    if (!known_choice(task, tunings) && tune != environment::Tune::never && tune != environment::Tune::always)
      take_stored(r, space, key, first, tunings);
    if (const std::optional<std::size_t> known = known_choice(task, tunings))
      return remember(*known);
  }
  if (is_recording) {
    const std::string why = "its first launch is being recorded into a graph; launch it once before";
    say_once(r.name, why);
    const tuning::Tuned taken = placed(r, [&] { return tuning::take_first(task, why); });
    return to_launch(taken.sweep.winner);   // for this launch only
  }
  const bool can_time = r.where.device.can_time();
  const bool sweeps = tune == environment::Tune::automatic || tune == environment::Tune::always;
  if (!can_time || (!sweeps && !observed)) {
    const std::string why = !can_time ? "the " + std::string(r.where.device.kind()) + " has no clock"
                            : tune == environment::Tune::never
                                ? "TILE_TUNE=never"
                                : "TILE_TUNE=stored, and nothing is stored of it";
    const tuning::Tuned taken = placed(r, [&] { return tuning::take_first(task, why); });
    return remember(taken.sweep.winner);
  }
  const tuning::Tuned tuned = placed(r, [&] { return sweep(r, task); });
  if (!tuned.sweep.not_timed.empty())
    say_once(r.name, tuned.sweep.not_timed);
  else {
    for (const tuning::Record &record : tuned.sweep.records)
      if (record.outcome != tuning::Record::Outcome::pruned)
        tunings.records[record.config] = record;
    store(r, space, key, first, tuned.sweep);
  }
  const Chosen chosen = remember(tuned.sweep.winner);
  trials.unload_losers();
  return chosen;
}

Key checked_key(const LaunchRequest &r, const ConfigSpace &space) {
  try {
    return space.key();
  } catch (const Error &e) {
    throw Error(e.message(), e.where().known() ? e.where() : Location(r.where.where))
        .add_context(std::string("kernel ") + r.name);
  }
}

}   // namespace

Chosen tuned_choice(const LaunchRequest &r, const ConfigSpace &space) {
  const Key key = checked_key(r, space);
  const auto with_numbers = [&](WordKey of) {
    for (std::int64_t value : key.values())
      of.push(static_cast<std::uint64_t>(value));
    return of;
  };
  WordKey choice_key = with_numbers(key_of(r));
  choice_key.push(reinterpret_cast<std::uintptr_t>(space.list()));
  choice_key.push(space.size());
  if (!tuning::Observing::current())
    if (const std::shared_ptr<const Choice> known = r.cache.choice(choice_key)) {
      WordKey fields;
      space.push_values(known->config, fields);
      // `keep` may look at more than the key does.
      if (fields == known->fields && space.keeps(known->config))
        return {known->config, known->executable};
    }
  return find_choice(r, space, key, with_numbers(model_key_of(r)), choice_key);
}

}   // namespace tile::launching

// SPDX-License-Identifier: MIT
// Launching a kernel: whatever does not depend on its C++ types.
#include "compiler/dsl/kernel_names.h"
#include "compiler/dsl/launch_cache.h"
#include "runtime/tuning/report.h"
#include "runtime/tuning/tuner.h"
#include "tile/environment.h"
#include "tile/kernel.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>

namespace tile::detail {
namespace {

ArgClass class_of(ElementType t, std::uint64_t bits, bool is_dynamic) {
  if (is_dynamic || (!t.is_pointer() && !t.is_integer()))
    return ArgClass::generic;
  if (bits == 1 && !t.is_pointer())
    return ArgClass::one;
  // Zero and negative numbers are left out: a remainder by a positive number is what sizes are good for.
  const bool positive = t.is_pointer() || (bits != 0 && (t.is_unsigned() || bits >> (t.bits() - 1) == 0));
  return positive && bits % 16 == 0 ? ArgClass::divisible_by_16 : ArgClass::generic;
}

PackedArgument pack(ElementType t, std::uint64_t bits, bool is_dynamic) {
  PackedArgument p;
  p.argument.type = t;
  p.argument.bits = bits;
  p.argument_class = class_of(t, bits, is_dynamic);
  return p;
}

void check_grid(const Grid &g, Loc l) {
  auto text = [&] {
    return "[" + std::to_string(g.x) + ", " + std::to_string(g.y) + ", " + std::to_string(g.z) + "]";
  };
  if (g.x < 0 || g.y < 0 || g.z < 0)
    throw Error("the grid " + text() + " has a negative extent", l);
  constexpr std::int64_t MaxX = 2147483647, MaxYZ = 65535;
  if (g.x > MaxX || g.y > MaxYZ || g.z > MaxYZ)
    throw Error("the grid " + text() + " is too large: x is at most 2147483647, y and z at most 65535", l);
}

void push_fields(WordKey &key, const FieldTable &table, const void *config) {
  for (const Field &f : table.fields) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char *>(config) + f.offset, f.bytes);
    key.push(word);
  }
}

// Device, kernel and argument classes.
WordKey key_of(const LaunchRequest &r) {
  WordKey key;
  key.push(r.where.device.id());
  key.push(reinterpret_cast<std::uintptr_t>(r.name));
  std::uint64_t classes = 0;
  for (std::size_t i = 0; i < r.arguments.size(); ++i) {
    classes = classes << 2 | static_cast<std::uint64_t>(r.arguments[i].argument_class);
    if (i % 32 == 31)
      key.push(std::exchange(classes, 0));
  }
  key.push(classes);
  return key;
}

bool is_empty(const Grid &g) { return g.x == 0 || g.y == 0 || g.z == 0; }

// The grid of a config, checked; errors name the config.
Grid grid_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  const Grid grid = space.grid(config);
  try {
    check_grid(grid, r.where.where);
  } catch (Error &e) {
    e.add_context(context_line(r.name, describe(r.table, space.config(config))));
    throw;
  }
  return grid;
}

Executable *executable_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  WordKey key = key_of(r);
  push_fields(key, r.table, space.config(config));
  if (Executable *known = r.cache.find(key))
    return known;
  std::vector<ArgClass> classes;
  for (const PackedArgument &p : r.arguments)
    classes.push_back(p.argument_class);
  return r.cache.insert(key, r.where.device.load(space.trace(config, classes)));
}

// The arguments as devices take them: in one row, without a heap for most kernels.
class Row {
 public:
  explicit Row(std::span<const PackedArgument> packed) : size_(packed.size()) {
    if (size_ > inline_.size())
      more_.resize(size_);
    Argument *to = size_ > inline_.size() ? more_.data() : inline_.data();
    for (const PackedArgument &p : packed)
      *to++ = p.argument;
  }
  std::span<const Argument> arguments() const {
    return {size_ > inline_.size() ? more_.data() : inline_.data(), size_};
  }

 private:
  std::array<Argument, 24> inline_;
  std::vector<Argument> more_;
  std::size_t size_;
};

std::size_t first_kept(const LaunchRequest &r, const ConfigSpace &space) {
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space.keeps(i))
      return i;
  no_config(r.name, space.size(), r.where.where);
}

// ------------------------------------------------------------------------------- tuning

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
                    .jobs = environment::jobs()};
  for (std::size_t i = 0; i < space.size(); ++i) {
    tuning::Candidate candidate{.config = describe(r.table, space.config(i))};
    candidate.pruned = !space.keeps(i);
    candidate.compile = [&r, &space, i] { return executable_of(r, space, i); };
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

tuning::Tuned sweep(const LaunchRequest &r, tuning::Task &task) {
  std::optional<tuning::Printer> printer;
  task.observer = tuning::Observing::current();
  if (!task.observer && environment::tune_log())
    task.observer = &printer.emplace();
  const Row row(r.arguments);
  std::vector<tuning::Access> access;
  for (const PackedArgument &p : r.arguments)
    access.push_back(p.access);
  task.arguments = row.arguments();
  task.access = access;
  return tuning::tune(task);
}

struct Chosen {
  std::size_t config;
  Executable *executable;
};

Chosen find_choice(const LaunchRequest &r, const ConfigSpace &space, const Key &key,
                   const WordKey &tuning_key, const WordKey &choice_key) {
  const std::size_t first = first_kept(r, space);
  if (is_empty(grid_of(r, space, first)))
    return {first, nullptr};   // nothing to launch, so nothing to learn
  const bool observed = tuning::Observing::current();
  auto remember = [&](const Chosen &chosen) {
    WordKey fields;
    push_fields(fields, r.table, space.config(chosen.config));
    r.cache.choose(choice_key, {chosen.config, chosen.executable, fields});
    return chosen;
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < space.size(); ++i)
    kept += space.keeps(i);
  if (kept == 1 && !observed)
    return remember({first, executable_of(r, space, first)});

  tuning::Task task = task_of(r, space, key);
  if (r.where.device.is_recording()) {
    const std::string why = "its first launch is being recorded into a graph; launch it once before";
    say_once(r.name, why);
    const tuning::Tuned taken = placed(r, [&] { return tuning::take_first(task, why); });
    return {taken.sweep.winner, taken.executable};   // for this launch only
  }
  Tunings &tunings = r.cache.tunings(tuning_key);
  const std::lock_guard one_at_a_time(tunings.one_at_a_time);
  // Another thread may have tuned this key meanwhile, or a launch of another list of configs before.
  if (const std::optional<std::size_t> known = known_choice(task, tunings); known && !observed)
    return remember({*known, executable_of(r, space, *known)});
  if (environment::tune() == environment::Tune::never && !observed) {
    const tuning::Tuned taken = placed(r, [&] { return tuning::take_first(task, "TILE_TUNE=never"); });
    return remember({taken.sweep.winner, taken.executable});
  }
  const tuning::Tuned tuned = placed(r, [&] { return sweep(r, task); });
  if (!tuned.sweep.not_timed.empty())
    say_once(r.name, tuned.sweep.not_timed);
  else
    for (const tuning::Record &record : tuned.sweep.records)
      if (record.outcome != tuning::Record::Outcome::pruned)
        tunings.records[record.config] = record;
  return remember({tuned.sweep.winner, tuned.executable});
}

// One lookup where the key is known.
Chosen tuned_choice(const LaunchRequest &r, const ConfigSpace &space) {
  WordKey tuning_key = key_of(r);
  const Key key = space.key();
  for (std::int64_t value : key.values())
    tuning_key.push(static_cast<std::uint64_t>(value));
  WordKey choice_key = tuning_key;
  choice_key.push(reinterpret_cast<std::uintptr_t>(space.config(0)));
  choice_key.push(space.size());
  if (!tuning::Observing::current())
    if (const std::shared_ptr<const Choice> known = r.cache.choice(choice_key)) {
      WordKey fields;
      push_fields(fields, r.table, space.config(known->config));
      // `keep` may look at more than the key does.
      if (fields == known->fields && space.keeps(known->config))
        return {known->config, known->executable};
    }
  return find_choice(r, space, key, tuning_key, choice_key);
}

}   // namespace

LaunchCache &make_launch_cache() { return *new LaunchCache; }

PackedArgument pack_pointer(ElementType t, const void *address, bool is_dynamic) {
  return pack(t, reinterpret_cast<std::uintptr_t>(address), is_dynamic);
}
PackedArgument pack_number(ElementType t, std::uint64_t bits, bool is_dynamic) {
  return pack(t, bits, is_dynamic);
}

void check_arguments(OnDevice where, const char *name, const std::vector<const char *> &parameter_names,
                     std::span<const PackedArgument> arguments) {
  auto kind = [&] { return std::string(where.device.kind()); };
  auto refuse = [&](std::size_t i, const std::string &why, const char *help = nullptr) {
    Error e("argument " + parameter_name(parameter_names, i) + " " + why, where.where);
    e.add_context(std::string("kernel ") + name);
    if (help)
      e.add_help(help);
    throw e;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PackedArgument &p = arguments[i];
    if (!p.fits)
      refuse(i, "does not fit " + p.argument.type.name() + ": its sign would be lost");
    if (p.owner && p.owner != &where.device)
      refuse(i, "is a buffer of another device (" + std::string(p.owner->kind()) + "), the launch is on " +
                    kind());
    if (p.argument.is_host && !where.device.reaches_host_memory())
      refuse(i, "is a span of host memory, which the device \"" + kind() + "\" does not reach",
             "copy it into a tile::Buffer of the device");
  }
}

void launch(const LaunchRequest &r, const ConfigSpace &space) {
  Chosen chosen{0, nullptr};
  if (space.size() > 1 && r.where.device.can_time())
    chosen = tuned_choice(r, space);
  else
    chosen.config = first_kept(r, space);
  const Grid grid = grid_of(r, space, chosen.config);
  if (is_empty(grid))
    return;
  if (!chosen.executable)
    chosen.executable = executable_of(r, space, chosen.config);
  chosen.executable->launch(grid, Row(r.arguments).arguments());
}

void no_config(const char *name, std::size_t configs, Loc l) {
  if (configs == 0)
    throw Error(std::string("kernel ") + name + " has no configs", l);
  throw Error("no config of kernel " + std::string(name) + " suits these arguments: `keep` refused " +
                  (configs == 1 ? "the only one" : "all " + std::to_string(configs)),
              l);
}

void no_grid(const char *name, Loc l) {
  throw Error(std::string("kernel ") + name +
                  " has no grid: give it `.grid = [](auto &cfg, ...) { return tile::Grid{...}; }`",
              l);
}

}   // namespace tile::detail

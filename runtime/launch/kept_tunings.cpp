// SPDX-License-Identifier: MIT
#include "runtime/launch/kept_tunings.h"

#include "runtime/checksum.h"
#include "runtime/launch/launch_steps.h"
#include "runtime/pack/loaded_packs.h"
#include "runtime/tuning/shipped.h"
#include "runtime/tuning/stored.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace tile::launching {

std::string text_of(const Key &key) {
  std::string text;
  for (std::int64_t value : key.values())
    text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

std::string pointer_types(const LaunchRequest &r) {
  std::string text;
  for (const PackedArgument &p : r.arguments)
    if (p.argument.type.pointers > 0)
      text += (text.empty() ? "" : " ") + std::string(p.argument.type.name());
  return text;
}

// Nothing where nothing is to be kept of this device.
static std::unique_ptr<tuning::StoredTunings> stored_tunings(const LaunchRequest &r) {
  return r.where.device.toolchain().empty() ? nullptr : tuning::StoredTunings::of_environment();
}

// Kernels of one name, such as those for other activations, share it: the sums tell their records apart.
CacheKey KeptTunings::stored_key() const {
  CacheKey stored;
  stored.add("kernel", request_.name);
  stored.add("key", text_of(key_));
  std::string classes;
  for (const PackedArgument &p : request_.arguments)
    classes +=
        std::string(p.argument.type.name()) + " " + std::to_string(static_cast<int>(p.argument_class)) + "; ";
  stored.add("arguments", classes);
  stored.add("device", request_.where.device.description());
  stored.add("toolchain", request_.where.device.toolchain());
  return stored;
}

std::string KeptTunings::sum_of(std::size_t config) const {
  WordKey key = model_key_of(request_);
  space_.push_values(config, key);
  return request_.cache.sum(key, [&] { return digest(space_.fingerprint(config, classes_of(request_))); });
}

std::optional<std::size_t> KeptTunings::place_of(const std::string &config) const {
  for (std::size_t i = 0; i < space_.size(); ++i)
    if (space_.text(i) == config)
      return i;
  return std::nullopt;
}

void KeptTunings::take(tuning::Known &to) const {
  const std::unique_ptr<tuning::StoredTunings> all = stored_tunings(request_);
  if (!all)
    return;
  const auto is_as_it_was = [&](const tuning::Record &record) {
    const std::optional<std::size_t> place = place_of(record.config);
    return place && sum_of(*place) == record.code;
  };
  for (tuning::Stored &sweep : all->find(stored_key())) {
    // An edit is seen in the code of the fastest, or in that of the others one by one.
    const auto fastest = std::ranges::find(sweep.records, sweep.fastest, &tuning::Record::config);
    if (fastest == sweep.records.end() || !is_as_it_was(*fastest))
      std::erase_if(sweep.records, [&](const tuning::Record &record) { return !is_as_it_was(record); });
    if (!sweep.records.empty())
      to.add(sweep.records, sweep.fastest, sweep.beside);
  }
}

void KeptTunings::keep(const tuning::Sweep &sweep, const std::string &beside) const {
  const std::unique_ptr<tuning::StoredTunings> all = stored_tunings(request_);
  if (!all)
    return;
  using Seconds = std::chrono::duration<double>;
  tuning::Stored stored{.records = sweep.records,
                        .fastest = sweep.records[sweep.winner].config,
                        .beside = beside,
                        .time = Seconds(std::chrono::system_clock::now().time_since_epoch()).count()};
  for (tuning::Record &record : stored.records)
    if (record.outcome != tuning::Record::Outcome::pruned)
      record.code = sum_of(static_cast<std::size_t>(&record - stored.records.data()));
  all->insert(stored_key(), stored);
}

std::optional<std::size_t> KeptTunings::shipped() const {
  const tuning::Shipped wanted{.device = request_.where.device.description(),
                               .kernel = request_.name,
                               .arguments = pointer_types(request_),
                               .key = text_of(key_),
                               .config = {}};
  const auto config_of = [&](std::string_view lines) -> std::optional<std::size_t> {
    const std::string config = lines.empty() ? "" : tuning::shipped_config(lines, wanted);
    const std::optional<std::size_t> place = config.empty() ? std::nullopt : space_.find(config);
    return place && space_.takes(*place) ? place : std::nullopt;
  };
  for (const std::shared_ptr<const Pack> &pack : loaded_packs())
    if (const std::optional<std::size_t> config = config_of(pack->tunings()))
      return config;
  return config_of(space_.shipped_tunings());
}

// Other processes that time on the same hardware, such as those of one job, wait for each other, if not for
// ever.
std::shared_ptr<void> KeptTunings::reserve(double seconds) const {
  const std::string place = request_.where.device.place();
  const std::unique_ptr<tuning::StoredTunings> all =
      place.empty() ? nullptr : tuning::StoredTunings::of_environment();
  if (!all)
    return nullptr;
  auto lock = std::make_shared<CacheFolder::Lock>(all->reserve(place, seconds));
  if (lock->state() == CacheFolder::Lock::State::busy)
    std::fprintf(
        stderr,
        "note: kernel %s is tuned although another process has been timing on %s for %.0f s: the times "
        "of both may be wrong\n",
        request_.name, place.c_str(), seconds);
  return lock;
}

}   // namespace tile::launching

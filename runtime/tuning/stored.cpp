// SPDX-License-Identifier: MIT
// {"version": 2, "key": {"kernel": "gemm", ...}, "fastest": "1f3a...", "records": [{"config": ..., "median":
// ...}]}
#include "runtime/tuning/stored.h"

#include "runtime/cache/kernel_cache.h"
#include "runtime/checksum.h"
#include "runtime/json.h"
#include "tile/error.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

#include <unistd.h>

namespace tile::tuning {
namespace {

constexpr int version = 2;
constexpr std::uint64_t most_bytes = 16 << 20;
constexpr std::string_view ending = ".json";
constexpr std::array<std::string_view, 4> outcomes{"open", "timed", "pruned", "failed"};

std::string name_of(const CacheKey &key) { return key.file_name() + std::string(ending); }

[[noreturn]] void refuse(const std::string &what) { throw Error(what, {}); }

const json::Value &member(const json::Value &of, const char *name) {
  const json::Value *found = of.find(name);
  if (!found)
    refuse(std::string("has no `") + name + "`");
  return *found;
}
const std::string &text_of(const json::Value &of, const char *name) {
  const std::string *text = member(of, name).string();
  if (!text)
    refuse(std::string("`") + name + "` is no text");
  return *text;
}
double number_of(const json::Value &of, const char *name, double least, double most) {
  const double *number = member(of, name).number();
  if (!number || !(*number >= least && *number <= most))
    refuse(std::string("`") + name + "` is no number from " + std::to_string(least) + " to " +
           std::to_string(most));
  return *number;
}
int count_of(const json::Value &of, const char *name) {
  const double number = number_of(of, name, -1, std::numeric_limits<int>::max());
  if (number != std::floor(number))
    refuse(std::string("`") + name + "` is no whole number");
  return static_cast<int>(number);
}

json::Value written(const Record &record) {
  json::Array rounds;
  for (double seconds : record.rounds)
    rounds.emplace_back(seconds);
  return json::Object{{"config", record.config},
                      {"outcome", std::string(outcomes[static_cast<std::size_t>(record.outcome)])},
                      {"reason", record.reason},
                      {"median", record.median},
                      {"spread", record.spread},
                      {"samples", record.samples},
                      {"rounds", std::move(rounds)},
                      {"stopped_early", record.stopped_early},
                      {"registers", record.registers},
                      {"spill_bytes", record.spill_bytes},
                      {"shared_bytes", record.shared_bytes}};
}

Record read_record(const json::Value &from) {
  constexpr double most_seconds = 86400;
  Record record;
  record.config = text_of(from, "config");
  const std::string &outcome = text_of(from, "outcome");
  if (outcome == "timed")
    record.outcome = Record::Outcome::timed;
  else if (outcome == "failed")
    record.outcome = Record::Outcome::failed;
  else
    refuse("`outcome` is neither timed nor failed");
  record.reason = text_of(from, "reason");
  const bool is_timed = record.outcome == Record::Outcome::timed;
  record.median = number_of(from, "median", is_timed ? 1e-9 : 0, most_seconds);
  record.spread = number_of(from, "spread", 0, most_seconds);
  record.samples = count_of(from, "samples");
  const json::Array *rounds = member(from, "rounds").array();
  if (!rounds)
    refuse("`rounds` is no list");
  for (const json::Value &round : *rounds) {
    const double *seconds = round.number();
    if (!seconds || !(*seconds >= 0 && *seconds <= most_seconds))
      refuse("`rounds` has what is no time");
    record.rounds.push_back(*seconds);
  }
  const bool *stopped = member(from, "stopped_early").boolean();
  if (!stopped)
    refuse("`stopped_early` is neither true nor false");
  record.stopped_early = *stopped;
  record.registers = count_of(from, "registers");
  record.spill_bytes = count_of(from, "spill_bytes");
  record.shared_bytes = count_of(from, "shared_bytes");
  return record;
}

json::Object fields_of(const CacheKey &key) {
  json::Object fields;
  for (const CacheKey::Field &field : key.fields())
    fields.emplace_back(field.name, std::string(field.value));
  return fields;
}

// Nothing where it is of another key.
std::optional<Stored> read_stored(const CacheKey &key, std::string_view text) {
  const json::Value document = json::parse(text);
  number_of(document, "version", version, version);
  if (member(document, "key").text() != json::Value(fields_of(key)).text())
    return std::nullopt;
  Stored stored{.records = {}, .fastest = text_of(document, "fastest")};
  const json::Array *records = member(document, "records").array();
  if (!records)
    refuse("`records` is no list");
  for (const json::Value &record : *records)
    stored.records.push_back(read_record(record));
  return stored;
}

}   // namespace

std::unique_ptr<StoredTunings> StoredTunings::of_environment() {
  const environment::Cache mode = KernelCache::mode_of_environment();
  if (mode == environment::Cache::off)
    return nullptr;
  try {
    return std::make_unique<StoredTunings>(KernelCache::folder_of_environment() + "/tuned",
                                           mode == environment::Cache::on);
  } catch (const Error &) {   // who keeps kernels there has said why
    return nullptr;
  }
}

std::optional<Stored> StoredTunings::find(const CacheKey &key) {
  const std::string name = name_of(key);
  const std::optional<std::vector<std::byte>> bytes = folder_.read(name, most_bytes);
  if (!bytes)
    return std::nullopt;
  try {
    return read_stored(key, {reinterpret_cast<const char *>(bytes->data()), bytes->size()});
  } catch (const Error &error) {
    std::fprintf(stderr, "note: %s/%s is not used: %s\n", folder_.path().c_str(), name.c_str(),
                 error.message().c_str());
    return std::nullopt;
  }
}

void StoredTunings::insert(const CacheKey &key, const Stored &stored) {
  json::Array records;
  for (const Record &record : stored.records)
    if (record.outcome == Record::Outcome::timed || record.outcome == Record::Outcome::failed)
      records.push_back(written(record));
  const std::string text = json::Value(json::Object{{"version", version},
                                                    {"key", fields_of(key)},
                                                    {"fastest", stored.fastest},
                                                    {"records", std::move(records)}})
                               .text() +
                           "\n";
  folder_.write(name_of(key), std::as_bytes(std::span(text)));
}

CacheFolder::Lock StoredTunings::reserve(const std::string &place, double seconds) {
  std::array<char, 256>
      machine{};   // others may share the folder over a network, and have a GPU of this name
  gethostname(machine.data(), machine.size() - 1);
  return folder_.lock(digest(place + " of " + machine.data()), seconds);
}

std::size_t StoredTunings::remove_all() {
  std::size_t removed = 0;
  for (const CacheFolder::File &file : folder_.files())
    removed += folder_.remove(file.name);
  return removed;
}

}   // namespace tile::tuning

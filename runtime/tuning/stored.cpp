// SPDX-License-Identifier: MIT
// {"version": 3, "key": {"kernel": "gemm", ...}, "time": ..., "fastest": "block_m=64 ...", "beside": "",
//  "records": [{"config": ..., "code": "1f3a...", "median": ...}]}
//
// A file is named by its key and its content, 32 and 16 digits: sweeps of many processes lie side by side,
// and who reads makes one of them.
#include "runtime/tuning/stored.h"

#include "runtime/cache/kernel_cache.h"
#include "runtime/checksum.h"
#include "runtime/error.h"
#include "runtime/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string_view>

#include <unistd.h>

namespace tile::tuning {
namespace {

constexpr int version = 3;
constexpr std::uint64_t most_bytes = 16 << 20;
constexpr std::string_view ending = ".json";
constexpr std::array<std::string_view, 5> outcomes{"open", "timed", "pruned", "failed", "left out"};

std::string_view bytes_of(const std::vector<std::byte> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

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
    refuse(std::string("`") + name + "` is not a string");
  return *text;
}
double number_of(const json::Value &of, const char *name, double least, double most) {
  const double *number = member(of, name).number();
  if (!number || !(*number >= least && *number <= most)) {
    std::ostringstream text;
    text << '`' << name << "` is not a number from " << least << " to " << most;
    refuse(text.str());
  }
  return *number;
}
int count_of(const json::Value &of, const char *name) {
  const double number = number_of(of, name, -1, std::numeric_limits<int>::max());
  if (number != std::floor(number))
    refuse(std::string("`") + name + "` is not a whole number");
  return static_cast<int>(number);
}

json::Value written(const Record &record) {
  json::Array rounds;
  for (double seconds : record.rounds)
    rounds.emplace_back(seconds);
  return json::Object{{"config", record.config},
                      {"code", record.code},
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
  record.code = text_of(from, "code");
  const std::string &outcome = text_of(from, "outcome");
  if (outcome == "timed")
    record.outcome = Record::Outcome::timed;
  else if (outcome == "failed")
    record.outcome = Record::Outcome::failed;
  else if (outcome == "left out")
    record.outcome = Record::Outcome::left_out;
  else
    refuse("`outcome` is neither timed, failed nor left out");
  record.reason = text_of(from, "reason");
  const bool is_timed = record.outcome == Record::Outcome::timed;
  record.median = number_of(from, "median", is_timed ? 1e-9 : 0, most_seconds);
  record.spread = number_of(from, "spread", 0, most_seconds);
  record.samples = count_of(from, "samples");
  const json::Array *rounds = member(from, "rounds").array();
  if (!rounds)
    refuse("`rounds` is not a list");
  for (const json::Value &round : *rounds) {
    const double *seconds = round.number();
    if (!seconds || !(*seconds >= 0 && *seconds <= most_seconds))
      refuse("`rounds` contains a value that is not a time");
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
CacheKey key_of(const json::Value &document) {
  const json::Object *fields = member(document, "key").object();
  if (!fields)
    refuse("`key` is not an object");
  CacheKey key;
  for (const auto &[name, value] : *fields) {
    if (!value.string())
      refuse("`key` contains a value that is not a string");
    key.add(name, *value.string());
  }
  return key;
}

std::string text_of(const CacheKey &key, const Stored &stored) {
  json::Array records;
  for (const Record &record : stored.records)
    if (record.outcome != Record::Outcome::open && record.outcome != Record::Outcome::pruned)
      records.push_back(written(record));
  return json::Value(json::Object{{"version", version},
                                  {"key", fields_of(key)},
                                  {"time", stored.time},
                                  {"fastest", stored.fastest},
                                  {"beside", stored.beside},
                                  {"records", std::move(records)}})
             .text() +
         "\n";
}
std::string name_of(const CacheKey &key, std::string_view text) {
  return key.file_name() + "-" + digest(text).substr(0, 16) + std::string(ending);
}

// Throws tile::Error if the text is not an entry.
StoredTunings::Entry read_entry(std::string name, std::string_view text) {
  constexpr double most_time = 1e12;
  const json::Value document = json::parse(text);
  number_of(document, "version", version, version);
  StoredTunings::Entry entry{std::move(name), "", key_of(document), {}};
  Stored &stored = entry.stored;
  stored.time = number_of(document, "time", 0, most_time);
  stored.fastest = text_of(document, "fastest");
  stored.beside = text_of(document, "beside");
  const json::Array *records = member(document, "records").array();
  if (!records)
    refuse("`records` is not a list");
  for (const json::Value &record : *records)
    stored.records.push_back(read_record(record));
  return entry;
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

std::vector<Stored> StoredTunings::find(const CacheKey &key) {
  std::vector<Stored> sweeps;
  for (const std::string &name : folder_.names(key.file_name() + "-"))
    if (const std::optional<std::vector<std::byte>> bytes = folder_.read(name, most_bytes))
      try {
        Entry entry = read_entry(name, bytes_of(*bytes));
        if (entry.key == key)
          sweeps.push_back(std::move(entry.stored));
      } catch (const Error &error) {
        std::fprintf(stderr, "note: %s/%s is not used: %s\n", folder_.path().c_str(), name.c_str(),
                     error.message().c_str());
      }
  std::ranges::stable_sort(sweeps, {}, &Stored::time);
  return sweeps;
}

void StoredTunings::insert(const CacheKey &key, const Stored &stored) {
  const std::string text = text_of(key, stored);
  if (!folder_.write(name_of(key, text), std::as_bytes(std::span(text))))
    return;
  const std::string prefix = key.file_name() + "-";
  if (folder_.names(prefix).size() <= most_sweeps)
    return;
  std::vector<CacheFolder::File> files = folder_.files();
  std::erase_if(files, [&](const CacheFolder::File &file) { return !file.name.starts_with(prefix); });
  std::ranges::sort(files, {}, &CacheFolder::File::used);
  for (std::size_t i = 0; i + most_sweeps < files.size(); ++i)
    folder_.remove(files[i].name);
}

std::vector<StoredTunings::Entry> StoredTunings::entries() {
  std::vector<Entry> entries;
  for (const std::string &name : folder_.names(""))
    if (const std::optional<std::vector<std::byte>> bytes = folder_.read(name, most_bytes, /*counts=*/false))
      try {
        entries.push_back(read_entry(name, bytes_of(*bytes)));
      } catch (const Error &error) {
        entries.push_back({name, error.message(), {}, {}});
      }
  return entries;
}

std::size_t StoredTunings::take_from(StoredTunings &other) {
  const std::vector<std::string> own = folder_.names("");
  std::size_t taken = 0;
  for (const Entry &entry : other.entries()) {
    if (!entry.damage.empty())
      continue;
    const std::string text = text_of(entry.key, entry.stored), name = name_of(entry.key, text);
    taken += std::ranges::count(own, name) == 0 && folder_.write(name, std::as_bytes(std::span(text)));
  }
  return taken;
}

CacheFolder::Lock StoredTunings::reserve(const std::string &place, double seconds) {
  std::array<char, 256>
      machine{};   // others may share the folder over a network, and have a GPU of this name
  gethostname(machine.data(), machine.size() - 1);
  return folder_.lock(digest(place + " of " + machine.data()), seconds);
}

std::size_t StoredTunings::remove_damaged() {
  std::size_t removed = 0;
  for (const Entry &entry : entries())
    removed += !entry.damage.empty() && folder_.remove(entry.name);
  return removed;
}

std::size_t StoredTunings::remove_all() {
  std::size_t removed = 0;
  for (const std::string &name : folder_.names(""))
    removed += folder_.remove(name);
  return removed;
}

}   // namespace tile::tuning

// SPDX-License-Identifier: MIT
// What sweeps found out, on disk: a file for each, in the folder `tuned` of the cache. Like the cache it
// never is a reason to fail, and it may be removed at any time.
#pragma once

#include "runtime/cache/cache_folder.h"
#include "runtime/cache/cache_key.h"
#include "runtime/tuning/tuning.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tile::tuning {

struct Stored {                  // of one sweep
  std::vector<Record> records;   // of what was tried, and of what was left out for the time it takes
  std::string fastest;           // config
  std::string beside;            // the config of an earlier sweep that was measured again; or ""
  double time = 0;               // seconds since 1970
};

class StoredTunings {
 public:
  // In the folder that TILE_CACHE_DIR sets. Null if TILE_CACHE is off, or if the folder cannot be used.
  static std::unique_ptr<StoredTunings> of_environment();
  StoredTunings(const std::string &folder, bool writes) : folder_(folder, writes) {}

  // All sweeps of the key, the oldest first. A file that is damaged, or was written by hand and says what
  // cannot be, counts as none, with a note.
  std::vector<Stored> find(const CacheKey &key);
  // Files are not written again: each sweep is a new one. Of a key the oldest go when there are too many.
  void insert(const CacheKey &key, const Stored &stored);
  static constexpr std::size_t most_sweeps = 16;   // of a key

  struct Entry {
    std::string name, damage;   // of a file, and what is wrong with it; or ""
    CacheKey key;
    Stored stored;
  };
  std::vector<Entry> entries();
  // Those of another folder that are not damaged. How many were not there.
  std::size_t take_from(StoredTunings &other);
  std::size_t count() const { return folder_.names("").size(); }
  std::size_t remove_all();
  std::size_t remove_damaged();
  // Held by one process at a time for each GPU, while it times there.
  CacheFolder::Lock reserve(const std::string &place, double seconds);

 private:
  CacheFolder folder_;
};

}   // namespace tile::tuning

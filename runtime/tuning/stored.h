// SPDX-License-Identifier: MIT
// What sweeps found out, on disk: a file for each, in the folder `tuned` of the cache. Like the cache it
// never is a reason to fail, and it may be removed at any time.
#pragma once

#include "runtime/cache/cache_folder.h"
#include "runtime/cache/cache_key.h"
#include "tile/tuning.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tile::tuning {

struct Stored {
  std::vector<Record> records;   // of what was tried
  std::string fastest;           // a sum of the code of the config that won; another one was edited since
};

class StoredTunings {
 public:
  // As TILE_CACHE and TILE_CACHE_DIR say; null where there is none.
  static std::unique_ptr<StoredTunings> of_environment();
  StoredTunings(const std::string &folder, bool writes) : folder_(folder, writes) {}

  // A file that is damaged, or was written by hand and says what cannot be, counts as none, with a note.
  std::optional<Stored> find(const CacheKey &key);
  void insert(const CacheKey &key, const Stored &stored);
  std::size_t count() const { return folder_.files().size(); }
  std::size_t remove_all();
  // Held by one process at a time for each piece of hardware, while it times there.
  CacheFolder::Lock reserve(const std::string &place, double seconds);

 private:
  CacheFolder folder_;
};

}   // namespace tile::tuning

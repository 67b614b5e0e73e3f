// SPDX-License-Identifier: MIT
// Lowered kernels on disk, so that nothing is compiled twice: a file for each, with its whole key, the kernel
// and a checksum of both. It never is a reason to fail: what cannot be read, or is damaged, is not there.
#pragma once

#include "runtime/cache/cache_folder.h"
#include "runtime/cache/cache_key.h"
#include "runtime/environment.h"
#include "runtime/lowered_kernel.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tile {

class KernelCache {
 public:
  static constexpr std::uint64_t mib = 1 << 20, most_entry_bytes = 64 * mib;

  // The cache that TILE_CACHE, TILE_CACHE_DIR and TILE_CACHE_SIZE set. Null if the cache is off, or if its
  // folder cannot be used; the latter prints a note, once.
  static KernelCache *of_environment();
  // Whether this process may keep things on disk: TILE_CACHE, and `off` in a program that acts for another
  // user, which neither reads nor leaves what this one could have written.
  static environment::Cache mode_of_environment();
  // The folder that they name, whether there is one or not. Throws tile::Error where there is no home for it.
  static std::string folder_of_environment();

  // Throws tile::Error where the folder cannot be used. `most_bytes`: of all entries; the least recently used
  // go first.
  KernelCache(const std::string &folder, bool writes, std::uint64_t most_bytes);

  std::optional<LoweredKernel> find(const CacheKey &key);
  void insert(const CacheKey &key, const LoweredKernel &kernel);
  void remove(const CacheKey &key);

  // ---- for those who look at it
  struct Entry {
    CacheFolder::File file;
    CacheKey key;
    LoweredKernel kernel;
    std::string damage;   // what is wrong with it; or ""
  };
  // The most recently used first.
  std::vector<Entry> entries();
  bool remove(const Entry &entry) { return folder_.remove(entry.file.name); }
  // Removes the least recently used beyond so many bytes; how many. What is inserted does so by itself, but
  // looks at the folder now and then only.
  struct Pruned {
    std::size_t removed = 0, left = 0;
    bool is_busy = false;   // another process was at it, and nothing was removed
  };
  Pruned prune(std::uint64_t most_bytes);
  std::uint64_t most_bytes() const { return most_bytes_; }
  const std::string &folder() const { return folder_.path(); }
  // Entries of another folder. Damaged ones are left there. How many.
  std::size_t take_from(KernelCache &other);

 private:
  // Where there are more bytes than `most`, the least recently used go until there are no more than `rest`.
  Pruned shrink(std::uint64_t most, std::uint64_t rest);

  std::mutex mutex_;   // of what prunes
  CacheFolder folder_;
  std::uint64_t most_bytes_;
  std::uint64_t until_look_ = 0;   // bytes that may be written before the folder is looked through again
};

}   // namespace tile

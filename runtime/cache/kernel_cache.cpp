// SPDX-License-Identifier: MIT
// An entry:
//
//    8 bytes   mark            8 bytes   length of the key
//    4 bytes   version         8 bytes   length of the kernel, as LoweredKernel::serialise() writes it
//    8 bytes   checksum of all that follows these numbers: key, kernel
#include "runtime/cache/kernel_cache.h"

#include "runtime/checksum.h"
#include "runtime/pack/policy.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace tile {
namespace {

constexpr std::string_view mark = "tilecach", ending = ".kernel";
constexpr std::uint32_t version = 1;
constexpr std::size_t header_bytes = 8 + 4 + 8 + 8 + 8;
constexpr std::int64_t abandoned_seconds = 3600;

template <class T> void append(std::vector<std::byte> &to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    to.push_back(static_cast<std::byte>(value >> 8 * i));
}
template <class T> T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[at + i]) << 8 * i));
  return value;
}

std::string name_of(const CacheKey &key) { return key.file_name() + std::string(ending); }

std::vector<std::byte> entry_bytes(const CacheKey &key, const LoweredKernel &kernel) {
  const std::vector<std::byte> serialised = kernel.serialise();
  std::vector<std::byte> contents(key.bytes().size());
  std::memcpy(contents.data(), key.bytes().data(), contents.size());
  contents.insert(contents.end(), serialised.begin(), serialised.end());
  std::vector<std::byte> bytes;
  bytes.reserve(header_bytes + contents.size());
  for (const char c : mark)
    bytes.push_back(static_cast<std::byte>(c));
  append(bytes, version);
  append(bytes, std::uint64_t{key.bytes().size()});
  append(bytes, std::uint64_t{serialised.size()});
  append(bytes, checksum(contents));
  bytes.insert(bytes.end(), contents.begin(), contents.end());
  return bytes;
}

// Throws tile::Error with what is wrong with it.
KernelCache::Entry read_entry(std::span<const std::byte> bytes) {
  const auto refuse = [](const char *what) { throw Error(what, {}); };
  if (bytes.size() < header_bytes || std::memcmp(bytes.data(), mark.data(), mark.size()) != 0)
    refuse("it does not begin with the mark of an entry");
  if (number_at<std::uint32_t>(bytes, 8) != version)
    refuse("another version of the cache wrote it");
  const auto key_bytes = number_at<std::uint64_t>(bytes, 12),
             kernel_bytes = number_at<std::uint64_t>(bytes, 20);
  const std::span<const std::byte> contents = bytes.subspan(header_bytes);
  if (key_bytes > contents.size() || kernel_bytes != contents.size() - key_bytes)
    refuse("its size is not the size that its header gives");
  if (number_at<std::uint64_t>(bytes, 28) != checksum(contents))
    refuse("it is damaged: the checksum does not match");
  KernelCache::Entry entry;
  entry.key = CacheKey(std::string(reinterpret_cast<const char *>(contents.data()), key_bytes));
  entry.kernel = LoweredKernel::parse(contents.subspan(key_bytes));
  if (entry.kernel.kind == LoweredKernel::Code::host)   // nothing of a cache runs in this process
    refuse("it holds code that runs only in the process that compiled it");
  return entry;
}

}   // namespace

std::string KernelCache::folder_of_environment() {
  std::string folder = environment::cache_dir();
  if (folder.empty())
    throw Error("there is no folder to keep kernels in: set TILE_CACHE_DIR, XDG_CACHE_HOME or HOME", {});
  return folder;
}

environment::Cache KernelCache::mode_of_environment() {
  environment::Cache mode = environment::cache();
  if (mode == environment::Cache::on && policy().compile == Compile::never)
    mode = environment::Cache::readonly;
  return getuid() == geteuid() && getgid() == getegid() ? mode : environment::Cache::off;
}

KernelCache *KernelCache::of_environment() {
  static const std::unique_ptr<KernelCache> cache = []() -> std::unique_ptr<KernelCache> {
    const environment::Cache mode = mode_of_environment();
    const std::uint64_t size = std::uint64_t(environment::cache_size()) * mib;
    if (mode == environment::Cache::off)
      return nullptr;
    try {
      if (policy().compile == Compile::never && !std::filesystem::exists(folder_of_environment()))
        return nullptr;   // nothing is made there
      return std::make_unique<KernelCache>(folder_of_environment(), mode == environment::Cache::on, size);
    } catch (const Error &error) {
      std::fprintf(stderr, "note: compiled kernels are not kept: %s\n", error.message().c_str());
      return nullptr;
    }
  }();
  return cache.get();
}

KernelCache::KernelCache(const std::string &folder, bool writes, std::uint64_t most_bytes)
    : folder_(folder, writes), most_bytes_(most_bytes) {}

std::optional<LoweredKernel> KernelCache::find(const CacheKey &key) {
  const std::string name = name_of(key);
  const std::optional<std::vector<std::byte>> bytes = folder_.read(name, most_entry_bytes);
  if (!bytes)
    return std::nullopt;
  try {
    Entry entry = read_entry(*bytes);
    if (entry.key == key)
      return std::move(entry.kernel);
  } catch (const Error &) {
    folder_.remove(name);
  }
  return std::nullopt;
}

void KernelCache::insert(const CacheKey &key, const LoweredKernel &kernel) {
  if (!folder_.writes() || kernel.kind == LoweredKernel::Code::host)
    return;
  const std::vector<std::byte> bytes = entry_bytes(key, kernel);
  if (bytes.size() > std::min(most_entry_bytes, most_bytes_) || !folder_.write(name_of(key), bytes))
    return;
  {
    const std::lock_guard lock(mutex_);
    if (bytes.size() <= until_look_) {
      until_look_ -= bytes.size();
      return;
    }
  }
  shrink(most_bytes_, most_bytes_ / 8 * 7);   // so that the next one finds space
}

void KernelCache::remove(const CacheKey &key) { folder_.remove(name_of(key)); }

std::vector<KernelCache::Entry> KernelCache::entries() {
  std::vector<CacheFolder::File> files = folder_.files();
  std::ranges::sort(files, [](const auto &a, const auto &b) { return a.used > b.used; });
  std::vector<Entry> entries;
  for (CacheFolder::File &file : files) {
    Entry entry;
    try {
      const auto bytes = folder_.read(file.name, most_entry_bytes, /*counts=*/false);
      if (!bytes)
        throw Error("it cannot be read", {});
      entry = read_entry(*bytes);
      if (name_of(entry.key) != file.name)
        throw Error("its file name is that of another key", {});
    } catch (const Error &error) {
      entry.damage = error.message();
    }
    entry.file = std::move(file);
    entries.push_back(std::move(entry));
  }
  return entries;
}

KernelCache::Pruned KernelCache::prune(std::uint64_t most_bytes) { return shrink(most_bytes, most_bytes); }

KernelCache::Pruned KernelCache::shrink(std::uint64_t most, std::uint64_t rest) {
  // Of the space that is left: others write, too, and do not say so.
  constexpr std::uint64_t share = 8;
  Pruned pruned{.is_busy = true};
  const std::lock_guard lock(mutex_);
  folder_.alone([&] {
    pruned.is_busy = false;
    folder_.remove_abandoned(abandoned_seconds);
    std::vector<CacheFolder::File> files = folder_.files();
    std::uint64_t all = 0;
    for (const CacheFolder::File &file : files)
      all += file.bytes;
    const std::uint64_t wanted = all > most ? rest : most;
    std::ranges::sort(files, [](const auto &a, const auto &b) { return a.used < b.used; });
    for (const CacheFolder::File &file : files) {
      const bool is_newest = &file == &files.back();
      if (all <= (is_newest ? most : wanted))
        break;
      if (folder_.remove(file.name))
        ++pruned.removed;
      all -= file.bytes;
    }
    until_look_ = all < most_bytes_ ? (most_bytes_ - all) / share : 0;
  });
  pruned.left = folder_.files().size();
  return pruned;
}

std::size_t KernelCache::take_from(KernelCache &other) {
  std::size_t taken = 0;
  for (const Entry &entry : other.entries())
    if (entry.damage.empty()) {
      insert(entry.key, entry.kernel);
      ++taken;
    }
  return taken;
}

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "runtime/cache/cache_folder.h"

#include "runtime/error.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tile {
namespace {

constexpr std::string_view unfinished_prefix = "new-", lock_name = "lock";

class Handle {
 public:
  explicit Handle(int number) : number_(number) {}
  ~Handle() {
    if (number_ >= 0)
      close(number_);
  }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
  throw Error(path + " " + why, {});
}

// As `mkdir -p` with folders of one's own.
void make_folders(const std::string &path) {
  for (std::size_t end = 1; end != path.npos;) {
    end = path.find('/', end + 1);
    if (mkdir(path.substr(0, end).c_str(), 0700) != 0 && errno != EEXIST && errno != EISDIR &&
        end == path.npos)
      refuse(path, std::string("cannot be created: ") + std::strerror(errno));
  }
}

std::int64_t nanoseconds(const timespec &time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_all(int file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::read(file, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)   // it became shorter
      return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}   // namespace

CacheFolder::CacheFolder(const std::string &path, bool writes) : path_(path), writes_(writes) {
  if (!std::filesystem::path(path).is_absolute())
    refuse(path, "is not an absolute path");
  if (writes)
    make_folders(path);
  Handle folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder)
    refuse(path, std::string("cannot be opened: ") + (errno == ELOOP || errno == ENOTDIR
                                                          ? "it is not a folder, or it is a link to one"
                                                          : std::strerror(errno)));
  struct stat about{};
  if (fstat(folder.get(), &about) != 0)
    refuse(path, std::string("cannot be examined: ") + std::strerror(errno));
  if (writes && about.st_uid != geteuid())
    refuse(path, "belongs to another user");
  if (writes && (about.st_mode & (S_IWGRP | S_IWOTH)))
    refuse(path, "can be written by other users; run `chmod go-w` on it");
  folder_ = folder.release();
}

CacheFolder::~CacheFolder() {
  if (folder_ >= 0)
    close(folder_);
}

std::optional<std::vector<std::byte>> CacheFolder::read(const std::string &name, std::uint64_t most_bytes,
                                                        bool counts) {
  const Handle file(openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      (writes_ && about.st_uid != geteuid()) || about.st_size < 0 ||
      static_cast<std::uint64_t>(about.st_size) > most_bytes)
    return std::nullopt;
  std::vector<std::byte> bytes(static_cast<std::size_t>(about.st_size));
  if (!read_all(file.get(), bytes))
    return std::nullopt;
  if (writes_ && counts)
    futimens(file.get(), nullptr);   // who cannot say so has read it all the same
  return bytes;
}

bool CacheFolder::write(const std::string &name, std::span<const std::byte> bytes) {
  if (!writes_)
    return false;
  static std::atomic<unsigned> count = 0;
  const std::string fresh =
      std::string(unfinished_prefix) + std::to_string(getpid()) + "-" + std::to_string(++count) + "-" + name;
  bool done = false;
  {
    const Handle file(
        openat(folder_, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file)
      return false;
    done = write_all(file.get(), bytes) && fsync(file.get()) == 0;
  }
  done = done && renameat(folder_, fresh.c_str(), folder_, name.c_str()) == 0;
  if (!done)
    unlinkat(folder_, fresh.c_str(), 0);
  return done;
}

bool CacheFolder::remove(const std::string &name) {
  return writes_ && unlinkat(folder_, name.c_str(), 0) == 0;
}

std::vector<std::string> CacheFolder::listed(bool unfinished) const {
  std::vector<std::string> names;
  const int own = openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0)
    return names;
  const std::unique_ptr<DIR, int (*)(DIR *)> folder(fdopendir(own), closedir);
  if (!folder) {
    close(own);
    return names;
  }
  while (const dirent *entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !name.starts_with(lock_name) &&
        name.starts_with(unfinished_prefix) == unfinished)
      names.emplace_back(name);
  }
  return names;
}

std::vector<CacheFolder::File> CacheFolder::all(bool unfinished) const {
  std::vector<File> files;
  for (std::string &name : listed(unfinished)) {
    struct stat about{};
    if (fstatat(folder_, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode))
      files.push_back(
          {std::move(name), static_cast<std::uint64_t>(about.st_size), nanoseconds(about.st_mtim)});
  }
  return files;
}

std::vector<std::string> CacheFolder::names(std::string_view beginning) const {
  std::vector<std::string> names = listed(/*unfinished=*/false);
  std::erase_if(names, [&](const std::string &name) { return !name.starts_with(beginning); });
  std::ranges::sort(names);
  return names;
}

std::vector<CacheFolder::File> CacheFolder::files() const { return all(/*unfinished=*/false); }

void CacheFolder::remove_abandoned(std::int64_t seconds) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (const File &file : all(/*unfinished=*/true))
    if (nanoseconds(now) - file.used > seconds * 1'000'000'000)
      remove(file.name);
}

CacheFolder::Lock CacheFolder::lock(const std::string &name, double seconds) {
  using State = Lock::State;
  if (!writes_)
    return Lock(State::nowhere);
  const std::string file_name = std::string(lock_name) + (name.empty() ? "" : "-" + name);
  const int file = openat(folder_, file_name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return Lock(State::nowhere);
  const auto start = std::chrono::steady_clock::now();
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const bool is_busy = errno == EWOULDBLOCK || errno == EINTR;
    if (!is_busy || std::chrono::steady_clock::now() - start >= std::chrono::duration<double>(seconds)) {
      close(file);
      return Lock(is_busy ? State::busy : State::nowhere);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return Lock(State::held, file);
}

CacheFolder::Lock::~Lock() {
  if (file_ >= 0)
    close(file_);   // and with it the lock
}

}   // namespace tile

// SPDX-License-Identifier: MIT
// A folder of files that processes share, held by its handle: nothing that somebody puts in its place later
// is used. It belongs to its user alone, or is read and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile {

class CacheFolder {
 public:
  // Makes the folder, and those above it, where it is to be written to. Throws tile::Error, with the reason,
  // where it is not one that can be trusted.
  CacheFolder(const std::string &path, bool writes);
  ~CacheFolder();
  CacheFolder(const CacheFolder &) = delete;
  CacheFolder &operator=(const CacheFolder &) = delete;

  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::int64_t used = 0;   // nanoseconds since 1970, when it was last read or written
  };

  // Plain files, of the folder's user where it is written to, of no more than so many bytes; others are not
  // there. All of a file is read at once; `counts`: as a use of it.
  std::optional<std::vector<std::byte>> read(const std::string &name, std::uint64_t most_bytes,
                                             bool counts = true);
  // All of it or nothing, whoever else reads, writes or is killed. False where it cannot be, and the folder
  // is as it was.
  bool write(const std::string &name, std::span<const std::byte> bytes);
  // False where it was not there, or cannot be removed.
  bool remove(const std::string &name);
  // What is being written, by somebody who may be gone, is not among them.
  std::vector<File> files() const;
  // The names of what begins so, in their order, without a look at it.
  std::vector<std::string> names(std::string_view beginning) const;
  // Removes what somebody has begun to write and not ended for so long.
  void remove_abandoned(std::int64_t seconds);
  // Of several locks of a folder, each by its name. One is held by one process at a time, by a thread of it,
  // to the end of the object, or of the process.
  class Lock {
   public:
    enum class State : std::uint8_t {
      held,
      busy,      // somebody else has it
      nowhere,   // the folder is not written to, or the system has no such locks there
    };
    explicit Lock(State state, int file = -1) : state_(state), file_(file) {}
    Lock(Lock &&other) noexcept : state_(other.state_), file_(std::exchange(other.file_, -1)) {}
    ~Lock();
    State state() const { return state_; }

   private:
    State state_;
    int file_;
  };
  // Waits for it at most so long.
  Lock lock(const std::string &name, double seconds);
  // Runs the step, unless another process is at it.
  template <class Step> void alone(Step &&step) {
    if (const Lock locked = lock("", 0); locked.state() == Lock::State::held)
      step();
  }

  const std::string &path() const { return path_; }
  bool writes() const { return writes_; }

 private:
  std::vector<std::string> listed(bool unfinished) const;
  std::vector<File> all(bool unfinished) const;

  std::string path_;
  bool writes_;
  int folder_ = -1;
};

}   // namespace tile

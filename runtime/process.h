// SPDX-License-Identifier: MIT
// Other programs, run without a shell, and files that are gone afterwards.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// The program of this name in the folders of PATH, or else in `more`. A name with a `/` is the file itself.
// Nothing if there is no such file that may be run.
std::optional<std::string> find_program(const std::string &name, std::span<const std::string_view> more = {});

// A file of its own in the folder for such files. Throws tile::Error where there can be none.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view ending, std::string_view contents = {});
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &path() const { return path_; }
  std::vector<std::byte> contents() const;

 private:
  std::string path_;
};

struct Ran {
  enum class End { exited, killed, out_of_time };
  End end = End::exited;
  int status = 0;   // it exited with, or the signal
  std::string out, err;
  bool succeeded() const { return end == End::exited && status == 0; }
  // "exited with status 3", "was killed by signal 11", "was still running after 300 s".
  std::string how() const;
  int limit_seconds = 0;
};

// The first of `command` is the program's file. It reads nothing. What still runs after the limit is killed,
// with all that it has started. Throws tile::Error where it cannot be started.
Ran run_program(const std::vector<std::string> &command, int limit_seconds);

}   // namespace tile

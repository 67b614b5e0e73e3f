// SPDX-License-Identifier: MIT
// A line that shows the progress of long work. On a terminal the line is rewritten; elsewhere a few plain
// lines are printed. Work that takes less than a second shows nothing.
//
//   Progress progress("gemm 4096 4096 4096");
//   progress.set("compile 11/18");     // from any thread, as often as you like
//   -> gemm 4096 4096 4096   compile 11/18   3 s
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tile {

class Progress {
 public:
  struct Options {
    std::FILE *stream = stderr;
    bool rewrites;   // true: the stream is a terminal
    std::chrono::milliseconds silent{1000};
    std::chrono::milliseconds rewrite_every{100};    // on a terminal
    std::chrono::milliseconds line_every{1000};      // elsewhere, while the state changes
    std::chrono::milliseconds repeat_every{10000};   // elsewhere, while the state does not change
    Options();
  };
  explicit Progress(std::string_view title, Options options = {});
  // Removes the line from a terminal.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void set(std::string_view state);
  // Prints text above the line. The text ends in a newline; the stream `to` may be the same terminal.
  void print(std::FILE *to, std::string_view text);
  // Whether a Progress exists that shows its line now or will do so when its work takes long. Two lines would
  // disturb each other.
  static bool is_shown();
  // Ends the showing; call it before you print something else.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void show(const std::string &state, Clock::duration elapsed);
  void clear();   // removes the line on a terminal

  const std::string title_;
  const Options options_;
  const Clock::time_point start_ = Clock::now();
  std::mutex writing_;   // for writing to the stream; never locked after mutex_
  std::string shown_;    // the line on a terminal
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string state_;
  bool done_ = false;
  std::thread thread_;   // last: it uses all of the above
};

}   // namespace tile

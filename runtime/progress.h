// SPDX-License-Identifier: MIT
// A line that shows that long work goes on. On a terminal it rewrites itself; elsewhere there are
// plain lines, few of them. Work that takes less than a second shows nothing.
//
//   Progress progress("gemm 4096 4096 4096");
//   progress.set("compile 11/18");     // from any thread, as often as one likes
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
    bool rewrites;   // the stream is a terminal
    std::chrono::milliseconds silent{1000};
    std::chrono::milliseconds rewrite_every{100};    // on a terminal
    std::chrono::milliseconds line_every{1000};      // elsewhere, while the state changes
    std::chrono::milliseconds repeat_every{10000};   // elsewhere, while the state is the same
    Options();
  };
  explicit Progress(std::string_view title, Options options = {});
  // Removes the line from a terminal.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void set(std::string_view state);
  // Prints text, which ends in a newline, to a stream that may be the same terminal's: above the line.
  void print(std::FILE *to, std::string_view text);
  // Whether some line is shown, or will be when its work takes long: two of them would be in each other's
  // way.
  static bool is_shown();
  // Before something else is printed: nothing is shown from here on.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void show(const std::string &state, Clock::duration elapsed);
  void clear();   // the line of a terminal

  const std::string title_;
  const Options options_;
  const Clock::time_point start_ = Clock::now();
  std::mutex writing_;   // to the stream; never taken after mutex_
  std::string shown_;    // on a terminal
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string state_;
  bool done_ = false;
  std::thread thread_;   // last: it uses all of the above
};

}   // namespace tile

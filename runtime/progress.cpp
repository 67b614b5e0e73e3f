// SPDX-License-Identifier: MIT
// The thread behind a progress line: work itself must not be slowed down by showing it.
#include "runtime/progress.h"

#include "runtime/terminal.h"

#include <algorithm>
#include <atomic>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tile {
namespace {

// A line that wraps cannot be rewritten.
std::size_t columns(std::FILE *stream) {
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1 : 79;
}

std::atomic<int> lines{0};   // that are there

}   // namespace

bool Progress::is_shown() { return lines > 0; }

Progress::Options::Options() : rewrites(is_terminal(stderr)) {}

Progress::Progress(std::string_view title, Options options)
    : title_(title), options_(options), thread_([this] { run(); }) {
  ++lines;
}

Progress::~Progress() { finish(); }

void Progress::set(std::string_view state) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == state)
      return;
    state_ = state;
  }
  // The thread of a terminal looks by itself, often enough.
  if (!options_.rewrites)
    wake_.notify_one();
}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (done_)
      return;
    done_ = true;
  }
  --lines;
  wake_.notify_one();
  thread_.join();
  const std::lock_guard lock(writing_);
  clear();
}

void Progress::print(std::FILE *to, std::string_view text) {
  const std::lock_guard lock(writing_);
  clear();
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

void Progress::clear() {
  if (options_.rewrites && !shown_.empty()) {
    std::fputs("\r\x1b[K", options_.stream);
    std::fflush(options_.stream);
  }
  shown_.clear();   // so that the next show() writes it again
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, start_ + options_.silent, [&] { return done_; });
  while (!done_) {
    const std::string state = state_;
    lock.unlock();
    show(state, Clock::now() - start_);
    lock.lock();
    const auto is_done = [&] { return done_; };
    wake_.wait_for(lock, options_.rewrites ? options_.rewrite_every : options_.line_every, is_done);
    if (!options_.rewrites)
      wake_.wait_for(lock, options_.repeat_every - options_.line_every,
                     [&] { return done_ || state_ != state; });
  }
}

void Progress::show(const std::string &state, Clock::duration elapsed) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  const std::lock_guard lock(writing_);
  std::string line = title_ + (state.empty() ? "" : "   " + state) + "   " + std::to_string(seconds) + " s";
  const bool failed_before = std::ferror(options_.stream) != 0;
  if (options_.rewrites) {
    line.resize(std::min(line.size(), columns(options_.stream)));
    if (line == shown_)
      return;
    std::fputs(("\r" + line + "\x1b[K").c_str(), options_.stream);
  } else {
    std::fputs((line + "\n").c_str(), options_.stream);
  }
  // A line about progress that nobody can see is no failure of the program.
  std::fflush(options_.stream);
  if (std::ferror(options_.stream) && !failed_before)
    std::clearerr(options_.stream);
  shown_ = std::move(line);
}

}   // namespace tile

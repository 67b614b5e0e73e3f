// SPDX-License-Identifier: MIT
#include "runtime/host/time_limit.h"

#include "runtime/report_text.h"

#include <fmt/format.h>

namespace tile::host {
namespace {

// "12 minutes": roughly, for people.
std::string duration_text(double seconds) {
  struct Unit {
    const char *name;
    double seconds;
  };
  constexpr Unit units[] = {{"years", 365.25 * 86400}, {"days", 86400}, {"hours", 3600}, {"minutes", 60}};
  for (const Unit &unit : units)
    if (seconds >= 2 * unit.seconds)
      return fmt::format("{} {}", grouped(static_cast<std::int64_t>(seconds / unit.seconds)), unit.name);
  return fmt::format("{:.0f} s", seconds);
}

}   // namespace

TimeLimit::TimeLimit(int seconds, std::int64_t programs, std::string title, bool shows_progress,
                     Clock::time_point start)
    : seconds_(seconds), programs_(programs), title_(std::move(title)), shows_(shows_progress),
      start_(start) {}

bool TimeLimit::is_up(Clock::time_point now) {
  if (shows_)
    show(now);
  return seconds_ > 0 && now - start_ > std::chrono::seconds(seconds_);
}

void TimeLimit::show(Clock::time_point now) {
  constexpr std::chrono::seconds silent(2);
  if (now - start_ < silent)
    return;
  const std::lock_guard lock(mutex_);
  if (!progress_) {
    if (Progress::is_shown())   // whoever launches shows how it goes on
      return;
    progress_ = std::make_unique<Progress>(title_);
  }
  if (programs_ > 1)
    progress_->set(fmt::format("{} of {} programs", grouped(ended_.load(std::memory_order_relaxed)),
                               grouped(programs_)));
}

void TimeLimit::check_pace(Clock::time_point now) {
  const bool up = is_up(now);
  if (seconds_ == 0)
    return;
  const std::int64_t done = ended_.load(std::memory_order_relaxed);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto many = [&] { return fmt::format("{} of its {} programs", grouped(done), grouped(programs_)); };
  if (up)
    throw error(fmt::format("the launch has run {} in {}", many(), text()));
  // Later programs may be shorter, but not all of them by as much.
  constexpr double enough_to_tell = 5, longer = 100;
  const double all = elapsed * static_cast<double>(programs_) / static_cast<double>(std::max(done, {1}));
  if (elapsed > enough_to_tell && all > longer * seconds_)
    throw error(
        fmt::format("the launch has run {} in {:.0f} s; all of them would take {}, and the limit is {} s",
                    many(), elapsed, duration_text(all), seconds_));
}

std::string TimeLimit::text() const { return fmt::format("{} s, the limit of a launch", seconds_); }

Error TimeLimit::error(const std::string &message, Location where, std::vector<Error::Note> notes) const {
  Error error(message, std::move(where), std::move(notes));
  error.add_help("set TILE_LIMIT to more seconds, or to none for no limit");
  return error;
}

}   // namespace tile::host

// SPDX-License-Identifier: MIT
// A worker takes every jobs-th seed and writes for each a line when it begins and a record when it ends;
// where the process ends in between, the seed is what ended it. Another worker goes on behind a seed at which
// something went wrong.
#include "tools/fuzz/workers.h"

#include "runtime/error.h"
#include "tools/fuzz/crash_trace.h"

#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace tile::fuzz {
namespace {

bool write_all(int to, const void *data, std::size_t size) {
  const auto *bytes = static_cast<const char *>(data);
  while (size > 0) {
    const ssize_t written = ::write(to, bytes, size);
    if (written <= 0)
      return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int from, void *data, std::size_t size) {
  auto *bytes = static_cast<char *>(data);
  while (size > 0) {
    const ssize_t got = ::read(from, bytes, size);
    if (got <= 0)
      return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

struct Record {
  std::uint64_t seed = 0;
  std::uint8_t is_end = 0, verdict = 0, ways = 0;
  std::uint32_t length = 0;
};

Outcome guarded(const std::function<Outcome()> &check) {
  try {
    return check();
  } catch (const std::exception &error) {
    return {.verdict = Verdict::failed, .detail = error.what()};
  }
}

// What ends this process: SIGPROF after so many seconds of the processor, SIGALRM by the clock. 0: nothing.
void limit(int seconds, int idle_seconds) {
  const itimerval timer{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
  ::alarm(static_cast<unsigned>(idle_seconds));
}

struct Worker {
  pid_t process = -1;
  int from = -1;
  std::uint64_t next = 0, current = 0;   // seeds
  bool is_checking = false;
};

// In the child. It never returns to the code that forked it.
[[noreturn]] void work(int to, std::uint64_t first, std::uint64_t end, const Limits &limits,
                       const std::function<Outcome(std::uint64_t)> &check) {
  for (std::uint64_t seed = first; seed < end; seed += static_cast<std::uint64_t>(limits.jobs)) {
    Record begin{.seed = seed};
    if (!write_all(to, &begin, sizeof begin))
      break;
    limit(limits.seconds, limits.idle_seconds);
    const Outcome outcome = guarded([&] { return check(seed); });
    limit(0, 0);
    const Record record{seed, 1, static_cast<std::uint8_t>(outcome.verdict), outcome.ways,
                        static_cast<std::uint32_t>(outcome.detail.size())};
    if (!write_all(to, &record, sizeof record) ||
        !write_all(to, outcome.detail.data(), outcome.detail.size()))
      break;
    // What went wrong may have left a GPU on which nothing works any more.
    if (outcome.verdict != Verdict::agree && outcome.verdict != Verdict::refused)
      break;
  }
  ::_exit(0);
}

Worker start(std::uint64_t first, std::uint64_t end, const Limits &limits,
             const std::function<Outcome(std::uint64_t)> &check) {
  int ends[2];
  if (::pipe(ends) != 0)
    throw Error("no pipe to a worker: " + std::string(std::strerror(errno)), {});
  const pid_t process = ::fork();
  if (process < 0)
    throw Error("no process for a worker: " + std::string(std::strerror(errno)), {});
  if (process == 0) {
    ::close(ends[0]);
    std::signal(SIGALRM, SIG_DFL);
    std::signal(SIGPROF, SIG_DFL);
    print_stack_on_crash();
    work(ends[1], first, end, limits, check);
  }
  ::close(ends[1]);
  return {.process = process, .from = ends[0], .next = first};
}

Outcome ended(Worker &worker, const Limits &limits) {
  int status = 0;
  ::waitpid(worker.process, &status, 0);
  ::close(worker.from);
  worker.process = -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
    return {.verdict = Verdict::hung,
            .detail = "it did not end in " + std::to_string(limits.seconds) + " s of the processor"};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return {.verdict = Verdict::hung,
            .detail = "it did not end in " + std::to_string(limits.idle_seconds) + " s"};
  if (WIFSIGNALED(status))
    return {.verdict = Verdict::crashed,
            .detail = std::string("the process ended by signal ") + std::to_string(WTERMSIG(status)) + ", " +
                      ::strsignal(WTERMSIG(status))};
  return {.verdict = Verdict::crashed,
          .detail = "the process ended with exit code " + std::to_string(WEXITSTATUS(status))};
}

void stop(Worker &worker) {
  if (worker.process < 0)
    return;
  ::kill(worker.process, SIGKILL);
  ended(worker, {});
}

}   // namespace

void check_seeds(std::uint64_t first, std::uint64_t count, const Limits &limits,
                 const std::function<Outcome(std::uint64_t)> &check,
                 const std::function<bool(std::uint64_t, const Outcome &)> &report) {
  const std::uint64_t end = first + count, step = static_cast<std::uint64_t>(limits.jobs);
  std::vector<Worker> workers;
  for (std::uint64_t i = 0; i < step && i < count; ++i)
    workers.push_back(start(first + i, end, limits, check));
  std::size_t running = workers.size();
  bool goes_on = true;
  while (running > 0 && goes_on) {
    std::vector<pollfd> waits;
    for (const Worker &worker : workers)
      waits.push_back({worker.process < 0 ? -1 : worker.from, POLLIN, 0});
    if (::poll(waits.data(), waits.size(), -1) < 0)
      continue;
    for (std::size_t i = 0; i < workers.size() && goes_on; ++i) {
      Worker &worker = workers[i];
      if (worker.process < 0 || !(waits[i].revents & (POLLIN | POLLHUP)))
        continue;
      Record record;
      std::string detail;
      bool is_whole = read_all(worker.from, &record, sizeof record);
      if (is_whole && record.is_end) {
        detail.resize(record.length);
        is_whole = read_all(worker.from, detail.data(), detail.size());
      }
      if (!is_whole) {
        const bool was_checking = worker.is_checking;
        const Outcome why = ended(worker, limits);
        --running;
        if (was_checking)
          goes_on = report(worker.current, why);
        if (goes_on && worker.next < end) {
          worker = start(worker.next, end, limits, check);
          ++running;
        }
      } else if (!record.is_end) {
        worker.current = record.seed;
        worker.next = record.seed + step;
        worker.is_checking = true;
      } else {
        worker.is_checking = false;
        goes_on = report(record.seed, {static_cast<Verdict>(record.verdict), std::move(detail), record.ways});
      }
    }
  }
  for (Worker &worker : workers)
    stop(worker);
}

Outcome isolated(const std::function<Outcome()> &check, int seconds) {
  Outcome result{.verdict = Verdict::crashed, .detail = "no result"};
  check_seeds(
      0, 1, {.jobs = 1, .seconds = seconds}, [&](std::uint64_t) { return check(); },
      [&](std::uint64_t, const Outcome &outcome) {
        result = outcome;
        return false;
      });
  return result;
}

}   // namespace tile::fuzz

// SPDX-License-Identifier: MIT
// The process writes its reply into a pipe, whole or not at all: what ends before it has not replied.
#include "tools/tile/apart.h"

#include "runtime/error.h"

#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace tile::tool {
namespace {

// A step that waits does not use the processor. It may wait for others who do, on a machine that does much
// else.
constexpr int idle_seconds_for_each = 10;

constexpr char end_mark = '\3';   // behind the last of three parts; no text has it

std::string text_of(const Reply &reply) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.9e", reply.seconds);
  return std::string(seconds) + '\0' + reply.text + '\0' + reply.failure + end_mark;
}

Reply reply_of(const std::string &bytes) {
  const std::size_t first = bytes.find('\0'), second = bytes.find('\0', first + 1);
  Reply reply;
  reply.seconds = std::strtod(bytes.c_str(), nullptr);
  reply.text = bytes.substr(first + 1, second - first - 1);
  reply.failure = bytes.substr(second + 1, bytes.size() - second - 2);
  return reply;
}

// It never returns to the code that forked it.
[[noreturn]] void reply_to(int to, const std::function<Reply()> &step, int limit_seconds) {
  Reply reply;
  std::signal(SIGPROF, SIG_DFL);
  const itimerval timer{.it_interval = {}, .it_value = {.tv_sec = limit_seconds, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
  try {
    reply = step();
  } catch (const Error &error) {
    reply.failure = error.message();
  } catch (const std::exception &error) {
    reply.failure = error.what();
  }
  std::fflush(stdout);
  const std::string bytes = text_of(reply);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = ::write(to, bytes.data() + at, bytes.size() - at);
    if (written <= 0 && errno != EINTR)
      ::_exit(1);
    at += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  ::_exit(0);
}

// False where the time was over before.
bool read_until_end(int from, int limit_seconds, std::string &bytes) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limit_seconds);
  while (bytes.empty() || bytes.back() != end_mark || std::count(bytes.begin(), bytes.end(), '\0') < 2) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd wait{from, POLLIN, 0};
    const int ready = left.count() > 0 ? ::poll(&wait, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return false;
    char part[4096];
    const ssize_t got = ::read(from, part, sizeof part);
    if (got <= 0)
      return true;   // it ended
    bytes.append(part, static_cast<std::size_t>(got));
  }
  return true;
}

std::string ended_by(int status) {
  if (WIFSIGNALED(status))
    return "ended by signal " + std::to_string(WTERMSIG(status)) + ", " + ::strsignal(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}   // namespace

Reply done_apart(const std::function<Reply()> &step, int limit_seconds) {
  int ends[2];
  if (::pipe(ends) != 0)
    throw Error(std::string("there is no pipe to a process for this step: ") + std::strerror(errno), {});
  std::fflush(nullptr);   // or it is written twice
  const pid_t process = ::fork();
  if (process < 0) {
    const std::string why = std::strerror(errno);
    ::close(ends[0]);
    ::close(ends[1]);
    throw Error("there is no process for this step: " + why, {});
  }
  if (process == 0) {
    ::close(ends[0]);
    reply_to(ends[1], step, limit_seconds);
  }
  ::close(ends[1]);
  std::string bytes;
  const bool is_in_time = read_until_end(ends[0], limit_seconds * idle_seconds_for_each, bytes);
  const bool is_whole = is_in_time && !bytes.empty() && bytes.back() == end_mark;
  ::close(ends[0]);
  // What has replied may still be busy with a GPU that does not answer.
  if (!is_in_time || is_whole)
    ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (is_whole)
    return reply_of(bytes);
  Reply reply;
  const bool is_out_of_time = !is_in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF);
  reply.failure = is_out_of_time ? "no end within " + std::to_string(limit_seconds) + " s" : ended_by(status);
  return reply;
}

}   // namespace tile::tool

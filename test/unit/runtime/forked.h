// SPDX-License-Identifier: MIT
// What a fork of the test says, which must not hang: it ends by itself, or is ended after ten minutes.
#pragma once

#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace tile::testing {

// What `step()` returns in the child, or how that ended.
template <class Step> std::string said_by_fork(const Step &step) {
  int ends[2];
  if (::pipe(ends) != 0)
    return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(600);
    const std::string said = step();
    const bool is_written = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(is_written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char part[1024];
  for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;)
    said.append(part, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return "ended by signal " + std::to_string(WTERMSIG(status));
  return said;
}

}   // namespace tile::testing

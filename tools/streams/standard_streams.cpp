// SPDX-License-Identifier: MIT
#include "tools/streams/standard_streams.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace tile::tool {

void hold_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF)
      continue;
    // The lowest number that is free, which is this one; the wrong way round, so that it fails.
    const int taken = ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (taken != number && taken != -1)
      ::close(taken);
  }
}

int finish_standard_streams(std::string_view program, int code) {
  // Why an earlier write failed is no longer known; the last one tells.
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if (!flushed || std::ferror(stdout)) {
    std::string line = std::string(program) + ": cannot write to standard output";
    if (reason)
      line += std::string(": ") + std::strerror(reason);
    line += "\n";
    std::fputs(line.c_str(), stderr);
    code = code ? code : 1;
  }
  std::fflush(stderr);
  return std::ferror(stderr) && code == 0 ? 1 : code;
}

}   // namespace tile::tool

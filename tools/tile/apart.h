// SPDX-License-Identifier: MIT
// A step in a process of its own, so that one that crashes, hangs or leaves a GPU on which nothing works any
// more costs only itself.
#pragma once

#include <functional>
#include <string>

namespace tile::tool {

struct Reply {
  double seconds = 0;
  std::string text;
  std::string failure;   // what ended the process, or the message of what the step threw; empty: nothing
};

// Nothing that the step does is seen here but its reply. It may take so many seconds of
// the processor, and ten times as many by the clock.
Reply done_apart(const std::function<Reply()> &step, int limit_seconds);

}   // namespace tile::tool

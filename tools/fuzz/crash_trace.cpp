// SPDX-License-Identifier: MIT
#include "tools/fuzz/crash_trace.h"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <string_view>

namespace tile::fuzz {
namespace {

constexpr int most_frames = 64;

// Only calls that a handler may make: nothing is allocated here.
void print_stack(int signal) {
  std::array<void *, most_frames> frames;
  constexpr std::string_view title = "the process crashed here:\n";
  static_cast<void>(::write(STDERR_FILENO, title.data(), title.size()));
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), most_frames), STDERR_FILENO);
  ::raise(signal);   // for the second time, which ends the process
}

}   // namespace

void print_stack_on_crash() {
  void *frame = nullptr;
  static_cast<void>(::backtrace(&frame, 1));   // loads what it needs, which a handler must not do
  // A handler needs a stack of its own where the process has run out of it.
  constexpr std::size_t stack_bytes = 64 * 1024;
  static std::array<std::byte, stack_bytes> stack;
  const stack_t own{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  static_cast<void>(::sigaltstack(&own, nullptr));
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL)
      continue;
    struct sigaction handler{};
    handler.sa_handler = print_stack;
    handler.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    static_cast<void>(::sigaction(signal, &handler, nullptr));
  }
}

}   // namespace tile::fuzz

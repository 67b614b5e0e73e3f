// SPDX-License-Identifier: MIT
#include "tools/fuzz/assemble.h"

#include "compiler/api/compile.h"
#include "tools/fuzz/kernel.h"

namespace tile::fuzz {

Outcome assemble(const Case &given, const std::vector<Target> &targets, const Assembler &assembler) {
  for (const Target &target : targets) {
    try {
      const KernelIR kernel = read_kernel(given.text);
      // As a launch takes it: code that the assembler made slower than it is written counts as refused.
      (void)assembled(assembler, compile(kernel, target), target.name());
    } catch (const Error &error) {
      if (!asks_too_much(error))
        return {.verdict = Verdict::failed, .detail = target.name() + ": " + error.what()};
    }
  }
  return {.verdict = Verdict::agree, .detail = ""};
}

}   // namespace tile::fuzz

// SPDX-License-Identifier: MIT
// A copy within the device that moves as many bytes as the kernel: how fast its memory is in fact.
#include "tools/bench/peers.h"

#include <algorithm>

namespace tile::bench {
namespace {

class Copy final : public Provider {
 public:
  std::string name() const override { return "copy"; }

  std::vector<Candidate> candidates(const Job &job) override {
    if (job.problem.work.flop > 0)
      throw Cannot("a copy is compared only with kernels that move bytes and do little else");
    // Half of the bytes are read, from one input after the other, half written.
    struct Part {
      std::size_t from, bytes;
    };
    std::vector<Part> parts;
    const std::vector<registry::Operand> &operands = job.problem.operands;
    const std::size_t output = static_cast<std::size_t>(
        std::ranges::find(operands, true, &registry::Operand::is_output) - operands.begin());
    double left = job.problem.work.bytes / 2;
    for (std::size_t i = 0; i < output && left >= 1; ++i) {
      const double bytes = std::min({left, operands[i].bytes(), operands[output].bytes()});
      parts.push_back({i, static_cast<std::size_t>(bytes)});
      left -= bytes;
    }
    if (parts.empty())
      throw Cannot("there is nothing to copy");
    return {{.config = "",
             .call =
                 [&job, parts, output](int set) {
                   const std::span<void *const> at = job.data.operands(set);
                   for (const Part &part : parts)
                     job.device.copy(at[output], at[part.from], part.bytes);
                 },
             .computes = false}};
  }
};

}   // namespace

std::unique_ptr<Provider> make_copy(Device &, Stopwatch &) { return std::make_unique<Copy>(); }

}   // namespace tile::bench

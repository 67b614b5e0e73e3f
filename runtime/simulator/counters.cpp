// SPDX-License-Identifier: MIT
#include "runtime/report_text.h"
#include "runtime/simulator/simulation.h"

#include <fmt/format.h>

namespace tile::simulator {

void Counters::add(const Counters &other) {
  for (auto field : {&Counters::matrixOps, &Counters::matrixReads, &Counters::shuffles, &Counters::barriers,
                     &Counters::copies, &Counters::atomics, &Counters::globalReads, &Counters::globalWrites,
                     &Counters::bytesRead, &Counters::bytesWritten, &Counters::bytesCopied,
                     &Counters::sharedReads, &Counters::sharedWrites, &Counters::warpgroupOps,
                     &Counters::bulkCopies, &Counters::bulkBytes, &Counters::registerChanges})
    this->*field += other.*field;
}

std::vector<std::string> Counters::text() const {
  const auto n = [](std::uint64_t number) { return grouped(number); };
  std::vector<std::string> lines{
      fmt::format("warps: {} mma, {} ldmatrix and stmatrix, {} shuffles", n(matrixOps), n(matrixReads),
                  n(shuffles)),
      fmt::format("programs: {} barriers", n(barriers)),
      fmt::format("threads: {} asynchronous copies of {} bytes, {} loads of {}, {} stores of {}, {} atomics",
                  n(copies), n(bytesCopied), n(globalReads), n(bytesRead), n(globalWrites), n(bytesWritten),
                  n(atomics)),
      fmt::format("threads: {} loads from and {} stores to shared memory", n(sharedReads), n(sharedWrites))};
  if (warpgroupOps || bulkCopies)
    lines.push_back(
        fmt::format("warpgroups: {} wgmma; {} bulk copies of {} bytes; {} changes of the number of registers",
                    n(warpgroupOps), n(bulkCopies), n(bulkBytes), n(registerChanges)));
  return lines;
}

}   // namespace tile::simulator

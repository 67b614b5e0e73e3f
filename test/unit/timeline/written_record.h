// SPDX-License-Identifier: MIT
// Recordings written by hand: places with given work, and what each warp does.
#pragma once

#include "runtime/timeline/advice.h"
#include "runtime/timeline/timeline.h"

#include <utility>
#include <vector>

namespace tile::timeline {

using simulator::Act;
using simulator::Step;

class WrittenRecord {
 public:
  explicit WrittenRecord(unsigned ctas = 1) : program(LoweredKernel{}) { record.ctas.resize(ctas); }

  // A place at this line of kernel.cpp, before which so much is computed.
  std::uint32_t place(unsigned line, simulator::Arithmetic work = {},
                      std::vector<std::uint32_t> needed = {}) {
    program.places.push_back({.where = {"/src/kernel.cpp", line, 1},
                              .work = work,
                              .needed = std::move(needed),
                              .lines = {{{"/src/kernel.cpp", line, 1}, work.issued}}});
    return static_cast<std::uint32_t>(program.places.size() - 1);
  }
  // Warps that all take these steps.
  void warps(unsigned count, const std::vector<Step> &steps, unsigned cta = 0) {
    for (unsigned i = 0; i < count; ++i)
      record.warps.push_back({cta, count_[cta]++, steps});
    program.threads = 32 * count_[0];
  }
  Timeline run(const Conditions &conditions = {}) const { return replay(program, record, model, conditions); }
  std::vector<std::string> said() const {
    const Timeline timeline = run();
    return advice({program, record, timeline, model, model.machine.clock_hertz},
                  roles(program, record, timeline));
  }

  simulator::Program program;
  simulator::ClusterRecord record;
  GpuModel model;

 private:
  std::vector<unsigned> count_ = std::vector<unsigned>(16);
};

inline Step work(std::uint32_t place) { return {.place = place}; }

// A ring of `slots` with one warp that has `bytes` copied into each, and one group that multiplies them:
// `columns` for each of four products.
struct Ring {
  unsigned slots = 4, rounds = 32, bytes = 32768, columns = 256;
  bool awaitsAtOnce = true;
  WrittenRecord written() const {
    WrittenRecord r;
    const std::uint32_t copy = r.place(10), multiply = r.place(20), behind = r.place(21);
    std::vector<Step> producer{work(copy)}, consumer{work(multiply)};
    for (unsigned slot = 0; slot < slots; ++slot)
      for (unsigned empty = 0; empty < 2; ++empty)
        producer.push_back({copy, Act::mbarrierInit, 2 * slot + empty, empty ? 4u : 1u});
    for (unsigned round = 0; round < rounds; ++round) {
      const std::uint32_t full = 2 * (round % slots), empty = full + 1, lap = round / slots;
      producer.push_back(work(copy));
      producer.push_back({copy, Act::mbarrierWait, empty, lap});
      producer.push_back({copy, Act::mbarrierArrive, full, 1, bytes});
      producer.push_back({copy, Act::load, full, bytes, 1, bytes});
      consumer.push_back(work(multiply));
      consumer.push_back({multiply, Act::mbarrierWait, full, lap + 1});
      for (unsigned i = 0; i < 4; ++i)
        consumer.push_back({multiply, Act::product, 0, columns});
      consumer.push_back({multiply, Act::productCommit});
      consumer.push_back({behind, Act::productWait, 0, 0});
      consumer.push_back({behind, Act::mbarrierArrive, empty, 1});
    }
    r.warps(1, producer);
    r.warps(3, {});
    r.warps(4, consumer);
    return r;
  }
};

}   // namespace tile::timeline

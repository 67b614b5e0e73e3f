// SPDX-License-Identifier: MIT
// What the 32 threads of a warp do together: shuffles, reading matrices, multiplying them.
#include "runtime/simulator/calls.h"
#include "runtime/simulator/matrix_unit.h"
#include "runtime/simulator/memory_faults.h"

#include <bit>
#include <cstring>
#include <set>
#include <vector>

namespace tile::simulator {
namespace {

struct Shuffle {
  std::uint32_t value, offset, clamp;
};

// PTX ISA, "shfl.sync": a segment of the warp, and a lane of it by kind; outside of it, the own value.
std::uint32_t shuffle(Thread *t, std::uint32_t mask, std::uint32_t value, std::uint32_t offset,
                      std::uint32_t clamp, std::uint32_t kind, std::uint32_t site) {
  if (mask != ~0u)
    t->cta->fail(
        *t, [&] { return t->cta->at(site, "of a part of the warp, which the simulator does not know"); });
  Shuffle own{value, offset, clamp};
  t->cta->meet(*t, site, &own, [&](void **arrivals) {
    ++t->cta->counters.shuffles;
    std::uint32_t values[32], results[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      values[lane] = static_cast<Shuffle *>(arrivals[lane])->value;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Shuffle &s = *static_cast<Shuffle *>(arrivals[lane]);
      const unsigned b = s.offset & 31, bound = s.clamp & 31, segment = s.clamp >> 8 & 31;
      const unsigned last = (lane & segment) | (bound & ~segment), first = lane & segment;
      unsigned from = lane;
      bool valid = false;
      switch (kind) {
      case 0:   // bfly
        from = lane ^ b;
        valid = from <= last;
        break;
      case 1:   // up
        from = lane - b;
        valid = static_cast<int>(from) >= static_cast<int>(last);
        break;
      case 2:   // down
        from = lane + b;
        valid = from <= last;
        break;
      default:   // idx
        from = first | (b & ~segment);
        valid = from <= last;
        break;
      }
      results[lane] = values[valid ? from & 31 : lane];
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      static_cast<Shuffle *>(arrivals[lane])->value = results[lane];
  });
  return own.value;
}

struct MatrixRead {
  const std::byte *row;
  std::uint32_t *words;
};

// Eight rows of 16 bytes are served at a time, by 32 banks of 4 bytes: how many more rounds that takes.
unsigned conflictsOf(const MatrixRead *const *rows) {
  unsigned rounds[32] = {}, most = 1;
  std::set<std::uintptr_t> seen;
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned word = 0; word < 4; ++word) {
      const auto address = reinterpret_cast<std::uintptr_t>(rows[row]->row) + 4 * word;
      if (seen.insert(address).second)
        most = std::max(most, ++rounds[address / 4 % 32]);
    }
  return most - 1;
}

// PTX ISA, "ldmatrix": the lanes 8 m to 8 m + 7 give the rows of matrix m; lane l gets the elements 2 (l % 4)
// and 2 (l % 4) + 1 of row l / 4 of each, or of column l / 4 if transposed.
void readMatrices(Thread *t, const void *at, std::uint32_t count, std::uint32_t transposed, void *words,
                  std::uint32_t site) {
  MatrixRead own{static_cast<const std::byte *>(at), static_cast<std::uint32_t *>(words)};
  // Only addresses that the instruction looks at are accesses.
  if (t->lane() < 8 * count) {
    std::size_t offset;
    if (!t->cta->shared.contains(at, 16, offset))
      t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, at, 16); });
    if (offset % 16 != 0)
      t->cta->fail(*t, [&] { return t->cta->at(site, "a row that is not aligned to 16 bytes"); });
    if (const auto conflict = t->cta->shared.read(t->actor, site, offset, 16))
      t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, false); });
  }
  t->cta->meet(*t, site, &own, [&](void **arrivals) {
    auto **lanes = reinterpret_cast<MatrixRead **>(arrivals);
    ++t->cta->counters.matrixReads;
    for (unsigned matrix = 0; matrix < count; ++matrix) {
      t->cta->counters.bankConflicts += conflictsOf(lanes + 8 * matrix);
      std::uint16_t elements[8][8];
      for (unsigned row = 0; row < 8; ++row)
        std::memcpy(elements[row], lanes[8 * matrix + row]->row, 16);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane / 4, column = 2 * (lane % 4);
        const std::uint32_t low = transposed ? elements[column][row] : elements[row][column];
        const std::uint32_t high = transposed ? elements[column + 1][row] : elements[row][column + 1];
        lanes[lane]->words[matrix] = low | high << 16;
      }
    }
  });
}

// PTX ISA, "stmatrix": the other way round.
void writeMatrices(Thread *t, void *at, std::uint32_t count, std::uint32_t transposed, std::uint32_t *words,
                   std::uint32_t site) {
  MatrixRead own{static_cast<const std::byte *>(at), words};
  t->cta->meet(*t, site, &own, [&](void **arrivals) {
    auto **lanes = reinterpret_cast<MatrixRead **>(arrivals);
    ++t->cta->counters.matrixReads;
    for (unsigned matrix = 0; matrix < count; ++matrix) {
      t->cta->counters.bankConflicts += conflictsOf(lanes + 8 * matrix);
      std::uint16_t elements[8][8];
      for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane / 4, column = 2 * (lane % 4);
        const std::uint32_t word = lanes[lane]->words[matrix];
        (transposed ? elements[column][row] : elements[row][column]) = static_cast<std::uint16_t>(word);
        (transposed ? elements[column + 1][row] : elements[row][column + 1]) =
            static_cast<std::uint16_t>(word >> 16);
      }
      // What a lane gives the address of, it writes.
      for (unsigned row = 0; row < 8; ++row) {
        std::size_t offset;
        const std::byte *to = lanes[8 * matrix + row]->row;
        if (!t->cta->shared.contains(to, 16, offset))
          t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, to, 16); });
        if (offset % 16 != 0)
          t->cta->fail(*t, [&] { return t->cta->at(site, "takes a row that is not aligned to 16 bytes"); });
        const unsigned writer = t->actor - t->lane() + 8 * matrix + row;
        if (const auto conflict = t->cta->shared.write(
                writer, site, offset, reinterpret_cast<const std::byte *>(elements[row]), 16))
          t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, true); });
      }
    }
  });
}

template <void (*Multiply)(void **)> void multiply(Thread *t, void *words, std::uint32_t site) {
  t->cta->meet(*t, site, words, [&](void **arrivals) {
    ++t->cta->counters.matrixOps;
    Multiply(arrivals);
  });
}

}   // namespace

std::span<const Symbol> warpCalls() {
  static const std::vector<Symbol> table{
      {"tile_sim_shuffle", addressOf(shuffle)},
      {"tile_sim_ldmatrix", addressOf(readMatrices)},
      {"tile_sim_stmatrix", addressOf(writeMatrices)},
      {"tile_sim_mma_f16", addressOf(multiply<multiplyF16>)},
      {"tile_sim_mma_bf16", addressOf(multiply<multiplyBf16>)},
      {"tile_sim_mma_tf32", addressOf(multiply<multiplyTf32>)},
      {"tile_sim_mma_s8", addressOf(multiply<multiplyS8>)},
      {"tile_sim_mma_u8", addressOf(multiply<multiplyU8>)},
      {"tile_sim_mma_ring_16", addressOf(multiply<multiplyRing16>)},
      {"tile_sim_mma_ring_32", addressOf(multiply<multiplyRing32>)},
  };
  return table;
}

}   // namespace tile::simulator

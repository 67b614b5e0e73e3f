// SPDX-License-Identifier: MIT
// What the 32 threads of a warp do together: shuffles, reading matrices, multiplying them.
#include "runtime/simulator/calls.h"
#include "runtime/simulator/matrix_unit.h"
#include "runtime/simulator/memory_faults.h"
#include "runtime/simulator/recorder.h"

#include "runtime/element.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace tile::simulator {
namespace {

struct Shuffle {
  std::uint32_t value, offset, clamp;
  std::uint64_t result = 0;   // the value, and in bit 32 whether it is another lane's to give
};

// The lane that a lane reads, if there is one in its segment of the warp (PTX ISA, "shfl.sync").
std::optional<unsigned> sourceOf(unsigned lane, const Shuffle &s, std::uint32_t kind) {
  const unsigned b = s.offset & 31, bound = s.clamp & 31, segment = s.clamp >> 8 & 31;
  const unsigned last = (lane & segment) | (bound & ~segment), first = lane & segment;
  switch (kind) {
  case 0:   // bfly
    return (lane ^ b) <= last ? std::optional(lane ^ b) : std::nullopt;
  case 1:   // up
    return static_cast<int>(lane - b) >= static_cast<int>(last) ? std::optional(lane - b) : std::nullopt;
  case 2:   // down
    return lane + b <= last ? std::optional(lane + b) : std::nullopt;
  default:   // idx
    return (first | (b & ~segment)) <= last ? std::optional(first | (b & ~segment)) : std::nullopt;
  }
}

// Where the segment ends, a lane gets its own value. A lane that is not there has none to give.
std::uint64_t shuffle(Thread *t, std::uint32_t mask, std::uint32_t value, std::uint32_t offset,
                      std::uint32_t clamp, std::uint32_t kind, std::uint32_t site) {
  record(*t, Act::shuffle);
  Shuffle own{value, offset, clamp};
  t->cta->meet(
      *t, site, &own,
      [&](void **arrivals) {
        ++t->cta->counters.shuffles;
        for (unsigned lane = 0; lane < 32; ++lane) {
          auto *s = static_cast<Shuffle *>(arrivals[lane]);
          if (!s)
            continue;
          const std::optional<unsigned> from = sourceOf(lane, *s, kind);
          const auto *source = from ? static_cast<const Shuffle *>(arrivals[*from & 31]) : s;
          if (!source)
            t->cta->fail(*t, [&] {
              return t->cta->at(
                  site, fmt::format("takes for lane {} the value of lane {}, which {} {:#x}", lane, *from,
                                    mask >> *from & 1 ? "has ended, though it is in mask" : "is not in mask",
                                    mask));
            });
          s->result = source->value | std::uint64_t{from.has_value()} << 32;
        }
      },
      mask);
  return own.result;
}

struct MatrixRead {
  const std::byte *row;
  std::uint32_t *words;
};

void recordRow(const Thread &t, const void *row, std::uint32_t matrices) {
  if (Recorder *recorder = t.cta->recorder)
    recorder->access(t, AccessKind::sharedMatrix,
                     static_cast<std::uint64_t>(static_cast<const std::byte *>(row) - t.cta->shared.data()),
                     16, t.lane() < 8 * matrices);
}

// The lanes that name rows of 16 bytes.
void countRows(Cta &cta, MatrixRead *const *lanes, std::uint32_t matrices, std::uint32_t site) {
  ++cta.counters.matrixReads;
  if (!cta.accesses)
    return;
  WarpAccess access;
  access.bytes = 16;
  for (unsigned lane = 0; lane < 8 * matrices; ++lane) {
    access.active |= 1u << lane;
    access.at[lane] = static_cast<std::uint64_t>(lanes[lane]->row - cta.shared.data());
  }
  cta.accesses->add(site, AccessKind::sharedMatrix, access);
}

// PTX ISA, "ldmatrix": the lanes 8 m to 8 m + 7 give the rows of matrix m; lane l gets the elements 2 (l % 4)
// and 2 (l % 4) + 1 of row l / 4 of each, or of column l / 4 if transposed.
void readMatrices(Thread *t, const void *at, std::uint32_t count, std::uint32_t transposed, void *words,
                  std::uint32_t site) {
  recordRow(*t, at, count);
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
    countRows(*t->cta, lanes, count, site);
    for (unsigned matrix = 0; matrix < count; ++matrix) {
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
  recordRow(*t, at, count);
  MatrixRead own{static_cast<const std::byte *>(at), words};
  t->cta->meet(*t, site, &own, [&](void **arrivals) {
    auto **lanes = reinterpret_cast<MatrixRead **>(arrivals);
    countRows(*t->cta, lanes, count, site);
    for (unsigned matrix = 0; matrix < count; ++matrix) {
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
  record(*t, Act::multiply);
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
      {"tile_sim_mma_f16_f16", addressOf(multiply<multiplyF16>)},
      {"tile_sim_mma_bf16_bf16", addressOf(multiply<multiplyBf16>)},
      {"tile_sim_mma_tf32_tf32", addressOf(multiply<multiplyTf32>)},
      {"tile_sim_mma_s8_s8", addressOf(multiply<multiplyS8>)},
      {"tile_sim_mma_u8_u8", addressOf(multiply<multiplyU8>)},
      {"tile_sim_mma_e4m3_e4m3", addressOf(multiply<multiplyFp8<e4m3, e4m3>>)},
      {"tile_sim_mma_e4m3_e5m2", addressOf(multiply<multiplyFp8<e4m3, e5m2>>)},
      {"tile_sim_mma_e5m2_e4m3", addressOf(multiply<multiplyFp8<e5m2, e4m3>>)},
      {"tile_sim_mma_e5m2_e5m2", addressOf(multiply<multiplyFp8<e5m2, e5m2>>)},
      {"tile_sim_mma_ring_16", addressOf(multiply<multiplyRing16>)},
      {"tile_sim_mma_ring_32", addressOf(multiply<multiplyRing32>)},
  };
  return table;
}

}   // namespace tile::simulator

// SPDX-License-Identifier: MIT
// Trips through shared memory are carried out on numbered elements, byte by byte, and compared with what the
// destination layout says each thread holds. Bank conflicts are counted here from the addresses alone.
#include "compiler/layout/shared_trip.h"
#include "compiler/layout/constructors.h"
#include "random_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tile::layout {
namespace {

using Access = SharedTrip::Access;
using Side = SharedTrip::Side;

// What each lane moves in an access: the element in this register of that lane, and where it lies.
struct Move {
  std::uint64_t lane;
  std::int64_t reg, address;
};
std::vector<Move> movesOf(const Side &side, const Access &access, unsigned bytes, std::uint64_t lanes,
                          std::uint64_t warp) {
  std::vector<Move> moves;
  std::int64_t perWord = std::max<std::int64_t>(1, 4 / bytes);
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    for (std::int64_t i = 0; i < std::ssize(access.registers); ++i) {
      std::int64_t reg = access.registers[static_cast<std::size_t>(i)];
      if (side.form == AccessForm::Vector) {
        moves.push_back({lane, reg, side.address(access, lane, warp) + i * bytes});
        continue;
      }
      // PTX ISA, "ldmatrix": word l of matrix m.
      std::int64_t matrix = i / perWord, within = i % perWord, row = static_cast<std::int64_t>(lane) / 4,
                   byte = static_cast<std::int64_t>(lane) % 4 * 4 + within * bytes;
      if (side.form == AccessForm::Transposed) {
        byte = row * 2;
        row = static_cast<std::int64_t>(lane) % 4 * 2 + within;
      }
      moves.push_back(
          {lane, reg, side.address(access, static_cast<std::uint64_t>(8 * matrix + row), warp) + byte});
    }
  return moves;
}

// The addresses that the lanes give, and how many bytes lie there.
std::int64_t passes(const Side &side, const Access &access, unsigned bytes, std::uint64_t lanes,
                    std::uint64_t warp) {
  bool isVector = side.form == AccessForm::Vector;
  std::int64_t width = isVector ? bytes * std::ssize(access.registers) : 16, sum = 0;
  std::uint64_t perWord = std::max(1u, 4 / bytes);
  std::uint64_t count = isVector ? lanes : 8 * access.registers.size() / perWord;
  std::uint64_t group = width <= 4 ? 32 : static_cast<std::uint64_t>(128 / width);
  for (std::uint64_t first = 0; first < count; first += group) {
    std::map<std::int64_t, std::set<std::int64_t>> banks;
    for (std::uint64_t lane = first; lane < std::min(first + group, count); ++lane)
      for (std::int64_t byte = 0; byte < width; ++byte) {
        std::int64_t word = (side.address(access, lane, warp) + byte) / 4;
        banks[word % 32].insert(word);
      }
    std::size_t most = 0;
    for (auto &[bank, words] : banks)
      most = std::max(most, words.size());
    sum += static_cast<std::int64_t>(most) - 1;
  }
  return sum;
}

// Passes of the banks beyond what one access of each 128 bytes takes, over all warps.
struct Conflicts {
  std::int64_t store = 0, load = 0;
};
Conflicts expectConverts(const TileLayout &src, const TileLayout &dst, const SharedTrip &trip,
                         unsigned bytes) {
  Conflicts conflicts;
  std::map<Coordinates, std::int64_t> found;
  std::vector<std::vector<std::map<std::int64_t, Coordinates>>> loaded(
      dst.warps(), std::vector<std::map<std::int64_t, Coordinates>>(dst.lanes()));
  for (std::int64_t round = 0; round < trip.rounds; ++round) {
    std::map<std::int64_t, Coordinates> memory;   // by byte address
    for (std::uint64_t warp = 0; warp < src.warps(); ++warp)
      for (const Access &access : trip.store.accesses) {
        if (access.round != round)
          continue;
        conflicts.store += passes(trip.store, access, bytes, src.lanes(), warp);
        for (const Move &move : movesOf(trip.store, access, bytes, src.lanes(), warp)) {
          Coordinates element = src.coordinates({move.reg, move.lane, warp, 0});
          EXPECT_TRUE(move.address >= 0 && move.address + bytes <= trip.bytes && move.address % bytes == 0);
          auto [it, fresh] = memory.try_emplace(move.address, element);
          EXPECT_EQ(it->second, element) << "two elements in one place";
        }
      }
    for (std::uint64_t warp = 0; warp < dst.warps(); ++warp)
      for (const Access &access : trip.load.accesses) {
        if (access.round != round)
          continue;
        conflicts.load += passes(trip.load, access, bytes, dst.lanes(), warp);
        for (const Move &move : movesOf(trip.load, access, bytes, dst.lanes(), warp))
          loaded[warp][move.lane][move.reg] = memory[move.address];
      }
    for (const Side *side : {&trip.store, &trip.load})
      for (const Access &access : side->accesses)
        if (std::int64_t width = side->form == AccessForm::Vector ? bytes * std::ssize(access.registers) : 16;
            side->address(access, 3, 0) % width || side->address(access, 4, 0) % width)
          ADD_FAILURE() << "an access is not aligned";
  }
  EXPECT_EQ(std::ssize(trip.loaded), dst.places());
  for (std::uint64_t warp = 0; warp < dst.warps(); ++warp)
    for (std::uint64_t lane = 0; lane < dst.lanes(); ++lane)
      for (std::int64_t reg = 0; reg < dst.places(); ++reg)
        EXPECT_EQ(loaded[warp][lane][trip.loaded[static_cast<std::size_t>(reg)]],
                  dst.coordinates({reg, lane, warp, 0}));
  EXPECT_EQ(conflicts.store == 0, trip.store.wavefronts <= trip.store.ideal);
  EXPECT_EQ(conflicts.load == 0, trip.load.wavefronts <= trip.load.ideal);
  return conflicts;
}

// Whatever the maps, few enough bits that rounds and short buffers come up.
TEST(SharedTrip, ConvertsBetweenRandomLayouts) {
  RandomLayouts random(3);
  for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
    unsigned elements = 4 + random.below(4);
    auto layout = [&] {
      for (;;)
        if (LinearLayout l = random.with(
                {{Dim::Register, random.below(5)}, {Dim::Lane, 5}, {Dim::Warp, 1}, {Dim::Block, 0}},
                {{axis(0), elements / 2}, {axis(1), elements - elements / 2}});
            l.isSurjective())
          return TileLayout(l, {1, i % 3 ? 1 : 3});
    };
    TileLayout src = layout(), dst = layout();
    unsigned bytes = 1u << random.below(4);
    SharedTrip trip = planTrip(src, dst, {bytes, i % 2 ? 256 : 1 << 14, true});
    expectConverts(src, dst, trip, bytes);
  }
}

struct Named {
  std::string name;
  TileLayout layout;
};
std::vector<Named> namedLayouts(const Shape &shape) {
  return {{"rows of 16 bytes", blocked(shape, {{1, 8}, {8, 4}, {4, 1}, {1, 0}})},
          {"rows, wide", blocked(shape, {{1, 4}, {1, 32}, {4, 1}, {1, 0}})},
          {"single elements", blocked(shape, {{1, 1}, {4, 8}, {2, 2}, {1, 0}})},
          {"columns", blocked(shape, {{8, 1}, {4, 8}, {1, 4}, {0, 1}})},
          {"columns, wide", blocked(shape, {{4, 1}, {32, 1}, {1, 4}, {0, 1}})},
          {"accumulator", mmaAccumulator(shape, 2, 2)},
          {"accumulator, 4 warps down", mmaAccumulator(shape, 4, 1)},
          {"operand A", mmaOperandA(shape, 16, 2, 2)},
          {"operand B", mmaOperandB(shape, 16, 2, 2)}};
}

TEST(SharedTrip, IsFreeOfBankConflicts) {
  for (const Shape &shape : {Shape{64, 64}, Shape{128, 32}, Shape{32, 96}})
    for (const Named &src : namedLayouts(shape))
      for (const Named &dst : namedLayouts(shape))
        for (unsigned bytes : {1u, 2u, 4u, 8u}) {
          if (src.name == dst.name)
            continue;
          SCOPED_TRACE(src.name + " to " + dst.name + ", " + std::to_string(bytes) + " bytes");
          SharedTrip trip = planTrip(src.layout, dst.layout, {bytes, 1 << 16, true});
          Conflicts conflicts = expectConverts(src.layout, dst.layout, trip, bytes);
          EXPECT_EQ(conflicts.store, 0);
          EXPECT_EQ(conflicts.load, 0);
          if (testing::Test::HasFailure())
            return;
        }
}

TEST(SharedTrip, SlicesAreFreeOfBankConflicts) {
  for (const Named &src : namedLayouts({64, 128}))
    for (const Named &dst : namedLayouts({64, 128}))
      for (unsigned axis : {0u, 1u})
        for (unsigned bytes : {1u, 2u, 4u, 8u}) {
          TileLayout from = slice(src.layout, axis), to = slice(dst.layout, axis);
          SharedTrip trip = planTrip(from, to, {bytes, 1 << 16, true});
          Conflicts conflicts = expectConverts(from, to, trip, bytes);
          EXPECT_EQ(conflicts.store + conflicts.load, 0)
              << src.name << " to " << dst.name << ", axis " << axis;
        }
}

// 64 x 64 halves of an accumulator, four warps: 32 of a lane are 16 words, in four instructions on either
// side.
TEST(SharedTrip, TakesMatrixInstructionsWhereTheyFit) {
  TileLayout acc = mmaAccumulator({64, 64}, 4, 1);
  TileLayout rows = blocked({64, 64}, {{1, 8}, {8, 4}, {4, 1}, {1, 0}});
  TileLayout columns = blocked({64, 64}, {{8, 1}, {4, 8}, {1, 4}, {0, 1}});
  SharedTrip out = planTrip(acc, rows, {2, 1 << 16, true});
  EXPECT_EQ(out.store.form, AccessForm::Matrix);
  EXPECT_EQ(out.store.accesses.size(), 4u);
  EXPECT_EQ(out.load.accesses.size(), 4u);
  EXPECT_EQ(out.store.wavefronts + out.load.wavefronts, 32);
  SharedTrip reversed = planTrip(acc, columns, {2, 1 << 16, true});
  EXPECT_EQ(reversed.store.form, AccessForm::Transposed);
  EXPECT_EQ(reversed.store.accesses.size(), 4u);
  // Without stmatrix the lanes store 16 bytes of their own, and ldmatrix puts them together.
  SharedTrip old = planTrip(acc, rows, {2, 1 << 16, false});
  EXPECT_EQ(old.store.form, AccessForm::Vector);
  EXPECT_EQ(old.store.accesses.size(), 4u);
  EXPECT_EQ(old.load.form, AccessForm::Matrix);
  EXPECT_EQ(old.load.accesses.size(), 4u);
  // A word of bytes would be four neighbours in one lane.
  EXPECT_EQ(planTrip(acc, rows, {1, 1 << 16, true}).store.form, AccessForm::Vector);

  TileLayout few = blocked({32, 32}, {{1, 8}, {8, 4}, {4, 1}, {1, 0}}),
             fewColumns = blocked({32, 32}, {{8, 1}, {4, 8}, {1, 4}, {0, 1}}),
             operand = mmaOperandA({32, 32}, 16, 2, 2);
  EXPECT_EQ(planTrip(few, operand, {2, 1 << 16, false}).load.form, AccessForm::Matrix);
  EXPECT_EQ(planTrip(fewColumns, operand, {2, 1 << 16, false}).load.form, AccessForm::Transposed);
}

// A product takes two halves of a row of K in one word: nothing is to be packed anew.
TEST(SharedTrip, BringsWordsWhole) {
  TileLayout rows = blocked({64, 64}, {{1, 8}, {8, 4}, {4, 1}, {1, 0}});
  for (const TileLayout &operand : {mmaOperandA({64, 64}, 16, 2, 2), mmaOperandB({64, 64}, 16, 2, 2)}) {
    SharedTrip trip = planTrip(rows, operand, {2, 1 << 16, false});
    for (const Access &access : trip.load.accesses)
      for (std::size_t i = 0; i < access.registers.size(); i += 2)
        EXPECT_TRUE(access.registers[i] % 2 == 0 && access.registers[i + 1] == access.registers[i] + 1);
  }
}

// The sum of a row in all lanes of its warp, and then one row of each lane in all warps; no lane stores
// alone.
TEST(SharedTrip, TakesWhatLanesHaveInCommon) {
  auto vector = [](std::vector<std::uint64_t> lanes, std::uint64_t warp) {
    lanes.push_back(warp);
    return TileLayout(LinearLayout({{Dim::Register, 0}, {Dim::Lane, 5}, {Dim::Warp, 1}, {Dim::Block, 0}},
                                   {{axis(0), 1}}, std::move(lanes)));
  };
  TileLayout sums = vector({0, 0, 0, 0, 0}, 1), spread = vector({1, 0, 0, 0, 0}, 0);
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    expectConverts(sums, spread, planTrip(sums, spread, {bytes, 1 << 14, true}), bytes);
    expectConverts(spread, sums, planTrip(spread, sums, {bytes, 1 << 14, true}), bytes);
  }
}

TEST(SharedTrip, GoesInRoundsWhereMemoryIsShort) {
  TileLayout rows = blocked({128, 256}, {{1, 4}, {1, 32}, {4, 1}, {1, 0}}),
             columns = blocked({128, 256}, {{4, 1}, {32, 1}, {1, 4}, {0, 1}});
  SharedTrip trip = planTrip(rows, columns, {4, 72 << 10, true});
  EXPECT_EQ(trip.rounds, 2);
  EXPECT_EQ(trip.bytes, 64 << 10);
  expectConverts(rows, columns, trip, 4);
  TileLayout odd = blocked({64, 96}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}}),
             reversed = blocked({64, 96}, {{4, 1}, {8, 4}, {1, 4}, {0, 1}});
  SharedTrip thirds = planTrip(odd, reversed, {4, 20 << 10, true});
  EXPECT_EQ(thirds.rounds, 2);   // two repetitions of 32 columns, then one
  expectConverts(odd, reversed, thirds, 4);
}

}   // namespace
}   // namespace tile::layout

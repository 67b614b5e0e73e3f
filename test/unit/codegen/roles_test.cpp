// SPDX-License-Identifier: MIT
// Roles, lowered and run on the simulator: groups of warps that go through loops of different lengths, meet
// among themselves, exchange values, and end when a check of theirs fails. The simulator finds threads that
// wait for ever and accesses to shared memory that no barrier orders, in three orders of the threads.
#include "compiler/kernel_ir_module.h"
#include "compiler/pipeline.h"
#include "test/unit/simulator/hopper/bench.h"

#include <tile/kernel_ir.h>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <bit>

namespace tile {
namespace {

std::string lowered(const std::string &text) {
  const std::unique_ptr<mlir::MLIRContext> context = make_context();
  loadLoweringDialects(*context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module)
    return "";
  mlir::PassManager passes(context.get());
  buildThreadPipeline(passes);
  buildLLVMPipeline(passes);
  if (failed(passes.run(*module)))
    return "";
  std::string result;
  llvm::raw_string_ostream print(result);
  module->print(print);
  return result;
}

// A tile of 32 elements for each warp, in lanes and then warps; reversed: the lanes count from the other end,
// which takes an exchange over all warps.
std::string layoutOf(unsigned warps, bool reversed) {
  const int bits = 5 + std::countr_zero(warps);
  std::string lanes, others;
  for (int bit = 0; bit < bits; ++bit) {
    const int column = 1 << (reversed ? bits - 1 - bit : bit);
    std::string &list = bit < 5 ? lanes : others;
    list += (list.empty() ? "[" : ", [") + std::to_string(column) + "]";
  }
  return "#tile_gpu.layout<register = [], lane = [" + lanes + "], warp = [" + others +
         "], block = [], repeats = [1]>";
}

// What a role does: in iteration k it checks that none of its elements is `limit`, sums up the elements
// k, k + 1, … once with each layout, and stores the sums at 2 k.
struct Program {
  unsigned warps;
  int iterations;
  int limit = -1;

  int elements() const { return static_cast<int>(32 * warps); }
  int sum(int k) const { return elements() * k + elements() * (elements() - 1) / 2; }

  std::string text(const std::string &out) const {
    const std::string own = llvm::formatv("tensor<{0}xi32, {1}>", elements(), layoutOf(warps, false));
    const std::string other = llvm::formatv("tensor<{0}xi32, {1}>", elements(), layoutOf(warps, true));
    const std::string flags = llvm::formatv("tensor<{0}xi1, {1}>", elements(), layoutOf(warps, false));
    const std::string add =
        "{\n^bb0(%x: i32, %y: i32):\n%z = arith.addi %x, %y : i32\ntile.yield %z : i32\n}\n";
    return " warps " + std::to_string(warps) + " {\n%n = arith.constant " + std::to_string(iterations) +
           " : i32\n%limit = arith.constant " + std::to_string(limit) +
           " : i32\nscf.for %k = %zero to %n step %one : i32 {\n%i = tile.arange 0 to " +
           std::to_string(elements()) + " : " + own + "\n%ks = tile.splat %k : i32 -> " + own +
           "\n%e = arith.addi %i, %ks : " + own + "\n%ls = tile.splat %limit : i32 -> " + own +
           "\n%good = arith.cmpi ne, %e, %ls : " + own +
           "\ntile.assert %good, \"below the limit\" : " + flags + "\n%s = tile.reduce (%e) axis = 0 : (" +
           own + ") -> i32 " + add + "%f = tile_gpu.convert_layout %e : " + own + " -> " + other +
           "\n%g = arith.muli %f, %f : " + other + "\n%h = tile_gpu.convert_layout %g : " + other + " -> " +
           own + "\n%w = arith.muli %e, %e : " + own + "\n%v = arith.subi %h, %w : " + own +
           "\n%d = arith.addi %v, %e : " + own + "\n%t = tile.reduce (%d) axis = 0 : (" + own + ") -> i32 " +
           add + "%k2 = arith.muli %k, %two : i32\n%p = tile.addptr " + out +
           ", %k2 : !tile.ptr<i32>, i32\ntile.store %p, %s : !tile.ptr<i32>\n"
           "%q = tile.addptr %p, %one : !tile.ptr<i32>, i32\ntile.store %q, %t : !tile.ptr<i32>\n}\n}";
  }
};

// The numbers that each role has stored, -1 where it has not; and what was complained of.
struct Outcome {
  std::vector<std::vector<int>> stored;
  std::string complaint;
};

Outcome ran(const std::vector<Program> &programs, Completion completion) {
  std::string arguments, roles;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::string out = "%out" + std::to_string(i);
    arguments += (i ? ", " : "") + out + ": !tile.ptr<i32>";
    roles += programs[i].text(out);
  }
  const std::string kernel =
      lowered("func.func @kernel(" + arguments +
              ") attributes {tile.kernel, tile_gpu.target = \"sm_90\", tile.num_warps = 4 : i32} {\n%zero = "
              "arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
              "%two = arith.constant 2 : i32\ntile_gpu.roles" +
              roles + "\nreturn\n}\n");
  EXPECT_NE(kernel, "");
  Outcome outcome;
  if (kernel.empty())
    return outcome;
  simulator::Bench bench(SimulatorOptions{.completion = completion, .seed = 7});
  std::vector<int *> outs;
  std::vector<simulator::Bench::Value> values;
  for (const Program &program : programs) {
    outs.push_back(
        bench.buffer(std::vector<int>(2 * static_cast<std::size_t>(program.iterations), -1), "out"));
    values.emplace_back(static_cast<const void *>(outs.back()));
  }
  const auto program = simulator::compileForHost(HandWritten{kernel});
  outcome.complaint = simulator::complaint([&] { bench.run(*program, values); });
  for (std::size_t i = 0; i < outs.size(); ++i)
    outcome.stored.emplace_back(outs[i], outs[i] + 2 * programs[i].iterations);
  return outcome;
}

// As many iterations as it has, or fewer.
std::vector<int> expected(const Program &program, int iterations) {
  std::vector<int> result;
  for (int k = 0; k < program.iterations; ++k)
    result.insert(result.end(), 2, k < iterations ? program.sum(k) : -1);
  return result;
}

// Any barrier of the CTA in a loop would wait for ever, or let one role go on too early.
TEST(Roles, MeetAmongThemselves) {
  for (Completion completion : simulator::completions)
    for (const std::vector<Program> &programs :
         {std::vector<Program>{{4, 9}, {4, 5}}, {{1, 3}, {4, 6}, {2, 8}}, {{2, 1}, {1, 7}, {1, 0}}}) {
      const Outcome outcome = ran(programs, completion);
      EXPECT_EQ(outcome.complaint, "");
      for (std::size_t i = 0; i < outcome.stored.size(); ++i)
        EXPECT_EQ(outcome.stored[i], expected(programs[i], programs[i].iterations)) << "role " << i;
    }
}

// The role with the failed check stops there, all of its warps together; the others reach their end.
TEST(Roles, AFailedCheckEndsItsRoleAlone) {
  for (Completion completion : simulator::completions)
    for (const std::vector<Program> &programs : {
             std::vector<Program>{{4, 9, 127 + 3}, {4, 20}},   // found by one lane, in iteration 3
             {{4, 20}, {2, 9, 63 + 3}, {2, 5}},
             {{1, 9, 31 + 3}, {4, 20}},
         }) {
      const Outcome outcome = ran(programs, completion);
      EXPECT_NE(outcome.complaint.find("failed"), outcome.complaint.npos) << outcome.complaint;
      EXPECT_EQ(outcome.complaint.find("wait"), outcome.complaint.npos) << outcome.complaint;
      for (std::size_t i = 0; i < outcome.stored.size(); ++i)
        EXPECT_EQ(outcome.stored[i],
                  expected(programs[i], programs[i].limit < 0 ? programs[i].iterations : 3))
            << "role " << i;
    }
}

}   // namespace
}   // namespace tile

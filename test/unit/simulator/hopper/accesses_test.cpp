// SPDX-License-Identifier: MIT
// What a run counts of its accesses to memory, of kernels whose accesses are known.
#include "bench.h"
#include "kernel_text.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum AccessKind;

// The place of shared memory that thread i uses: i * `bytes`.
std::string place(int bytes) {
  return fmt::format("%stride = llvm.mlir.constant({} : i32) : i32\n%offset = llvm.mul %tid, %stride : i32\n"
                     "%p = llvm.getelementptr %smem[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n",
                     bytes);
}
const std::string storeAndLoad = "llvm.store %tid, %p : i32, !llvm.ptr<3>\nnvvm.barrier0\n"
                                 "%v = llvm.load %p : !llvm.ptr<3> -> i32\n";

AccessReport counted(const std::string &body, int threads = 32, const std::string &arguments = "") {
  const auto program =
      compileForHost(HandWritten{moduleText({arguments, body + "llvm.return", threads, 16384})});
  Bench bench({.count_accesses = true});
  std::vector<Bench::Value> values;
  if (!arguments.empty())
    values.push_back(bench.buffer<std::uint32_t>(4096, "out"));
  bench.run(*program, values);
  return bench.accesses();
}
// Accesses, wavefronts or sectors, and those that are more than needed.
std::vector<std::uint64_t> numbers(const AccessReport &report, AccessKind kind) {
  const AccessCounts counts = report.total(kind);
  return {counts.accesses, counts.parts, counts.excess()};
}

TEST(Accesses, OfSharedMemory) {
  const AccessReport plain = counted(place(4) + storeAndLoad, 64);
  EXPECT_THAT(numbers(plain, sharedStore), ElementsAre(2, 2, 0));
  EXPECT_THAT(numbers(plain, sharedLoad), ElementsAre(2, 2, 0));
  const AccessReport two = counted(place(8) + storeAndLoad, 64);
  EXPECT_THAT(numbers(two, sharedStore), ElementsAre(2, 4, 2));
  const AccessReport column = counted(place(128) + storeAndLoad, 64);
  EXPECT_THAT(numbers(column, sharedLoad), ElementsAre(2, 64, 62));
  EXPECT_THAT(column.text(), ElementsAre("shared memory: 4 accesses, 128 wavefronts, 124 bank conflicts",
                                         testing::StartsWith("worst of shared memory: ")));
  const AccessReport padded = counted(place(132) + storeAndLoad, 64);
  EXPECT_THAT(numbers(padded, sharedLoad), ElementsAre(2, 2, 0));
}

TEST(Accesses, OfABranch) {
  const AccessReport report =
      counted(place(128) + "%is0 = llvm.icmp \"ult\" %tid, %c4 : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n"
                           "llvm.store %tid, %p : i32, !llvm.ptr<3>\nllvm.br ^b\n^b:\n",
              64);
  EXPECT_THAT(numbers(report, sharedStore), ElementsAre(1, 4, 3));
}

TEST(Accesses, OfGlobalMemory) {
  const auto stores = [](const std::string &index, const std::string &predicate) {
    return counted(index + element("p", "%out", "%i") + predicate +
                       "tile_gpu.ptx_store %p, %tid if %on : !llvm.ptr<1>, i32\n",
                   64, "%out: !llvm.ptr<1>");
  };
  const std::string all = "%on = llvm.icmp \"ult\" %tid, %c64 : i32\n";
  const std::string dense = "%i = llvm.add %tid, %c0 : i32\n", sparse = "%i = llvm.mul %tid, %c8 : i32\n";
  EXPECT_THAT(numbers(stores(dense, all), globalStore), ElementsAre(2, 8, 0));
  EXPECT_THAT(numbers(stores(sparse, all), globalStore), ElementsAre(2, 64, 56));
  // 40 threads: one whole warp and a quarter.
  const std::string some = "%n = llvm.add %c8, %c32 : i32\n%on = llvm.icmp \"ult\" %tid, %n : i32\n";
  EXPECT_THAT(numbers(stores(dense, some), globalStore), ElementsAre(2, 5, 0));
  EXPECT_THAT(stores(sparse, all).text(),
              ElementsAre("global stores: 2 instructions, 64 sectors of 32 bytes (ideal 8)",
                          HasSubstr("(store writes), 56 sectors more than needed")));
}

TEST(Accesses, OfCopiesAndMatrices) {
  const AccessReport copies =
      counted(place(16) + "%o = llvm.mul %tid, %c4 : i32\n" + element("g", "%out", "%o") +
                  "nvvm.cp.async.shared.global %p, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>\n"
                  "nvvm.cp.async.commit.group\nnvvm.cp.async.wait.group 0\n",
              32, "%out: !llvm.ptr<1>");
  EXPECT_THAT(numbers(copies, globalCopy), ElementsAre(1, 16, 0));
  EXPECT_THAT(numbers(copies, sharedCopy), ElementsAre(1, 4, 0));
  // Rows of 16 bytes next to each other, and one below the other.
  const auto rows = [](int bytes, int matrices) {
    const std::string words = matrices == 1 ? "%tid" : "%tid, %tid";
    return numbers(
        counted(place(bytes) + "nvvm.stmatrix %p, " + words +
                " {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
                "eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32" +
                (matrices == 1 ? "" : ", i32") + "\n"),
        sharedMatrix);
  };
  EXPECT_THAT(rows(16, 1), ElementsAre(1, 1, 0));
  EXPECT_THAT(rows(16, 2), ElementsAre(1, 2, 0));
  EXPECT_THAT(rows(128, 2), ElementsAre(1, 16, 14));
}

TEST(Accesses, AreNotCountedUnlessAskedFor) {
  const auto program = compileForHost(HandWritten{moduleText({"", place(4) + storeAndLoad + "llvm.return"})});
  Bench bench;
  bench.run(*program, {});
  EXPECT_TRUE(bench.accesses().text().empty());
}

}   // namespace
}   // namespace tile::simulator

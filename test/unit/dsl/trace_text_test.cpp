// SPDX-License-Identifier: MIT
// The canonical text of small kernels: it is the same whatever compiler built this test.
#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tile;

namespace {

struct Block {
  int block = 128;
};

std::string text(const KernelIR &ir) {
  TextOptions options;
  options.locations = false;
  return ir.text(options);
}

void vector_add(Ptr<const f32> x, Ptr<const f32> y, Ptr<f32> out, Int n, const Block &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  auto mask = i < n;
  store(out + i, load(x + i, mask) + load(y + i, mask), mask);
}
const Kernel<&vector_add> add{.name = "vector_add", .parameters = {"x", "y", "out", "n"}};

TEST(TraceText, VectorAdd) {
  EXPECT_EQ(text(add.trace({}, {ArgClass::divisible_by_16})), R"(module @vector_add {
  func.func @vector_add(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x", tile.type = "f32*"}, %arg1: !tile.ptr<f32> {tile.name = "y", tile.type = "f32*"}, %arg2: !tile.ptr<f32> {tile.name = "out", tile.type = "f32*"}, %arg3: i32 {tile.name = "n", tile.type = "i32"}) attributes {tile.fp_fusion = true, tile.kernel, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
    %0 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %1 = tile.program_id x
    %c128_i32 = arith.constant 128 : i32
    %2 = arith.muli %1, %c128_i32 : i32
    %3 = tile.splat %2 : i32 -> tensor<128xi32>
    %4 = tile.arange 0 to 128 : tensor<128xi32>
    %5 = arith.addi %3, %4 : tensor<128xi32>
    %6 = tile.addptr %0, %5 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %7 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %8 = tile.addptr %7, %5 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %9 = tile.splat %arg3 : i32 -> tensor<128xi32>
    %10 = arith.cmpi slt, %5, %9 : tensor<128xi32>
    %11 = tile.load %8, %10 : tensor<128x!tile.ptr<f32>>
    %12 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %13 = tile.addptr %12, %5 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %14 = tile.load %13, %10 : tensor<128x!tile.ptr<f32>>
    %15 = arith.addf %11, %14 : tensor<128xf32>
    tile.store %6, %15, %10 : tensor<128x!tile.ptr<f32>>
    return
  }
}
)");
}

struct MatmulConfig {
  int block_m = 64, block_n = 64, block_k = 32;
  Launch launch{.num_warps = 8};
};

void matmul_kernel(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Int m, Int n, Int k,
                   const MatmulConfig &cfg) {
  const auto [BM, BN, BK, launch] = cfg;
  Int pid = program_id(0);
  Int cols = cdiv(n, BN);
  auto rm = pid / cols * BM + arange(0, BM);
  auto rn = pid % cols * BN + arange(0, BN);
  auto rk = arange(0, BK);
  auto pa = a + (rm(all, none) * k + rk(none, all));
  auto pb = b + (rk(all, none) * n + rn(none, all));
  auto acc = zeros<f32>({BM, BN});
  for (auto i : range(0, cdiv(k, BK)).stages(3)) {
    Int left = k - i * BK;
    auto x = load(pa, (rm(all, none) < m) & (rk(none, all) < left));
    auto y = load(pb, (rk(all, none) < left) & (rn(none, all) < n), 0);
    acc = dot(x, y, acc);
    pa += BK;
    pb += BK * n;
  }
  store(c + (rm(all, none) * n + rn(none, all)), cast<f16>(acc), (rm(all, none) < m) & (rn(none, all) < n));
}
const Kernel<&matmul_kernel> matmul{.name = "matmul"};

TEST(TraceText, MatmulCarriesWhatItsLoopAssigns) {
  KernelIR ir = matmul.trace({});
  EXPECT_THAT(text(ir),
              testing::HasSubstr("scf.for %arg6 = %c0_i32 to %0 step %c1_i32 iter_args(%arg7 = %cst, "
                                 "%arg8 = %17, %arg9 = %31)"));
  EXPECT_THAT(text(ir), testing::HasSubstr("scf.yield %74, %75, %78"));
  EXPECT_THAT(text(ir), testing::HasSubstr("} {tile.num_stages = 3 : i32}"));
  EXPECT_EQ(ir.launch().num_warps, 8);
  EXPECT_EQ(ir.parameters().size(), 6u);
  EXPECT_THAT(ir.config(), testing::StartsWith("block_m=64 block_n=64 block_k=32 launch.num_warps=8"));
}

TEST(TraceText, LocationsAreTheUsers) {
  EXPECT_THAT(add.trace({}).text(), testing::HasSubstr("trace_text_test.cpp\":25"));
  EXPECT_THAT(add.trace({}, {}, {.locations = false}).text(), testing::Not(testing::HasSubstr("test.cpp")));
}

}   // namespace

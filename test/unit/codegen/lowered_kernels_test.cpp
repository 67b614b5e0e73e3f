// SPDX-License-Identifier: MIT
// What the compiler writes into a lowered kernel, and that every shipped kernel survives being bytes.
#include "assembles.h"
#include "compiler/api/compile.h"
#include "tools/registry/registry.h"

#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tile {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Between the brackets behind the name of the entry.
std::size_t parameters_in(std::string_view ptx) {
  const std::size_t begin = ptx.find('(', ptx.find(".entry "));
  std::string_view list = ptx.substr(begin, ptx.find(')', begin) - begin);
  std::size_t count = 0;
  for (std::size_t at = 0; (at = list.find(".param ", at)) != list.npos; ++at)
    ++count;
  return count;
}

void expect_whole(const KernelIR &kernel, const std::string &target) {
  const LoweredKernel lowered = compile(kernel, *Target::parse(target));
  EXPECT_EQ(LoweredKernel::parse(lowered.serialise()), lowered) << lowered.title();
  EXPECT_EQ(lowered.target, target);
  EXPECT_EQ(lowered.arguments.size(), kernel.parameters().size()) << lowered.title();
  EXPECT_EQ(lowered.parameters.size(), parameters_in(lowered.text())) << lowered.text();
  // One thread of a kernel with roles has tiles copied. Its warp is alone where mma.sync multiplies; a group
  // of four gives registers away.
  const unsigned groups = kernel.launch().ping_pong ? 2 : 1;
  const unsigned copying = lowered.text().find("wgmma") != std::string_view::npos ? 4 : 1;
  const unsigned warps =
      groups * static_cast<unsigned>(kernel.launch().num_warps) + (lowered.persistent ? copying : 0);
  EXPECT_EQ(lowered.threads, 32 * warps);
  EXPECT_THAT(std::string(lowered.text()), HasSubstr(".entry " + lowered.symbol + "("));
}

TEST(LoweredKernels, ShippedOnesComeBackFromBytes) {
  int seen = 0;
  for (const registry::Entry &entry : registry::entries())
    for (const char *target : {"sm_80", "sm_90", "sm_90a"})
      for (const bool specialized : {false, true})
        try {
          expect_whole(entry.trace(registry::Settings(entry.parameters), specialized), target);
          ++seen;
        } catch (const Error &e) {
          EXPECT_THAT(e.what(), HasSubstr("bytes of shared memory")) << entry.name << " for " << target;
        }
  EXPECT_GE(seen, 4 * static_cast<int>(registry::entries().size()));
}

struct Config {
  int block = 128;
  Launch launch{.num_warps = 2};
};
void checked(Ptr<const f32> x, Ptr<f32> y, Int stride, Int n, Float factor, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  auto value = load(x + i * stride, i < n);
  device_assert(value >= 0.0f, "values are positive");
  print("sum", sum(value, 0));
  store(y + i, value * factor, i < n);
}
const Kernel<&checked> kernel{.name = "checked",
                              .parameters = {"x", "y", "stride", "n", "factor"},
                              .grid = [](auto &, auto...) { return Grid{1}; }};

TEST(LoweredKernels, SayWhatTheirLaunchNeeds) {
  using enum ArgClass;
  const std::vector<ArgClass> classes{divisible_by_16, generic, one, divisible_by_16};
  const LoweredKernel lowered =
      LoweredKernel::parse(compile(kernel.trace({}, classes), *Target::parse("sm_90")).serialise());
  EXPECT_EQ(lowered.title(),
            "kernel checked, config block=128 launch.num_warps=2 launch.num_stages=3 "
            "launch.num_ctas=1 launch.ping_pong=false launch.max_registers=0 launch.fp_fusion=true");
  EXPECT_THAT(lowered.arguments,
              ElementsAre(LaunchArgument{"x", element_type<f32 *>}, LaunchArgument{"y", element_type<f32 *>},
                          LaunchArgument{"stride", element_type<i32>}, LaunchArgument{"n", element_type<i32>},
                          LaunchArgument{"factor", element_type<f32>}));
  EXPECT_THAT(lowered.parameters,
              ElementsAre(PassedArgument{0}, PassedArgument{1}, PassedArgument{3}, PassedArgument{4}));
  EXPECT_THAT(lowered.guards,
              ElementsAre(Guard{0, Guard::Kind::positive_multiple, 16}, Guard{2, Guard::Kind::equal, 1},
                          Guard{3, Guard::Kind::positive_multiple, 16}));
  EXPECT_EQ(lowered.threads, 64u);
  EXPECT_GT(lowered.shared_bytes, 0u) << "the sum meets in shared memory";
  ASSERT_EQ(lowered.checks.size(), 1u);
  EXPECT_EQ(lowered.checks[0].message, "values are positive");
  EXPECT_THAT(lowered.checks[0].where.file, HasSubstr("lowered_kernels_test.cpp"));
  EXPECT_THAT(lowered.checks[0].shape, ElementsAre(128));
  ASSERT_FALSE(lowered.formats.empty());
  EXPECT_THAT(lowered.formats[0], HasSubstr("sum"));
}

// For a loader that must not crash on a disk's mistakes; the small kernel has every field.
TEST(LoweredKernels, HaveEntriesThatAreNoFunctionOfOthers) {
  const std::pair<const char *, const char *> names[] = {{"checked", "checked"},
                                                         {"vprintf", "vprintf_kernel"},
                                                         {"llvm.exp2.f32", "llvm_exp2_f32"},
                                                         {"tile_table_0", "tile_table_0_kernel"},
                                                         {"sum<f16, 4>", "sum_f16__4_"},
                                                         {"2nd", "kernel2nd"},
                                                         {"_", "kernel_"}};
  for (const auto &[name, symbol] : names) {
    const LoweredKernel lowered = compile(Kernel<&checked>{.name = name}.trace({}), *Target::parse("sm_90"));
    EXPECT_EQ(lowered.name, name);
    EXPECT_EQ(lowered.symbol, symbol);
    EXPECT_THAT(std::string(lowered.text()), HasSubstr(std::string(".entry ") + symbol + "("));
  }
}

TEST(LoweredKernels, RefuseEveryDamage) {
  std::vector<std::byte> bytes = compile(kernel.trace({}), *Target::parse("sm_80")).serialise();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_THROW(LoweredKernel::parse(std::span(bytes).first(at)), Error) << at;
    bytes[at] ^= std::byte{0x10};
    EXPECT_THROW(LoweredKernel::parse(bytes), Error) << at;
    bytes[at] ^= std::byte{0x10};
  }
}

TEST(LoweredKernels, WrittenByHandTakeAllArguments) {
  const HandWritten module{R"(
    module attributes {tile_gpu.shared_bytes = 1024} {
      llvm.func @by_hand(%out: !llvm.ptr<1>, %n: i32, %x: f32)
          attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
        llvm.return
      }
    })"};
  const LoweredKernel lowered = compile(module, *Target::parse("sm_90a"));
  EXPECT_EQ(lowered.title(), "kernel by_hand, config num_warps=2 num_ctas=2");
  EXPECT_THAT(lowered.cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(lowered.shared_bytes, 1024u);
  EXPECT_THAT(lowered.arguments, ElementsAre(LaunchArgument{"arg0", element_type<i8 *>},
                                             LaunchArgument{"arg1", element_type<i32>},
                                             LaunchArgument{"arg2", element_type<f32>}));
  EXPECT_EQ(lowered.parameters.size(), parameters_in(lowered.text()));
}

// The map stays where the launcher has put it: the copy engine takes the address of the parameter.
TEST(LoweredKernels, TakeTensorMapsAndTheGrid) {
  const HandWritten module{R"(
    module attributes {tile_gpu.shared_bytes = 4112, tile_gpu.persistent, tile_gpu.tensor_maps = [
        {element = "bf16", base = 0, sizes = [{parameter = 1}, {operation = "multiply", left = {parameter = 2}, right = 3}],
         strides = [{operation = "multiply", left = {parameter = 1},
                     right = {operation = "ceil_divide", left = {parameter = 2}, right = 64}, narrow}], box = array<i32: 64, 32>, swizzle = 128 : i32, nan},
        {element = "tf32", base = 3, sizes = [64], strides = [], box = array<i32: 64>, swizzle = 0 : i32, written, anchored}]} {
      llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
      llvm.func @maps(%x: !llvm.ptr<1>, %n: i32, %m: i64, %y: !llvm.ptr<1>,
          %from: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
          %to: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
          %gx: i32, %gy: i32, %gz: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
        %smem = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
        %bar = llvm.getelementptr %smem[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.prefetch tensormap, %from : !llvm.ptr
        llvm.br ^loop(%gz : i32)
      ^loop(%i: i32):
        %go = llvm.icmp "slt" %i, %gx : i32
        llvm.cond_br %go, ^one, ^end
      ^one:
        nvvm.cp.async.bulk.tensor.shared.cluster.global %to7, %from, %bar, box[%i, %gy] : !llvm.ptr<7>, !llvm.ptr
        nvvm.cp.async.bulk.tensor.global.shared.cta %to, %smem, box[%i] : !llvm.ptr, !llvm.ptr<3>
        %next = llvm.add %i, %gz : i32
        llvm.br ^loop(%next : i32)
      ^end:
        llvm.return
      }
    })"};
  const LoweredKernel lowered = compile(module, *Target::parse("sm_90a"));
  EXPECT_EQ(LoweredKernel::parse(lowered.serialise()), lowered);
  EXPECT_EQ(lowered.arguments.size(), 4u);
  EXPECT_TRUE(lowered.persistent);
  using enum LaunchNumber::Operation;
  const LaunchNumber n = LaunchNumber::argument(1), wide{{{argument, 2}, {constant, 3}, {multiply}}},
                     row{{{argument, 1}, {argument, 2}, {constant, 64}, {ceil_divide}, {multiply, 0, true}}},
                     fixed = LaunchNumber::constant(64);
  EXPECT_THAT(lowered.parameters,
              ElementsAre(PassedArgument{0}, PassedArgument{1}, PassedArgument{2}, PassedArgument{3},
                          TensorParameter{.element = TensorElement::bf16,
                                          .base = 0,
                                          .sizes = {n, wide},
                                          .strides = {row},
                                          .box = {64, 32},
                                          .swizzle = TensorSwizzle::bytes128,
                                          .fill = TensorFill::nan},
                          TensorParameter{.element = TensorElement::tf32,
                                          .base = 3,
                                          .sizes = {fixed},
                                          .box = {64},
                                          .is_written = true,
                                          .is_anchored = true},
                          GridExtent{0}, GridExtent{1}, GridExtent{2}));
  const std::string ptx(lowered.text());
  EXPECT_EQ(lowered.parameters.size(), parameters_in(ptx)) << ptx;
  EXPECT_THAT(ptx, HasSubstr(".param .align 64 .b8 maps_param_4[128]"));
  EXPECT_THAT(ptx, HasSubstr(".param .align 64 .b8 maps_param_5[128]"));
  EXPECT_THAT(ptx, HasSubstr("cvta.param"));
  EXPECT_THAT(ptx, Not(HasSubstr("__local_depot"))) << "a copy of a map";
  EXPECT_THAT(ptx, Not(ContainsRegex("ld\\.param[^;]*\\[maps_param_[45]"))) << "a load of a map's bytes";
  if (codegen_test::has_assembler()) {
    EXPECT_EQ(codegen_test::said_by_assembler(ptx, "sm_90a"), "") << ptx;
  }
  codegen_test::skip_without_assembler();
}

}   // namespace
}   // namespace tile

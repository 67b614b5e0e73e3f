// SPDX-License-Identifier: MIT
// What the launcher makes of a launch: tensor maps that depend on its arguments, and grids of which few CTAs
// are started. On the simulator, and on a GPU where there is one that has the operations.
#include "bench.h"
#include "tensor_box.h"

#include <tile/cuda_device.h>

#include <gmock/gmock.h>

#include <limits>
#include <numeric>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Launches : public testing::TestWithParam<const char *> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "simulator") {
      device_ = open_simulator({.threads = 1, .print = [](std::string_view) {}});
      return;
    }
    if (const std::string reason = why_no_cuda(); !reason.empty())
      GTEST_SKIP() << reason;
    device_ = open_cuda();
    const std::string description = device_->description();
    if (const std::size_t at = description.find("sm_90,"); at == std::string::npos)
      GTEST_SKIP() << "the kernels are for sm_90a: " << description;
  }
  bool isSimulated() const { return device_->kind() == "simulator"; }
  std::unique_ptr<Executable> load(const std::string &text) const {
    return load_written(*device_, HandWritten{text});
  }
  std::unique_ptr<Device> device_;
};
INSTANTIATE_TEST_SUITE_P(Devices, Launches, testing::Values("simulator", "cuda"),
                         [](const auto &info) { return std::string(info.param); });

// One box of 32 x 8 elements of a tensor that the arguments describe, as it lies in shared memory.
std::string loadingKernel(const std::string &map) {
  return moduleText(
      {.arguments =
           "%x: !llvm.ptr<1>, %columns: i32, %rows: i64, %pitch: i32, %out: !llvm.ptr<1>, %at: i32, " +
           mapParameter("%map"),
       .body = loaded(1024, 1024,
                      "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
                      "nvvm.cp.async.bulk.tensor.shared.cluster.global %to7, %map, %bar, box[%at, %c1] : "
                      "!llvm.ptr<7>, !llvm.ptr") +
               eachWord(256, intoOut) + "llvm.return",
       .threads = 64,
       .sharedBytes = 1040,
       .moduleAttributes = ", tile_gpu.tensor_maps = [" + map + "]"});
}
const std::string loadedMap = R"({element = "f32", base = 0, sizes = [{parameter = 1}, {parameter = 2}],
    strides = [{parameter = 3}], box = array<i32: 32, 8>, swizzle = 0 : i32})";

struct Tensor {
  std::int32_t columns;
  std::int64_t rows;
  std::int32_t pitch;
  std::int32_t at = 0;   // where the box begins; its first row is 1
};
constexpr std::uint32_t nothingYet = 0xABCDABCD;

std::vector<std::uint32_t> expectedBox(const Tensor &t, std::uint32_t first, std::uint32_t outside) {
  std::vector<std::uint32_t> box;
  for (int row = 1; row < 9; ++row)
    for (int column = t.at; column < t.at + 32; ++column)
      box.push_back(row < t.rows && column < t.columns
                        ? first + static_cast<std::uint32_t>(row * t.pitch + column)
                        : outside);
  return box;
}

TEST_P(Launches, EncodeTensorMapsOfTheirArguments) {
  const auto kernel = load(loadingKernel(loadedMap));
  Bench bench(*device_);
  std::vector<std::uint32_t> data(4096), more(4096);
  std::iota(data.begin(), data.end(), 1u);
  std::iota(more.begin(), more.end(), 100001u);
  const auto *x = bench.buffer(data, "x"), *y = bench.buffer(more, "y");
  auto *out = bench.buffer<std::uint32_t>(256, "out");
  const Tensor tensors[] = {{64, 40, 64},     {64, 40, 64}, {50, 40, 64}, {50, 6, 64}, {50, 6, 100},
                            {50, 6, 100, 32}, {1, 1, 4},    {3, 1, 0},    {64, 40, 64}};
  for (const auto &[base, first] : {std::pair(x, 1u), std::pair(y, 100001u), std::pair(x, 1u)})
    for (const Tensor &t : tensors) {
      device_->fill(out, 0xCD, 1024);
      bench.run(*kernel, {base, t.columns, t.rows, t.pitch, out, t.at});
      EXPECT_EQ(bench.read(out, 256), expectedBox(t, first, 0))
          << t.columns << " x " << t.rows << ", pitch " << t.pitch << ", at " << t.at;
    }
}

// An address that nobody owns: what is not there is not looked at.
TEST_P(Launches, TensorsWithoutElementsReadAsWhatLiesOutside) {
  std::string filled = loadedMap;
  filled.insert(1, "nan, ");
  for (const std::string &map : {loadedMap, filled}) {
    const auto kernel = load(loadingKernel(map));
    Bench bench(*device_);
    auto *out = bench.buffer<std::uint32_t>(256, "out");
    const auto *nowhere = reinterpret_cast<const void *>(std::uintptr_t{1} << 40);
    for (const Tensor &t : {Tensor{0, 40, 64}, Tensor{64, 0, 64}, Tensor{0, 0, 0}, Tensor{0, 40, 0}}) {
      device_->fill(out, 0xCD, 1024);
      bench.run(*kernel, {nowhere, t.columns, t.rows, t.pitch, out, 0});
      const bool readsZeros = map == loadedMap;
      for (const std::uint32_t word : bench.read(out, 256))
        ASSERT_TRUE(readsZeros ? word == 0 : (word & 0x7FFFFFFF) > 0x7F800000) << word;
    }
  }
}

TEST_P(Launches, RefuseTensorsThatHaveNoMap) {
  const auto kernel = load(loadingKernel(loadedMap));
  Bench bench(*device_);
  const auto *x = bench.buffer(std::vector<std::uint32_t>(4096, 1), "x");
  auto *out = bench.buffer(std::vector<std::uint32_t>(256, nothingYet), "out");
  const auto refused = [&](const Tensor &t, const void *base) {
    return complaint([&] { bench.run(*kernel, {base, t.columns, t.rows, t.pitch, out, 0}); });
  };
  EXPECT_EQ(refused({-1, 40, 64}, x),
            "error: descriptor: extent 1 cannot be negative; argument `arg1` of kernel kernel is -1\n"
            "  = kernel kernel, config num_warps=2 num_ctas=1\n"
            "  = help: give the number of elements");
  EXPECT_THAT(refused({64, -40, 64}, x), HasSubstr("extent 0 cannot be negative; argument `arg2` of kernel"));
  EXPECT_THAT(refused({64, (std::int64_t{1} << 32) + 1, 64}, x),
              AllOf(HasSubstr("extent 0 cannot be more than 2^32"), HasSubstr("`arg2`")));
  EXPECT_THAT(refused({64, std::numeric_limits<std::int64_t>::min(), 64}, x),
              HasSubstr("cannot be negative"));
  EXPECT_THAT(refused({64, 40, 66}, x),
              AllOf(HasSubstr("stride 0 must be a multiple of 16 bytes, and not negative; argument `arg3` of "
                              "kernel kernel is 66, counted in elements of 4 bytes"),
                    HasSubstr("help: pad the rows")));
  EXPECT_THAT(refused({64, 40, -64}, x), HasSubstr("and not negative; argument `arg3`"));
  EXPECT_THAT(refused({64, 40, 0}, x), HasSubstr("stride 0 must not be zero"));
  EXPECT_THAT(refused({0, 40, 66}, x), HasSubstr("multiple of 16 bytes")) << "also where nothing is there";
  EXPECT_THAT(refused({64, 40, 64}, x + 2),
              AllOf(HasSubstr("its base must be aligned to 16 bytes; argument `arg0`"),
                    HasSubstr("help: begin at an aligned element, or load through pointers")));
  EXPECT_THAT(bench.read(out, 256), testing::Each(nothingYet));
  EXPECT_EQ(refused({64, 40, 64}, x), "") << "a launch after one that was refused";
}

// Two maps, whose numbers are constants in part; the second one is stored through.
TEST_P(Launches, StoreThroughMapsToo) {
  const auto kernel = load(moduleText(
      {.arguments = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32, " + mapParameter("%from") + ", " +
                    mapParameter("%to"),
       .body = loaded(1024, 1024,
                      "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
                      "nvvm.cp.async.bulk.tensor.shared.cluster.global %to7, %from, %bar, box[%c0] : "
                      "!llvm.ptr<7>, !llvm.ptr") +
               "llvm.cond_br %is0, ^store, ^end\n^store:\n"
               "nvvm.cp.async.bulk.tensor.global.shared.cta %to, %smem, box[%c0] : !llvm.ptr, !llvm.ptr<3>\n"
               "nvvm.cp.async.bulk.commit.group\nnvvm.cp.async.bulk.wait_group 0\nllvm.br ^end\n^end:\n"
               "llvm.return",
       .threads = 32,
       .sharedBytes = 1040,
       .moduleAttributes = R"(, tile_gpu.tensor_maps = [
         {element = "u32", base = 0, sizes = [256], strides = [], box = array<i32: 256>, swizzle = 0 : i32},
         {element = "u32", base = 1, sizes = [{parameter = 2}], strides = [], box = array<i32: 256>,
          swizzle = 0 : i32, written}])"}));
  Bench bench(*device_);
  std::vector<std::uint32_t> data(256);
  std::iota(data.begin(), data.end(), 1u);
  const auto *x = bench.buffer(data, "x");
  for (const int n : {256, 100, 4, 0}) {
    auto *y = bench.buffer(std::vector<std::uint32_t>(256, nothingYet), "y");
    bench.run(*kernel, {x, y, n});
    std::vector<std::uint32_t> expected(256, nothingYet);
    std::copy_n(data.begin(), n, expected.begin());
    EXPECT_EQ(bench.read(y, 256), expected) << n;
  }
  EXPECT_EQ(bench.read(x, 256), data);
}

// Each program adds one to its own number, and says which CTA ran it.
std::string loopingKernel(const std::string &attributes = "") {
  return moduleText({.arguments = "%counts: !llvm.ptr<1>, %ctas: !llvm.ptr<1>, %gx: i32, %gy: i32, %gz: i32",
                     .body = R"(%xy = llvm.mul %gx, %gy : i32
%all = llvm.mul %xy, %gz : i32
%cta = nvvm.read.ptx.sreg.ctaid.x : i32
%step = nvvm.read.ptx.sreg.nctaid.x : i32
%is0 = llvm.icmp "eq" %tid, %c0 : i32
llvm.br ^loop(%cta : i32)
^loop(%i: i32):
%go = llvm.icmp "slt" %i, %all : i32
llvm.cond_br %go, ^one, ^end
^one:
)" + element("count", "%counts", "%i") +
                             element("ran", "%ctas", "%i") + R"(llvm.cond_br %is0, ^add, ^next
^add:
%old = llvm.load %count : !llvm.ptr<1> -> i32
%new = llvm.add %old, %c1 : i32
llvm.store %new, %count : i32, !llvm.ptr<1>
llvm.store %cta, %ran : i32, !llvm.ptr<1>
llvm.br ^next
^next:
%n = llvm.add %i, %step : i32
llvm.br ^loop(%n : i32)
^end:
llvm.return)",
                     .attributes = attributes,
                     .moduleAttributes = ", tile_gpu.persistent"});
}

TEST_P(Launches, PersistentKernelsCoverTheWholeGrid) {
  for (const char *attributes : {"", ", nvvm.cluster_dim = array<i32: 2, 1, 1>"}) {
    const auto kernel = load(loopingKernel(attributes));
    const bool hasClusters = *attributes;
    for (const Grid grid : {Grid{2}, Grid{10}, Grid{4, 3, 5}, Grid{100000}, Grid{2, 0, 1}}) {
      const auto programs = static_cast<std::size_t>(grid.x * grid.y * grid.z);
      if (programs > 1000 && isSimulated())
        continue;
      Bench bench(*device_);
      const std::size_t count = std::max<std::size_t>(programs, 1);
      auto *counts = bench.buffer(std::vector<std::int32_t>(count), "counts");
      auto *ctas = bench.buffer(std::vector<std::int32_t>(count), "ctas");
      bench.run(*kernel, {counts, ctas}, grid);
      EXPECT_THAT(bench.read(counts, programs), testing::Each(1)) << programs;
      if (programs == 0)
        continue;
      const auto ran = bench.read(ctas, programs);
      const int last = *std::max_element(ran.begin(), ran.end());
      if (isSimulated()) {
        EXPECT_EQ(last, std::min<int>(static_cast<int>(programs), hasClusters ? 6 : 3) - 1);
      } else if (programs > 1000) {
        EXPECT_LT(last, 50000) << "as many as run at once";
      }
    }
  }
}

TEST_P(Launches, PersistentKernelsHaveTheLimitsOfOthers) {
  const auto kernel = load(loopingKernel());
  EXPECT_THAT(complaint([&] { Bench(*device_).run(*kernel, {nullptr, nullptr}, {1, 65536}); }),
              HasSubstr("the grid has 65,536 programs along y; the limit is 65,535"));
}

TEST(LaunchFacts, SayWhatIsWrong) {
  const auto refused = [](const std::string &text) {
    return complaint([&] { compileForHost(HandWritten{text}); });
  };
  const auto changed = [](std::string text, const std::string &from, const std::string &to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  };
  const auto map = [&](const std::string &from, const std::string &to) {
    return refused(loadingKernel(changed(loadedMap, from, to)));
  };
  EXPECT_EQ(refused(loadingKernel(loadedMap)), "");
  EXPECT_THAT(map("\"f32\"", "\"f31\""), HasSubstr("of unknown elements `f31`"));
  EXPECT_THAT(map("element = \"f32\", ", ""), HasSubstr("without its `element`"));
  EXPECT_EQ(map("base = 0", "base = 4 : i32"), "");
  for (const char *type : {"ui32", "si64", "i128"})
    EXPECT_THAT(map("base = 0", std::string("base = 0 : ") + type),
                HasSubstr("not a plain integer of up to 64 bits"));
  EXPECT_THAT(map("{parameter = 1}", "7 : ui64"), HasSubstr("not a plain integer of up to 64 bits"));
  EXPECT_THAT(map("base = 0", "base = 1"),
              HasSubstr("tensor map 0 begins at an argument that is not an address"));
  EXPECT_THAT(map("base = 0", "base = 7"), HasSubstr("depends on parameter 7, which is not an argument"));
  EXPECT_THAT(map("base = 0", "base = -1"), HasSubstr("depends on parameter -1, which is not an argument"));
  EXPECT_THAT(map("{parameter = 1}", "{parameter = 4}"),
              HasSubstr("a stride that integer arguments do not give"));
  for (const char *entry : {"\"many\"", "{operation = \"add\", left = 1}"})
    EXPECT_THAT(map("{parameter = 1}", entry), HasSubstr("that is no number, {parameter = n} or operation"));
  EXPECT_THAT(map("{parameter = 1}", "{operation = \"power\", left = 2, right = 3}"),
              HasSubstr("with an unknown operation `power`"));
  EXPECT_THAT(map("{parameter = 1}", "{operation = \"divide\", left = 2, right = 0}"),
              HasSubstr("a stride that integer arguments do not give"));
  EXPECT_THAT(map("{parameter = 1}, ", ""), HasSubstr("1 dimensions has 1 strides, not 0"));
  EXPECT_THAT(map("[{parameter = 3}]", "[]"), HasSubstr("2 dimensions has 0 strides, not 1"));
  EXPECT_THAT(map("32, 8", "32"), HasSubstr("2 dimensions has a box of 1"));
  EXPECT_THAT(map("32, 8", "32, 257"), HasSubstr("an extent that is not in 1 to 256"));
  EXPECT_THAT(map("swizzle = 0", "swizzle = 16"), HasSubstr("a swizzle of 16 bytes; it must be 0, 32, 64"));
  EXPECT_THAT(refused(loadingKernel(loadedMap + ", " + loadedMap)), HasSubstr("is not a tensor map"));
  EXPECT_THAT(refused(loadingKernel("3")), HasSubstr("parameter 6 is not a tensor map"));
  EXPECT_THAT(refused(changed(loadingKernel(loadedMap), ", nvvm.grid_constant", "")),
              HasSubstr("parameter 6 is not a tensor map: a pointer with llvm.byval, llvm.align of 64 and "
                        "nvvm.grid_constant"));
  EXPECT_THAT(refused(changed(loadingKernel(loadedMap), "llvm.align = 64", "llvm.align = 32")),
              HasSubstr("parameter 6 is not a tensor map"));
  EXPECT_THAT(refused(moduleText({.arguments = "%x: i32, %y: i64, %z: i32",
                                  .body = "llvm.return",
                                  .moduleAttributes = ", tile_gpu.persistent"})),
              HasSubstr("parameter 1 is not a grid extent: an i32"));
  EXPECT_THAT(refused(loopingKernel(", nvvm.cluster_dim = array<i32: 1, 2, 1>")),
              HasSubstr("has clusters along x only"));
  EXPECT_THAT(refused(moduleText({.arguments = "%a: i32, %b: i32",
                                  .body = "llvm.return",
                                  .moduleAttributes = ", tile_gpu.persistent"})),
              HasSubstr("takes 2 parameters, but its launch passes 3"));
}

}   // namespace
}   // namespace tile::simulator

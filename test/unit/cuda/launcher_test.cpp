// SPDX-License-Identifier: MIT
// What the launcher asks of the driver, which is a stub here.
#include "runtime/assembler.h"
#include "runtime/bench/stopwatch.h"
#include "runtime/cuda/device.h"
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace tile::cuda {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

LoweredKernel kernel(LoweredKernel::Code kind = LoweredKernel::Code::cubin) {
  LoweredKernel kernel;
  kernel.name = kernel.symbol = "scale";
  kernel.config = "block=128";
  kernel.target = "sm_90a";
  kernel.kind = kind;
  kernel.threads = 384;
  kernel.shared_bytes = 200000;
  kernel.set_text(".version 8.4\nadd;\nmul;\n");
  return kernel;
}

class Launcher : public ::testing::Test {
 protected:
  Launcher() {
    stub() = {};
    guard.set("TILE_PTXAS", "driver");
    guard.set("TILE_LOST_SPEED", nullptr);
  }
  std::unique_ptr<CudaExecutable> load(LoweredKernel kernel) {
    return std::make_unique<CudaExecutable>(device(), std::move(kernel));
  }
  static CudaDevice &device() {
    static CudaDevice device;
    return device;
  }
  std::string complaint(LoweredKernel kernel) {
    try {
      load(std::move(kernel));
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  }
  testing::EnvironmentGuard guard;
};

template <class T> T as(const std::vector<std::byte> &bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// ---- how it is started

TEST_F(Launcher, StartsEarlyWhatWaitsByItself) {
  LoweredKernel waiting = kernel();
  waiting.starts_early = true;
  load(kernel())->launch({1, 1, 1}, {});
  load(waiting)->launch({1, 1, 1}, {});
  ASSERT_EQ(stub().launches.size(), 2u);
  EXPECT_TRUE(stub().launches[0].attributes.empty()) << "or it runs beside what its arguments are made by";
  EXPECT_THAT(stub().launches[1].attributes,
              ElementsAre(std::pair(LaunchAttribute::programmaticSerialization, 1u)));
}

// ---- grids

LoweredKernel looping(std::array<unsigned, 3> cluster = {1, 1, 1}) {
  LoweredKernel looping = kernel();
  looping.parameters = {GridExtent{0}, GridExtent{1}, GridExtent{2}};
  looping.persistent = true;
  looping.cluster = cluster;
  return looping;
}

TEST_F(Launcher, StartsAsManyCtasAsRunAtOnce) {
  const auto executable = load(looping());
  EXPECT_EQ(stub().askedBlocks, 1);
  stub().parameterBytes = {4, 4, 4};
  executable->launch({1000, 3, 2}, {});
  executable->launch({7, 3, 2}, {});
  executable->launch({0, 3, 2}, {});
  ASSERT_EQ(stub().launches.size(), 2u);
  EXPECT_THAT(stub().launches[0].grid, ElementsAre(264, 1, 1));
  EXPECT_THAT(stub().launches[0].block, ElementsAre(384, 1, 1));
  EXPECT_EQ(stub().launches[0].sharedBytes, 200000u);
  EXPECT_EQ(as<std::int32_t>(stub().launches[0].parameters[0]), 1000);
  EXPECT_EQ(as<std::int32_t>(stub().launches[0].parameters[1]), 3);
  EXPECT_EQ(as<std::int32_t>(stub().launches[0].parameters[2]), 2);
  EXPECT_THAT(stub().launches[1].grid, ElementsAre(42, 1, 1));
  EXPECT_EQ(stub().askedBlocks, 1) << "once, when it is loaded";
  stub().parameterBytes = {};
  load(kernel())->launch({1000, 3, 2}, {});
  EXPECT_THAT(stub().launches[2].grid, ElementsAre(1000, 3, 2));
  EXPECT_EQ(stub().askedBlocks, 1);
}

TEST_F(Launcher, StartsWholeClusters) {
  stub().clusters = 30;
  const auto executable = load(looping({4, 1, 1}));
  ASSERT_EQ(stub().askedClusters.size(), 1u);
  EXPECT_THAT(stub().askedClusters[0].block, ElementsAre(384, 1, 1));
  EXPECT_THAT(stub().askedClusters[0].extents, ElementsAre(4, 1, 1));
  EXPECT_EQ(stub().askedClusters[0].sharedBytes, 200000u);
  executable->launch({1000, 1, 1}, {});
  executable->launch({5, 2, 1}, {});
  EXPECT_THAT(stub().launches[0].grid, ElementsAre(120, 1, 1));
  EXPECT_THAT(stub().launches[1].grid, ElementsAre(40, 1, 1));   // of four CTAs each
  stub().clusters = 0;
  EXPECT_THAT(complaint(looping({4, 1, 1})),
              AllOf(HasSubstr("cannot run a cluster of 4 CTAs with 200000 bytes of shared memory each"),
                    HasSubstr("kernel scale, config block=128")));
}

// ---- workspaces

TEST_F(Launcher, GivesEachStartedCtaAWorkspace) {
  LoweredKernel asking = looping();
  asking.parameters.emplace_back(WorkspaceParameter{384});
  const auto executable = load(asking);
  EXPECT_EQ(stub().leases.size(), 0u);
  stub().parameterBytes = {4, 4, 4, 8};
  executable->launch({1000, 1, 1}, {});
  executable->launch({7, 1, 1}, {});
  executable->launch({0, 1, 1}, {});
  ASSERT_EQ(stub().launches.size(), 2u);
  ASSERT_EQ(stub().leases.size(), 2u);
  EXPECT_EQ(stub().leases[0].bytes, 264u * 384);
  EXPECT_EQ(stub().leases[1].bytes, 7u * 384);
  for (std::size_t i : {0u, 1u}) {   // taken before the launch and given back behind it
    const StubCuda::Lease &lease = stub().leases[i];
    EXPECT_EQ(as<Address>(stub().launches[i].parameters[3]), lease.address);
    EXPECT_EQ(lease.launches, i);
    EXPECT_EQ(lease.ended, i + 1);
  }
  EXPECT_EQ(stub().kept, ~std::uint64_t{0});
  stub().parameterBytes = {};
  load(kernel())->launch({2, 1, 1}, {});
  EXPECT_EQ(stub().leases.size(), 2u);
}

// ---- tensor maps

LoweredKernel mapping() {
  LoweredKernel mapping = kernel();
  mapping.take(std::vector<LaunchArgument>{{"x", element_type<f16 *>},
                                           {"rows", element_type<i32>},
                                           {"pitch", element_type<i64>},
                                           {"y", element_type<f32 *>}},
               {});
  mapping.parameters.emplace_back(
      TensorParameter{.element = TensorElement::f16,
                      .base = 0,
                      .sizes = {LaunchNumber::constant(640), LaunchNumber::argument(1)},
                      .strides = {LaunchNumber::argument(2)},
                      .box = {64, 128},
                      .swizzle = TensorSwizzle::bytes128,
                      .fill = TensorFill::nan});
  mapping.parameters.emplace_back(TensorParameter{.element = TensorElement::f32,
                                                  .base = 3,
                                                  .sizes = {LaunchNumber::argument(1)},
                                                  .box = {32},
                                                  .is_written = true});
  return mapping;
}
std::vector<Argument> arguments(std::uint64_t x, std::int32_t rows, std::int64_t pitch,
                                std::uint64_t y = 8192) {
  return {{element_type<f16 *>, x},
          {element_type<i32>, static_cast<std::uint32_t>(rows)},
          {element_type<i64>, static_cast<std::uint64_t>(pitch)},
          {element_type<f32 *>, y}};
}
const std::vector<std::size_t> mappingBytes{8, 4, 8, 8, 128, 128};

TEST_F(Launcher, EncodesTheMapsOfALaunch) {
  const auto executable = load(mapping());
  stub().parameterBytes = mappingBytes;
  executable->launch({3}, arguments(4096, 100, 704));
  ASSERT_EQ(stub().maps.size(), 2u);
  const StubCuda::Map loaded{6, 3, 2, 1, 4096, {640, 100}, {1408}, {64, 128}};
  const StubCuda::Map stored{7, 0, 0, 0, 8192, {100}, {}, {32}};
  EXPECT_EQ(stub().maps[0], loaded);
  EXPECT_EQ(stub().maps[1], stored);
  const StubCuda::Launch &launch = stub().launches.at(0);
  EXPECT_EQ(as<std::uint64_t>(launch.parameters[0]), 4096u);
  EXPECT_EQ(as<std::int32_t>(launch.parameters[1]), 100);
  EXPECT_EQ(as<std::int64_t>(launch.parameters[2]), 704);
  EXPECT_EQ(as<std::uint64_t>(launch.parameters[4]), 4096u);
  EXPECT_EQ(as<std::uint64_t>(launch.parameters[5]), 8192u);
  EXPECT_EQ(launch.places[4] % 64, 0u);
  EXPECT_EQ(launch.places[5] % 64, 0u);
}

using Words = std::array<std::uint64_t, 2>;   // of a map: the address, and how manyth it is

TEST_F(Launcher, EncodesAgainWhatHasChangedOnly) {
  const auto one = load(mapping()), other = load(mapping());
  stub().parameterBytes = mappingBytes;
  const auto encoded = [&](CudaExecutable &executable, const std::vector<Argument> &arguments) {
    const std::size_t before = stub().maps.size();
    executable.launch({3}, arguments);
    const StubCuda::Launch &launch = stub().launches.back();
    EXPECT_EQ(as<Words>(launch.parameters[4])[0], arguments[0].bits);
    EXPECT_EQ(as<Words>(launch.parameters[5])[0], arguments[3].bits);
    return stub().maps.size() - before;
  };
  EXPECT_EQ(encoded(*one, arguments(4096, 100, 704)), 2u);
  EXPECT_EQ(encoded(*one, arguments(4096, 100, 704)), 0u);
  EXPECT_EQ(encoded(*one, arguments(4096, 100, 720)), 1u) << "the pitch is the first one's alone";
  EXPECT_EQ(encoded(*one, arguments(4112, 100, 720)), 1u);
  EXPECT_EQ(encoded(*one, arguments(4112, 101, 720)), 2u);
  EXPECT_EQ(encoded(*other, arguments(4112, 101, 720)), 2u) << "another kernel";
  EXPECT_EQ(encoded(*one, arguments(4112, 101, 720)), 0u);
  EXPECT_EQ(encoded(*other, arguments(4112, 101, 720)), 0u);
  std::vector<std::unique_ptr<CudaExecutable>> many;
  for (int i = 0; i < 5; ++i) {   // more than are kept
    many.push_back(load(mapping()));
    EXPECT_EQ(encoded(*many.back(), arguments(4096, 100, 704)), 2u);
  }
  EXPECT_EQ(encoded(*one, arguments(4112, 101, 720)), 2u);
  std::thread([&] { EXPECT_EQ(encoded(*one, arguments(4112, 101, 720)), 2u) << "another thread"; }).join();
}

TEST_F(Launcher, ThreadsDoNotShareMaps) {
  const auto executable = load(mapping());
  stub().parameterBytes = mappingBytes;
  std::vector<std::thread> threads;
  for (std::uint64_t number = 1; number <= 4; ++number)
    threads.emplace_back([&, number] {
      for (std::uint64_t i = 0; i < 200; ++i)
        executable->launch({1}, arguments(number << 20 | i % 3 << 8, 100, 704));
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_EQ(stub().launches.size(), 800u);
  for (const StubCuda::Launch &launch : stub().launches)
    ASSERT_EQ(as<Words>(launch.parameters[4])[0], as<std::uint64_t>(launch.parameters[0]));
}

TEST_F(Launcher, DescribesNothingInPlaceOfTensorsWithoutElements) {
  const auto executable = load(mapping());
  executable->launch({1}, arguments(4096, 0, 704));
  ASSERT_EQ(stub().maps.size(), 2u);
  EXPECT_THAT(stub().maps[0].sizes, ElementsAre(1, 1));
  EXPECT_THAT(stub().maps[1].sizes, ElementsAre(1));
  const auto bytes = [&](std::size_t i) {
    const auto *begin = reinterpret_cast<const unsigned char *>(stub().maps[i].address);
    return std::vector<unsigned char>(begin, begin + KernelSignature::nothing_bytes);
  };
  EXPECT_NE(stub().maps[0].address, stub().maps[1].address);
  EXPECT_THAT(bytes(0), Each(0xFF)) << "NaN in every format";
  EXPECT_THAT(bytes(1), Each(0)) << "to be stored to: nothing is read from there";
  LoweredKernel zeros = mapping();
  std::get<TensorParameter>(zeros.parameters[4]).fill = TensorFill::zeros;
  load(zeros)->launch({1}, arguments(4096, 0, 704));
  EXPECT_THAT(bytes(2), Each(0));
  EXPECT_NE(stub().maps[2].address, stub().maps[1].address);
}

TEST_F(Launcher, RefusesTensorsBeforeTheyAreLaunched) {
  const auto executable = load(mapping());
  const auto refused = [&](const std::vector<Argument> &arguments) -> std::string {
    try {
      executable->launch({1}, arguments);
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused(arguments(4096, -1, 704)),
            "error: descriptor: extent 0 cannot be negative; argument `rows` of kernel scale is -1\n"
            "  = kernel scale, config block=128\n"
            "  = help: give the number of elements");
  EXPECT_THAT(refused(arguments(4104, 10, 704)), HasSubstr("argument `x` of kernel scale is 0x1008"));
  stub().encoded = Result{1};
  EXPECT_THAT(
      refused(arguments(4096, 10, 704)),
      AllOf(HasSubstr("could not make a tensor map: CUDA_ERROR_OF_THE_STUB"), HasSubstr("= kernel scale")));
  EXPECT_TRUE(stub().launches.empty());
  stub().encoded = Result::Success;
  EXPECT_EQ(refused(arguments(4096, 10, 704)), "") << "what was refused is not kept";
  EXPECT_EQ(stub().launches.size(), 1u);
}

TEST_F(Launcher, GpusThatAreEqualAreOneModel) {
  const CudaDevice second;
  EXPECT_NE(second.id(), device().id());
  EXPECT_EQ(second.model(), device().model());
}

TEST_F(Launcher, CodeThatChecksIsBoundToItsDevice) {
  EXPECT_NE(load(kernel())->reusable(), nullptr);
  LoweredKernel checking = kernel();
  checking.checks.emplace_back();
  EXPECT_EQ(load(checking)->reusable(), nullptr);
}

// ---- time

TEST_F(Launcher, WaitsForWhatIsTimedOnlySoLong) {
  const std::unique_ptr<Stopwatch> stopwatch = device().stopwatch();
  const auto series = stopwatch->series([](int) {}, 3);
  EXPECT_EQ(stopwatch->time([] {}, 2, 0.01).size(), 2u);
  EXPECT_EQ(series->run(0.01), 0);
  stub().hangs = true;
  EXPECT_THROW(stopwatch->time([] {}, 2, 0.01), NotDone);
  EXPECT_THROW(series->run(0.01), NotDone);
  stub().hangs = false;
}

// ---- code

TEST_F(Launcher, LoadsMachineCodeAsAModule) {
  {
    const auto executable = load(kernel());
    EXPECT_EQ(stub().modules, 1);
    EXPECT_EQ(stub().libraries, 0);
  }
  EXPECT_EQ(stub().modules, 0);
  stub().loaded = Result{200};
  EXPECT_THAT(complaint(kernel()), AllOf(HasSubstr("could not load the machine code of scale: "),
                                         HasSubstr("help: if a ptxas newer than the driver made it")));
  EXPECT_EQ(stub().modules, 0);
}

TEST_F(Launcher, SaysWhatIsMoreThanKernelsUsuallyNeed) {
  using Set = std::array<int, 2>;
  LoweredKernel small = kernel(), large = kernel();
  small.shared_bytes = 0;
  small.cluster = {8, 1, 1};
  large.cluster = {4, 4, 1};
  load(small);
  EXPECT_TRUE(stub().attributes.empty());
  load(large);
  EXPECT_THAT(stub().attributes, ElementsAre(Set{8, 200000}, Set{14, 1}));
}

TEST_F(Launcher, LetsTheDriverAssembleWhatItLoads) {
  for (const bool isLazy : {false, true}) {
    stub().isLazy = isLazy;
    stub().info = "ptxas info    : Used 42 registers, used 1 barriers\n"
                  "    0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n";
    const auto executable = load(kernel(LoweredKernel::Code::ptx));
    EXPECT_EQ(stub().assembled, ".version 8.4\nadd;\nmul;\n");
    EXPECT_EQ(stub().modules, 0);
    EXPECT_EQ(stub().libraries, 1);
    EXPECT_EQ(executable->lowered().kind, LoweredKernel::Code::ptx) << "the driver keeps what it makes";
    EXPECT_EQ(executable->lowered().registers, 42);
    EXPECT_EQ(executable->resources().spill_bytes, 16);
    EXPECT_EQ(executable->resources().assembler_log, stub().info);
  }
  EXPECT_EQ(stub().libraries, 0);
  stub().info = "";
  const auto cached = load(kernel(LoweredKernel::Code::ptx));
  EXPECT_EQ(cached->lowered().registers, -1);
  EXPECT_THAT(
      cached->resources().assembler_log,
      HasSubstr(
          "the driver took scale from its cache and reports nothing about it; with CUDA_CACHE_DISABLE=1"));
  EXPECT_EQ(cached->resources().registers, 40) << "of the loaded code";
}

TEST_F(Launcher, TakesTheDriversErrorsAsSuch) {
  stub().error =
      "ptxas application ptx input, line 2; error   : Not a name of any known instruction: 'add'\n";
  for (const bool isLazy : {false, true}) {   // with a result that is a success, and without
    stub().isLazy = isLazy;
    EXPECT_THAT(
        complaint(kernel(LoweredKernel::Code::ptx)),
        AllOf(HasSubstr("the driver's assembler refuses the code of scale: ptxas application ptx input, "
                        "line 2"),
              HasSubstr("PTX line 2: add;")));
  }
  stub().isLazy = false;
  stub().error = "";
  stub().loaded = Result{218};
  EXPECT_THAT(complaint(kernel(LoweredKernel::Code::ptx)), HasSubstr("CUDA_ERROR_OF_THE_STUB (218)"));
  stub().loaded = Result::Success;
  stub().info =
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n";
  EXPECT_THAT(complaint(kernel(LoweredKernel::Code::ptx)),
              HasSubstr("slower than it is written: (C7510) Potential Performance Loss"));
  EXPECT_EQ(stub().libraries, 0) << "each is unloaded";
}

std::string script(const testing::ScratchFolder &folder, const std::string &text) {
  const std::string path = folder.write("ptxas", "#!/bin/sh\n" + text + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST_F(Launcher, LeavesToTheDriverWhatPtxasIsTooOldFor) {
  const testing::ScratchFolder folder;
  const std::string path = script(
      folder, "echo \"ptxas fatal   : Unsupported .version 8.4; current version is '7.0'\" >&2; exit 255");
  guard.set("TILE_PTXAS", path.c_str());
  EXPECT_THAT(complaint(kernel(LoweredKernel::Code::ptx)), HasSubstr("is too old for the code of scale"))
      << "it was chosen";
  guard.set("TILE_PTXAS", nullptr);
  guard.set("PATH", (folder.path().string() + ":/usr/bin:/bin").c_str());
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    const auto executable = load(kernel(LoweredKernel::Code::ptx));
    EXPECT_EQ(stub().libraries, 1);
    EXPECT_EQ(executable->lowered().kind, LoweredKernel::Code::ptx);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "note: " + path +
                " is too old for the code of scale: ptxas fatal   : Unsupported .version 8.4; current "
                "version is '7.0'; the driver assembles instead\n")
      << "said once";
}

TEST_F(Launcher, LoadsWhatPtxasMakes) {
  const testing::ScratchFolder folder;
  const std::string path =
      script(folder, R"(for last; do :; done; echo code > "$last"; echo "$1 Used 7 registers")");
  guard.set("TILE_PTXAS", path.c_str());
  LoweredKernel older = kernel(LoweredKernel::Code::ptx);
  older.target = "sm_80";
  const auto executable = load(older);
  EXPECT_EQ(executable->lowered().kind, LoweredKernel::Code::cubin);
  EXPECT_EQ(executable->lowered().text(), "code\n");
  EXPECT_EQ(executable->lowered().target, "sm_90") << "for this GPU";
  EXPECT_EQ(executable->lowered().registers, 7);
  EXPECT_THAT(executable->lowered().assembler_log, HasSubstr("-arch=sm_90 "));
  EXPECT_EQ(stub().modules, 1);
  guard.set("TILE_PTXAS", script(folder, "exit 3").c_str());
  EXPECT_THAT(complaint(kernel(LoweredKernel::Code::ptx)), HasSubstr("exited with status 3"));
}

}   // namespace
}   // namespace tile::cuda

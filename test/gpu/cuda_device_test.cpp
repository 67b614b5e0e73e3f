// SPDX-License-Identifier: MIT
// The driver layer on a real GPU; without one each case that needs it is skipped and counted.
#include "runtime/assembler.h"
#include "runtime/assembler_log.h"
#include "runtime/bench/stopwatch.h"
#include "runtime/cuda/device.h"
#include "test/unit/runtime/scratch_folder.h"
#include "vector_add_ptx.h"

#include <tile/buffer.h>

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <numeric>
#include <thread>

#include <unistd.h>

namespace tile::cuda {
namespace {

Argument argument(const void *p) { return {element_type<float *>, reinterpret_cast<std::uintptr_t>(p)}; }
Argument argument(int n) { return {element_type<int>, static_cast<std::uint32_t>(n)}; }

#define NEEDS_GPU()                                                                                          \
  if (std::string reason; !Driver::find(&reason))                                                            \
  GTEST_SKIP() << reason

struct Vectors {
  explicit Vectors(Device &device, int n)
      : x(values(n, 1)), a(device, x, "a"), b(device, x, "b"), c(device, static_cast<std::size_t>(n), "c") {
    c.fill_bytes(0xff);
  }
  static std::vector<float> values(int n, float first) {
    std::vector<float> v(static_cast<std::size_t>(n));
    std::iota(v.begin(), v.end(), first);
    return v;
  }
  void launch(Executable &executable) {
    int n = static_cast<int>(x.size());
    Argument arguments[] = {argument(a.data()), argument(b.data()), argument(c.data()), argument(n)};
    executable.launch({(n + 127) / 128, 1, 1}, arguments);
  }
  void expectSum() const {
    std::vector<float> sum = c.to_host();
    for (std::size_t i = 0; i < sum.size(); ++i)
      ASSERT_EQ(sum[i], 2 * x[i]) << i;
  }
  std::vector<float> x;
  Buffer<float> a, b, c;
};

TEST(CudaCapability, SaysWhichCodeRuns) {
  using enum LoweredKernel::Code;
  const Capability h200{9, 0}, rtx{8, 6};
  EXPECT_TRUE(runs(h200, "sm_80", ptx));
  EXPECT_FALSE(runs(h200, "sm_80", cubin));
  EXPECT_TRUE(runs(h200, "sm_90a", cubin));
  EXPECT_TRUE(runs(rtx, "sm_80", cubin));
  EXPECT_FALSE(runs(rtx, "sm_89", ptx));
  EXPECT_FALSE(runs({10, 0}, "sm_90a", ptx));
  EXPECT_TRUE(runs({10, 0}, "sm_90", ptx));
  EXPECT_TRUE(runs({10, 0}, "sm_100a", ptx));
  EXPECT_FALSE(runs(h200, "sm_90", host));
  EXPECT_EQ(machine_code_target(h200, "sm_80"), "sm_90");
  EXPECT_EQ(machine_code_target(h200, "sm_90a"), "sm_90a");
  for (const char *name : {"", "sm_", "sm", "gfx90a", "sm_a"})
    EXPECT_FALSE(runs(h200, name, ptx)) << name;
}

TEST(CudaDevice, SaysWhyThereIsNone) {
  std::string reason;
  if (Driver::find(&reason))
    GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(reason.empty());
  try {
    CudaDevice device;
    FAIL() << "a device without a driver";
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "no CUDA device: " + reason);
  }
}

TEST(CudaDevice, NamesAGpuThatDoesNotExist) {
  NEEDS_GPU();
  try {
    CudaDevice device(1000);
    FAIL();
  } catch (const Error &e) {
    EXPECT_NE(e.message().find("there is no GPU 1000: this machine has"), std::string::npos) << e.what();
  }
}

TEST(CudaDevice, RunsAKernel) {
  NEEDS_GPU();
  CudaDevice device;
  EXPECT_NE(device.description().find("sm_"), std::string::npos);
  CudaExecutable add(device, vectorAdd());
  EXPECT_GT(add.kernel().resources().registers, 0);
  EXPECT_EQ(add.kernel().resources().localBytes, 0);
  for (int n : {1, 127, 128, 129, 100000}) {
    Vectors v(device, n);
    v.launch(add);
    device.synchronize();
    v.expectSum();
  }
}

TEST(CudaDevice, LeavesTheApplicationsContextCurrent) {
  NEEDS_GPU();
  const Driver &driver = Driver::get();
  check(driver.ctxSetCurrent(nullptr), "leave all contexts");
  CudaDevice device;
  Vectors v(device, 1000);
  CudaExecutable add(device, vectorAdd());
  v.launch(add);
  v.expectSum();
  Context after = device.context()->handle();
  check(driver.ctxGetCurrent(&after), "ask");
  EXPECT_EQ(after, nullptr);
}

TEST(CudaDevice, LaunchesFromSeveralThreads) {
  NEEDS_GPU();
  CudaDevice device;
  CudaExecutable add(device, vectorAdd());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        Vectors v(device, 1000 + round);
        v.launch(add);
        v.expectSum();
      }
    });
  for (std::thread &t : threads)
    t.join();
}

TEST(CudaDevice, ReplaysARecordedLaunch) {
  NEEDS_GPU();
  CudaDevice device;
  CudaExecutable add(device, vectorAdd());
  Vectors v(device, 5000);
  RecordedGraph graph(device.context(), device.stream(), [&] { v.launch(add); });
  device.synchronize();
  v.c.fill_bytes(0);
  graph.replay(device.stream());
  device.synchronize();
  v.expectSum();
  TimedEvent start(device.context()), end(device.context());
  start.record(device.stream());
  graph.replay(device.stream());
  end.record(device.stream());
  EXPECT_GT(end.millisecondsSince(start), 0);
}

TEST(CudaDevice, TimesLaunches) {
  NEEDS_GPU();
  CudaDevice device;
  ASSERT_TRUE(device.can_time());
  CudaExecutable add(device, vectorAdd());
  Vectors v(device, 1 << 20);
  const std::unique_ptr<Stopwatch> stopwatch = device.stopwatch();
  const std::vector<double> seconds = stopwatch->time([&] { v.launch(add); }, 5, any_time);
  ASSERT_EQ(seconds.size(), 5u);
  for (double s : seconds) {
    EXPECT_GT(s, 1e-6);   // 12 MB
    EXPECT_LT(s, 1e-2);
  }
  v.expectSum();
}

TEST(CudaDevice, TimesSeriesOfLaunchesAsAGraph) {
  NEEDS_GPU();
  CudaDevice device;
  CudaExecutable add(device, vectorAdd());
  Vectors v(device, 1 << 20);
  const std::unique_ptr<Stopwatch> stopwatch = device.stopwatch();
  const auto series = stopwatch->series([&](int) { v.launch(add); }, 50);
  EXPECT_TRUE(series->is_recorded());
  series->run(any_time);
  v.expectSum();
  EXPECT_GT(series->run(any_time), 50 * 1e-6);
  // What may not be recorded, because it waits, is called anew.
  const auto waiting = stopwatch->series(
      [&](int) {
        v.launch(add);
        device.synchronize();
      },
      3);
  EXPECT_FALSE(waiting->is_recorded());
  EXPECT_GT(waiting->run(any_time), 0);
  const bench::Timing t = bench::time(device, [&](int) { v.launch(add); }, {.rounds = 5});
  EXPECT_TRUE(t.is_recorded);
  EXPECT_GT(t.median, 1e-6);
  EXPECT_LT(t.median, 1e-3);
}

TEST(CudaDevice, SaysWhatItIsAndHow) {
  NEEDS_GPU();
  CudaDevice device;
  const bench::Machine is = bench::machine(device);
  EXPECT_GE(is.capability, 80);
  EXPECT_EQ(is.multiprocessors, device.multiprocessors());
  EXPECT_GT(is.clock_hertz, 5e8);
  EXPECT_GT(is.memory_bytes_per_second, 1e11);
  EXPECT_GT(is.cache_bytes, std::size_t{1} << 20);
  EXPECT_FALSE(is.driver.empty());
  const bench::Telemetry now = bench::telemetry(device);
  EXPECT_TRUE(!now.is_known() || now.clock_hertz > 1e8);
}

TEST(CudaDevice, KnowsItsAllocations) {
  NEEDS_GPU();
  CudaDevice device;
  Buffer<float> a(device, std::vector<float>(1000, 1.0f)), b(device, 1000);
  const MemoryExtent extent = device.extent_of(a.data() + 10);
  EXPECT_EQ(extent.begin, a.data());
  EXPECT_GE(extent.bytes, 4000u);
  int here = 0;
  EXPECT_EQ(device.extent_of(&here).bytes, 0u);
  device.copy(b.data(), a.data(), 4000);
  EXPECT_EQ(b.to_host(), a.to_host());
}

TEST(CudaDevice, KnowsWhenLaunchesAreRecorded) {
  NEEDS_GPU();
  CudaDevice device;
  EXPECT_FALSE(device.is_recording());
  bool during = false;
  Vectors v(device, 100);
  CudaExecutable add(device, vectorAdd());
  RecordedGraph graph(device.context(), device.stream(), [&] {
    v.launch(add);
    during = device.is_recording();
  });
  EXPECT_TRUE(during);
  EXPECT_FALSE(device.is_recording());
}

// Both ways that there are here; the driver's with a cache that says nothing is left out.
std::vector<std::string> assemblers() {
  testing::EnvironmentGuard guard;
  guard.set("TILE_PTXAS", nullptr);
  std::vector<std::string> all{"driver"};
  if (const std::optional<Assembler> found = find_assembler())
    all.push_back(found->path);
  return all;
}
// Of which no cache knows.
LoweredKernel neverSeen(LoweredKernel kernel) {
  kernel.set_text(std::string(kernel.text()) + "// " + std::to_string(getpid()) + " " +
                  std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "\n");
  return kernel;
}

TEST(CudaDevice, KeepsWhatTheAssemblerSaid) {
  NEEDS_GPU();
  CudaDevice device;
  for (const std::string &assembler : assemblers()) {
    testing::EnvironmentGuard guard;
    guard.set("TILE_PTXAS", assembler.c_str());
    const CudaExecutable add(device, neverSeen(vectorAdd()));
    EXPECT_EQ(add.lowered().kind,
              assembler == "driver" ? LoweredKernel::Code::ptx : LoweredKernel::Code::cubin);
    EXPECT_EQ(add.lowered().registers, add.kernel().resources().registers) << assembler;
    const KernelResources needs = add.resources();
    EXPECT_GT(needs.registers, 0);
    EXPECT_EQ(needs.spill_bytes, 0);
    EXPECT_EQ(needs.shared_bytes, 0);
    EXPECT_NE(needs.assembler_log.find("registers"), std::string::npos) << needs.assembler_log;
    Vectors v(device, 1000);
    CudaExecutable again(device, vectorAdd());   // the driver may have it in its cache
    v.launch(again);
    device.synchronize();
    v.expectSum();
  }
}

// Kernels are assembled whole: what is for linking ignores setmaxnreg, and would be refused here.
TEST(CudaDevice, AssemblesKernelsThatChangeTheirRegisters) {
  NEEDS_GPU();
  CudaDevice device;
  if (device.capability().major != 9)
    GTEST_SKIP() << "sm_90a has setmaxnreg: " << device.description();
  for (const std::string &assembler : assemblers()) {
    testing::EnvironmentGuard guard;
    guard.set("TILE_PTXAS", assembler.c_str());
    guard.set("TILE_LOST_SPEED", nullptr);
    const auto changing = [&](const std::string &directives) {
      LoweredKernel kernel =
          loweredPtx(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry changing() " +
                         directives + " { setmaxnreg.dec.sync.aligned.u32 40; ret; }\n",
                     "changing", 128, {});
      kernel.target = "sm_90a";
      return neverSeen(kernel);
    };
    CudaExecutable kept(device, changing(".reqntid 128\n.minnctapersm 1"));
    kept.launch({132}, {});
    device.synchronize();
    try {
      CudaExecutable ignored(device, changing(".reqntid 128"));
      ADD_FAILURE() << assembler << " says nothing:\n" << ignored.lowered().assembler_log;
    } catch (const Error &e) {
      EXPECT_NE(std::string(e.what()).find("(C7508) Potential Performance Loss"), std::string::npos)
          << e.what();
    }
  }
}

TEST(CudaDevice, ReadsSpillsAndRegistersFromTheLog) {
  EXPECT_EQ(spill_bytes("ptxas info: 8 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"),
            32);
  EXPECT_EQ(spill_bytes("0 bytes spill stores, 0 bytes spill loads"), 0);
  EXPECT_EQ(spill_bytes("Used 32 registers"), std::nullopt);
  EXPECT_EQ(registers_used("ptxas info    : Used 32 registers, used 1 barriers"), 32);
  EXPECT_EQ(registers_used(" registers"), std::nullopt);
}

TEST(CudaDevice, QuotesTheLineTheAssemblerRefuses) {
  NEEDS_GPU();
  CudaDevice device;
  std::string text(VectorAddPtx);
  text.replace(text.find("add.f32"), 7, "adx.f32");
  LoweredKernel broken = vectorAdd();
  broken.set_text(text);
  for (const std::string &assembler : assemblers()) {
    testing::EnvironmentGuard guard;
    guard.set("TILE_PTXAS", assembler.c_str());
    try {
      CudaExecutable executable(device, broken);
      ADD_FAILURE() << "assembled by " << assembler;
    } catch (const Error &e) {
      const std::string who = assembler == "driver" ? "the driver's assembler" : "ptxas";
      EXPECT_NE(e.message().find(who + " refuses the code of vector_add"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("adx.f32 %f3, %f1, %f2;"), std::string::npos) << e.what();
    }
  }
}

// A program without the compiler: the kernel comes from bytes.
TEST(CudaDevice, RunsALoweredKernelFromBytes) {
  NEEDS_GPU();
  CudaDevice device;
  LoweredKernel kernel = vectorAdd();
  kernel.guards = {{3, Guard::Kind::positive_multiple, 16}};
  // First with PTX, then with the machine code that came of it where ptxas made it.
  const std::unique_ptr<Executable> from_ptx = device.load_lowered(LoweredKernel::parse(kernel.serialise()));
  const LoweredKernel assembled = static_cast<CudaExecutable &>(*from_ptx).lowered();
  const std::unique_ptr<Executable> from_cubin =
      device.load_lowered(LoweredKernel::parse(assembled.serialise()));
  for (Executable *executable : {from_ptx.get(), from_cubin.get()}) {
    Vectors v(device, 1008);
    v.launch(*executable);
    device.synchronize();
    v.expectSum();
    Vectors broken(device, 1000);
    EXPECT_THROW(broken.launch(*executable), Error) << "1000 is not a multiple of 16";
  }
}

TEST(CudaDevice, RefusesCodeForAnotherGpu) {
  NEEDS_GPU();
  CudaDevice device;
  LoweredKernel kernel = vectorAdd();
  kernel.target = "sm_999";
  try {
    device.load_lowered(kernel);
    FAIL();
  } catch (const Error &e) {
    EXPECT_NE(e.message().find("this code is for sm_999"), std::string::npos) << e.what();
  }
}

TEST(CudaDevice, RefusesAGridThatNoGpuRuns) {
  NEEDS_GPU();
  CudaDevice device;
  CudaExecutable add(device, vectorAdd());
  Argument arguments[] = {argument(nullptr), argument(nullptr), argument(nullptr), argument(0)};
  try {
    add.launch({1, 70000, 1}, arguments);
    FAIL() << "launched";
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "the grid has 70,000 programs along y; the limit is 65,535");
  }
  add.launch({1, 1, 1}, arguments);   // not sticky: the device goes on
  device.synchronize();
}

// In a process of its own, since the context dies with it.
[[noreturn]] void readAddressZero() {
  CudaDevice device;
  CudaExecutable add(device, vectorAdd());
  Argument nothing = argument(nullptr), one = argument(1), arguments[] = {nothing, nothing, nothing, one};
  add.launch({1, 1, 1}, arguments);
  try {
    device.synchronize();
  } catch (const Error &e) {
    fprintf(stderr, "%s\n", e.what());
    _exit(3);
  }
  _exit(0);
}

TEST(CudaDeviceDeathTest, SaysThatTheContextIsLost) {
  NEEDS_GPU();
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(readAddressZero(), ::testing::ExitedWithCode(3), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

constexpr const char *EndlessPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry endless() {
again:
  bra.uni again;
}
)";

// In a process of its own, which ends the kernel.
[[noreturn]] void launchWithoutEnd() {
  CudaDevice device;
  CudaExecutable endless(device, loweredPtx(EndlessPtx, "endless", 32, {}));
  const std::unique_ptr<Stopwatch> stopwatch = device.stopwatch();
  const bool before = stopwatch->done_within(10);
  endless.launch({1, 1, 1}, {});
  const bool after = stopwatch->done_within(0.5);
  _exit(before && !after ? 3 : 0);
}

TEST(CudaDeviceDeathTest, DoesNotWaitForEverForAKernel) {
  NEEDS_GPU();
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(launchWithoutEnd(), ::testing::ExitedWithCode(3), "");
}

}   // namespace
}   // namespace tile::cuda

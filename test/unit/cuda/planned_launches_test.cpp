// SPDX-License-Identifier: MIT
// A run of a plan allocates nothing, takes no lock, and asks the driver for maps and launches alone. The
// driver is a stub, of a GPU of compute capability 9.0.
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/attention_backward.h>
#include <tile/batched_gemm.h>
#include <tile/cuda_device.h>
#include <tile/gemm_plan.h>
#include <tile/launch_stream.h>
#include <tile/layer_norm.h>
#include <tile/softmax.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <pthread.h>

namespace {

thread_local bool counts = false;
int allocations = 0, locks = 0;

// The function of the C library that one of the same name here stands before.
template <class F> F *real(const char *name) { return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name)); }

}   // namespace

void *operator new(std::size_t bytes) {
  allocations += counts;
  if (void *const memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

#define COUNTED_LOCK(name, type)                                                                             \
  extern "C" int name(type *lock) {                                                                          \
    static auto *const taken = real<int(type *)>(#name);                                                     \
    locks += counts;                                                                                         \
    return taken(lock);                                                                                      \
  }
COUNTED_LOCK(pthread_mutex_lock, pthread_mutex_t)
COUNTED_LOCK(pthread_mutex_trylock, pthread_mutex_t)
COUNTED_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNTED_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)

namespace tile {
namespace {

using cuda::stub;
using kernels::GemmPlan, kernels::GemmPlanSizes;
using ::testing::HasSubstr;

class PlannedLaunches : public ::testing::Test {
 protected:
  PlannedLaunches() {
    guard_.set("TILE_CACHE", "off");
    guard_.set("TILE_PTXAS", "driver");
    for (const char *variable : {"TILE_DUMP", "TILE_TIMING", "TILE_CHECK", "TILE_TUNE", "TILE_REMARKS"})
      guard_.set(variable, nullptr);
    stub() = {};
    device_ = open_cuda();
  }

  struct Counted {
    Status status;
    int allocations, locks, launches;
  };
  template <class Run> Counted counted(Run &&run) {
    stub().isSilent = true;
    stub().silentLaunches = 0;
    const std::size_t leases = stub().leases.size();
    allocations = locks = 0;
    counts = true;
    Status status = run();
    counts = false;
    stub().isSilent = false;
    EXPECT_EQ(stub().leases.size(), leases);
    return {std::move(status), allocations, locks, stub().silentLaunches};
  }
  template <class Run> void expect_quiet(int launches, Run &&run) {
    const Counted now = counted(run);
    EXPECT_TRUE(now.status.is_ok()) << now.status.text();
    EXPECT_EQ(now.allocations, 0);
    EXPECT_EQ(now.locks, 0);
    EXPECT_EQ(now.launches, launches);
  }

  template <class T> static T *at(std::uintptr_t address) { return reinterpret_cast<T *>(address); }
  template <class T> static MatrixView<T> matrix(std::uintptr_t address, std::int64_t rows,
                                                 std::int64_t cols) {
    return {at<T>(address), rows, cols, cols, 1};
  }

  testing::EnvironmentGuard guard_;
  std::unique_ptr<Device> device_;
};

constexpr std::uintptr_t a = 1 << 24, b = 2 << 24, c = 3 << 24, memory = 4 << 24;

TEST_F(PlannedLaunches, CountsAreTaken) {
  const Counted as_usual = counted([&] {
    return attempt([&] { kernels::softmax(*device_, matrix<f32>(a, 8, 64), matrix<f32>(b, 8, 64)); });
  });
  EXPECT_GT(as_usual.allocations, 0);
  EXPECT_GT(as_usual.locks, 0);
}

TEST_F(PlannedLaunches, OfAGemmServeEachNumberOfRows) {
  GemmPlan<bf16> plan(*device_, {.most_m = 150, .n = 256, .k = 512});
  plan.prepare();
  EXPECT_EQ(stub().launches.size(), 0u);
  const int loaded = stub().libraries;
  const Stream stream(*device_);
  const MemoryExtent workspace{at<void>(memory), plan.workspace_bytes()};
  for (std::int64_t m = 1; m <= 150; ++m) {
    const auto run = [&] {
      return plan.run(OnStream(stream), matrix<const bf16>(a, m, 512), matrix<const bf16>(b, 512, 256),
                      matrix<bf16>(c, m, 256), workspace);
    };
    const Counted now = counted(run);
    ASSERT_TRUE(now.status.is_ok()) << m << " rows: " << now.status.text();
    ASSERT_EQ(now.allocations + now.locks, 0) << m << " rows";
    ASSERT_GE(now.launches, 1);
  }
  EXPECT_EQ(stub().libraries, loaded);
  // Other rows apart, another address.
  expect_quiet(1, [&] {
    return plan.run(*device_, MatrixView<const bf16>(at<const bf16>(b), 64, 512, 1024, 1),
                    matrix<const bf16>(a, 512, 256), matrix<bf16>(c, 64, 256), workspace);
  });
  const Status other = plan.run(*device_, matrix<const bf16>(a, 64, 256), matrix<const bf16>(b, 256, 256),
                                matrix<bf16>(c, 64, 256), workspace);
  EXPECT_EQ(other.code(), ErrorCode::not_prepared);
  EXPECT_EQ(plan.run(*device_, matrix<const bf16>(a, 1000, 512), matrix<const bf16>(b, 512, 256),
                     matrix<bf16>(c, 1000, 256), workspace)
                .code(),
            ErrorCode::not_prepared);
}

TEST_F(PlannedLaunches, OfPartsOfKTakeTheCallersMemory) {
  GemmPlan<bf16> plan(
      *device_, {.most_m = 64, .n = 256, .k = 4096},
      {.config = kernels::GemmConfig{.block_n = 64, .split_k = 4, .launch = {.num_warps = 4}}});
  plan.prepare();
  EXPECT_EQ(plan.workspace_bytes(), 4u * 128 * 256 * sizeof(f32));
  EXPECT_EQ(plan.workspace_bytes(64), plan.workspace_bytes());
  const auto run = [&](std::size_t bytes) {
    return plan.run(*device_, matrix<const bf16>(a, 64, 4096), matrix<const bf16>(b, 4096, 256),
                    matrix<bf16>(c, 64, 256), {at<void>(memory), bytes});
  };
  expect_quiet(2, [&] { return run(plan.workspace_bytes()); });
  EXPECT_THAT(run(1024).text(), HasSubstr("the workspace has 1024 bytes"));
}

// Few tiles of many products: parts of K are the fastest, and sum in another order.
TEST_F(PlannedLaunches, OfProductsWithOneOrderSplitNothing) {
  const GemmPlanSizes sizes{.least_m = 60, .most_m = 64, .n = 256, .k = 8192};
  GemmPlan<bf16> any(*device_, sizes),
      in_order(*device_, sizes, {.numerics = kernels::Numerics::batch_invariant}),
      deterministic(*device_, sizes, {.numerics = kernels::Numerics::deterministic});
  for (GemmPlan<bf16> *plan : {&any, &in_order, &deterministic})
    plan->prepare();
  EXPECT_GT(any.workspace_bytes(), 0u);
  EXPECT_EQ(in_order.workspace_bytes(), 0u);
  EXPECT_EQ(deterministic.workspace_bytes(), 0u);
}

TEST_F(PlannedLaunches, OfAllFunctions) {
  LaunchPlan plan(*device_);
  const auto expect_planned = [&](auto step) {
    plan.prepare(step);
    expect_quiet(1, [&] { return plan.run(*device_, step); });
  };
  expect_planned(
      [&](OnDevice on) { kernels::softmax(on, matrix<f32>(a, 8, 1000), matrix<f32>(b, 8, 1000)); });
  expect_planned([&](OnDevice on) {
    kernels::layer_norm(on, matrix<bf16>(a, 8, 512), VectorView<const bf16>(at<const bf16>(memory), 512),
                        VectorView<const bf16>(at<const bf16>(memory + 4096), 512), matrix<bf16>(b, 8, 512));
  });
  const auto stack = [&]<class T>(T *, std::uintptr_t address, std::array<std::int64_t, 3> extents) {
    return TensorView<T, 3>(at<T>(address), extents, {extents[1] * extents[2], extents[2], 1});
  };
  constexpr const bf16 *in = nullptr;
  constexpr bf16 *out = nullptr;
  expect_planned([&](OnDevice on) {
    kernels::batched_gemm(on, stack(in, a, {4, 64, 64}), stack(in, b, {4, 64, 128}),
                          stack(out, c, {4, 64, 128}));
  });
  expect_planned([&](OnDevice on) {
    kernels::attention(on, stack(in, a, {2, 256, 64}), stack(in, b, {2, 256, 64}), stack(in, c, {2, 256, 64}),
                       stack(out, memory, {2, 256, 64}));
  });
  const MatrixView<f32> sums(reinterpret_cast<f32 *>(memory + 0x8000000), 2, 256);
  const auto backward = [&](OnDevice on) {
    kernels::attention_backward(
        on, stack(in, a, {2, 256, 64}), stack(in, b, {2, 256, 64}), stack(in, c, {2, 256, 64}),
        stack(in, memory, {2, 256, 64}), stack(in, memory + 0x1000000, {2, 256, 64}), sums,
        {stack(out, memory + 0x2000000, {2, 256, 64}), stack(out, memory + 0x3000000, {2, 256, 64}),
         stack(out, memory + 0x4000000, {2, 256, 64})},
        {.causal = true});
  };
  plan.prepare(backward);
  // In one pass: of each query two numbers, and the sums of its gradient.
  EXPECT_EQ(plan.workspace_bytes(), 2u * 256 * (2 + 64) * sizeof(f32));
  expect_quiet(3, [&] {
    return plan.run(*device_, {at<void>(memory + 0x9000000), plan.workspace_bytes()}, backward);
  });
}

TEST_F(PlannedLaunches, RefuseSizesThatMakeNoSense) {
  const auto text = [&](const GemmPlanSizes &sizes) {
    return std::string(attempt([&] { GemmPlan<bf16>(*device_, sizes); }).text());
  };
  EXPECT_THAT(text({.most_m = 0, .n = 8, .k = 8}), HasSubstr("most_m is 0"));
  EXPECT_THAT(text({.least_m = 9, .most_m = 8, .n = 8, .k = 8}), HasSubstr("most_m is 8, and least_m 9"));
  EXPECT_THAT(text({.most_m = 8, .n = -1, .k = 8}), HasSubstr("n"));
}

}   // namespace
}   // namespace tile

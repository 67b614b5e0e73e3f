// SPDX-License-Identifier: MIT
// The parts of kernels that docs/language.md and docs/debugging.md show. The program checks what each of
// them computes.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace tile;

struct OneProgram {};
const auto one_program = [](auto...) { return Grid{1}; };

void loops_kernel(Ptr<i32> y, Int lo, Int hi, Int step, Int n, const OneProgram &) {
  Int total = 0;
  for (auto k : range(lo, hi, step))
    total += k;
  store(y, total);

  Int steps = 0, x = n;
  while_([&] { return x > 1; },
         [&] {
           TILE_IF (x % 2 == 0) {
             x = x / 2;
           } else {
             x = 3 * x + 1;
           }
           steps += 1;
         });
  store(y + 1, steps);
}
const Kernel<&loops_kernel> loops{.name = "loops", .grid = one_program};

struct BlockConfig {
  int block_m = 16, block_n = 32;
};

// Of the sums of two blocks that lie side by side: what their rows and columns reduce to.
void blocks_kernel(Ptr<const f32> base, Ptr<f32> largest, Ptr<i32> at, Ptr<f32> norms, Ptr<f32> totals,
                   Int64 stride, const BlockConfig &cfg) {
  const auto [BM, BN] = cfg;
  auto rows = arange(0, BM), columns = arange(0, BN);
  auto acc = zeros<f32>({BM, BN});
  auto eps = constant<f32>(1e-5);
  for (auto begin : range(0, 2 * BN, BN)) {
    auto p = base + rows[all, none] * stride + columns[none, all];   // [BM, 1] and [1, BN] give [BM, BN]
    acc += load(p + begin);
  }
  auto x = maximum(acc, eps);
  auto columns_f = constant<f32>(BN);

  auto [best, where_] = max_with_index(x, 1);
  auto norm = sqrt(sum(x * x, 1) / columns_f + 1e-5f);
  auto total = reduce(x, 0, [](auto a, auto b) { return a + b; });

  store(largest + rows, best);
  store(at + rows, where_);
  store(norms + rows, norm);
  store(totals + columns, total);
}
const Kernel<&blocks_kernel> blocks{.name = "blocks", .grid = one_program};

struct LaneConfig {
  int lanes = 128;
};

void memory_kernel(Ptr<const f32> x, Ptr<const f32> weights, Ptr<f32> y, Int n, const LaneConfig &cfg) {
  auto i = arange(0, cfg.lanes), j = i;
  auto row = load(x + i, i < n, -INFINITY);
  auto w = load(weights + j, j < n, 0, Access{.evict = Evict::last});
  store(y + i, row, i < n);
  store(y + n, max(row, 0));
  store(y + n + 1, sum(w, 0));
}
const Kernel<&memory_kernel> memory{.name = "memory", .grid = one_program};

void lookup_kernel(Ptr<const f32> table, Ptr<const i32> index, Ptr<f32> y, Int rows, Int n,
                   const LaneConfig &cfg) {
  auto i = arange(0, cfg.lanes);
  auto row_mask = i < n;
  auto row = load(index + i, row_mask);
  device_assert(row < rows, "row in range", row_mask);
  store(y + i, load(table + row, row_mask), row_mask);
}
const Kernel<&lookup_kernel> lookup{.name = "lookup", .grid = one_program};

void twice_kernel(Ptr<f16> p, Int m, Int k, Int64 row_stride, const BlockConfig &cfg) {
  const auto [BM, BK] = cfg;
  Int i = program_id(0);
  for (auto step : range(cdiv(k, BK))) {
    auto d = descriptor(p, {m, k}, {row_stride, 1}, {BM, BK});   // or with Padding::nan last
    auto x = d.load({i * BM, step * BK});                        // [BM, BK]
    d.store({i * BM, step * BK}, x + x);
  }
}
const Kernel<&twice_kernel> twice{
    .name = "twice",
    .grid = [](auto &cfg, auto, int m, auto...) { return Grid{cdiv(m, cfg.block_m)}; },
};

int wrong = 0;
void check(const char *what, bool is_right) {
  if (!is_right)
    std::printf("%s: WRONG\n", what);
  wrong += !is_right;
}

void check_control_flow(Device &device) {
  Buffer<i32> y(device, 2, "y");
  loops(device, y, 3, 20, 5, 27);
  check("control flow", y.to_host() == std::vector<i32>{3 + 8 + 13 + 18, 111});
  loops(device, y, 3, 3, 5, 1);
  check("loops of no iteration", y.to_host() == std::vector<i32>{0, 0});
}

void check_blocks(Device &device) {
  const int m = 16, n = 32, stride = 70;
  std::vector<f32> values(m * stride, 1000);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < 2 * n; ++j)
      values[i * stride + j] = static_cast<f32>((7 * i + 5 * j) % 11 - 4);
  Buffer<f32> base(device, values, "base"), largest(device, m), norms(device, m), totals(device, n);
  Buffer<i32> at(device, m);
  blocks(device, base, largest, at, norms, totals, std::int64_t{stride});

  bool is_right = true;
  std::vector<f32> sums(n, 0.0f);
  for (int i = 0; i < m; ++i) {
    f32 best = -1, squares = 0;
    int where_best = 0;
    for (int j = 0; j < n; ++j) {
      const f32 x = std::max(values[i * stride + j] + values[i * stride + n + j], 1e-5f);
      where_best = x > best ? j : where_best;
      best = std::max(best, x);
      squares += x * x;
      sums[j] += x;
    }
    is_right &= largest.to_host()[i] == best && at.to_host()[i] == where_best;
    is_right &= std::abs(norms.to_host()[i] - std::sqrt(squares / n + 1e-5f)) < 1e-4f;
  }
  for (int j = 0; j < n; ++j)
    is_right &= std::abs(totals.to_host()[j] - sums[j]) < 1e-3f;
  check("blocks", is_right);
}

void check_memory(Device &device) {
  const int n = 100;
  Buffer<f32> x(device, std::vector<f32>(n, -2), "x"), weights(device, std::vector<f32>(n, 0.5f)),
      y(device, n + 2, "y");
  memory(device, x, weights, y, n);
  std::vector<f32> want(n, -2);
  want.insert(want.end(), {-2, 50});   // what is past the end is less than any maximum, and adds nothing
  check("memory", y.to_host() == want);

  Buffer<i32> in(device, std::vector<i32>(n, 99)), past(device, std::vector<i32>(n, 100));
  lookup(device, weights, in, y, n, n);
  check("lookup", y.to_host()[n - 1] == 0.5f);
}

// The assert ends the use of a GPU by its process.
void check_assert() {
  std::string error;
  try {
    auto device = open_device("simulator");
    Buffer<f32> table(*device, std::vector<f32>(10, 1)), y(*device, 10);
    lookup(*device, table, Buffer<i32>(*device, std::vector<i32>(10, 10)), y, 10, 10);
    device->synchronize();
  } catch (const Error &e) {
    error = e.what();
  }
  check("assert", error.find("row in range") != std::string::npos);
}

void check_descriptor(Device &device) {
  const int m = 20, k = 40, stride = 48;
  Buffer<f16> p(device, std::vector<f16>(m * stride, f16(3.0f)), "p");
  twice(device, p, m, k, std::int64_t{stride});
  bool is_right = true;
  const std::vector<f16> got = p.to_host();
  for (int i = 0; i < m * stride; ++i)
    is_right &= static_cast<float>(got[i]) == (i % stride < k ? 6 : 3);
  check("descriptor", is_right);
}

int main() {
  auto device = open_device();
  check_control_flow(*device);
  check_blocks(*device);
  check_memory(*device);
  check_assert();
  check_descriptor(*device);
  std::printf("the parts of kernels: %d wrong, %s\n", wrong, wrong ? "WRONG" : "correct");
  return wrong ? 1 : 0;
}

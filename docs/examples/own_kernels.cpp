// SPDX-License-Identifier: MIT
// Kernels of one's own in a shared library, which the command `tile` looks into: docs/own-kernels.md. As a
// program it shows the code of one of them, or with any argument launches another one from mine.tilepack.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>
#include <tile/library.h>
#include <tile/packs.h>

#include <bit>
#include <cstdio>
#include <vector>

using namespace tile;

struct AxpyConfig {
  int block = 512;
  Launch launch{.num_warps = 4};
};

void axpy_kernel(Ptr<const f32> x, Ptr<f32> y, Float a, Int n, const AxpyConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, a * load(x + i, i < n) + load(y + i, i < n), i < n);
}

const Kernel<&axpy_kernel> axpy{
    .name = "axpy",
    .parameters = {"x", "y", "a", "n"},
    .grid = [](auto &cfg, auto, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
    .configs = {{.block = 512}, {.block = 2048, .launch = {.num_warps = 8}}},
    .work = [](auto, auto, auto, int n) { return Work{.bytes = 12.0 * n}; }};

struct ProductConfig {
  int rows = 64, cols = 64, inner = 32;
  Launch launch{.num_warps = 4};
};

template <class T>
void product_kernel(Ptr<const T> a, Ptr<const T> b, Ptr<f32> c, Int m, Int n, Int k,
                    const ProductConfig &cfg) {
  auto i = (program_id(0) * cfg.rows + arange(0, cfg.rows))(all, none);
  auto j = (program_id(1) * cfg.cols + arange(0, cfg.cols))(none, all);
  auto sum = zeros<f32>({cfg.rows, cfg.cols});
  for (auto start : range(0, k, cfg.inner)) {
    auto x = start + arange(0, cfg.inner);
    auto left = load(a + i * k + x(none, all), (i < m) & (x(none, all) < k));
    auto right = load(b + x(all, none) * n + j, (x(all, none) < k) & (j < n));
    sum = dot(left, right, sum);
  }
  store(c + i * n + j, sum, (i < m) & (j < n));
}

template <class T>
const Kernel<&product_kernel<T>> product{.name = std::is_same_v<T, f16> ? "product_f16" : "product_f32",
                                         .parameters = {"a", "b", "c", "m", "n", "k"},
                                         .grid = [](auto &cfg, auto, auto, auto, int m, int n, int) {
                                           return Grid{cdiv(m, cfg.rows), cdiv(n, cfg.cols)};
                                         }};

struct RowConfig {
  int block = 1024;   // of a launch: as its rows are long
  Launch launch{.num_warps = 4};
};

void row_sums_kernel(Ptr<const f32> x, Ptr<f32> y, [[maybe_unused]] Int m, Int n, const RowConfig &cfg) {
  auto j = arange(0, cfg.block);
  store(y + program_id(0), sum(load(x + program_id(0) * n + j, j < n), 0));
}

const Kernel<&row_sums_kernel> row_sums{
    .name = "row_sums",
    .parameters = {"x", "y", "m", "n"},
    .grid = [](auto &, auto, auto, int m, int) { return Grid{m}; },
    .configs = {{.launch = {.num_warps = 4}}, {.launch = {.num_warps = 8}}},
    .complete =
        [](auto cfg, auto, auto, int, int n) {
          cfg.block = std::bit_ceil(unsigned(n));
          return cfg;
        },
};

TILE_KERNEL_LIBRARY(axpy, product<f16>, product<f32>, row_sums)

void show_code() {
  const std::vector<ArgClass> classes(6, ArgClass::divisible_by_16);   // of a, b, c, m, n and k
  const CompiledKernel code = product<f16>.compile({.rows = 128}, classes, "sm_90a");
  // Any stage: tile, tile-simplified, tile_gpu, thread, llvm, ptx, sass.
  std::puts(code.text("tile_gpu").c_str());
  // The instructions of the PTX: how many wgmma, st.global.v4, bar.sync.
  for (const auto &[name, count] : code.instructions())
    std::printf("%4d %s\n", count, name.c_str());
  // What was chosen at which line, and why.
  for (const Remark &choice : code.choices())
    std::printf("%s:%u: %s\n", choice.where.file.c_str(), choice.where.line, choice.text.c_str());
  std::printf("%u threads, %d registers, %d bytes spilled\n", code.threads(), code.resources().registers,
              code.resources().spill_bytes);
}

int launch_packed() {
  auto device = open_device();
  tile::set_policy({.compile = tile::Compile::never});
  tile::load_pack("mine.tilepack");   // or add_pack(), for bytes that are part of the program
  tile::prepare(*device);             // loads all of it now
  axpy.prepare(*device);              // what the packs have of this kernel, and traces it

  Buffer<f32> x(*device, std::vector<f32>(1000, 3), "x"), y(*device, std::vector<f32>(1000, 1), "y");
  axpy(*device, x, y, 2.0f, 1000);
  const bool is_right = y.to_host() == std::vector<f32>(1000, 7);
  std::printf("axpy of 1000 elements: %s\n", is_right ? "correct" : "WRONG");
  return is_right ? 0 : 1;
}

int main(int argc, char **) {
  if (argc > 1)
    return launch_packed();
  try {
    show_code();
  } catch (const Error &e) {
    std::puts(e.what());   // without ptxas the registers are not known
  }
}

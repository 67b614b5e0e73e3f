// SPDX-License-Identifier: MIT
// Kernels of a common form, partitioned into roles where possible: their results are the interpreter's.
#pragma once

#include "problem.h"

#include <tile/buffer.h>
#include <tile/devices.h>

#include <algorithm>
#include <cmath>

namespace tile::simulator {

struct Form {
  int rows = 64, columns = 64, inner = 32;   // of a block
  Launch launch{.num_warps = 4, .num_stages = 3};
};

// a is m x k, b is k x n, c and d are m x n; rows begin at multiples of 16 bytes.
using Parameters = void(Ptr<f16> a, Ptr<const f16> b, Ptr<f32> c, Ptr<f32> d, Int m, Int n, Int k, Int a_row,
                        Int b_row, Int c_row, Int number, const Form &form);

struct Sizes {
  int m = 136, n = 130, k = 168, number = 3, columnsOfGrid = 0;
};

// What is in c and d afterwards.
template <Parameters *Fn> std::vector<float> results(Device &device, const Sizes &s, const Form &form) {
  const Kernel<Fn> kernel{.name = "form",
                          .grid = [](const Form &f, auto, auto, auto, auto, int m, int n, auto...) {
                            return Grid{std::int64_t{cdiv(n, f.columns)}, cdiv(m, f.rows)};
                          }};
  const int a_row = cdiv(std::max(s.k, 1), 8) * 8, b_row = cdiv(s.n, 8) * 8, c_row = cdiv(s.n, 4) * 4;
  auto numbers = [&](int rows, int row, std::uint64_t which) {
    std::vector<f16> values(static_cast<std::size_t>(std::max(rows, 1) * row));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<f16>(static_cast<float>(smallNumber(i, which)));
    return values;
  };
  const std::vector<float> before(static_cast<std::size_t>(s.m * c_row), 7.f);
  Buffer<f16> a(device, numbers(s.m, a_row, 1)), b(device, numbers(s.k, b_row, 2));
  Buffer<f32> c(device, before), d(device, before);
  kernel.with(form)(device, a, b, c, d, s.m, s.n, s.k, a_row, b_row, c_row, s.number);
  std::vector<float> all = c.to_host();
  const std::vector<float> more = d.to_host();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

enum class Roles { yes, no, of_registers };   // by wgmma, none, by mma.sync

template <Parameters *Fn>
void check(Roles split, const Form &form = {},
           const std::vector<Sizes> &all = {{}, {.m = 64, .n = 64, .k = 32}},
           const std::string &target = "sm_90a") {
  const auto interpreter = open_device("interpreter");
  for (const Sizes &s : all) {
    const std::vector<float> expected = results<Fn>(*interpreter, s, form);
    for (const Way &way : ways) {
      const auto device = simulated(target, way);
      const std::vector<float> got = results<Fn>(*device, s, form);
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
            << got[i] << " for " << expected[i] << ", element " << i << " of " << s.m << " x " << s.n << " x "
            << s.k;
      if (s.number > 0) {
        EXPECT_EQ(hasMultipliedInRoles(*device), s.k > 0 && split == Roles::yes) << target;
        if (s.k > 0 || split == Roles::of_registers) {   // else blocks beside the products may be copied
          EXPECT_EQ(hasMultipliedInRoles(*device, /*byWgmma=*/false), s.k > 0 && split == Roles::of_registers)
              << target;
        }
      }
    }
  }
}

// Operands and the block of this program.
#define TILE_TEST_BLOCKS(padding)                                                                            \
  auto A = descriptor(a, {m, k}, {a_row, 1}, {form.rows, form.inner}, padding);                              \
  auto B = descriptor(b, {k, n}, {b_row, 1}, {form.inner, form.columns}, padding);                           \
  auto C = descriptor(c, {m, n}, {c_row, 1}, {form.rows, form.columns});                                     \
  Int row = program_id(1) * form.rows, column = program_id(0) * form.columns, steps = cdiv(k, form.inner);   \
  auto acc = zeros<f32>({form.rows, form.columns})

#define TILE_TEST_KERNEL(name)                                                                               \
  void name([[maybe_unused]] Ptr<f16> a, [[maybe_unused]] Ptr<const f16> b, [[maybe_unused]] Ptr<f32> c,     \
            [[maybe_unused]] Ptr<f32> d, [[maybe_unused]] Int m, [[maybe_unused]] Int n,                     \
            [[maybe_unused]] Int k, [[maybe_unused]] Int a_row, [[maybe_unused]] Int b_row,                  \
            [[maybe_unused]] Int c_row, [[maybe_unused]] Int number, const Form &form)

}   // namespace tile::simulator

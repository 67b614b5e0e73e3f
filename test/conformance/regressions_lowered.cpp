// SPDX-License-Identifier: MIT
// EL14, RG1, RG2, RG10, RG11: mistakes that compilers made below the language, in pipelines, registers and
// instructions. Inputs are small integers, so that there is one right result.
#include "families.h"
#include "gemm_loop.h"

#include <cmath>

namespace tile::conformance {

namespace {

struct VectorConfig {
  int elements = 256;
  Launch launch{};
};

// What is added is the rounded product's negative: fused, the sum is what the rounding has cut off.
void add_to_product(Ptr<const f32> a, Ptr<const f32> b, Ptr<const f32> c, Ptr<f32> z,
                    const VectorConfig &cfg) {
  const Int i = arange(0, cfg.elements);
  store(z + i, load(a + i) * load(b + i) + load(c + i));
}

void check_two_roundings(Context &t) {
  const VectorConfig cfg{.launch = {.fp_fusion = false}};
  const std::size_t n = 256;
  const Array a = t.numbers<f32>(n, Inputs::uniform), b = t.numbers<f32>(n, Inputs::uniform);
  Array c(element_type<f32>, n), expected(element_type<f32>, n);
  std::size_t inexact = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const long double product = a.real(i) * b.real(i);
    c.set_real(i, -product);
    expected.set_real(i, 0);
    inexact += c.real(i) != -product;
  }
  t.require(inexact > n / 2, "products of these inputs need no rounding");
  Memory &in_a = t.input(a), &in_b = t.input(b), &in_c = t.input(c), &out = t.output<f32>(n);
  t.run<&add_to_product>(cfg, {1}, {in_a, in_b, in_c, out});
  t.exact(out, expected);
}

// Many steps through few slots: one that is refilled while other warps still read it gives wrong sums.
void check_refill(Context &t, int stages, int warps) {
  const GemmConfig cfg{.block_m = 64,
                       .block_n = 64,
                       .block_k = 32,
                       .stages = stages,
                       .launch = {.num_warps = warps, .num_stages = stages}};
  const GemmSize size{71, 69, 1000};
  const GemmInputs inputs = gemm_inputs<f16, f16>(t, size, true);
  t.close(gemm_on_device<f16, f16, f32>(t, inputs.a, inputs.b, size, cfg), inputs.expected, {});
}

// An operand of a product that lives in registers changes right behind it.
void changing_operand(Ptr<const f16> a, Ptr<const f16> b, Ptr<f32> c, Int steps, const GemmConfig &cfg) {
  const Int i = reshape(arange(0, 64 * 64), {64, 64});
  Tensor<f16> x = load(a + i);
  Tensor<f32> acc = zeros<f32>({64, 64});
  for (auto step : range(0, steps).stages(cfg.stages)) {
    acc = dot(x, load(b + (step * (64 * 64) + i)), acc);
    x = cast<f16>(cast<f32>(x) + 1.0f);
  }
  store(c + i, acc);
}

void check_changing_operand(Context &t, int stages, int warps) {
  const std::size_t n = 64, steps = 5, tile = n * n;
  const auto small = [&](std::size_t size) {
    Array values(element_type<f16>, size);
    for (std::size_t i = 0; i < size; ++i)
      values.set_integer(i, t.between(-2, 2));
    return values;
  };
  const Array a = small(tile), b = small(steps * tile);
  std::vector<double> expected(tile);
  Array x(element_type<f64>, tile);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < tile; ++i)
      x.set_real(i, a.real(i) + static_cast<long double>(step));
    const std::vector<double> product = multiply({&x, n, 1}, {&b, n, 1, step * tile}, nullptr, n, n, n);
    for (std::size_t i = 0; i < tile; ++i)
      expected[i] += product[i];
  }
  const GemmConfig cfg{.stages = stages, .launch = {.num_warps = warps, .num_stages = stages}};
  Memory &in_a = t.input(a), &in_b = t.input(b), &out = t.output<f32>(tile);
  t.run<&changing_operand>(cfg, {1}, {in_a, in_b, out, static_cast<int>(steps)});
  t.close(out, expected, {});
}

// The epilogue turns a tile around in shared memory while the operands of the program's next tile arrive.
void check_epilogue_memory(Context &t, int stages, bool halves) {
  const GemmConfig cfg{.block_m = 64,
                       .block_n = 64,
                       .stages = stages,
                       .halves = halves,
                       .persistent = true,
                       .launch = {.num_stages = stages}};
  const GemmSize size{150, 140, 72};
  const GemmInputs inputs = gemm_inputs<f16, f16>(t, size, true);
  for (int ctas : {1, 2, 4}) {
    t.section("ctas=" + std::to_string(ctas));
    t.close(gemm_on_device<f16, f16, f32>(t, inputs.a, inputs.b, size, cfg, ctas), inputs.expected, {});
  }
}

// Pairs of 16-bit numbers and fours of bytes are added as one word; here twice, to constants.
template <class T> void add_constants(Ptr<const T> x, Ptr<T> z, const VectorConfig &cfg) {
  const Int i = arange(0, cfg.elements);
  store(z + i, load(x + i) + static_cast<T>(3) + static_cast<T>(17));
}

template <class T> void check_constants(Context &t) {
  for (int elements : {2, 48, 256})
    for (int warps : {1, 4}) {
      t.section("elements=" + std::to_string(elements) + " warps=" + std::to_string(warps));
      const Array x = t.numbers<T>(static_cast<std::size_t>(elements), Inputs::uniform);
      Array expected(element_type<T>, x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        if constexpr (is_float<T>) {
          expected.set_real(i, x.real(i) + 3);
          expected.set_real(i, expected.real(i) + 17);
        } else
          expected.set_integer(i, x.integer(i) + 20);
      }
      Memory &in = t.input(x), &out = t.output<T>(x.size());
      t.run<&add_constants<T>>({elements, {.num_warps = warps}}, {1}, {in, out});
      t.exact(out, expected);
    }
}

}   // namespace

void add_lowered_regression_cases(Suite &suite) {
  suite.add("EL14/two_roundings", check_two_roundings);
  for (int stages : {1, 2, 3, 5})
    for (int warps : {4, 8}) {
      const std::string suffix = "/stages_" + std::to_string(stages) + "/warps_" + std::to_string(warps);
      suite.add("RG1/refill" + suffix, [=](Context &t) { check_refill(t, stages, warps); });
      suite.add("RG2/changing_operand" + suffix,
                [=](Context &t) { check_changing_operand(t, stages, warps); });
    }
  for (int stages : {1, 2, 3})
    for (bool halves : {false, true})
      suite.add(std::string("RG10/") + (halves ? "halves" : "whole") + "/stages_" + std::to_string(stages),
                [=](Context &t) { check_epilogue_memory(t, stages, halves); });
  each(Types<f16, bf16, i16, u16, i8, f32>{},
       [&]<class T>() { suite.add("RG11/constants/" + type_name<T>(), check_constants<T>); });
}

}   // namespace tile::conformance

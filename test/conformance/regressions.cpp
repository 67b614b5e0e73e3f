// SPDX-License-Identifier: MIT
// RG3, RG4, RG6, RG7, RG9: mistakes that other compilers made, where the language can ask for them.
#include "families.h"
#include "gemm_loop.h"

namespace tile::conformance {

namespace {

// Operand tiles smaller than what an instruction reads: a head of 32, eight columns.
void check_small_operand(Context &t) {
  for (GemmSize size : {GemmSize{64, 8, 32}, {64, 8, 96}, {64, 16, 32}})
    for (int stages : {1, 2, 3}) {
      t.section("n=" + std::to_string(size.n) + " k=" + std::to_string(size.k) +
                " stages=" + std::to_string(stages));
      const GemmConfig cfg{.block_m = 64,
                           .block_n = size.n,
                           .block_k = 32,
                           .stages = stages,
                           .launch = {.num_stages = stages}};
      const GemmInputs inputs = gemm_inputs<f16, f16>(t, size, true);
      t.close(gemm_on_device<f16, f16, f32>(t, inputs.a, inputs.b, size, cfg), inputs.expected, {});
    }
}

struct OrderConfig {
  bool b_first = false;
  int stages = 1;
  Launch launch{};
};

// The same product with its two loads written in one order and the other.
void ordered_loads(Ptr<const f16> a, Ptr<const f16> b, Ptr<f32> c, Int steps, const OrderConfig &cfg) {
  const Int i = arange(0, 32), k = arange(0, 32);
  Tensor<f32> acc = zeros<f32>({32, 32});
  for (auto step : range(0, steps).stages(cfg.stages)) {
    const Ptr<const f16> pa = a + (i(all, none) * (steps * 32) + (k + step * 32)(none, all));
    const Ptr<const f16> pb = b + ((k + step * 32)(all, none) * 32 + i(none, all));
    if (cfg.b_first) {
      const Tensor<f16> y = load(pb);
      const Tensor<f16> x = load(pa);
      acc = dot(x, y, acc);
    } else {
      const Tensor<f16> x = load(pa);
      const Tensor<f16> y = load(pb);
      acc = dot(x, y, acc);
    }
  }
  store(c + (i(all, none) * 32 + i(none, all)), acc);
}

void check_order(Context &t) {
  for (int stages : {1, 2, 3, 4}) {
    t.section("stages=" + std::to_string(stages));
    const GemmInputs inputs = gemm_inputs<f16, f16>(t, {32, 32, 32 * 6}, false);
    Memory &a = t.input(inputs.a), &b = t.input(inputs.b), &first = t.output<f32>(1024),
           &second = t.output<f32>(1024);
    t.run<&ordered_loads>({false, stages, {.num_stages = stages}}, {1}, {a, b, first, 6});
    t.run<&ordered_loads>({true, stages, {.num_stages = stages}}, {1}, {a, b, second, 6});
    t.close(first, inputs.expected, {0.01, 1e-3});
    t.exact(second, first.read());
  }
}

// A K tail of half an instruction; columns 96 to 103 of 104; tiles of 48 and of 24.
void check_odd_extents(Context &t) {
  struct Shape2 {
    GemmSize size;
    int block_m, block_n, block_k;
  };
  for (const Shape2 &s : {Shape2{{64, 104, 72}, 32, 104, 24},
                          {{50, 104, 40}, 32, 48, 24},
                          {{33, 24, 56}, 16, 24, 56},
                          {{48, 88, 96}, 48, 88, 48}}) {
    t.section(std::to_string(s.block_m) + "x" + std::to_string(s.block_n) + "x" + std::to_string(s.block_k));
    const GemmConfig cfg{.block_m = s.block_m, .block_n = s.block_n, .block_k = s.block_k};
    const GemmInputs inputs = gemm_inputs<f16, f16>(t, s.size, true);
    t.close(gemm_on_device<f16, f16, f32>(t, inputs.a, inputs.b, s.size, cfg), inputs.expected, {});
  }
}

struct SumsConfig {
  int elements = 48;
  Launch launch{};
};
void fold(Ptr<const i32> x, Ptr<i32> z, const SumsConfig &cfg) {
  store(z, sum(load(x + arange(0, cfg.elements)), 0));
}

// Fewer elements than threads, and numbers of them that no warp divides: each counts once.
void check_replicas(Context &t) {
  for (int elements : {1, 2, 3, 7, 24, 31, 48, 96, 416})
    for (int warps : {1, 2, 4, 8}) {
      t.section("elements=" + std::to_string(elements) + " warps=" + std::to_string(warps));
      const Array x = t.numbers<i32>(static_cast<std::size_t>(elements), Inputs::uniform);
      Array expected(element_type<i32>, 1);
      for (std::size_t i = 0; i < x.size(); ++i)
        expected.set_integer(0, expected.integer(0) + x.integer(i));
      Memory &in = t.input(x), &out = t.output<i32>(1);
      t.run<&fold>({elements, {.num_warps = warps}}, {1}, {in, out});
      t.exact(out, expected);
    }
}

// Bands of rows dealt to fewer programs: the last band is the one that gets lost.
void copy_bands(Ptr<const i32> x, Ptr<i32> z, Int rows, const SumsConfig &) {
  const Int column = arange(0, 16);
  for (auto band : range(program_id(0), cdiv(rows, 4), num_programs(0))) {
    const Int row = band * 4 + arange(0, 4);
    const Int at = row(all, none) * 16 + column(none, all);
    store(z + at, load(x + at, row(all, none) < rows) + 1, row(all, none) < rows);
  }
}

void check_bands(Context &t) {
  for (int rows : {1, 4, 5, 37, 40})
    for (int programs : {1, 3, 8, 64}) {
      t.section("rows=" + std::to_string(rows) + " programs=" + std::to_string(programs));
      const Array x = t.numbers<i32>(static_cast<std::size_t>(rows) * 16, Inputs::integers);
      Array expected(element_type<i32>, x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        expected.set_integer(i, x.integer(i) + 1);
      Memory &in = t.input(x), &out = t.output<i32>(x.size());
      t.run<&copy_bands>({}, {programs}, {in, out, rows});
      t.exact(out, expected);
    }
}

// To fp8 by way of f16 some numbers round twice: 9 became 10 and 1.125 became 1.25.
template <class From, class To> void to_fp8(Ptr<const From> x, Ptr<To> z, const SumsConfig &cfg) {
  const Int i = arange(0, cfg.elements);
  store(z + i, cast<To>(load(x + i)));
}
template <class From> void check_fp8(Context &t) {
  // e4m3 has three digits after the leading one, so 9 and 1.125 are its own numbers. In e5m2
  // they lie between two: ties go to the even neighbour, 8 and 1.
  const std::initializer_list<double> numbers{9, 1.125, -9, -1.125, 13, 1.875, 448, 0.0078125};
  const Array x(element_type<From>, numbers);
  const bool has_fractions = is_float<From>;
  Array e4(element_type<e4m3>, 8), e5(element_type<e5m2>, 8);
  const double nearest_e5[] = {8, 1, -8, -1, 12, 2, 448, 0.0078125};
  for (std::size_t i = 0; i < 8; ++i) {
    e4.set_real(i, x.real(i));
    e5.set_real(i, has_fractions || i % 2 == 0 ? nearest_e5[i] : static_cast<double>(x.real(i)));
  }
  Memory &in = t.input(x), &out_e4 = t.output<e4m3>(8), &out_e5 = t.output<e5m2>(8);
  t.run<&to_fp8<From, e4m3>>({8}, {1}, {in, out_e4});
  t.run<&to_fp8<From, e5m2>>({8}, {1}, {in, out_e5});
  t.exact(out_e4, e4);
  t.exact(out_e5, e5);
}

}   // namespace

void add_regression_cases(Suite &suite) {
  suite.add("RG3/small_operand", check_small_operand);
  suite.add("RG4/order_of_loads", check_order);
  suite.add("RG6/odd_extents", check_odd_extents);
  suite.add("RG6/replicas", check_replicas);
  suite.add("RG7/last_band", check_bands);
  each(Types<f32, f16, bf16, f64, i32>{},
       [&]<class T>() { suite.add("RG9/rounded_once/" + type_name<T>(), check_fp8<T>); });
}

}   // namespace tile::conformance

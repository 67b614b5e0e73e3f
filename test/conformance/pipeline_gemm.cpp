// SPDX-License-Identifier: MIT
// PL1, PL4, PL7, PL8: product loops, whatever is done to overlap their loads, give the bits of
// the plain loop.
#include "families.h"
#include "gemm_loop.h"

namespace tile::conformance {

namespace {

std::string shape_name(const GemmConfig &cfg) {
  return std::to_string(cfg.block_m) + "x" + std::to_string(cfg.block_n) + "x" + std::to_string(cfg.block_k);
}

// Sizes that no block divides, with a few steps of K.
GemmSize ragged(const GemmConfig &cfg, bool descriptors) {
  // A descriptor's rows are multiples of 16 bytes: the extent may be ragged, the stride not.
  return {cfg.block_m + 7, cfg.block_n + (descriptors ? 16 : 5), 3 * cfg.block_k + (descriptors ? 16 : 8)};
}

template <class A, class B, class C> void check_gemm(Context &t, const GemmConfig &cfg, GemmSize size) {
  const bool is_double = std::is_same_v<A, f64>;
  for (bool integers : {true, false}) {
    t.section(integers ? "inputs=integers" : "inputs=uniform");
    const GemmInputs inputs = gemm_inputs<A, B>(t, size, integers);
    GemmConfig plain = cfg;
    plain.stages = 1;
    const Array reference = gemm_on_device<A, B, C>(t, inputs.a, inputs.b, size, plain);
    const Array got = gemm_on_device<A, B, C>(t, inputs.a, inputs.b, size, cfg);
    const double bound = sizeof(C) == 2 ? 0.06 : is_double ? 1e-12 : 0.03;
    const Tolerance loose = std::is_same_v<A, f32> ? product_tolerance(element_type<f32>, element_type<C>,
                                                                       static_cast<std::size_t>(size.k))
                                                   : Tolerance{bound, bound};
    t.close(got, inputs.expected, integers ? Tolerance{} : loose);
    t.exact(got, reference);
  }
}

template <class A, class B, class C> void add_gemms(Suite &suite, const std::string &name) {
  struct Blocks {
    int m, n, k, stages;
  };
  for (Blocks blocks : {Blocks{128, 128, 16, 4},
                        {64, 128, 32, 4},
                        {32, 32, 32, 4},
                        {256, 128, 32, 4},
                        {64, 512, 32, 2},
                        {512, 64, 32, 2},
                        {64, 16, 64, 4}}) {
    if (sizeof(A) == 1 && blocks.k < 32)
      continue;   // a product of bytes needs a K of 32
    for (int warps : {4, 8})
      for (bool halves : {false, true})
        for (Access2D access : {Access2D::pointers, Access2D::descriptors}) {
          const GemmConfig cfg{.block_m = blocks.m,
                               .block_n = blocks.n,
                               .block_k = blocks.k,
                               .stages = blocks.stages,
                               .a = access,
                               .b = access,
                               .halves = halves,
                               .launch = {.num_warps = warps, .num_stages = blocks.stages}};
          const bool small = blocks.m * blocks.n <= 128 * 128, plain = warps == 4 && !halves;
          const Tier tier =
              (small && warps == 4) || (plain && std::is_same_v<A, f16>) ? Tier::fast : Tier::nightly;
          suite.add("PL1/" + name + "/" + shape_name(cfg) + "/warps_" + std::to_string(warps) +
                        (halves ? "/halves" : "/whole") +
                        (access == Access2D::pointers ? "/pointers" : "/descriptors"),
                    tier, [=](Context &t) {
                      check_gemm<A, B, C>(t, cfg, ragged(cfg, access == Access2D::descriptors));
                    });
        }
  }
}

// One long K, in M and N just past the blocks. A GPU takes the whole of it.
void check_long_k(Context &t, GemmSize size, bool sampled) {
  const GemmConfig cfg{.block_m = 128,
                       .block_n = 128,
                       .block_k = 64,
                       .stages = 4,
                       .launch = {.num_warps = 8, .num_stages = 4}};
  const auto n = static_cast<std::size_t>(size.n), k = static_cast<std::size_t>(size.k);
  const Array a = exact_inputs(t, element_type<f16>, static_cast<std::size_t>(size.m) * k);
  const Array b = exact_inputs(t, element_type<f16>, k * n);
  const Array got = gemm_on_device<f16, f16, f32>(t, a, b, size, cfg);
  const std::size_t checks = sampled ? 4096 : got.size();
  for (std::size_t check = 0; check < checks; ++check) {
    const std::size_t at = sampled ? t.random()() % got.size() : check, i = at / n, j = at % n;
    long double sum = 0;
    for (std::size_t l = 0; l < k; ++l)
      sum += a.real(i * k + l) * b.real(l * n + j);
    t.require(got.real(at) == sum, "element " + std::to_string(at) + " is " + got.text(at));
  }
}

// C = A * B[indices]: the rows of B are known one load earlier than they are needed.
void indirect(Ptr<const f16> a, Ptr<const f16> b, Ptr<const i32> indices, Ptr<f32> c, Int n, Int k,
              const GemmConfig &cfg) {
  const Int rm = arange(0, cfg.block_m), rn = program_id(0) * cfg.block_n + arange(0, cfg.block_n),
            rk = arange(0, cfg.block_k);
  Tensor<f32> acc = zeros<f32>({cfg.block_m, cfg.block_n});
  Ptr<const i32> next = indices + rk;
  Ptr<const f16> pa = a + (rm(all, none) * k + rk(none, all));
  for (auto step : range(0, k / cfg.block_k).stages(cfg.stages)) {
    (void)step;
    const Int rows = load(next);
    acc = dot(load(pa), load(b + (rows(all, none) * n + rn(none, all))), acc);
    next += cfg.block_k;
    pa += cfg.block_k;
  }
  store(c + (rm(all, none) * n + rn(none, all)), acc);
}

void check_indirect(Context &t, const GemmConfig &cfg) {
  const auto m = static_cast<std::size_t>(cfg.block_m), n = static_cast<std::size_t>(cfg.block_n) * 2;
  const std::size_t k = static_cast<std::size_t>(cfg.block_k) * 3, rows = 500;
  const Array a = t.numbers<f16>(m * k, Inputs::uniform), b = t.numbers<f16>(rows * n, Inputs::uniform);
  Array indices(element_type<i32>, k), chosen(element_type<f16>, k * n);
  for (std::size_t l = 0; l < k; ++l) {
    const auto row = static_cast<std::size_t>(t.between(0, static_cast<std::int64_t>(rows) - 1));
    indices.set_integer(l, static_cast<Wide>(row));
    for (std::size_t j = 0; j < n; ++j)
      chosen.set_bits(l * n + j, b.bits(row * n + j));
  }
  Memory &in_a = t.input(a), &in_b = t.input(b), &in_indices = t.input(indices), &out = t.output<f32>(m * n);
  t.run<&indirect>(cfg, {2}, {in_a, in_b, in_indices, out, static_cast<int>(n), static_cast<int>(k)});
  t.close(out, multiply({&a, k, 1}, {&chosen, n, 1}, nullptr, m, n, k), {1e-2, 1e-2});
}

// Products of small integers are exact, so that the steps a loop takes too many or too few are seen.
template <class T> void check_unrolled(Context &t, const GemmConfig &cfg) {
  for (int steps : {0, 1, cfg.unroll - 1, cfg.unroll, cfg.unroll + 1, 2 * cfg.unroll + 1}) {
    t.section("steps=" + std::to_string(steps));
    const GemmSize size{cfg.block_m + 7, cfg.block_n + 16, steps * cfg.block_k};
    const GemmInputs inputs = gemm_inputs<T, T>(t, size, true);
    t.close(gemm_on_device<T, T, f32>(t, inputs.a, inputs.b, size, cfg), inputs.expected, {});
  }
}

// The persistent form against the plain one, for more, fewer and exactly as many tiles as CTAs.
void check_persistent(Context &t, int ctas, int stages) {
  const GemmConfig plain{};
  GemmConfig cfg{.stages = stages, .persistent = true, .launch = {.num_stages = stages}};
  for (GemmSize size : {GemmSize{96, 64, 64}, {100, 70, 40}, {32, 32, 0}, {31, 33, 32}}) {
    t.section(std::to_string(size.m) + "x" + std::to_string(size.n) + "x" + std::to_string(size.k));
    const GemmInputs inputs = gemm_inputs<f16, f16>(t, size, false);
    const Array reference = gemm_on_device<f16, f16, f32>(t, inputs.a, inputs.b, size, plain);
    t.close(reference, inputs.expected, {0.01, 1e-3});
    t.exact(gemm_on_device<f16, f16, f32>(t, inputs.a, inputs.b, size, cfg, ctas), reference);
  }
}

template <class T> void add_unrolled(Suite &suite) {
  for (Access2D access : {Access2D::pointers, Access2D::descriptors})
    for (int unroll : {2, 3, 4})
      for (int stages : {1, 2, 3})
        for (int block : {32, 64, 128})
          for (int warps : {4, 8}) {
            const GemmConfig cfg{.block_m = block,
                                 .block_n = block,
                                 .stages = stages,
                                 .unroll = unroll,
                                 .a = access,
                                 .b = access,
                                 .launch = {.num_warps = warps, .num_stages = stages}};
            suite.add("PL7/" + type_name<T>() +
                          (access == Access2D::pointers ? "/pointers/" : "/descriptors/") + shape_name(cfg) +
                          "/unroll_" + std::to_string(unroll) + "/stages_" + std::to_string(stages) +
                          "/warps_" + std::to_string(warps),
                      block == 32 && warps == 4 ? Tier::fast : Tier::nightly,
                      [=](Context &t) { check_unrolled<T>(t, cfg); });
          }
}

}   // namespace

void add_gemm_loop_cases(Suite &suite) {
  add_gemms<f16, f16, f32>(suite, "f16_to_f32");
  add_gemms<f16, f16, f16>(suite, "f16_to_f16");
  add_gemms<bf16, bf16, f32>(suite, "bf16_to_f32");
  add_gemms<e5m2, e5m2, f32>(suite, "e5m2_to_f32");
  add_gemms<e4m3, e4m3, f32>(suite, "e4m3_to_f32");
  add_gemms<f32, f32, f32>(suite, "f32_tf32");
  add_gemms<f64, f64, f64>(suite, "f64");
  suite.add("PL1/long_k/127x129x8200", [](Context &t) { check_long_k(t, {127, 129, 8200}, false); });
  suite.add_needing(
      "PL1/long_k/8191x8193x8200", Needs::throughput,
      [](Context &t) { check_long_k(t, {8191, 8193, 8200}, true); }, Tier::nightly);
  // The loop loads ahead, so all stages are to fit the shared memory of each GPU: the smallest has 99 KiB.
  constexpr int most_bytes = 96 << 10;
  for (auto [m, n, k] :
       {std::array{128, 128, 128}, {128, 128, 64}, {128, 64, 128}, {128, 128, 32}, {64, 64, 64}})
    for (int stages : {1, 3, 5}) {
      if (stages * (m + n) * k * 2 > most_bytes)
        continue;
      const GemmConfig cfg{
          .block_m = m, .block_n = n, .block_k = k, .stages = stages, .launch = {.num_stages = stages}};
      suite.add("PL4/" + shape_name(cfg) + "/stages_" + std::to_string(stages),
                [=](Context &t) { check_indirect(t, cfg); });
    }
  each(Types<f16, e5m2>{}, [&]<class T>() { add_unrolled<T>(suite); });
  for (int ctas : {1, 2, 3, 6, 7, 20})
    for (int stages : {1, 2, 3})
      suite.add("PL8/ctas_" + std::to_string(ctas) + "/stages_" + std::to_string(stages),
                [=](Context &t) { check_persistent(t, ctas, stages); });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// Kernels whose traces must not depend on the compiler, nor on C++20 or C++23: operands of many
// calls, several loads in one expression, loops, branches and combines. Built into print_traces, and
// by other compilers as a library that print_traces loads.
#include <tile/dsl.h>

#include <array>
#include <tuple>

using namespace tile;

#if __cplusplus > 202002L
#define SUB(x, ...) x[__VA_ARGS__]
#else
#define SUB(x, ...) x(__VA_ARGS__)
#endif

namespace {

struct Config {
  int m = 64, n = 32, k = 16;
  Launch launch{.num_warps = 8};
};

template <class T>
void product(Ptr<const T> a, Ptr<const T> b, Ptr<T> c, Int m, Int n, Int k, Int64 a_row, Int64 b_row,
             Int64 c_row, const Config &cfg) {
  auto [tile_m, tile_n] = swizzle2d(program_id(0), program_id(1), cdiv(m, cfg.m), cdiv(n, cfg.n), 4);
  auto rm = tile_m * cfg.m + arange(0, cfg.m), rn = tile_n * cfg.n + arange(0, cfg.n);
  auto rk = arange(0, cfg.k);
  auto pa = a + SUB(cast<i64>(rm), all, none) * a_row + SUB(rk, none, all);
  auto pb = b + SUB(cast<i64>(rk), all, none) * b_row + SUB(rn, none, all);
  auto acc = zeros<f32>({cfg.m, cfg.n});
  for (auto i : range(cdiv(k, cfg.k)).stages(3)) {
    acc = dot(load(pa, (SUB(rm, all, none) < m) & (SUB(rk, none, all) < k - i * cfg.k)),
              load(pb, (SUB(rk, all, none) < k - i * cfg.k) & (SUB(rn, none, all) < n)), acc);
    pa += cfg.k;
    pb += cfg.k * b_row;
  }
  store(c + SUB(cast<i64>(rm), all, none) * c_row + SUB(rn, none, all),
        cast<T>(where(acc > 0, acc, 0.01f * acc)), (SUB(rm, all, none) < m) & (SUB(rn, none, all) < n));
}

void several_loads(Ptr<f32> p, Int n, const Config &cfg) {
  auto i = arange(0, cfg.m);
  store(p + i, fma(load(p + i, i < n), load(p + i + n), load(p + (i + 2 * n), i > n, 1.0f)) -
                   load(p + i * 2) / (load(p + i * 3) + 1));
}

void variables(Ptr<i32> out, Int n, Int m, const Config &) {
  std::array<Int, 3> v{n * m, n + m, n - m};
  for (auto i : range(n, m, 2)) {
    TILE_IF ((i % 3 == 0) & (v[0] < 100)) {
      std::swap(v[0], v[1]);
      v[2] += i * v[0] - v[1] * (i + 1);
    } else {
      v[1] = maximum(v[1] / 3, v[2] % 5) + minimum(v[0], i);
    }
  }
  while_([&] { return (v[0] > 0) & (v[1] < v[2]); }, [&] { v[0] -= v[1] + cdiv(v[2], 7); });
  store(out, v[0] + v[1] * v[2]);
}

void combines(Ptr<f32> p, Ptr<i32> q, Int n, const Config &cfg) {
  auto r = arange(0, cfg.m), c = arange(0, cfg.n);
  auto x = load(p + (SUB(r, all, none) * n + SUB(c, none, all)));
  auto [best, at] = max_with_index(x, 1);
  auto [mean, square] = reduce(std::tuple{x, x * x}, 0, [](auto a, auto b) {
    auto [am, as] = a;
    auto [bm, bs] = b;
    return std::tuple{am + bm, as + bs};
  });
  store(p + r, best + cumsum(best, 0) * softmax(best, 0));
  store(p + c, mean * mean - square);
  store(q + r, at);
}

template <auto Fn> std::string traced(const char *name, std::vector<ArgClass> classes = {}) {
  return Kernel<Fn>{.name = name}.trace({}, classes, {.locations = false}).text({.locations = false});
}

}   // namespace

extern "C" const char *tile_test_traces() {
  constexpr ArgClass any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  static const std::string all_of_them =
      traced<&product<f16>>("product") +
      traced<&product<bf16>>("product_aligned", {by16, by16, by16, any, by16, any, by16, one, by16}) +
      traced<&several_loads>("several_loads") + traced<&variables>("variables") +
      traced<&combines>("combines");
  return all_of_them.c_str();
}

// SPDX-License-Identifier: MIT
// Memory, products, reductions and loops over values of the wrong type.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

using namespace tile;

struct Sizes {
  int m = 128;
};

void kernel(Ptr<f32> p, Ptr<const f16> h, Ptr<f16> g, Ptr<i32> q, [[maybe_unused]] Ptr<i8> b, Int n,
            Int64 wide, const Sizes &cfg) {
  auto r = arange(0, cfg.m);
  auto x = zeros<f32>({cfg.m});
  auto square = zeros<f16>({32, 32});

  // Loads and stores.
#if FAIL == __LINE__   // expect: store through Ptr<const T>
  store(h + r, zeros<f16>({cfg.m}), r < n);
#endif
#if FAIL == __LINE__   // expect: store writes a value of another element type
  store(g + r, x, r < n);
#endif
#if FAIL == __LINE__   // expect: store writes a value of another element type
  store(q, wide);
#endif
#if FAIL == __LINE__   // expect: store writes a value of another element type
  store(p, n > 0);
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  store(q, 0.5f);
#endif
#if FAIL == __LINE__   // expect: a mask is a tensor of conditions
  auto y = load(p + r, r);
#endif
#if FAIL == __LINE__   // expect: a mask is a tensor of conditions
  store(p + r, x, n);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = load(p + r, r < n, zeros<f16>({cfg.m}));
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  auto y = load(q + r, r < n, 0.5);
#endif

  // Atomics.
#if FAIL == __LINE__   // expect: Ptr<const T>
  atomic_add(h, 1.0f);
#endif
#if FAIL == __LINE__   // expect: atomic_add
  atomic_add(b, 1);
#endif
#if FAIL == __LINE__   // expect: atomic_max
  atomic_max(g, 1.0f);
#endif
#if FAIL == __LINE__   // expect: atomic_and
  atomic_and(p, 1.0f);
#endif
#if FAIL == __LINE__   // expect: cast<T>(x)
  atomic_add(p, n);
#endif
#if FAIL == __LINE__   // expect: atomic_cas
  atomic_cas(g, 0.0f, 1.0f);
#endif

  // Descriptors.
#if FAIL == __LINE__   // expect: element type
  auto d = descriptor(g, {n, 64}, {64, 1}, {64, 64});
  d.store({n, n}, zeros<f32>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: Ptr<const T>
  auto d = descriptor(h, {n, 64}, {64, 1}, {64, 64});
  d.store({n, n}, zeros<f16>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: add
  auto d = descriptor(b, {n, 64}, {64, 1}, {64, 64});
  d.add({n, n}, zeros<i8>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: min
  auto d = descriptor(p, {n, 64}, {64, 1}, {64, 64});
  d.min({n, n}, zeros<f32>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: bit_and
  auto d = descriptor(p, {n, 64}, {64, 1}, {64, 64});
  d.bit_and({n, n}, zeros<f32>({64, 64}));
#endif

  // Products.
#if FAIL == __LINE__   // expect: the operands of dot have different element types
  auto y = dot(square, cast<bf16>(square));
#endif
#if FAIL == __LINE__   // expect: dot multiplies f16, bf16, f32, f64, fp8 and 8-bit integers
  auto y = dot(zeros<i32>({32, 32}), zeros<i32>({32, 32}));
#endif
#if FAIL == __LINE__   // expect: dot accumulates in f32
  auto y = dot<f16>(cast<bf16>(square), cast<bf16>(square));
#endif
#if FAIL == __LINE__   // expect: dot accumulates in f32
  auto y = dot(square, square, zeros<f64>({32, 32}));
#endif

  // Reductions and the like.
#if FAIL == __LINE__   // expect: sum
  auto y = sum(r < n, 0);
#endif
#if FAIL == __LINE__   // expect: sum
  auto y = sum(p + r, 0);
#endif
#if FAIL == __LINE__   // expect: max
  auto y = max(r < n, 0);
#endif
#if FAIL == __LINE__   // expect: argmax
  auto y = argmax(cast<e4m3>(x), 0);
#endif
#if FAIL == __LINE__   // expect: any
  auto y = any(r, 0);
#endif
#if FAIL == __LINE__   // expect: xor_sum
  auto y = xor_sum(x, 0);
#endif
#if FAIL == __LINE__   // expect: cumsum
  auto y = cumsum(r < n, 0);
#endif
#if FAIL == __LINE__   // expect: combine
  auto y = reduce(x, 0, [](auto a, auto) { return cast<i32>(a); });
#endif
#if FAIL == __LINE__   // expect: histogram
  auto y = histogram(x, 8);
#endif
#if FAIL == __LINE__   // expect: the index of gather is a tensor of i32 or i64
  auto y = gather(x, x, 0);
#endif

  // Loops and branches.
#if FAIL == __LINE__   // expect: the bounds and the step of a range have one type
  for (auto i : range(n, wide))
    store(q, cast<i32>(i));
#endif
#if FAIL == __LINE__   // expect: a range counts in i32, i64 or u32
  for (auto i : range(x))
    store(q, cast<i32>(i));
#endif
#if FAIL == __LINE__   // expect: a bound of a range is an integer
  for (auto i : range(0, n, 0.5))
    store(q, i);
#endif
#if FAIL == __LINE__   // expect: condition
  if_(n, [&] { store(q, n); });
#endif
#if FAIL == __LINE__   // expect: condition
  TILE_IF (n) {
    store(q, n);
  }
#endif
#if FAIL == __LINE__   // expect: condition
  while_([&] { return n; }, [&] { n -= 1; });
#endif

  // Facts and debugging.
#if FAIL == __LINE__   // expect: assume_divisible
  auto y = assume_divisible(x, 16);
#endif
#if FAIL == __LINE__   // expect: assume_range
  auto y = assume_range(x, 0, 1);
#endif
#if FAIL == __LINE__   // expect: condition
  device_assert(n, "positive");
#endif
#if FAIL == __LINE__   // expect: condition
  assume(n);
#endif
#if FAIL == __LINE__   // expect: seed
  auto y = rand(x, r);
#endif

  store(p + r, load(p + r, r < n) + x + cast<f32>(load(h + r)), r < n);
  store(g, load(h));
  store(q, cast<i32>(wide));
  store(p, sum(dot(square, square), all_axes));
}

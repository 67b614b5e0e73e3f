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
#if FAIL == __LINE__   // expect: than the pointers it is written through, f32 and f16: convert it with
  store(g + r, x, r < n);
#endif
#if FAIL == __LINE__   // expect: the value has another element type than the pointers
  store(q, wide);
#endif
#if FAIL == __LINE__   // expect: the value has another element type than the pointers
  store(p, n > 0);
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  store(q, 0.5f);
#endif
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  auto y = load(p + r, r);
#endif
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  store(p + r, x, n);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = load(p + r, r < n, zeros<f16>({cfg.m}));
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  auto y = load(q + r, r < n, 0.5);
#endif

  // Atomics.
#if FAIL == __LINE__   // expect: store through Ptr<const T>
  atomic_add(h, 1.0f);
#endif
#if FAIL == __LINE__   // expect: atomic_add works on integers of 32 and 64 bits
  atomic_add(b, 1);
#endif
#if FAIL == __LINE__   // expect: atomic_max works on integers of 32 and 64 bits
  atomic_max(g, 1.0f);
#endif
#if FAIL == __LINE__   // expect: atomic_and works on integers of 32 and 64 bits
  atomic_and(p, 1.0f);
#endif
#if FAIL == __LINE__   // expect: the value has another element type than the pointers
  atomic_add(p, n);
#endif
#if FAIL == __LINE__   // expect: atomic_cas works on numbers of 16, 32 and 64 bits
  atomic_cas(b, 0, 1);
#endif

  // Descriptors.
#if FAIL == __LINE__   // expect: the value has another element type than the pointers
  auto d = descriptor(g, {n, 64}, {64, 1}, {64, 64});
  d.store({n, n}, zeros<f32>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: store through Ptr<const T>
  auto d = descriptor(h, {n, 64}, {64, 1}, {64, 64});
  d.store({n, n}, zeros<f16>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: add works on integers of 32 and 64 bits
  auto d = descriptor(b, {n, 64}, {64, 1}, {64, 64});
  d.add({n, n}, zeros<i8>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: min works on integers of 32 and 64 bits
  auto d = descriptor(b, {n, 64}, {64, 1}, {64, 64});
  d.min({n, n}, zeros<i8>({64, 64}));
#endif
#if FAIL == __LINE__   // expect: bit_and works on integers of 32 and 64 bits
  auto d = descriptor(p, {n, 64}, {64, 1}, {64, 64});
  d.bit_and({n, n}, zeros<f32>({64, 64}));
#endif

  // Products.
#if FAIL == __LINE__   // expect: the operands of dot have different element types, f16 and bf16: convert one
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
#if FAIL == __LINE__   // expect: this reduction works on numbers; fp8 types are for storage
  auto y = sum(cast<e4m3>(x), 0);
#endif
#if FAIL == __LINE__   // expect: this reduction works on numbers
  auto y = sum(p + r, 0);
#endif
#if FAIL == __LINE__   // expect: this reduction works on integers and on f16, bf16, f32 and f64
  auto y = max(r < n, 0);
#endif
#if FAIL == __LINE__   // expect: this reduction works on integers and on f16, bf16, f32 and f64
  auto y = argmax(cast<e4m3>(x), 0);
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  auto y = any(r, 0);
#endif
#if FAIL == __LINE__   // expect: bit operations work on integers and conditions
  auto y = xor_sum(x, 0);
#endif
#if FAIL == __LINE__   // expect: this reduction works on numbers; fp8 types are for storage
  auto y = cumsum(cast<e5m2>(x), 0);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = reduce(x, 0, [](auto a, auto) { return cast<i32>(a); });
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  auto y = histogram(x, 8);
#endif
#if FAIL == __LINE__   // expect: the index of gather is a tensor of i32 or i64
  auto y = gather(x, x, 0);
#endif

#if FAIL == __LINE__   // expect: sort and topk work on integers and on f16, bf16, f32 and f64
  auto y = argsort(r < n);
#endif

  // Axes, extents and counts are integers of the host.
#if FAIL == __LINE__   // expect: the larger and the smaller of two values are tile::maximum(a, b)
  auto y = max(x, 0.0f);
#endif
#if FAIL == __LINE__   // expect: the larger and the smaller of two values are tile::maximum(a, b)
  auto y = min(x, x);
#endif
#if FAIL == __LINE__   // expect: of two values are tile::maximum(a, b)
  auto y = max(0.0f, x);
#endif
#if FAIL == __LINE__   // expect: an axis is an integer of the host or tile::all_axes
  auto y = sum(x, 0.9);
#endif
#if FAIL == __LINE__   // expect: an axis is an integer of the host or tile::all_axes
  auto y = sum(x, true);
#endif
#if FAIL == __LINE__   // expect: an axis is an integer of the host or tile::all_axes
  auto y = cumsum(x, n);
#endif
#if FAIL == __LINE__   // expect: an axis is an integer of the host or tile::all_axes
  auto y = sum(x, KeepDims::yes);
#endif
#if FAIL == __LINE__   // expect: sum takes an axis: sum(x, 0), or sum(x, tile::all_axes)
  auto y = sum(x);
#endif
#if FAIL == __LINE__   // expect: max takes an axis
  auto y = max(x);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = arange(0.5, 128.7);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = arange(0, n);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = program_id(0.7);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = num_programs(false);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = program_id('0');
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = zeros<f32>({cfg.m, 0.5 * cfg.m});
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = zeros<f32>({n, 64});
#endif
#if FAIL == __LINE__   // expect: this needs a list of integers
  auto y = zeros<f32>(128);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = permute(square, {true, false});
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = expand_dims(x, 0.0);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = squeeze(x, 1.0f);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = softmax(x, 0.5f);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = flip(x, true);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = gather(x, r, 0.25);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = topk(x, 2.5);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = histogram(r, 8.5);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = assume_divisible(n, 16.0);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  auto y = assume_range(n, 0, 1e9);
#endif
#if FAIL == __LINE__   // expect: this needs an integer of the host
  for (auto i : range(n).stages(2.5))
    store(q, i);
#endif
#if FAIL == __LINE__   // expect: an extent, stride or coordinate is an i32, an i64 or an integer of the host
  auto y = descriptor(g, {n, 64}, {64, 1}, {64, 64}).load({0.5, 0});
#endif
#if FAIL == __LINE__   // expect: a counter of random numbers is a tensor of i32 or u32
  auto y = rand(7, 0.5);
#endif

  // Loops and branches.
#if FAIL == __LINE__   // expect: the bounds and the step of a range have one type
  for (auto i : range(cast<u32>(n), wide))
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
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  if_(n, [&] { store(q, n); });
#endif
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  TILE_IF (n) {
    store(q, n);
  }
#endif
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  while_([&] { return n; }, [&] { n -= 1; });
#endif

  // Facts and debugging.
#if FAIL == __LINE__   // expect: assume_divisible works on integers and pointers
  auto y = assume_divisible(x, 16);
#endif
#if FAIL == __LINE__   // expect: assume_range works on integers
  auto y = assume_range(x, 0, 1);
#endif
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  device_assert(n, "positive");
#endif
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  assume(n);
#endif
#if FAIL == __LINE__   // expect: print takes a text before the values
  print(x);
#endif
#if FAIL == __LINE__   // expect: print_hex takes a text before the values
  print_hex(n, x);
#endif
#if FAIL == __LINE__   // expect: nodiscard
  assume_divisible(n, 16);
#error it is a warning
#endif
#if FAIL == __LINE__   // expect: nodiscard
  load(p + r);
#error it is a warning
#endif
#if FAIL == __LINE__   // expect: a seed is an Int64
  auto y = rand(x, r);
#endif

  store(p + r, load(p + r, r < n) + x + cast<f32>(load(h + r)), r < n);
  store(g, load(h));
  store(q, cast<i32>(wide));
  store(p, sum(dot(square, square), all_axes));
}

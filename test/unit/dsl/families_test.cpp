// SPDX-License-Identifier: MIT
// Every family of operations traces to IR that verifies, with the operation that it is about.
#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tile;
using testing::HasSubstr;
using testing::Not;

namespace {

struct None {};

template <auto Fn> std::string traced() {
  TextOptions options;
  options.locations = false;
  return Kernel<Fn>{.name = "k"}.trace({}).text(options);
}

void integers(Ptr<i32> p, Ptr<u32> q, Int n, const None &) {
  auto i = arange(0, 16);
  auto x = load(p + i);
  auto y = load(q + i);
  store(p + i,
        x / n + x % 7 + (x << 3) + (x >> n) - -x + ~x + abs(x) + cdiv(x, 4) + cdiv(n, x) + mulhi(x, n));
  store(q + i,
        y / 5 + y % y + (y >> 40u % 32) + mulhi(y, y) + maximum(y, 3u) + cast<u32>(x) + clamp(y, 1, 9));
}
TEST(Families, Integers) {
  std::string s = traced<&integers>();
  for (const char *op : {"tile.divsi", "arith.remsi", "arith.shli", "tile.shrsi", "math.absi",
                         "arith.ceildivsi", "tile.ceildivsi", "tile.mulhisi", "arith.divui", "tile.remui",
                         "arith.shrui", "tile.mulhiui", "arith.maxui"})
    EXPECT_THAT(s, HasSubstr(op));
}

void floats(Ptr<f32> p, Ptr<f16> h, Ptr<e4m3> e, Ptr<f64> d, const None &) {
  auto i = arange(0, 16);
  auto x = load(p + i);
  auto y = exp(x) + exp2(x) + log(x) + log2(x) + sqrt(x) + rsqrt(x) + sin(x) + cos(x) + tanh(x) + erf(x) +
           floor(x) + ceil(x) + sigmoid(x) + relu(x) + sqrt_approx(x) + fdiv_approx(x, 3.0f) +
           fma(x, 2.0f, x) + abs(x) + maximum(x, 0.0f, Nan::propagate) + minimum(1.0f, x) + clamp(x, -1, 1) +
           softmax(x, 0) + x % 2.0f + -x;
  store(p + i, y);
  auto z = load(h + i);
  store(h + i, sigmoid(z) + softmax(z, -1) + cast<f16>(y, Rounding::toward_zero) / z);
  store(e + i, cast<e4m3>(y));
  store(e + i, -abs(load(e + i)));
  store(d + i, cast<f64>(x) * 0.1 + cast<f64>(i) + cast<f64>(x > 0));
  store(p + i, cast<f32>(cast<i64>(y)) + cast<f32>(cast<u8>(y)) + bitcast<f32>(bitcast<i32>(y)), x != x);
}
TEST(Families, Floats) {
  std::string s = traced<&floats>();
  for (const char *op :
       {"math.exp ", "math.exp2", "math.rsqrt", "math.erf", "math.fma", "fastmath<afn>", "fastmath<arcp>",
        "tile.maximum", "nan = propagate", "tile.clamp", "tile.reduce", "rounding = rtz", "f8E4M3FN",
        "tile.fptosi", "tile.fptoui", "arith.bitcast", "cmpf une", "arith.negf", "arith.remf"})
    EXPECT_THAT(s, HasSubstr(op));
}

void shapes(Ptr<f32> p, Ptr<f32 *> pp, const None &) {
  auto i = arange(0, 32);
  auto x = load(p + i);
  auto m = reshape(x, {4, 8});
  auto t = trans(m);
  auto [a, b] = split(reshape(x, {16, 2}));
  auto j = interleave(a, b) + ravel(t) + ravel(permute(reshape(x, {2, 4, 4}), {2, 0, 1}));
  j += squeeze(expand_dims(j, -1), 1) + flip(j) + reshape_any_order(t, {32});
  j += gather(j, i, 0) + ravel(join(a, b)) + ravel(broadcast_to(expand_dims(a, 0), {2, 16}));
  j += ravel(x(none, all, none) + zeros<f32>({1, 32, 1})) + full<f32>({32}, 2) + full_like(x, 3) +
       zeros_like(x);
  store(p + i, j);
  Float s =
      squeeze(sum(m, all_axes, KeepDims::yes)(all, all, none), 0)(none, all, all).rank() == 3 ? 1.0f : 2.0f;
  store(load(pp), s);
}
TEST(Families, Shapes) {
  std::string s = traced<&shapes>();
  for (const char *op : {"tile.reshape", "tile.permute", "[2, 0, 1]", "tile.join", "tile.split", "any_order",
                         "tile.gather", "tile.broadcast", "tile.expand_dims", "!tile.ptr<!tile.ptr<f32>>"})
    EXPECT_THAT(s, HasSubstr(op));
}

void reductions(Ptr<f16> p, Ptr<i8> q, Ptr<i32> out, const None &) {
  auto i = arange(0, 8)(all, none) * 16 + arange(0, 16)(none, all);
  auto x = load(p + i);
  auto y = load(q + i);
  Tensor<i32> small = sum(y, 1);
  store(out + arange(0, 8), small + argmax(x, 1) + argmin(x, -1, Nan::propagate) + cast<i32>(max(y, 1)));
  auto [v, at] = max_with_index(x, all_axes);
  store(out, at + sum(y, all_axes) + cast<i32>(any(x > 0, all_axes) & all_of(x < v, all_axes)));
  store(p + i, cumsum(x, 0) + cumprod(x, 1, Reverse::yes) + cummax(x, 0) + sum(x, 0, KeepDims::yes));
  store(q + i, xor_sum(y, 0, KeepDims::yes) ^ y);
  store(p + arange(0, 16), reduce(x, 0, [](auto a, auto b) { return a * b + 1; }));
  auto [n, mean] = reduce(std::tuple{cast<f32>(y), cast<f32>(x)}, 1, [](auto a, auto b) {
    auto [an, am] = a;
    auto [bn, bm] = b;
    return std::tuple{an + bn, where(an > bn, am, bm)};
  });
  store(p + arange(0, 8), cast<f16>(n + mean));
  auto scanned = associative_scan(std::tuple{x, y}, 1, [](auto a, auto b) {
    return std::tuple{std::get<0>(a) + std::get<0>(b), std::get<1>(b)};
  });
  store(p + i, std::get<0>(scanned));
}
TEST(Families, Reductions) {
  std::string s = traced<&reductions>();
  for (const char *op :
       {"tile.reduce", "tile.scan", "reverse", "tile.yield", "arith.xori", "-> tensor<8xi32>"})
    EXPECT_THAT(s, HasSubstr(op));
}

void descriptors(Ptr<const f16> p, Ptr<f32> q, Int m, Int64 n, const None &) {
  auto d = descriptor(p, {m, n}, {n, 1}, {16, 32}, Padding::nan);
  auto o = descriptor(q, {2, m, n}, {m, n, 1}, {1, 16, 32});
  for (auto k : range(m)) {
    auto x = cast<f32>(d.load({k, 3}));
    o.store({0, k, 5}, x);
    o.add({0, k, 5}, o.load_reduced({0, k, 0}));
    d = descriptor(p, {m, n}, {n, 1}, {16, 32}, Padding::nan);
  }
}
TEST(Families, Descriptors) {
  std::string s = traced<&descriptors>();
  for (const char *op :
       {"tile.make_descriptor", "padding = nan", "tile.descriptor_load", "tile.descriptor_store",
        "tile.descriptor_reduce fadd", "<1x16x32xf32>", "iter_args"})
    EXPECT_THAT(s, HasSubstr(op));
}

void atomics(Ptr<i32> p, Ptr<u32> u, Ptr<f16> h, Ptr<f32> f, const None &) {
  auto i = arange(0, 16);
  auto old = atomic_add(p + i, 1, i < 3, Order::relaxed, Scope::cta);
  atomic_max(u + i, 3);
  atomic_min(f + i, 0.5f, i < 2);
  atomic_add(h + i, 0.5f);
  atomic_xor(p, atomic_xchg(p, 4));
  store(p + i, old + atomic_cas(p + i, old, 3, Order::acquire));
}
TEST(Families, Atomics) {
  std::string s = traced<&atomics>();
  for (const char *op :
       {"atomic_rmw add", "ordering = relaxed scope = cta", "atomic_rmw umax", "atomic_rmw fmin",
        "atomic_rmw fadd", "atomic_rmw xor", "atomic_rmw xchg", "tile.atomic_cas"})
    EXPECT_THAT(s, HasSubstr(op));
}

void others(Ptr<f32> p, Ptr<i32> q, Int n, Int64 seed, const None &) {
  auto i = arange(0, 16);
  auto x = rand(seed, i) + randn(42, i + n) + rand4x(seed, i)[3] + randn4x(seed, 7)[2];
  store(p + i, sort(x, Descending::yes));
  store(p + arange(0, 4), topk(x, 4));
  store(q + i, sort(i) + cast<i32>(randint(seed, i)));
  store(q + arange(0, 8), histogram(i, 8) + histogram(i, 8, i < 3));
  n = assume_range(assume_divisible(n, 16), 0, 1 << 20);
  i = assume_contiguous(assume_constant(i, 1), 16);
  p = assume_divisible(p, 16);
  assume(n > 0);
  assume_apart(p, q);
  device_assert(i < n, "in range");
  device_assert(i < n, "in range", i > 2);
  print("x", x, i);
  print_hex("bits", x, cast<u32>(i));
  barrier();
  auto [a, b] = swizzle2d(program_id(0), program_id(1), n, num_programs(1), 8);
  store(q + a, b, n > 1, {.cache = Cache::cs, .evict = Evict::first});
  store(q, load(q + 1, {.is_volatile = true}));
  store(q, load(q + 1, n > 3, 7, {.cache = Cache::cg, .evict = Evict::last}), n < 0);
  store(q, cast<i32>(bitcast<i64>(q + 1)) + cast<i32>(p == p + 1));
}
TEST(Families, RandomSortingDebugging) {
  std::string s = traced<&others>();
  for (const char *op :
       {"tile.philox", "tile.histogram", "divisible = 16", "range = ", "contiguous = 16", "tile.assume_true",
        "tile.assume_apart", "tile.assert", "tile.print \"x\"", "hex", "unsigned_operands", "tile.barrier",
        "cache = cs evict = first", "volatile", "cache = cg evict = last", "tile.ptr_to_int"})
    EXPECT_THAT(s, HasSubstr(op));
}

void products(Ptr<f16> a, Ptr<e4m3> e, Ptr<i8> b, Ptr<u8> u, Ptr<f32> c, const None &) {
  auto i = arange(0, 32)(all, none) * 32 + arange(0, 32)(none, all);
  auto x = load(a + i), h = dot<f16>(x, x);
  store(c + i, dot(cast<f32>(x), load(c + i), load(c + i), {.precision = Precision::ieee}));
  store(c + i, dot(load(e + i), cast<e5m2>(x), {.max_imprecise_acc = 32}) + cast<f32>(h));
  Tensor<i32> n = dot(load(b + i), load(u + i));
  store(c + i, cast<f32>(n) + dot(x, x));
  auto batch = reshape(load(c + i), {2, 16, 32});
  store(c + reshape(arange(0, 512), {2, 16, 16}), dot(batch, trans(batch)));
}
TEST(Families, Products) {
  std::string s = traced<&products>();
  for (const char *op : {"precision = ieee", "max_imprecise_acc = 32", "unsigned_b", "f8E5M2",
                         "tensor<32x32xf16>", "tensor<2x16x16xf32>"})
    EXPECT_THAT(s, HasSubstr(op));
}

void control(Ptr<i32> out, Int n, Tensor<u32> u, Int64 w, Dynamic<Int> z, Bool flag, Float scale,
             const None &) {
  Int i = 0, steps = 0;
  while_([&] { return i < n; },
         [&] {
           TILE_IF (i % 2 == 0) {
             steps += 1;
           } else {
             steps = steps + 2;
           }
           if_(steps > 10, [&] { i += n; });
           i += where(n > 100, Int(2), 1);
         });
  for (auto k : range(n, 0, -2).unroll(2))
    steps += k;
  for (auto k : range(u))
    steps += cast<i32>(k);
  for (auto k : range(u, 3u, -1))
    steps += cast<i32>(k);
  for (auto k : range(w, 1ll << 40).stages(2))
    steps += cast<i32>(k);
  for (auto k : range(0, 16, 4))
    steps += k;
  for (auto k : range(n, n, z))
    steps += k;
  TILE_IF (flag) {
    store(out, steps, !(i == 0));
  }
  z += 1;
  store(out, z + cast<i32>(scale));
}
TEST(Families, ControlFlow) {
  std::string s = traced<&control>();
  for (const char *op :
       {"scf.while", "scf.if", "tile.unroll = 2", "unsigned", "tile.num_stages = 2", "-> (i32, i32)"})
    EXPECT_THAT(s, HasSubstr(op));
}

}   // namespace

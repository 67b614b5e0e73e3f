// SPDX-License-Identifier: MIT
// Operators whose operands do not go together, and device values where only host values can stand.

#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

using namespace tile;

struct Sizes {
  int m = 128;
};

void kernel([[maybe_unused]] Ptr<f32> p, [[maybe_unused]] Ptr<const f16> h, [[maybe_unused]] Ptr<i32> q,
            Int n, Int64 wide, const Sizes &cfg) {
  auto r = arange(0, cfg.m);
  auto x = zeros<f32>({cfg.m});
  auto half = zeros<f16>({cfg.m});
  auto quarter = zeros<e4m3>({cfg.m});
  Bool yes = n > 0;
  if (cfg.m > 64)
    r += 1;   // a host condition is fine

  // What widens by itself, i32 to i64, is no mistake.
  Int64 far = n;
  far = n;
  far += n * wide - n / wide + minimum(n, wide) + cdiv(wide, n) + (n << wide) + (wide & n);
  far = where((n < wide) & (wide == n), n, wide);
  store(p + r * wide, 0.0f);

  // Host control flow over device values.
#if FAIL == __LINE__   // expect: this condition is known on the device only
  if (r < n)
    r += 1;
#endif
#if FAIL == __LINE__   // expect: this condition is known on the device only
  auto both = (r < n) && (r > 0);
#endif
#if FAIL == __LINE__   // expect: this condition is known on the device only
  auto either = yes || n > 5;
#endif
#if FAIL == __LINE__   // expect: this condition is known on the device only
  int chosen = n > 5 ? 1 : 2;
#endif
#if FAIL == __LINE__   // expect: this condition is known on the device only
  while (n > 0)
    n -= 1;
#endif
#if FAIL == __LINE__   // expect: this condition is known on the device only
  for (Int i = 0; i < n; i += 1)
    store(q + i, i);
#endif
#if FAIL == __LINE__   // expect: ! works on conditions: write x == 0
  auto none_left = !n;
#endif

  // Element types.
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = x + r;
#endif
#if FAIL == __LINE__   // expect: different element types do not combine, f16 and f32: convert one with
  auto y = half * x;
#endif
#if FAIL == __LINE__   // expect: different element types do not combine, f32 and i32: convert one with
  x += r;
#endif
#if FAIL == __LINE__   // expect: here f16 to f32: write tile::cast<tile::f32>(x)
  x = half;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = wide - cast<u32>(n);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = x / half;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = cast<u32>(r) % r;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = half < x;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = cast<u32>(n) >= n;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = yes == n;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = wide & cast<u64>(n);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = cast<i16>(n) << wide;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  x += half;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  n *= wide;
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = where(yes, x, half);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = minimum(cast<u32>(n), wide);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = clamp(x, half, 1.0f);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = fma(x, x, half);
#endif
#if FAIL == __LINE__   // expect: two tensors of different element types do not combine
  auto y = cdiv(wide, cast<i8>(n));
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  Int narrow_one = wide;
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  Tensor<u64> wide_one = n;
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  x = half;
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  Tensor<f32> y = n;
#endif

  // Literals.
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  auto y = n + 0.5f;
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  auto y = 2.0 * r;
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  auto y = r < 0.5;
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  n = 1.5;
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert to an integer tensor
  Int y = 2.5f;
#endif
#if FAIL == __LINE__   // expect: only true and false convert to a tensor of conditions
  auto y = yes & 1;
#endif
#if FAIL == __LINE__   // expect: only true and false convert to a tensor of conditions
  Bool y = 0;
#endif
#if FAIL == __LINE__   // expect: a number does not convert to a pointer
  Ptr<f32> y = 0;
#endif

#if FAIL == __LINE__   // expect: true and false are conditions
  auto y = n + true;
#endif
#if FAIL == __LINE__   // expect: true and false are conditions
  auto y = full<f32>({64}, false);
#endif

  // Values that are not there yet.
#if FAIL == __LINE__   // expect: a device value needs an initial value: write Int i = 0
  Tensor<f32> y;
#endif
#if FAIL == __LINE__   // expect: a device value needs an initial value: write Int i = 0
  Int counters[4];
#endif
#if FAIL == __LINE__   // expect: a device value has no ++ and --: write k += 1
  ++n;
#endif
#if FAIL == __LINE__   // expect: a device value has no ++ and --: write k += 1
  n++;
#endif
#if FAIL == __LINE__   // expect: a device value has no ++ and --: write k += 1
  --wide;
#endif
#if FAIL == __LINE__   // expect: a device value has no number while tracing: tile::cast<tile::f32>(x)
  auto y = float(n);
#endif
#if FAIL == __LINE__   // expect: a device value has no number while tracing: tile::cast<tile::f32>(x)
  auto y = static_cast<int>(wide);
#endif
#if FAIL == __LINE__   // expect: for (auto i : tile::range(n)) for a loop
  for (int i = 0; i < n; ++i)
    store(q + i, i);
#endif

  // Elements and axes.
#if FAIL == __LINE__   // expect: elements are read and written through pointers: tile::load(p + i)
  p[r] = x;
#endif
#if FAIL == __LINE__   // expect: elements are read and written through pointers: tile::load(p + i)
  auto y = x[0];
#endif
#if FAIL == __LINE__   // expect: elements are read and written through pointers: tile::load(p + i)
  auto y = x[n] + 1;
#endif
#if FAIL == __LINE__   // expect: a subscript names axes: all is an existing axis, none a new one
  auto y = x[0, all];
#endif

  // Kinds of elements.
#if FAIL == __LINE__   // expect: conditions do not take part in arithmetic
  auto y = yes + yes;
#endif
#if FAIL == __LINE__   // expect: conditions do not take part in arithmetic
  auto y = -yes;
#endif
#if FAIL == __LINE__   // expect: only == and != compare pointers and conditions
  auto y = yes < yes;
#endif
#if FAIL == __LINE__   // expect: fp8 types are for storage, conversion and dot
  auto y = quarter + quarter;
#endif
#if FAIL == __LINE__   // expect: fp8 types are for storage, conversion and dot
  auto y = quarter * 2.0f;
#endif
#if FAIL == __LINE__   // expect: fp8 types are for storage, conversion and dot
  auto y = quarter < quarter;
#endif
#if FAIL == __LINE__   // expect: fp8 types are for storage, conversion and dot
  auto y = maximum(quarter, quarter);
#endif
#if FAIL == __LINE__   // expect: bit operations work on integers and conditions
  auto y = x & x;
#endif
#if FAIL == __LINE__   // expect: bit operations work on integers and conditions
  auto y = ~x;
#endif
#if FAIL == __LINE__   // expect: this operator works on integers only
  auto y = x << 1;
#endif
#if FAIL == __LINE__   // expect: this operator works on integers only
  auto y = yes >> yes;
#endif
#if FAIL == __LINE__   // expect: cdiv works on integers
  auto y = cdiv(x, x);
#endif
#if FAIL == __LINE__   // expect: mulhi works on integers
  auto y = mulhi(x, 2.0f);
#endif
#if FAIL == __LINE__   // expect: fma works on f16, bf16, f32 and f64
  auto y = fma(n, n, n);
#endif
#if FAIL == __LINE__   // expect: exp works on f16, bf16, f32 and f64
  auto y = exp(n);
#endif
#if FAIL == __LINE__   // expect: sqrt works on f16, bf16, f32 and f64
  auto y = sqrt(quarter);
#endif
#if FAIL == __LINE__   // expect: abs works on integers and floats
  auto y = abs(yes);
#endif
#if FAIL == __LINE__   // expect: softmax works on f16, bf16, f32 and f64
  auto y = softmax(r, 0);
#endif
#if FAIL == __LINE__   // expect: a condition or mask is a tensor of i1
  auto y = where(r, x, 0.0f);
#endif
#if FAIL == __LINE__   // expect: one of the two values of where must be a tensor: write tile::constant
  auto y = where(r < n, 1.0f, 0.0f);
#endif
#if FAIL == __LINE__   // expect: pow works on f16, bf16, f32 and f64
  auto y = pow(n, 2);
#endif
#if FAIL == __LINE__   // expect: rint works on f16, bf16, f32 and f64
  auto y = rint(n);
#endif
#if FAIL == __LINE__   // expect: isnan works on f16, bf16, f32 and f64
  auto y = isnan(quarter);
#endif

  // Pointers.
#if FAIL == __LINE__   // expect: a pointer's offset is a tensor of i32, i64 or u32
  auto y = p + x;
#endif
#if FAIL == __LINE__   // expect: a pointer's offset is a tensor of i32, i64 or u32
  auto y = p + cast<i16>(r);
#endif
#if FAIL == __LINE__   // expect: a floating-point literal does not convert
  auto y = p + 1.5;
#endif
#if FAIL == __LINE__   // expect: this operator does not work on two pointers
  auto y = p + p;
#endif
#if FAIL == __LINE__   // expect: this operator does not work on two pointers
  auto y = p - p;
#endif
#if FAIL == __LINE__   // expect: only == and != compare pointers and conditions
  auto y = p < p;
#endif
#if FAIL == __LINE__   // expect: pointers of different element types
  auto y = p == q;
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  Ptr<i32> y = p;
#endif
#if FAIL == __LINE__   // expect: a value of another element type does not convert by itself
  Ptr<f16> y = h;      // would drop const
#endif

  // Conversions.
#if FAIL == __LINE__   // expect: a pointer does not convert to a number
  auto y = cast<i64>(p);
#endif
#if FAIL == __LINE__   // expect: a pointer does not convert to a number
  auto y = cast<f32 *>(wide);
#endif
#if FAIL == __LINE__   // expect: bitcast keeps the bits, so both types have the same width
  auto y = bitcast<i16>(x);
#endif
#if FAIL == __LINE__   // expect: bitcast keeps the bits, so both types have the same width
  auto y = bitcast<i32>(p);
#endif
#if FAIL == __LINE__   // expect: a rounding can be given only for conversions between floating-point types
  auto y = cast<i32>(x, Rounding::toward_zero);
#endif

  store(p + r, where(r < n, x, 0.0f) + cast<f32>(half) + cast<f32>(quarter));
  store(q, where(yes, n, 0) + cast<i32>(wide));
}

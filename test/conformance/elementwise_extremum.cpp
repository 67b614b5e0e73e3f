// SPDX-License-Identifier: MIT
// EL12, EL13 and EL15: extrema with their NaN rule, exact division and square root, and the
// operations of three operands or double width.
#include "context.h"
#include "families.h"
#include "types.h"

#include <cmath>

namespace tile::conformance {

namespace {

enum class Extremum { minimum, maximum, clamp, minimum_literal, maximum_literal, clamp_literals };
constexpr Extremum extrema[] = {Extremum::minimum,         Extremum::maximum,
                                Extremum::clamp,           Extremum::minimum_literal,
                                Extremum::maximum_literal, Extremum::clamp_literals};
const char *name_of(Extremum op) {
  static const char *const names[] = {"minimum",         "maximum",         "clamp",
                                      "minimum_literal", "maximum_literal", "clamp_literals"};
  return names[static_cast<int>(op)];
}

struct ExtremumConfig {
  Extremum op = Extremum::minimum;
  bool propagate = false;
  int n = 512;
};

template <class T> void extremum(Ptr<const T> x, Ptr<const T> y, Ptr<const T> w, Ptr<T> z,
                                 const ExtremumConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Nan rule = cfg.propagate ? Nan::propagate : Nan::ignore;
  const Tensor<T> a = load(x + i), b = load(y + i), c = load(w + i);
  switch (cfg.op) {
  case Extremum::minimum:
    return store(z + i, minimum(a, b, rule));
  case Extremum::maximum:
    return store(z + i, maximum(a, b, rule));
  case Extremum::clamp:
    return store(z + i, clamp(a, b, c, rule));
  case Extremum::minimum_literal:
    return store(z + i, minimum(a, 2, rule));
  case Extremum::maximum_literal:
    return store(z + i, maximum(a, 2, rule));
  case Extremum::clamp_literals:
    return store(z + i, clamp(a, 1, 3, rule));
  }
}

using ExtremumLauncher = void (*)(Context &, const ExtremumConfig &, const Memory &, const Memory &,
                                  const Memory &, const Memory &);
template <class T>
void launch_extremum(Context &t, const ExtremumConfig &cfg, const Memory &x, const Memory &y, const Memory &w,
                     const Memory &z) {
  t.run<&extremum<T>>(cfg, {1}, {x, y, w, z});
}

// One element as a number with a sign of zero; the greater of two by the language's order.
long double pick(bool maximum, bool propagate, long double a, long double b) {
  if (std::isnan(a) || std::isnan(b))
    return propagate ? a + b : std::isnan(a) ? b : a;
  if (a == b)   // -0 < +0
    return std::signbit(a) == maximum ? b : a;
  return (a > b) == maximum ? a : b;
}

void check_extremum(Context &t, ExtremumLauncher launch, ElementType type, Extremum op, bool propagate) {
  for (Inputs kind : all_inputs) {
    t.section(std::string("inputs=") + name_of(kind));
    const std::size_t n = 512;
    const Array x = t.numbers(type, n, kind), y = t.numbers(type, n, kind), w = t.numbers(type, n, kind);
    Memory &in_x = t.input(x), &in_y = t.input(y), &in_w = t.input(w), &out = t.output(type, n);
    launch(t, {op, propagate, static_cast<int>(n)}, in_x, in_y, in_w, out);
    Array expected(type, n);
    for (std::size_t i = 0; i < n; ++i) {
      long double result = x.real(i);
      switch (op) {
      case Extremum::minimum:
        result = pick(false, propagate, result, y.real(i));
        break;
      case Extremum::maximum:
        result = pick(true, propagate, result, y.real(i));
        break;
      case Extremum::minimum_literal:
        result = pick(false, propagate, result, 2);
        break;
      case Extremum::maximum_literal:
        result = pick(true, propagate, result, 2);
        break;
      case Extremum::clamp:
        result = pick(false, propagate, pick(true, propagate, result, y.real(i)), w.real(i));
        break;
      case Extremum::clamp_literals:
        result = pick(false, propagate, pick(true, propagate, result, 1), 3);
        break;
      }
      if (type.is_float())
        expected.set_real(i, result);
      else
        expected.set_integer(i, static_cast<Wide>(result));
    }
    t.exact(out, expected);
  }
}

enum class Exact { divide, square_root };
struct ExactConfig {
  Exact op = Exact::divide;
  int n = 65536;
};

void exact_form(Ptr<const f32> x, Ptr<const f32> y, Ptr<f32> z, const ExactConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Tensor<f32> a = load(x + i), b = load(y + i);
  if (cfg.op == Exact::divide)
    store(z + i, a / b);
  else
    store(z + i, sqrt(a));
}

void check_exact_form(Context &t, Exact op, bool subnormal_results) {
  const std::size_t n = 65536;
  Array x(element_type<f32>, n), y(element_type<f32>, n), expected(element_type<f32>, n);
  for (std::size_t i = 0; i < n; ++i) {
    x.set_bits(i, t.random()() & 0xFFFFFFFF);   // every exponent, subnormals, infinities, NaN
    y.set_bits(i, t.random()() & 0xFFFFFFFF);
    if (subnormal_results) {
      x.set_real(i, t.uniform(1, 2) * 0x1p-100L);
      y.set_real(i, t.uniform(1, 2) * std::ldexp(1.0L, static_cast<int>(t.between(26, 50))));
    }
    const auto a = static_cast<double>(x.real(i)), b = static_cast<double>(y.real(i));
    expected.set_real(i, op == Exact::divide ? a / b : std::sqrt(a));
  }
  Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output<f32>(n);
  t.run<&exact_form>({op}, {1}, {in_x, in_y, out});
  t.exact(out, expected);
}

enum class Other { multiply_high, ceiling_divide };
struct OtherConfig {
  Other op = Other::multiply_high;
};

template <class T> void other(Ptr<const T> x, Ptr<const T> y, Ptr<T> z, const OtherConfig &cfg) {
  const Int i = arange(0, 512);
  const Tensor<T> a = load(x + i), b = load(y + i);
  store(z + i, cfg.op == Other::multiply_high ? mulhi(a, b) : cdiv(a, b));
}

template <class T> void check_other(Context &t, Other op) {
  constexpr ElementType type = element_type<T>;
  for (Inputs kind : all_inputs) {
    t.section(std::string("inputs=") + name_of(kind));
    Array x = t.numbers(type, 512, kind), y = t.numbers(type, 512, kind), expected(type, 512);
    for (std::size_t i = 0; i < 512; ++i) {
      if (op == Other::ceiling_divide) {
        const Wide a = x.integer(i), b = y.integer(i) == 0 ? 1 : y.integer(i);   // as / has it
        expected.set_integer(i, a / b + (a % b != 0 && (a < 0) == (b < 0)));
      } else {
        const Wide a = x.integer(i), b = y.integer(i);
        // Unsigned products of 64 bits need the unsigned type.
        expected.set_integer(i, type.is_unsigned() ? static_cast<Wide>((static_cast<unsigned __int128>(a) *
                                                                        static_cast<unsigned __int128>(b)) >>
                                                                       type.bits())
                                                   : (a * b) >> type.bits());
      }
    }
    Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output(type, 512);
    t.run<&other<T>>({op}, {1}, {in_x, in_y, out});
    t.exact(out, expected);
  }
}

template <class T> void multiply_add(Ptr<const T> x, Ptr<const T> y, Ptr<const T> w, Ptr<T> z,
                                     const OtherConfig &) {
  const Int i = arange(0, 512);
  store(z + i, fma(load(x + i), load(y + i), load(w + i)));
}

template <class T> void check_multiply_add(Context &t) {
  constexpr ElementType type = element_type<T>;
  for (Inputs kind : all_inputs) {
    t.section(std::string("inputs=") + name_of(kind));
    const Array x = t.numbers(type, 512, kind), y = t.numbers(type, 512, kind),
                w = t.numbers(type, 512, kind);
    Array expected(type, 512);
    for (std::size_t i = 0; i < 512; ++i) {
      const auto a = static_cast<double>(x.real(i)), b = static_cast<double>(y.real(i));
      const auto c = static_cast<double>(w.real(i));
      if constexpr (std::is_same_v<T, f64>)
        expected.set_real(i, std::fma(a, b, c));
      else   // 16-bit types are computed in f32 and rounded once more
        expected.set_real(i, std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
    }
    Memory &in_x = t.input(x), &in_y = t.input(y), &in_w = t.input(w), &out = t.output(type, 512);
    t.run<&multiply_add<T>>({}, {1}, {in_x, in_y, in_w, out});
    t.exact(out, expected);
  }
}

}   // namespace

void add_extremum_cases(Suite &suite) {
  each(Types<f16, bf16, f32, i8, i16, i32, i64, u8, u16, u32, u64>{}, [&]<class T>() {
    for (Extremum op : extrema)
      for (bool propagate : {false, true})
        suite.add(
            "EL12/" + std::string(name_of(op)) + "/" + type_name<T>() +
                (propagate ? "/propagate" : "/ignore"),
            [=](Context &t) { check_extremum(t, &launch_extremum<T>, element_type<T>, op, propagate); });
  });
  suite.add("EL13/div/f32", [](Context &t) { check_exact_form(t, Exact::divide, false); });
  suite.add("EL13/div/f32/subnormal_results", [](Context &t) { check_exact_form(t, Exact::divide, true); });
  suite.add("EL13/sqrt/f32", [](Context &t) { check_exact_form(t, Exact::square_root, false); });
  each(Types<i32, u32, i64, u64>{}, [&]<class T>() {
    suite.add("EL15/mulhi/" + type_name<T>(), [](Context &t) { check_other<T>(t, Other::multiply_high); });
    suite.add("EL15/cdiv/" + type_name<T>(), [](Context &t) { check_other<T>(t, Other::ceiling_divide); });
  });
  each(Floats{}, [&]<class T>() { suite.add("EL15/fma/" + type_name<T>(), check_multiply_add<T>); });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// EL9-EL11: signs, complements, rounding to integers, and the functions of analysis.
#include "context.h"
#include "families.h"
#include "float_codes.h"
#include "types.h"

#include <cmath>
#include <limits>

namespace tile::conformance {

namespace {

enum class Unary { negate, complement, invert, abs, floor, ceil, trunc, round, rint };

struct UnaryConfig {
  Unary op = Unary::negate;
  int n = 128;
};

template <class T> void unary(Ptr<const T> x, Ptr<T> z, const UnaryConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Tensor<T> v = load(x + i);
  switch (cfg.op) {
  case Unary::negate:
    if constexpr (!is_bool<T>)
      store(z + i, -v);
    return;
  case Unary::complement:
    if constexpr (is_integer<T>)
      store(z + i, ~v);
    return;
  case Unary::invert:
    if constexpr (is_bool<T>)
      store(z + i, !v);
    return;
  case Unary::abs:
    if constexpr (!is_bool<T> && is_signed<T>)
      store(z + i, abs(v));
    return;
  case Unary::floor:
    if constexpr (is_float<T> && !is_fp8<T>)
      store(z + i, floor(v));
    return;
  case Unary::ceil:
    if constexpr (is_float<T> && !is_fp8<T>)
      store(z + i, ceil(v));
    return;
  case Unary::trunc:
    if constexpr (is_float<T> && !is_fp8<T>)
      store(z + i, trunc(v));
    return;
  case Unary::round:
    if constexpr (is_float<T> && !is_fp8<T>)
      store(z + i, round(v));
    return;
  case Unary::rint:
    if constexpr (is_float<T> && !is_fp8<T>)
      store(z + i, rint(v));
    return;
  }
}

using UnaryLauncher = void (*)(Context &, const UnaryConfig &, const Memory &, const Memory &);
template <class T> void launch_unary(Context &t, const UnaryConfig &cfg, const Memory &x, const Memory &z) {
  t.run<&unary<T>>(cfg, {1}, {x, z});
}

void apply(Unary op, const Array &x, Array &out, std::size_t i) {
  const ElementType type = x.type();
  if (type.is_float()) {
    const std::uint64_t sign = std::uint64_t{1} << (type.bits() - 1);
    switch (op) {
    case Unary::negate:
      return out.set_bits(i, x.bits(i) ^ sign);
    case Unary::abs:
      return out.set_bits(i, x.bits(i) & ~sign);
    case Unary::floor:
      return out.set_real(i, std::floor(x.real(i)));
    case Unary::trunc:
      return out.set_real(i, std::trunc(x.real(i)));
    case Unary::round:
      return out.set_real(i, std::round(x.real(i)));
    case Unary::rint:
      return out.set_real(i, std::nearbyint(x.real(i)));
    default:
      return out.set_real(i, std::ceil(x.real(i)));
    }
  }
  const Wide v = x.integer(i);
  switch (op) {
  case Unary::negate:
    return out.set_integer(i, -v);
  case Unary::complement:
    return out.set_integer(i, ~v);
  case Unary::invert:
    return out.set_integer(i, v == 0);
  default:
    return out.set_integer(i, v < 0 ? -v : v);
  }
}

void check_unary(Context &t, UnaryLauncher launch, ElementType type, Unary op) {
  for (Inputs kind : all_inputs) {
    t.section(std::string("inputs=") + name_of(kind));
    const std::size_t n = kind == Inputs::uniform ? 512 : 128;
    Array x = t.numbers(type, n, kind);
    if (type.is_fp8() && kind == Inputs::uniform)
      for (std::size_t i = 0; i < 256; ++i)
        x.set_bits(i, i);
    if (op >= Unary::floor && kind == Inputs::uniform)   // halves, and what is next to them
      for (std::size_t i = 0; i < n; i += 2) {
        x.set_real(i, static_cast<long double>(t.between(-40, 40)) / 2);
        x.set_bits(i, x.bits(i) + static_cast<std::uint64_t>(t.between(-1, 1)));
      }
    Memory &in = t.input(x), &out = t.output(type, n);
    launch(t, {op, static_cast<int>(n)}, in, out);
    Array expected(type, n);
    for (std::size_t i = 0; i < n; ++i)
      apply(op, x, expected, i);
    t.exact(out, expected);
    // Signs are bits: of a NaN too.
    if (type.is_float() && (op == Unary::negate || op == Unary::abs))
      t.require(out.read().bytes() == expected.bytes(),
                "negation and abs change the sign bit of a NaN, nothing else");
  }
}

template <class T> void add_unary(Suite &suite, const std::string &row, const char *name, Unary op) {
  suite.add(row + "/" + name + "/" + type_name<T>(),
            [=](Context &t) { check_unary(t, &launch_unary<T>, element_type<T>, op); });
}

enum class Function { exp, exp2, log, log2, log1p, expm1, sin, cos, sqrt, rsqrt, erf, tanh, sigmoid };
constexpr Function functions[] = {Function::exp,    Function::exp2,  Function::log, Function::log2,
                                  Function::log1p,  Function::expm1, Function::sin, Function::cos,
                                  Function::sqrt,   Function::rsqrt, Function::erf, Function::tanh,
                                  Function::sigmoid};
const char *name_of(Function f) {
  static const char *const names[] = {"exp", "exp2", "log",   "log2", "log1p", "expm1",  "sin",
                                      "cos", "sqrt", "rsqrt", "erf",  "tanh",  "sigmoid"};
  return names[static_cast<int>(f)];
}

struct FunctionConfig {
  Function f = Function::exp;
  int n = 512;
};

template <class T> Tensor<T> evaluate(Function f, const Tensor<T> &x) {
  switch (f) {
  case Function::exp:
    return exp(x);
  case Function::exp2:
    return exp2(x);
  case Function::log:
    return log(x);
  case Function::log2:
    return log2(x);
  case Function::log1p:
    return log1p(x);
  case Function::expm1:
    return expm1(x);
  case Function::sin:
    return sin(x);
  case Function::cos:
    return cos(x);
  case Function::sqrt:
    return sqrt(x);
  case Function::rsqrt:
    return rsqrt(x);
  case Function::erf:
    return erf(x);
  case Function::tanh:
    return tanh(x);
  case Function::sigmoid:
    return sigmoid(x);
  }
  throw std::logic_error("no such function");
}

template <class T> void function(Ptr<const T> x, Ptr<T> z, const FunctionConfig &cfg) {
  const Int i = arange(0, cfg.n);
  store(z + i, evaluate<T>(cfg.f, load(x + i)));
}

using FunctionLauncher = void (*)(Context &, const FunctionConfig &, const Memory &, const Memory &);
template <class T> void launch_function(Context &t, const FunctionConfig &cfg, const Memory &x,
                                        const Memory &z) {
  t.run<&function<T>>(cfg, {1}, {x, z});
}

long double evaluate(Function f, long double x) {
  switch (f) {
  case Function::exp:
    return std::exp(x);
  case Function::exp2:
    return std::exp2(x);
  case Function::log:
    return std::log(x);
  case Function::log2:
    return std::log2(x);
  case Function::log1p:
    return std::log1p(x);
  case Function::expm1:
    return std::expm1(x);
  case Function::sin:
    return std::sin(x);
  case Function::cos:
    return std::cos(x);
  case Function::sqrt:
    return std::sqrt(x);
  case Function::rsqrt:
    return 1 / std::sqrt(x);
  case Function::erf:
    return std::erf(x);
  case Function::tanh:
    return std::tanh(x);
  case Function::sigmoid:
    return 1 / (1 + std::exp(-x));
  }
  throw std::logic_error("no such function");
}

// The language's bounds for f32; f64 is held to a few units in the last place, the 16-bit types
// to f32's bound and one rounding.
Tolerance bound_of(Function f, Kind kind) {
  Tolerance bound;
  switch (f) {
  case Function::exp:
  case Function::tanh:
  case Function::log1p:
  case Function::expm1:
    bound = {.relative = 1e-5};
    break;
  case Function::sigmoid:
    bound = {.relative = 1e-5, .absolute = 0x1p-126};
    break;
  case Function::log:
  case Function::log2:
    bound = {.relative = 1e-6, .absolute = 1e-6};
    break;
  case Function::sin:
  case Function::cos:
    bound = {.relative = 0, .absolute = 1e-6};
    break;
  case Function::sqrt:
    bound = {};
    break;
  default:
    bound = {.relative = 1e-6};
    break;
  }
  switch (kind) {
  case Kind::F64:
    return f == Function::sqrt ? Tolerance{} : Tolerance{.relative = 1e-13, .absolute = 1e-15};
  case Kind::F16:
    return {.relative = bound.relative + 0x1p-11, .absolute = bound.absolute + 0x1p-25};
  case Kind::BF16:
    return {.relative = bound.relative + 0x1p-8, .absolute = bound.absolute + 0x1p-134};
  default:
    bound.absolute += 3e-45;
    return bound;   // two units of the subnormals
  }
}

Array function_inputs(Context &t, ElementType type, Function f, Inputs kind, std::size_t n) {
  Array x = t.numbers(type, n, kind);
  const bool periodic = f == Function::sin || f == Function::cos;
  const bool positive =
      f == Function::log || f == Function::log2 || f == Function::sqrt || f == Function::rsqrt;
  for (std::size_t i = 0; i < n; ++i) {
    // Between -1 and 1 and very near to 0, where the shorter 1 + x and exp(x) - 1 lose every digit.
    if (kind == Inputs::uniform && (f == Function::log1p || f == Function::expm1))
      x.set_real(i,
                 t.uniform(-1, 1) * std::pow(10.0L, static_cast<long double>(i % 2 ? 0 : -t.between(0, 12))));
    else if (kind == Inputs::uniform && periodic)
      x.set_real(i, t.uniform(-1024, 1024));
    else if (kind == Inputs::uniform && positive)
      x.set_real(i, std::fabs(x.real(i)) + 0.01L);
    else if (periodic && std::fabs(x.real(i)) > 1024 && !std::isinf(x.real(i)))
      x.set_real(i, 1024);   // no bound is promised beyond
  }
  return x;
}

void check_function(Context &t, FunctionLauncher launch, ElementType type, Function f) {
  for (Inputs kind : all_inputs) {
    t.section(std::string("inputs=") + name_of(kind));
    const std::size_t n = 512;
    const Array x = function_inputs(t, type, f, kind, n);
    Memory &in = t.input(x), &out = t.output(type, n);
    launch(t, {f, static_cast<int>(n)}, in, out);
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      long double wanted = evaluate(f, x.real(i));
      if (f == Function::sqrt)
        wanted = std::sqrt(static_cast<double>(x.real(i)));   // a long double would round f64 twice
      // Beyond the largest number of the type the answer is an infinity.
      Array rounded(type, 1);
      rounded.set_real(0, wanted);
      if (std::isinf(rounded.real(0)) || f == Function::sqrt)
        wanted = rounded.real(0);
      expected[i] = static_cast<double>(wanted);
    }
    t.close(out, expected, bound_of(f, type.kind));
  }
}

enum class Fast { sqrt, exp2, divide };

struct FastConfig {
  Fast f = Fast::sqrt;
  int n = 512;
};

void fast(Ptr<const f32> x, Ptr<const f32> y, Ptr<f32> z, const FastConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Tensor<f32> a = load(x + i);
  switch (cfg.f) {
  case Fast::sqrt:
    return store(z + i, sqrt_approx(a));
  case Fast::exp2:
    return store(z + i, exp2_approx(a));
  case Fast::divide:
    return store(z + i, fdiv_approx(a, load(y + i)));
  }
}

// Within two units of the last place; what exp2_approx gives below the smallest normal number may be 0.
void check_fast(Context &t, Fast f) {
  const std::size_t n = 512;
  Array x(element_type<f32>, n), y(element_type<f32>, n);
  std::vector<double> expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) - 256;
    x.set_real(i, f == Fast::exp2 ? at * 0.497 : 1 + at * at * 0.37);
    y.set_real(i, 0.3 + static_cast<double>(i % 37));
    const double a = static_cast<double>(x.real(i)), b = static_cast<double>(y.real(i));
    expected[i] = f == Fast::exp2 ? std::exp2(a) : f == Fast::sqrt ? std::sqrt(a) : a / b;
  }
  Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output<f32>(n);
  t.run<&fast>({f, static_cast<int>(n)}, {1}, {in_x, in_y, out});
  t.close(out, expected, {.relative = 0x1p-22, .absolute = f == Fast::exp2 ? 0x1p-126 : 0});
}

// What is exact whatever the bounds say.
void check_fixed_points(Context &t) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  struct Point {
    Function f;
    double x, y;
  };
  const Point points[] = {
      {Function::exp, -inf, 0},      {Function::exp, 0, 1},         {Function::exp, inf, inf},
      {Function::log1p, 0, 0},       {Function::log1p, -0.0, -0.0}, {Function::log1p, -1, -inf},
      {Function::log1p, inf, inf},   {Function::log1p, -2, nan},    {Function::expm1, 0, 0},
      {Function::expm1, -0.0, -0.0}, {Function::expm1, -inf, -1},   {Function::expm1, inf, inf},
      {Function::exp2, -inf, 0},     {Function::exp2, 0, 1},        {Function::log, 0, -inf},
      {Function::log, -0.0, -inf},   {Function::log, 1, 0},         {Function::log, -1, nan},
      {Function::log2, 0, -inf},     {Function::log2, 1, 0},        {Function::rsqrt, 0, inf},
      {Function::rsqrt, inf, 0},     {Function::rsqrt, -1, nan},    {Function::sqrt, -0.0, -0.0},
      {Function::sqrt, -1, nan},     {Function::tanh, inf, 1},      {Function::tanh, -inf, -1},
      {Function::erf, inf, 1},       {Function::erf, -inf, -1},     {Function::sin, inf, nan},
      {Function::cos, 0, 1},         {Function::cos, -inf, nan}};
  for (const Point &point : points) {
    t.section(std::string(name_of(point.f)) + "(" + std::to_string(point.x) + ")");
    Memory &in = t.input(Array::of<f32>({point.x})), &out = t.output<f32>(1);
    t.run<&function<f32>>({point.f, 1}, {1}, {in, out});
    t.exact(out, Array::of<f32>({point.y}));
  }
}

// ---- powers

struct PowerConfig {
  int n = 512;
};
template <class T> void power(Ptr<const T> x, Ptr<const T> y, Ptr<T> z, const PowerConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Tensor<T> base = load(x + i);
  store(z + i, pow(base, load(y + i)));
}

template <class T> void check_power(Context &t) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double special[] = {0,    -0.0, 1,    -1,   2,
                                -2,   0.5,  -0.5, 3,    -3,
                                2.5,  1e4,  inf,  -inf, std::numeric_limits<double>::quiet_NaN(),
                                -1e-3};
  const std::size_t n = 256;
  for (bool ordinary : {false, true}) {
    t.section(ordinary ? "ordinary" : "special");
    Array x(element_type<T>, n), y(element_type<T>, n);
    for (std::size_t i = 0; i < n; ++i) {
      x.set_real(i, ordinary ? std::pow(10.0L, static_cast<long double>(t.uniform(-2, 2))) : special[i / 16]);
      y.set_real(i, ordinary ? t.uniform(-2, 2) : special[i % 16]);
    }
    Memory &base = t.input(x), &exponent = t.input(y), &out = t.output<T>(n);
    t.run<&power<T>>({static_cast<int>(n)}, {1}, {base, exponent, out});
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      Array rounded(element_type<T>, 1);
      rounded.set_real(0, std::pow(x.real(i), y.real(i)));
      expected[i] = static_cast<double>(rounded.real(0));
    }
    constexpr Kind kind = element_type<T>.kind;
    t.close(out, expected,
            {.relative = kind == Kind::F64    ? 1e-12
                         : kind == Kind::F16  ? 0x1p-10
                         : kind == Kind::BF16 ? 0x1p-7
                                              : 1e-6,
             .absolute = kind == Kind::F64 ? 0 : 1e-7});
  }
}

// ---- what kind of a number it is

template <class T> void classify(Ptr<const T> x, Ptr<i32> z, const PowerConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Tensor<T> v = load(x + i);
  Int kinds = cast<i32>(isnan(v));
  kinds += 2 * cast<i32>(isinf(v));
  store(z + i, kinds + 4 * cast<i32>(isfinite(v)));
}
template <class T> void check_classes(Context &t) {
  for (Inputs kind : all_inputs) {
    t.section(std::string("inputs=") + name_of(kind));
    const std::size_t n = 512;
    const Array x = t.numbers<T>(n, kind);
    Array expected(element_type<i32>, n);
    for (std::size_t i = 0; i < n; ++i)
      expected.set_integer(i, std::isnan(x.real(i)) ? 1 : std::isinf(x.real(i)) ? 2 : 4);
    Memory &in = t.input(x), &out = t.output<i32>(n);
    t.run<&classify<T>>({static_cast<int>(n)}, {1}, {in, out});
    t.exact(out, expected);
  }
}

}   // namespace

void add_unary_cases(Suite &suite) {
  each(Types<i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, e4m3, e5m2>{},
       [&]<class T>() { add_unary<T>(suite, "EL9", "neg", Unary::negate); });
  each(Integers{}, [&]<class T>() { add_unary<T>(suite, "EL9", "not", Unary::complement); });
  add_unary<i1>(suite, "EL9", "invert", Unary::invert);
  each(Types<f32, f64, f16, bf16>{}, [&]<class T>() {
    for (Function f : functions)
      suite.add("EL10/" + std::string(name_of(f)) + "/" + type_name<T>(),
                [=](Context &t) { check_function(t, &launch_function<T>, element_type<T>, f); });
  });
  suite.add("EL10/fixed_points", check_fixed_points);
  suite.add("EL10/sqrt_approx/f32", [](Context &t) { check_fast(t, Fast::sqrt); });
  suite.add("EL10/exp2_approx/f32", [](Context &t) { check_fast(t, Fast::exp2); });
  suite.add("EL10/fdiv_approx/f32", [](Context &t) { check_fast(t, Fast::divide); });
  each(Floats{}, [&]<class T>() {
    suite.add("EL16/pow/" + type_name<T>(), check_power<T>);
    suite.add("EL17/classes/" + type_name<T>(), check_classes<T>);
    add_unary<T>(suite, "EL11", "trunc", Unary::trunc);
    add_unary<T>(suite, "EL11", "round", Unary::round);
    add_unary<T>(suite, "EL11", "rint", Unary::rint);
    add_unary<T>(suite, "EL11", "floor", Unary::floor);
    add_unary<T>(suite, "EL11", "ceil", Unary::ceil);
  });
  each(Types<f16, bf16, f32, f64, e4m3, e5m2, i8, i16, i32, i64>{},
       [&]<class T>() { add_unary<T>(suite, "EL11", "abs", Unary::abs); });
}

}   // namespace tile::conformance

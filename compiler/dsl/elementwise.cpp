// SPDX-License-Identifier: MIT
// Constants, arithmetic, comparisons and conversions. The element type decides which operation
// a C++ operator records; where `arith` leaves cases undefined that the language defines, it is
// taken only when the right operand is a constant that rules them out.
#include "compiler/dsl/shapes.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tile::detail {

// ---------------------------------------------------------------------------- constants

namespace {

Use constant(ElementType t, std::int64_t bits, double real, Loc l) {
  return record<Code::constant>({}, t, {}, l, {.bits = bits, .real = real});
}

[[noreturn]] void does_not_fit(const std::string &value, ElementType t, const std::string &limits, Loc l) {
  throw Error("the constant " + value + " does not fit " + t.name() + " (" + limits + ")", l);
}

}   // namespace

Use integer_constant(ElementType t, std::int64_t v, Loc l) {
  if (t.is_float())
    return float_constant(t, static_cast<double>(v), l);
  if (!t.is_bool() && t.bits() < 64) {
    std::int64_t span = std::int64_t(1) << t.bits();
    std::int64_t low = t.is_unsigned() ? 0 : -span / 2, high = t.is_unsigned() ? span - 1 : span / 2 - 1;
    if (v < low || v > high)
      does_not_fit(std::to_string(v), t, std::to_string(low) + " to " + std::to_string(high), l);
  } else if (t.is_unsigned() && v < 0)
    does_not_fit(std::to_string(v), t, "0 to 18446744073709551615", l);
  return constant(t, v, 0, l);
}

Use unsigned_constant(ElementType t, std::uint64_t v, Loc l) {
  if (t.is_float())
    return float_constant(t, static_cast<double>(v), l);
  if (v <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return integer_constant(t, static_cast<std::int64_t>(v), l);
  if (t != ElementType{Kind::U64})
    does_not_fit(std::to_string(v), t, "at most " + std::to_string((std::uint64_t(1) << (t.bits() - 1)) - 1),
                 l);
  return constant(t, static_cast<std::int64_t>(v), 0, l);
}

Use float_constant(ElementType t, double v, Loc l) {
  double largest = t.kind == Kind::F16    ? 65504.0
                   : t.kind == Kind::BF16 ? 0x1.FEp127
                   : t.kind == Kind::F32  ? static_cast<double>(std::numeric_limits<float>::max())
                   : t.kind == Kind::E4M3 ? 448.0
                   : t.kind == Kind::E5M2 ? 57344.0
                                          : std::numeric_limits<double>::max();
  bool hasInfinity = t.kind != Kind::E4M3;
  if (std::abs(v) > largest && !(std::isinf(v) && hasInfinity)) {
    char value[32], limit[32];
    std::snprintf(value, sizeof value, "%g", v);
    std::snprintf(limit, sizeof limit, "%.9g", largest);
    does_not_fit(value, t, std::string("at most ") + limit, l);
  }
  return constant(t, 0, v, l);
}

// --------------------------------------------------------------------------- arithmetic

namespace {

const char *name_of(Binary op) {
  static constexpr std::array names{"add",     "subtract", "multiply",    "divide", "remainder", "minimum",
                                    "maximum", "and",      "or",          "xor",    "<<",        ">>",
                                    "cdiv",    "mulhi",    "fdiv_approx", "pow"};
  return names[static_cast<std::size_t>(op)];
}

// True for a right operand that no input makes undefined in `arith`.
bool harmless(Binary op, const Use &b) {
  const attributes::Constant *c = constant_of(b);
  if (!c)
    return false;
  const std::int64_t v = c->bits;
  bool isUnsigned = b.value.type.is_unsigned();
  switch (op) {
  case Binary::div:
  case Binary::rem:
    return v != 0 && (isUnsigned || v != -1);
  case Binary::cdiv:
    return isUnsigned ? v != 0 : v > 0;
  default:   // shifts
    return v >= 0 && v < b.value.type.bits();
  }
}

Code integer_code(Binary op, bool isUnsigned, bool isHarmless) {
  auto pick = [&](Code s, Code u, Code safeS, Code safeU) {
    return isHarmless ? (isUnsigned ? safeU : safeS) : (isUnsigned ? u : s);
  };
  switch (op) {
  case Binary::add:
    return Code::addi;
  case Binary::sub:
    return Code::subi;
  case Binary::mul:
    return Code::muli;
  case Binary::div:
    return pick(Code::divsi, Code::divui, Code::arith_divsi, Code::arith_divui);
  case Binary::rem:
    return pick(Code::remsi, Code::remui, Code::arith_remsi, Code::arith_remui);
  case Binary::cdiv:
    return pick(Code::ceildivsi, Code::ceildivui, Code::arith_ceildivsi, Code::arith_ceildivui);
  case Binary::shl:
    return pick(Code::shli, Code::shli, Code::arith_shli, Code::arith_shli);
  case Binary::shr:
    return pick(Code::shrsi, Code::shrui, Code::arith_shrsi, Code::arith_shrui);
  case Binary::min:
    return isUnsigned ? Code::minui : Code::minsi;
  case Binary::max:
    return isUnsigned ? Code::maxui : Code::maxsi;
  case Binary::bit_and:
    return Code::andi;
  case Binary::bit_or:
    return Code::ori;
  case Binary::bit_xor:
    return Code::xori;
  case Binary::mulhi:
    return isUnsigned ? Code::mulhiui : Code::mulhisi;
  case Binary::approx_div:
  case Binary::pow:
    break;
  }
  return Code::divsi;
}

Code float_code(Binary op) {
  switch (op) {
  case Binary::add:
    return Code::addf;
  case Binary::sub:
    return Code::subf;
  case Binary::mul:
    return Code::mulf;
  case Binary::rem:
    return Code::remf;
  case Binary::approx_div:
    return Code::approx_div;
  case Binary::pow:
    return Code::pow;
  default:
    return Code::divf;
  }
}

// Two unsigned types of one width and their signed twins are one IR type.
Use as(const Use &u, ElementType t) {
  Use r = u;
  r.value.type = t;
  return r;
}

}   // namespace

Use binary(Binary op, const Use &a, const Use &b, Nan nan) {
  ElementType t = a.value.type;
  Shape s = common_shape(name_of(op), a, b);
  bool isHarmless = !t.is_float() && harmless(op, b);
  Use x = broadcast(a, s), y = broadcast(b, s);
  if (!t.is_float())
    return record(integer_code(op, t.is_unsigned(), isHarmless), {x, y}, t, s, b.loc);
  if (op == Binary::min)
    return record<Code::minimum>({x, y}, t, s, b.loc, {nan});
  if (op == Binary::max)
    return record<Code::maximum>({x, y}, t, s, b.loc, {nan});
  return record(float_code(op), {x, y}, t, s, b.loc);
}

Use compare(Compare how, const Use &a, const Use &b) {
  ElementType t = a.value.type;
  if (t.is_pointer()) {
    Use x = record(Code::ptr_to_int, {a}, {Kind::I64}, a.value.shape, a.loc);
    Use y = record(Code::ptr_to_int, {b}, {Kind::I64}, b.value.shape, b.loc);
    return compare(how, x, y);
  }
  Shape s = common_shape("compare", a, b);
  Use x = broadcast(a, s), y = broadcast(b, s);
  if (t.is_float())
    return record<Code::cmpf>({x, y}, {Kind::I1}, s, b.loc, {how});
  return record<Code::cmpi>({x, y}, {Kind::I1}, s, b.loc, {.how = how, .is_unsigned = t.is_unsigned()});
}

Use unary(Unary op, const Use &a) {
  ElementType t = a.value.type;
  auto plain = [&](Code code) { return record(code, {a}, t, a.value.shape, a.loc); };
  switch (op) {
  case Unary::neg:
    return t.is_float() ? plain(Code::negf) : binary(Binary::sub, integer_constant(t, 0, a.loc), a);
  case Unary::invert: {
    Use ones = constant(t, t.is_bool() ? 1 : -1, 0, a.loc);
    return binary(Binary::bit_xor, a, ones);
  }
  case Unary::abs:
    return t.is_float() ? plain(Code::absf) : t.is_unsigned() ? a : plain(Code::absi);
  case Unary::exp:
    return plain(Code::exp);
  case Unary::exp2:
    return plain(Code::exp2);
  case Unary::log:
    return plain(Code::log);
  case Unary::log2:
    return plain(Code::log2);
  case Unary::sqrt:
    return plain(Code::sqrt);
  case Unary::rsqrt:
    return plain(Code::rsqrt);
  case Unary::sin:
    return plain(Code::sin);
  case Unary::cos:
    return plain(Code::cos);
  case Unary::tanh:
    return plain(Code::tanh);
  case Unary::erf:
    return plain(Code::erf);
  case Unary::log1p:
    return plain(Code::log1p);
  case Unary::expm1:
    return plain(Code::expm1);
  case Unary::floor:
    return plain(Code::floor);
  case Unary::ceil:
    return plain(Code::ceil);
  case Unary::trunc:
    return plain(Code::trunc);
  case Unary::round:
    return plain(Code::round);
  case Unary::rint:
    return plain(Code::rint);
  case Unary::approx_sqrt:
    return plain(Code::approx_sqrt);
  case Unary::approx_exp2:
    return plain(Code::approx_exp2);
  }
  return a;
}

Use clamp(const Use &x, const Use &low, const Use &high, Nan nan) {
  ElementType t = x.value.type;
  if (!t.is_float())
    return binary(Binary::min, binary(Binary::max, x, low), high);
  Shape s = common_shape("clamp", x, low);
  Use shaped = x;
  shaped.value.shape = s;
  s = common_shape("clamp", shaped, high);
  return record<Code::clamp>({broadcast(x, s), broadcast(low, s), broadcast(high, s)}, t, s, x.loc, {nan});
}

Use fma(const Use &a, const Use &b, const Use &c) {
  Shape s = common_shape("fma", a, b);
  Use product = a;
  product.value.shape = s;
  s = common_shape("fma", product, c);
  return record(Code::fma, {broadcast(a, s), broadcast(b, s), broadcast(c, s)}, a.value.type, s, a.loc);
}

Use where(const Use &c, const Use &a, const Use &b) {
  Shape s = common_shape("where", a, b);
  Use arms = a;
  arms.value.shape = s;
  s = common_shape("where", c, arms);
  return record(Code::select, {broadcast(c, s), broadcast(a, s), broadcast(b, s)}, a.value.type, s, c.loc);
}

// -------------------------------------------------------------------------- conversions

Use convert(const Use &a, ElementType to, Rounding rounding) {
  ElementType from = a.value.type;
  auto make = [&](Code code, const Use &u, ElementType t) {
    return record(code, {u}, t, u.value.shape, a.loc);
  };
  auto cast = [&](const Use &u, Rounding how) {
    return record<Code::fp_cast>({u}, to, u.value.shape, a.loc, {how});
  };
  if (from == to)
    return a;
  if (to.is_bool()) {
    Use x = from.is_fp8() ? convert(a, {Kind::F32}) : a;
    return compare(Compare::ne, x, integer_constant(x.value.type, 0, a.loc));
  }
  if (from.is_float() && to.is_float())
    return cast(a, rounding);
  if (from.is_float())
    return make(to.is_unsigned() ? Code::fptoui : Code::fptosi, a, to);
  bool zeroExtend = from.is_bool() || from.is_unsigned();
  if (to.is_fp8())   // every integer that fp8 does not saturate is exact in f64
    return cast(make(zeroExtend ? Code::uitofp : Code::sitofp, a, {Kind::F64}), Rounding::nearest_even);
  if (to.is_float())
    return make(zeroExtend ? Code::uitofp : Code::sitofp, a, to);
  if (to.bits() == from.bits())
    return as(a, to);
  if (to.bits() < from.bits())
    return make(Code::trunci, a, to);
  return make(zeroExtend ? Code::extui : Code::extsi, a, to);
}

Use bitcast(const Use &a, ElementType to) {
  ElementType from = a.value.type;
  const Shape &s = a.value.shape;
  if (from == to)
    return a;
  if (from.is_pointer() && to.is_pointer())
    return bitcast(bitcast(a, {Kind::I64}), to);
  if (from.is_pointer()) {
    Use address = record(Code::ptr_to_int, {a}, {Kind::I64}, s, a.loc);
    return bitcast(address, to);
  }
  if (to.is_pointer())
    return record(Code::int_to_ptr, {bitcast(a, {Kind::I64})}, to, s, a.loc);
  if (!from.is_float() && !to.is_float())
    return as(a, to);
  return record(Code::bitcast, {a}, to, s, a.loc);
}

// ----------------------------------------------------------------------------- pointers

Use add_pointer(const Use &p, const Use &offset) {
  Shape s = common_shape("pointer + offset", p, offset);
  return record<Code::addptr>({broadcast(p, s), broadcast(offset, s)}, p.value.type, s, offset.loc,
                              {.is_offset_unsigned = offset.value.type.is_unsigned()});
}

// The offset is extended before it is negated: -(-2^31) does not fit 32 bits.
Use subtract_pointer(const Use &p, const Use &offset) {
  if (const attributes::Constant *c = constant_of(offset))
    return add_pointer(p, constant({Kind::I64},
                                   static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(c->bits)), 0,
                                   offset.loc));
  return add_pointer(p, unary(Unary::neg, convert(offset, {Kind::I64})));
}

// --------------------------------------------------------------------- composed functions

namespace {
// 16-bit floats compute in f32 and round once.
template <class F> Use in_f32(const Use &a, F &&f) {
  ElementType t = a.value.type;
  bool isNarrow = t.bits() == 16;
  Use r = f(isNarrow ? convert(a, {Kind::F32}) : a);
  return isNarrow ? convert(r, t) : r;
}
}   // namespace

Use is_nan(const Use &a) { return compare(Compare::ne, a, a); }
Use is_infinite(const Use &a) {
  const double infinity = std::numeric_limits<double>::infinity();
  return compare(Compare::eq, unary(Unary::abs, a), float_constant(a.value.type, infinity, a.loc));
}
Use is_finite(const Use &a) {   // false for a NaN, which compares with nothing
  const double infinity = std::numeric_limits<double>::infinity();
  return compare(Compare::lt, unary(Unary::abs, a), float_constant(a.value.type, infinity, a.loc));
}

Use sigmoid(const Use &a) {
  return in_f32(a, [](const Use &x) {
    Use one = float_constant(x.value.type, 1, x.loc);
    Use power = unary(Unary::exp, unary(Unary::neg, x));
    return binary(Binary::approx_div, one, binary(Binary::add, one, power));
  });
}

Use softmax(const Use &a, std::int64_t axis) {
  axis_of("softmax", axis, a);
  return in_f32(a, [&](const Use &x) {
    Use top = reduce(Reduction::max, x, {axis}, KeepDims::yes, Nan::ignore);
    Use e = unary(Unary::exp, binary(Binary::sub, x, top));
    return binary(Binary::div, e, reduce(Reduction::sum, e, {axis}, KeepDims::yes, Nan::ignore));
  });
}

}   // namespace tile::detail

// SPDX-License-Identifier: MIT
// The only device type, Tensor<T>, and the parameter types of operations. A parameter type carries a tensor
// or a literal, and the line that uses it.
//
// Operators cannot have default arguments. The conversion to their parameter type can, and it happens in the
// user's expression:
//
//   auto y = x + 1;    // operator+(Operand<f32>(x), Operand<f32>(1)), both with this line
//
// Operators also accept wrong operands, and one static_assert then says what to write instead. Without it,
// a compiler lists candidates.
#pragma once

#include <tile/element_pairs.h>
#include <tile/recording.h>

namespace tile {

template <class T> class Tensor;
template <class T> struct Operand;

template <class T> using Scalar = Tensor<T>;   // a name for rank 0
template <class T> using Ptr = Tensor<T *>;    // a tensor of pointers, of any rank
using Int = Scalar<i32>;
using Int64 = Scalar<i64>;
using Bool = Scalar<i1>;
using Float = Scalar<f32>;

// An axis in a subscript. The conversion to Axis carries the line, because g++ 12 refuses a default argument
// of operator[] itself.
struct Axis : detail::AxisSpec {
  Axis(none_t, Loc l = Loc::current()) : AxisSpec{true, l} {}
  Axis(all_t, Loc l = Loc::current()) : AxisSpec{false, l} {}
  template <class U>
    requires(!std::same_as<U, Axis>)
  Axis(const U &, Loc l = Loc::current()) : AxisSpec{false, l} {
    static_assert(detail::always_false<U>,
                  "a subscript names axes: all is an existing axis, none a new one, x[all, none]; elements "
                  "are read and written through pointers: tile::load(p + i), tile::store(p + i, value)");
  }
};

namespace detail {

// The only implicit conversion between number types: i32 to i64. It loses nothing, and addresses need it.
template <class From, class To>
concept Widens = std::same_as<From, i32> && std::same_as<To, i64>;
template <class From, class To> inline constexpr bool widens = Widens<From, To>;

template <class T, HostNumber U> Use literal(U value, Loc l) {
  static_assert(!(is_integer<T> && std::is_floating_point_v<U>),
                "a floating-point literal does not convert to an integer tensor: convert the tensor with "
                "tile::cast<tile::f32>(x), or write an integer");
  static_assert(!same<T, bool> || same<U, bool>,
                "only true and false convert to a tensor of conditions: write x != 0, or "
                "tile::cast<tile::i32>(condition) to count");
  static_assert(same<T, bool> || !same<U, bool>,
                "true and false are conditions and go with tensors of them: write 1 or 0 for a number");
  static_assert(!std::is_pointer_v<T>, "a number does not convert to a pointer");
  if constexpr (std::is_pointer_v<T>)
    return {};
  else if constexpr (FloatElement<T>)
    return float_constant(element_type<T>, static_cast<double>(value), l);
  else if constexpr (std::unsigned_integral<U> && sizeof(U) == 8)
    return unsigned_constant(element_type<T>, value, l);
  else
    return integer_constant(element_type<T>, static_cast<std::int64_t>(value), l);
}

// Each of these returns true, or fails with the static_assert that the user reads.
template <class T> constexpr bool arithmetic() {
  static_assert(!same<T, bool>,
                "conditions do not take part in arithmetic: join them with & | ^ !, or count with "
                "tile::cast<tile::i32>(condition)");
  static_assert(!is_fp8<T>,
                "fp8 types are for storage, conversion and dot: compute in tile::cast<tile::f32>(x)");
  static_assert(!std::is_pointer_v<T>,
                "this operator does not work on two pointers: add an integer to one, or compare them with == "
                "and !=");
  return Number<T>;
}
template <class T> constexpr bool comparable() {
  static_assert(!is_fp8<T>,
                "fp8 types are for storage, conversion and dot: compare tile::cast<tile::f32>(x)");
  static_assert(!std::is_pointer_v<T> && !same<T, bool>, "only == and != compare pointers and conditions");
  return Number<T>;
}
template <class T> constexpr bool equatable() {
  static_assert(!is_fp8<T>,
                "fp8 types are for storage, conversion and dot: compare tile::cast<tile::f32>(x)");
  return !Fp8<T>;
}
template <class T> constexpr bool bitwise() {
  static_assert(std::is_integral_v<T>,
                "bit operations work on integers and conditions: tile::bitcast<tile::i32>(x) "
                "gives the bits of a float");
  return std::integral<T>;
}
template <class T> constexpr bool integral() {
  static_assert(is_integer<T>, "this operator works on integers only");
  return IntElement<T>;
}

}   // namespace detail

template <class T> class Tensor {
 public:
  using element = T;

  template <class U = T> Tensor() : cell_(detail::Use{}) {
    static_assert(
        detail::always_false<U>,
        "a device value needs an initial value: write Int i = 0, or auto x = tile::zeros<tile::f32>(shape)");
  }
  // A copy is a new variable with the current value, as for any C++ value type.
  Tensor(const Tensor &other, Loc l = Loc::current()) : cell_(other.cell_, l) {}
  explicit Tensor(const detail::Use &u) : cell_(u) {}
  template <HostNumber U> Tensor(U value, Loc l = Loc::current()) : cell_(detail::literal<T>(value, l)) {}
  template <StorageFloat U>
  Tensor(U value, Loc l = Loc::current()) : Tensor(static_cast<double>(value), l) {}
  // Converts Ptr<T> to Ptr<const T>, and i32 to i64. A static_assert refuses any other element type.
  template <class U>
    requires(!std::same_as<T, U>)
  Tensor(const Tensor<U> &other, Loc l = Loc::current()) : cell_(adapted(other, l)) {}

  // A copy assignment cannot have a default argument, so it uses the line where `other` was made. For
  // `x = f(y)` that is the same line. Without this operator, structs of tensors have no copy assignment.
  Tensor &operator=(const Tensor &other) { return assign(other.use(other.cell_.made())); }
  template <class U>
    requires(!std::same_as<T, U>)
  Tensor &operator=(const Tensor<U> &other) {
    return assign(adapted(other, other.made()));
  }

  const Shape &shape() const { return cell_.shape(); }
  int rank() const { return static_cast<int>(shape().size()); }

  template <class U> auto operator[](const U &) const {
    static_assert(
        detail::always_false<U>,
        "elements are read and written through pointers: tile::load(p + i), tile::store(p + i, value); "
        "x[all, none] inserts an axis");
    return Tensor<std::remove_const_t<std::remove_pointer_t<T>>>(detail::Use{});
  }
#if defined(__cpp_multidimensional_subscript) && __cpp_multidimensional_subscript >= 202110L
  Tensor operator[](Axis a, Axis b) const { return expand({a, b}); }
  Tensor operator[](Axis a, Axis b, Axis c) const { return expand({a, b, c}); }
  Tensor operator[](Axis a, Axis b, Axis c, Axis d) const { return expand({a, b, c, d}); }
  Tensor operator[](Axis a, Axis b, Axis c, Axis d, Axis e) const { return expand({a, b, c, d, e}); }
#endif
  // The same in C++20: x(all, none).
  Tensor operator()(Axis a, Axis b) const { return expand({a, b}); }
  Tensor operator()(Axis a, Axis b, Axis c) const { return expand({a, b, c}); }
  Tensor operator()(Axis a, Axis b, Axis c, Axis d) const { return expand({a, b, c, d}); }
  Tensor operator()(Axis a, Axis b, Axis c, Axis d, Axis e) const { return expand({a, b, c, d, e}); }

  // Refuses `if (x)`, `x && y`, `x ? a : b`, `while (x)`.
  template <class U = T> explicit operator bool() const {
    static_assert(
        detail::always_false<U>,
        "this condition is known on the device only: use tile::where(c, a, b), "
        "tile::if_(c, [&]{...}), TILE_IF (c) or tile::while_, for (auto i : tile::range(n)) for a loop; "
        "join conditions with & and |; a host `if` works on config fields only");
    return false;
  }
  // Refuses float(x), static_cast<int>(x).
  template <class U>
    requires(std::is_arithmetic_v<U> && !std::same_as<U, bool>)
  explicit operator U() const {
    static_assert(
        detail::always_false<U>,
        "a device value has no number while tracing: tile::cast<tile::f32>(x) converts it on the device");
    return {};
  }
  template <class U = T> Tensor &operator++() { return counted<U>(); }
  template <class U = T> Tensor &operator++(int) { return counted<U>(); }
  template <class U = T> Tensor &operator--() { return counted<U>(); }
  template <class U = T> Tensor &operator--(int) { return counted<U>(); }

  friend Tensor operator+(Operand<T> a, Operand<T> b) { return Tensor(arithmetic(Binary::add, a, b)); }
  friend Tensor operator-(Operand<T> a, Operand<T> b) { return Tensor(arithmetic(Binary::sub, a, b)); }
  friend Tensor operator*(Operand<T> a, Operand<T> b) { return Tensor(arithmetic(Binary::mul, a, b)); }
  friend Tensor operator/(Operand<T> a, Operand<T> b) { return Tensor(arithmetic(Binary::div, a, b)); }
  friend Tensor operator%(Operand<T> a, Operand<T> b) { return Tensor(arithmetic(Binary::rem, a, b)); }
  friend Tensor operator&(Operand<T> a, Operand<T> b) { return Tensor(bits(Binary::bit_and, a, b)); }
  friend Tensor operator|(Operand<T> a, Operand<T> b) { return Tensor(bits(Binary::bit_or, a, b)); }
  friend Tensor operator^(Operand<T> a, Operand<T> b) { return Tensor(bits(Binary::bit_xor, a, b)); }
  friend Tensor operator<<(Operand<T> a, Operand<T> b) { return Tensor(shift(Binary::shl, a, b)); }
  friend Tensor operator>>(Operand<T> a, Operand<T> b) { return Tensor(shift(Binary::shr, a, b)); }

  friend Tensor<i1> operator<(Operand<T> a, Operand<T> b) { return Tensor<i1>(ordered(Compare::lt, a, b)); }
  friend Tensor<i1> operator<=(Operand<T> a, Operand<T> b) { return Tensor<i1>(ordered(Compare::le, a, b)); }
  friend Tensor<i1> operator>(Operand<T> a, Operand<T> b) { return Tensor<i1>(ordered(Compare::gt, a, b)); }
  friend Tensor<i1> operator>=(Operand<T> a, Operand<T> b) { return Tensor<i1>(ordered(Compare::ge, a, b)); }
  friend Tensor<i1> operator==(Operand<T> a, Operand<T> b) { return Tensor<i1>(equal(Compare::eq, a, b)); }
  friend Tensor<i1> operator!=(Operand<T> a, Operand<T> b) { return Tensor<i1>(equal(Compare::ne, a, b)); }

  friend Tensor operator-(Operand<T> a) {
    if constexpr (Fp8<T>)
      return Tensor(detail::unary(detail::Unary::neg, a));   // flips the sign bit
    else if constexpr (detail::arithmetic<T>())
      return Tensor(detail::unary(detail::Unary::neg, a));
    else
      return Tensor(a);
  }
  friend Tensor operator~(Operand<T> a) {
    if constexpr (detail::bitwise<T>())
      return Tensor(detail::unary(detail::Unary::invert, a));
    else
      return Tensor(a);
  }
  // A member, without Operand: else the built-in ! would match equally, by the conversion to bool above.
  Tensor<i1> operator!() const {
    static_assert(detail::same<T, bool>, "! works on conditions: write x == 0");
    if constexpr (std::same_as<T, bool>)
      return Tensor<i1>(detail::unary(detail::Unary::invert, use(cell_.made())));
    else
      return Tensor<i1>(false);
  }

  // Not for pointers: their += and -= take an Offset (<tile/operators.h>).
  Tensor &operator+=(Operand<T> b)
    requires(!PointerElement<T>)
  {
    return assign(arithmetic(Binary::add, use(b.loc), b));
  }
  Tensor &operator-=(Operand<T> b)
    requires(!PointerElement<T>)
  {
    return assign(arithmetic(Binary::sub, use(b.loc), b));
  }
  Tensor &operator*=(Operand<T> b) { return assign(arithmetic(Binary::mul, use(b.loc), b)); }
  Tensor &operator/=(Operand<T> b) { return assign(arithmetic(Binary::div, use(b.loc), b)); }
  Tensor &operator%=(Operand<T> b) { return assign(arithmetic(Binary::rem, use(b.loc), b)); }
  Tensor &operator&=(Operand<T> b) { return assign(bits(Binary::bit_and, use(b.loc), b)); }
  Tensor &operator|=(Operand<T> b) { return assign(bits(Binary::bit_or, use(b.loc), b)); }
  Tensor &operator^=(Operand<T> b) { return assign(bits(Binary::bit_xor, use(b.loc), b)); }
  Tensor &operator<<=(Operand<T> b) { return assign(shift(Binary::shl, use(b.loc), b)); }
  Tensor &operator>>=(Operand<T> b) { return assign(shift(Binary::shr, use(b.loc), b)); }

  // For the functions of the language. User code does not need them.
  detail::Use use(Loc l) const { return cell_.read(l); }
  Loc made() const { return cell_.made(); }
  Tensor &assign(const detail::Use &u) {
    cell_.write(u);
    return *this;
  }

 private:
  using Use = detail::Use;
  using Binary = detail::Binary;
  using Compare = detail::Compare;
  static Use arithmetic(Binary op, const Use &a, const Use &b) {
    if constexpr (detail::arithmetic<T>())
      return detail::binary(op, a, b);
    else
      return a;   // only so that the compiler prints one sentence
  }
  static Use bits(Binary op, const Use &a, const Use &b) {
    if constexpr (detail::bitwise<T>())
      return detail::binary(op, a, b);
    else
      return a;
  }
  static Use shift(Binary op, const Use &a, const Use &b) {
    if constexpr (detail::integral<T>())
      return detail::binary(op, a, b);
    else
      return a;
  }
  static Use ordered(Compare how, const Use &a, const Use &b) {
    if constexpr (detail::comparable<T>())
      return detail::compare(how, a, b);
    else
      return a;
  }
  static Use equal(Compare how, const Use &a, const Use &b) {
    if constexpr (detail::equatable<T>())
      return detail::compare(how, a, b);
    else
      return a;
  }
  template <class U> static Use adapted(const Tensor<U> &other, Loc l) {
    constexpr bool fits =
        detail::Widens<U, T> || (PointerElement<T> && PointerElement<U> && std::is_convertible_v<U, T>);
    if constexpr (!fits)
      detail::refuse_conversion<T, U>();
    if constexpr (detail::Widens<U, T>)
      return detail::convert(other.use(l), element_type<T>);
    else
      return other.use(l);
  }
  template <class U> Tensor &counted() {
    static_assert(detail::always_false<U>, "a device value has no ++ and --: write k += 1");
    return *this;
  }
  template <int N> Tensor expand(const Axis (&axes)[N]) const {
    detail::AxisSpec plain[N];
    for (int i = 0; i < N; ++i)
      plain[i] = axes[i];
    return Tensor(detail::expand(use(axes[0].loc), plain, N));
  }
  detail::Cell cell_;
};

// The parameter of an operator: a tensor of its element type or a literal, with the user's line.
template <class T> struct Operand : detail::Use {
  Operand(const Tensor<T> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  template <HostNumber U>
    requires(!PointerElement<T>)
  Operand(U value, Loc l = Loc::current()) : Use(detail::literal<T>(value, l)) {}
  template <StorageFloat U>
    requires(FloatElement<T>)
  Operand(U value, Loc l = Loc::current()) : Use(detail::literal<T>(static_cast<double>(value), l)) {}
  template <class U>
    requires(PointerElement<T> && PointerElement<U> && !std::same_as<T, U> && std::is_convertible_v<U, T>)
  Operand(const Tensor<U> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  template <class U>
    requires detail::Widens<U, T>
  Operand(const Tensor<U> &t, Loc l = Loc::current()) : Use(detail::convert(t.use(l), element_type<T>)) {}
};

// The parameter of pointer arithmetic: an offset in elements. It is sign-extended to 64 bits before it is
// scaled.
struct Offset : detail::Use {
  Offset(const Tensor<i32> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  Offset(const Tensor<i64> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  Offset(const Tensor<u32> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  template <HostNumber U> Offset(U v, Loc l = Loc::current()) : Use(literal(v, l)) {}
  template <class U> Offset(const Tensor<U> &t, Loc l = Loc::current()) : Use(t.use(l)) {
    static_assert(detail::always_false<U>,
                  "a pointer's offset is a tensor of i32, i64 or u32: write p + tile::cast<tile::i64>(x)");
  }

 private:
  template <class U> static detail::Use literal(U v, Loc l) {
    if constexpr (HostInteger<U>)
      if (v == static_cast<U>(static_cast<i32>(v)) && (v < U{}) == (static_cast<i32>(v) < 0))
        return detail::literal<i32>(v, l);
    return detail::literal<i64>(v, l);
  }
};

// A kernel parameter whose value and alignment never cause a specialisation.
template <class P> struct Dynamic : P {
  using typename P::element;
  using P::operator=;
  explicit Dynamic(const detail::Use &u) : P(u) {}
  Dynamic(const Dynamic &other, Loc l = Loc::current()) : P(other, l) {}
  Dynamic &operator=(const Dynamic &other) {
    P::operator=(other);
    return *this;
  }
};

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "compiler/dsl/random.h"

#include "compiler/dsl/shapes.h"

namespace tile {

namespace detail {

std::vector<Use> philox(const Use &seed, const Use &c0, const Use &c1, const Use &c2, const Use &c3) {
  need_scalar("the seed", seed);
  Use joined = c0;
  for (const Use *c : {&c1, &c2, &c3})
    joined.value.shape = common_shape("philox", joined, *c);
  const Shape &s = joined.value.shape;
  Op *op = record(Code::philox,
                  {seed, broadcast(c0, s), broadcast(c1, s), broadcast(c2, s), broadcast(c3, s)}, c0.loc);
  std::vector<Use> words;
  for (int i = 0; i < 4; ++i)
    words.push_back(result(op, {Kind::U32}, s, c0.loc));
  return words;
}

// The upper 24 bits, a number of f32's precision, times 2^-24: evenly spaced in [0, 1).
Use uniform_from_bits(const Use &bits) {
  ElementType u32{Kind::U32}, f32{Kind::F32};
  Use top = binary(Binary::shr, bits, unsigned_constant(u32, 8, bits.loc));
  return binary(Binary::mul, convert(top, f32), float_constant(f32, 0x1p-24, bits.loc));
}

// Box and Muller's pair. 1 - u1 is exact and not 0, so the logarithm is finite.
std::pair<Use, Use> normal_from_uniform(const Use &u1, const Use &u2) {
  ElementType f32{Kind::F32};
  auto number = [&](double v) { return float_constant(f32, v, u1.loc); };
  Use positive = binary(Binary::sub, number(1), u1);
  Use radius = unary(Unary::sqrt, binary(Binary::mul, unary(Unary::log, positive), number(-2)));
  Use angle = binary(Binary::mul, u2, number(6.283185307179586));
  return {binary(Binary::mul, radius, unary(Unary::cos, angle)),
          binary(Binary::mul, radius, unary(Unary::sin, angle))};
}

namespace {
std::vector<Use> words(const Seed &seed, const Counter &offset) {
  Use zero = unsigned_constant({Kind::U32}, 0, offset.loc);
  return detail::philox(seed, offset, zero, zero,
                        zero);   // not the one of the language, which Use could call, too
}
template <class T> std::array<Tensor<T>, 4> tensors(const std::vector<Use> &u) {
  return {Tensor<T>(u[0]), Tensor<T>(u[1]), Tensor<T>(u[2]), Tensor<T>(u[3])};
}
}   // namespace

}   // namespace detail

std::array<Tensor<u32>, 4> philox(Seed seed, Counter c0, Counter c1, Counter c2, Counter c3) {
  return detail::tensors<u32>(detail::philox(seed, c0, c1, c2, c3));
}

std::array<Tensor<u32>, 4> randint4x(Seed seed, Counter offset) {
  return detail::tensors<u32>(detail::words(seed, offset));
}

std::array<Tensor<f32>, 4> rand4x(Seed seed, Counter offset) {
  std::vector<detail::Use> u = detail::words(seed, offset);
  for (detail::Use &x : u)
    x = detail::uniform_from_bits(x);
  return detail::tensors<f32>(u);
}

std::array<Tensor<f32>, 4> randn4x(Seed seed, Counter offset) {
  std::vector<detail::Use> u = detail::words(seed, offset);
  for (detail::Use &x : u)
    x = detail::uniform_from_bits(x);
  auto [a, b] = detail::normal_from_uniform(u[0], u[1]);
  auto [c, d] = detail::normal_from_uniform(u[2], u[3]);
  return detail::tensors<f32>({a, b, c, d});
}

Tensor<u32> randint(Seed seed, Counter offset) { return randint4x(seed, offset)[0]; }
Tensor<f32> rand(Seed seed, Counter offset) { return rand4x(seed, offset)[0]; }
Tensor<f32> randn(Seed seed, Counter offset) { return randn4x(seed, offset)[0]; }

}   // namespace tile

// SPDX-License-Identifier: MIT
// CV1: every element type cast to every other, and bits read as another type of their width.
#include "conversion.h"
#include "families.h"
#include "types.h"

#include <cmath>

namespace tile::conformance {

namespace {

struct ConvertConfig {
  Kind to = Kind::F32;
  int n = 1024;
};

// The output's type is a config field, or 225 kernels would be instantiated: the pointer is
// given as bytes and read as a pointer to the target type.
template <class From> void convert_elements(Ptr<const From> x, Ptr<u8> z, const ConvertConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Tensor<From> value = load(x + i);
  const Int64 address = bitcast<i64>(z);
  each(Everything{}, [&]<class To>() {
    if (cfg.to == element_type<To>.kind)
      store(bitcast<To *>(address) + i, cast<To>(value));
  });
}

template <class From> void reinterpret_elements(Ptr<const From> x, Ptr<u8> z, const ConvertConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Tensor<From> value = load(x + i);
  const Int64 address = bitcast<i64>(z);
  each(Everything{}, [&]<class To>() {
    if constexpr (sizeof(To) == sizeof(From) && !is_bool<To>)
      if (cfg.to == element_type<To>.kind)
        store(bitcast<To *>(address) + i, bitcast<To>(value));
  });
}

using Launcher = void (*)(Context &, const ConvertConfig &, const Memory &, const Memory &);
template <class From> void launch_convert(Context &t, const ConvertConfig &cfg, const Memory &x,
                                          const Memory &z) {
  t.run<&convert_elements<From>>(cfg, {1}, {x, z});
}
template <class From> void launch_reinterpret(Context &t, const ConvertConfig &cfg, const Memory &x,
                                              const Memory &z) {
  t.run<&reinterpret_elements<From>>(cfg, {1}, {x, z});
}

// Random bits have every exponent and every length; then the ends of the integer types.
Array conversion_inputs(Context &t, ElementType from, ElementType to, std::size_t n) {
  Array x(from, n);
  if (from.is_bool())
    return t.numbers(from, n, Inputs::uniform);
  if (from.is_float() && to.is_float() && from.bits() > to.bits()) {
    const Array boundaries = rounding_boundaries(t, from, to.kind, n);
    for (std::size_t i = 0; i < n; ++i)
      x.set_bits(i, i < boundaries.size() ? boundaries.bits(i) : t.random()());
    return x;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = t.random()();
    if (!from.is_float() && to.is_float() && i % 4 == 0) {
      // At and beside the middle of two floats: seen by who rounds twice.
      const unsigned significands[] = {8, 11, 24, 53}, kept = significands[i / 4 % 4] + 1;
      const std::uint64_t odd = (bits >> (64 - kept)) | (1ull << (kept - 1)) | 1;
      x.set_bits(i, (odd << (bits % (65 - kept))) + (bits >> 8) % 3 - 1);
    } else if (!from.is_float()) {
      x.set_bits(i, i % 2 ? bits : bits >> (bits % 64));
    } else if (i % 2 || to.is_float()) {
      x.set_bits(i, bits);
    } else {
      const int exponents[] = {0, 1, 7, 8, 15, 16, 23, 24, 31, 32, 63, 64};
      const long double power = std::ldexp(1.0L, exponents[bits % 12]);
      const long double steps[] = {-1, -0.5L, 0, 0.5L, 1, 0.75L, -0.25L};
      x.set_real(i, (power + steps[(bits >> 8) % 7]) * (bits >> 20 & 1 ? -1 : 1));
    }
  }
  return x;
}

void check_cast(Context &t, Launcher launch, ElementType from, ElementType to) {
  auto check = [&](const std::string &label, const Array &x) {
    t.section(label);
    Memory &in = t.input(x), &out = t.output(to, x.size());
    launch(t, {to.kind, static_cast<int>(x.size())}, in, out);
    Array expected(to, x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      convert(x, expected, i);
    t.exact(out, expected);
  };
  for (Inputs kind : all_inputs)
    check(std::string("inputs=") + name_of(kind), t.numbers(from, 32, kind));
  check("inputs=boundaries", conversion_inputs(t, from, to, 1024));
  if (from.bits() == 8) {   // all of them
    Array codes(from, 256);
    for (std::size_t i = 0; i < 256; ++i)
      codes.set_bits(i, i);
    check("inputs=all codes", codes);
  }
}

void check_bitcast(Context &t, Launcher launch, ElementType from, ElementType to) {
  Array x(from, 1024);
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set_bits(i, t.random()());
  Memory &in = t.input(x), &out = t.output(to, x.size());
  launch(t, {to.kind, 1024}, in, out);
  t.require(out.read().bytes() == x.bytes(), "a bitcast changed bits");
}

// Byte addresses made by hand, and back.
void through_integers(Ptr<const i32> x, Ptr<i32> z, Ptr<i64> addresses, const ConvertConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Int64 address = bitcast<i64>(x);
  store(z + i, load(bitcast<const i32 *>(address + cast<i64>(i * 4))));
  store(addresses + i, bitcast<i64>(z + i) - bitcast<i64>(z));
}

}   // namespace

void add_conversion_cases(Suite &suite) {
  each(Everything{}, [&]<class From>() {
    each(Everything{}, [&]<class To>() {
      suite.add("CV1/cast/" + type_name<From>() + "/to_" + type_name<To>(), [](Context &t) {
        check_cast(t, &launch_convert<From>, element_type<From>, element_type<To>);
      });
      if constexpr (sizeof(From) == sizeof(To) && !is_bool<From> && !is_bool<To>)
        suite.add("CV1/bitcast/" + type_name<From>() + "/to_" + type_name<To>(), [](Context &t) {
          check_bitcast(t, &launch_reinterpret<From>, element_type<From>, element_type<To>);
        });
    });
  });
  suite.add("CV1/bitcast/pointers", [](Context &t) {
    const Array x = t.numbers<i32>(128, Inputs::uniform);
    Array addresses(element_type<i64>, 128);
    for (std::size_t i = 0; i < 128; ++i)
      addresses.set_integer(i, static_cast<Wide>(4 * i));
    Memory &in = t.input(x), &out = t.output<i32>(128), &out_addresses = t.output<i64>(128);
    t.run<&through_integers>({.n = 128}, {1}, {in, out, out_addresses});
    t.exact(out, x);
    t.exact(out_addresses, addresses);
  });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// CV2 and CV3: conversions between float formats at every rounding boundary and, where that
// can be afforded, of every number there is.
#include "conversion.h"
#include "families.h"
#include "types.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tile::conformance {

namespace {

struct FloatConfig {
  Rounding rounding = Rounding::nearest_even;
  int block = 1024;
};

template <class From, class To>
void convert_floats(Ptr<const From> x, Ptr<To> z, Int n, const FloatConfig &cfg) {
  const Int i = program_id(0) * cfg.block + arange(0, cfg.block);
  const Bool mask = i < n;
  store(z + i, cast<To>(load(x + i, mask), cfg.rounding), mask);
}

template <class From, class To> Array convert_on_device(Context &t, const Array &x, Rounding rounding) {
  const auto n = static_cast<std::int64_t>(x.size());
  Memory &in = t.input(x), &out = t.output<To>(x.size());
  t.run<&convert_floats<From, To>>({rounding}, {cdiv(n, std::int64_t{1024})}, {in, out, n});
  return out.read();
}

template <class From, class To> void check(Context &t, const Array &x, Rounding rounding) {
  const Array got = convert_on_device<From, To>(t, x, rounding);
  Array expected(element_type<To>, x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    convert(x, expected, i,
            rounding == Rounding::toward_zero ? Direction::toward_zero : Direction::nearest_even);
  t.exact(got, expected);
}

// The overflowing and the special.
template <class From> Array extremes() {
  const FloatFormat &format = float_format(element_type<From>.kind);
  Array x(element_type<From>, 8);
  std::size_t i = 0;
  for (std::uint64_t code : {format.largest(), format.infinity(), format.quiet_nan(), std::uint64_t{0}}) {
    x.set_bits(i++, code);
    x.set_bits(i++, code | format.sign_bit());
  }
  return x;
}

template <class To> void check_toward_zero(Context &t) {
  t.section("boundaries");
  check<f32, To>(t, rounding_boundaries(t, element_type<f32>, element_type<To>.kind, 1 << 19),
                 Rounding::toward_zero);
  t.section("random");
  Array x(element_type<f32>, 1024);
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set_bits(i, t.random()());
  check<f32, To>(t, x, Rounding::toward_zero);
  t.section("extremes");
  check<f32, To>(t, extremes<f32>(), Rounding::toward_zero);
}

template <class From, class To> void check_inward(Context &t) {
  t.section("extremes");
  check<From, To>(t, extremes<From>(), Rounding::nearest_even);
  if constexpr (sizeof(From) == 2) {
    t.section("all numbers");
    Array x(element_type<From>, 65536);
    for (std::size_t i = 0; i < x.size(); ++i)
      x.set_bits(i, i);
    check<From, To>(t, x, Rounding::nearest_even);
  } else {
    t.section("boundaries");
    check<From, To>(t, rounding_boundaries(t, element_type<From>, element_type<To>.kind, 4096),
                    Rounding::nearest_even);
    t.section("random");
    Array x(element_type<From>, 65536);
    for (std::size_t i = 0; i < x.size(); ++i)
      x.set_bits(i, t.random()());
    check<From, To>(t, x, Rounding::nearest_even);
  }
}

template <class From, class To> void check_outward(Context &t) {
  Array x(element_type<From>, 256);
  for (std::size_t i = 0; i < 256; ++i)
    x.set_bits(i, i);
  check<From, To>(t, x, Rounding::nearest_even);
}

// All 2^32 numbers, in order: then the expected code only moves upwards and needs no search.
template <class To> void check_every_f32(Context &t) {
  static_assert(sizeof(To) == 1);
  const FloatFormat &format = float_format(element_type<To>.kind);
  std::vector<double> halfway;   // [c]: between the numbers of codes c and c + 1
  for (std::uint64_t c = 0; c < format.largest(); ++c)
    halfway.push_back(static_cast<double>((decode(format, c) + decode(format, c + 1)) / 2));
  const std::size_t chunk = std::size_t{1} << 22;
  for (std::uint64_t sign : {0u, 0x80000000u}) {
    std::uint64_t code = 0;
    for (std::uint64_t start = 0; start < 0x80000000u; start += chunk) {
      t.section("from bits " + std::to_string(sign | start));
      Array x(element_type<f32>, chunk), expected(element_type<To>, chunk);
      // Through bytes: what costs a nanosecond here costs four seconds in all.
      unsigned char *const codes = expected.bytes().data();
      for (std::size_t i = 0; i < chunk; ++i) {
        const auto bits = static_cast<std::uint32_t>(sign | (start + i));
        std::memcpy(x.bytes().data() + 4 * i, &bits, 4);
        const double magnitude = std::fabs(static_cast<double>(std::bit_cast<float>(bits)));
        while (code < halfway.size() &&
               (magnitude > halfway[code] || (magnitude == halfway[code] && code % 2 == 1)))
          ++code;
        const std::uint64_t expected_code =
            std::isnan(magnitude) ? format.quiet_nan() : code | (sign ? format.sign_bit() : 0);
        codes[i] = static_cast<unsigned char>(expected_code);
      }
      t.exact(convert_on_device<f32, To>(t, x, Rounding::nearest_even), expected);
    }
  }
}

}   // namespace

void add_float_conversion_cases(Suite &suite) {
  each(Types<f16, bf16, e5m2>{},
       [&]<class To>() { suite.add("CV2/rtz/f32/to_" + type_name<To>(), check_toward_zero<To>); });
  each(Types<e4m3, e5m2>{}, [&]<class To>() {
    each(Types<f32, f16, bf16, f64>{}, [&]<class From>() {
      suite.add("CV3/inward/" + type_name<From>() + "/to_" + type_name<To>(), check_inward<From, To>);
      if constexpr (!std::is_same_v<From, f64>)
        suite.add("CV3/outward/" + type_name<To>() + "/to_" + type_name<From>(), check_outward<To, From>);
    });
    suite.add("CV3/every_f32/to_" + type_name<To>(), Tier::nightly, check_every_f32<To>);
  });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
#include "tools/fuzz/memory_image.h"

#include "runtime/element_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tile::fuzz {
namespace {

std::uint64_t mixed(std::uint64_t x) {   // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t bits_of(Kind kind, double number) {
  return ElementType{kind}.is_float() ? float_to_bits(kind, number)
                                      : static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

// Small numbers, any bits, and the ends of ranges. Elements of a ring are drawn as integers are.
std::uint64_t input_bits(Kind kind, bool is_float, bool is_wild, std::uint64_t random) {
  const auto small = static_cast<double>(static_cast<std::int64_t>((random >> 8) % 17) - 8);
  if (is_float && !is_wild)
    return bits_of(kind, small);
  const std::uint64_t any = mixed(random);
  switch (random % 4) {
  case 0:
    return is_float ? bits_of(kind, small) : static_cast<std::uint64_t>(static_cast<std::int64_t>(small));
  case 1:
    return any;
  case 2:
    return is_float ? bits_of(kind, std::ldexp(small, static_cast<int>((random >> 16) % 40) - 20))
                    : any % 128;
  default:
    if (is_float) {
      const double special[] = {0.0,  -0.0,   INFINITY, -INFINITY, NAN, std::copysign(NAN, -1.0),
                                1e-7, -1e-40, 65504.0,  1e38};
      return bits_of(kind, special[(random >> 16) % std::size(special)]);
    }
    return (std::uint64_t{1} << ((random >> 16) % static_cast<std::uint64_t>(ElementType{kind}.bits()))) -
           ((random >> 32) & 1);
  }
}

// Rows of 16 elements have one of these on average.
std::uint64_t special_bits(Kind kind, std::uint64_t random) {
  const double special[] = {INFINITY, -INFINITY, NAN, std::copysign(NAN, -1.0)};
  const std::size_t which = random % (16 * std::size(special));
  return bits_of(kind, which < std::size(special)
                           ? special[which]
                           : static_cast<double>(static_cast<std::int64_t>((random >> 8) % 17) - 8));
}

std::uint64_t element_at(const std::vector<std::byte> &bytes, std::size_t size, std::size_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}

bool same(Kind kind, std::uint64_t a, std::uint64_t b, Floats floats) {
  if (a == b)
    return true;
  if (!ElementType{kind}.is_float() || floats == Floats::ring)
    return false;
  const double x = bits_to_float(kind, a), y = bits_to_float(kind, b);
  return x == y || (std::isnan(x) && std::isnan(y));
}

std::string shown(Kind kind, std::uint64_t bits, Floats floats) {
  const auto width = static_cast<std::size_t>(2 * ElementType{kind}.bytes());
  if (ElementType{kind}.is_float() && floats != Floats::ring)
    return fmt::format("{} ({:#0{}x})", bits_to_float(kind, bits), bits, width + 2);
  return fmt::format("{:#0{}x}", bits, width + 2);
}

}   // namespace

std::vector<std::byte> initial_bytes(const std::string &name, Kind kind, std::int64_t elements,
                                     std::uint64_t seed) {
  const std::size_t size = ElementType{kind}.bytes(), count = static_cast<std::size_t>(elements);
  std::vector<std::byte> bytes(count * size);
  if (name.starts_with("sums"))
    return bytes;
  if (name.starts_with("out")) {
    std::ranges::fill(bytes, std::byte{out_pattern});
    return bytes;
  }
  const bool is_wild = name.starts_with("wild"), is_special = name.starts_with("special");
  const bool is_float = ElementType{kind}.is_float() && !name.starts_with("ring");
  const auto digit = std::ranges::find_if(name, [](char c) { return (c >= '0' && c <= '9') || c == '_'; });
  const std::uint64_t which = digit == name.end() || *digit == '_' ? 0 : static_cast<std::uint64_t>(*digit);
  std::uint64_t state =
      mixed(seed * 31 + static_cast<std::uint64_t>(kind) * 2 + (is_wild ? 1 : 0) + (which << 32));
  for (std::size_t i = 0; i < count; ++i) {
    state = mixed(state);
    const std::uint64_t bits =
        is_special ? special_bits(kind, state) : input_bits(kind, is_float, is_wild, state);
    std::memcpy(bytes.data() + i * size, &bits, size);   // little endian
  }
  return bytes;
}

std::optional<std::string> difference(Kind kind, const std::vector<std::byte> &expected,
                                      const std::vector<std::byte> &seen, Floats floats) {
  if (std::ranges::equal(expected, seen))
    return std::nullopt;
  const std::size_t size = ElementType{kind}.bytes(), count = expected.size() / size;
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (!same(kind, element_at(expected, size, i), element_at(seen, size, i), floats) && wrong++ == 0)
      first = i;
  if (!wrong)
    return std::nullopt;
  return fmt::format("{} of {} elements differ, first element {}: {} expected, {} seen", wrong, count, first,
                     shown(kind, element_at(expected, size, first), floats),
                     shown(kind, element_at(seen, size, first), floats));
}

}   // namespace tile::fuzz

// SPDX-License-Identifier: MIT
// Names and sizes of the element types, and the conversions of the storage formats.
#include "runtime/element.h"

#include "runtime/numeric_float.h"

#include <iterator>

namespace tile {
namespace {

struct KindFacts {
  std::string_view name;
  int bits;
};
// In the order of Kind.
constexpr KindFacts kind_facts[] = {{"i1", 1},    {"i8", 8},   {"i16", 16}, {"i32", 32}, {"i64", 64},
                                    {"u8", 8},    {"u16", 16}, {"u32", 32}, {"u64", 64}, {"f16", 16},
                                    {"bf16", 16}, {"f32", 32}, {"f64", 64}, {"e4m3", 8}, {"e5m2", 8}};
static_assert(std::size(kind_facts) == static_cast<std::size_t>(Kind::E5M2) + 1);

const KindFacts &facts_of(Kind kind) { return kind_facts[static_cast<std::size_t>(kind)]; }

}   // namespace

int ElementType::bits() const { return is_pointer() ? 64 : facts_of(kind).bits; }

std::size_t ElementType::bytes() const { return static_cast<std::size_t>(bits() + 7) / 8; }

std::string ElementType::name() const {
  return std::string(facts_of(kind).name) + std::string(pointers, '*');
}

bool parse_kind(std::string_view name, Kind &kind) {
  for (std::size_t i = 0; i < std::size(kind_facts); ++i)
    if (kind_facts[i].name == name) {
      kind = static_cast<Kind>(i);
      return true;
    }
  return false;
}

#define TILE_STORAGE_FLOAT(Name)                                                                             \
  Name::Name(float value) : bits(numeric::encode<Name>(value)) {}                                            \
  Name::Name(double value) : bits(numeric::encode<Name>(value)) {}                                           \
  Name::operator float() const { return numeric::decode<Name>(bits); }                                       \
  Name::operator double() const { return numeric::decode<Name>(bits); }
TILE_STORAGE_FLOAT(f16)
TILE_STORAGE_FLOAT(bf16)
TILE_STORAGE_FLOAT(e4m3)
TILE_STORAGE_FLOAT(e5m2)
#undef TILE_STORAGE_FLOAT

}   // namespace tile

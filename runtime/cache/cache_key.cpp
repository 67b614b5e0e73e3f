// SPDX-License-Identifier: MIT
#include "runtime/cache/cache_key.h"

#include "runtime/checksum.h"

#include <cstdint>

namespace tile {
namespace {

constexpr std::size_t length_bytes = 8;

void append_length(std::string &to, std::uint64_t length) {
  for (std::size_t i = 0; i < length_bytes; ++i)
    to.push_back(static_cast<char>(length >> 8 * i));
}

// Takes the next text, which follows its length; false if `from` does not begin with a whole one.
bool take(std::string_view &from, std::string_view &text) {
  if (from.size() < length_bytes)
    return false;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= std::uint64_t{static_cast<unsigned char>(from[i])} << 8 * i;
  from.remove_prefix(length_bytes);
  if (length > from.size())
    return false;
  text = from.substr(0, static_cast<std::size_t>(length));
  from.remove_prefix(text.size());
  return true;
}

}   // namespace

void CacheKey::add(std::string_view name, std::string_view value) {
  for (std::string_view text : {name, value}) {
    append_length(bytes_, text.size());
    bytes_ += text;
  }
}

std::vector<CacheKey::Field> CacheKey::fields() const {
  std::vector<Field> fields;
  for (std::string_view rest = bytes_; !rest.empty();) {
    Field field;
    if (!take(rest, field.name) || !take(rest, field.value))
      return {};
    fields.push_back(field);
  }
  return fields;
}

std::string_view CacheKey::value(std::string_view name) const {
  for (const Field &field : fields())
    if (field.name == name)
      return field.value;
  return {};
}

// Keys that agree in it would take turns in one file, no more.
std::string CacheKey::file_name() const { return digest(bytes_); }

}   // namespace tile

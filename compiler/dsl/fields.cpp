// SPDX-License-Identifier: MIT
// Reading and writing configs as text, from the table of their fields.
#include "compiler/dsl/fields.h"

#include "runtime/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tile::detail {

void append_field(FieldTable &table, std::string path, Field::Kind kind, std::size_t bytes,
                  std::size_t offset, bool is_signed, std::span<const std::string_view> enumerators) {
  table.fields.push_back({std::move(path), kind, static_cast<std::uint8_t>(bytes), offset, is_signed, {}});
  for (std::size_t value = 0; value < enumerators.size(); ++value)
    if (!enumerators[value].empty())
      table.fields.back().enumerators.push_back({static_cast<std::int64_t>(value), enumerators[value]});
}

void append_launch(FieldTable &table, std::string path, std::size_t offset) {
  if (table.launch_path.empty()) {
    table.launch = static_cast<std::ptrdiff_t>(offset);
    table.launch_path = std::move(path);
  } else if (table.second_launch.empty())
    table.second_launch = std::move(path);
}

namespace {

std::uint64_t bits_of(const Field &f, const void *config) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(config) + f.offset, f.bytes);
  return bits;
}

std::int64_t signed_of(const Field &f, std::uint64_t bits) {
  int shift = 64 - 8 * f.bytes;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

std::string value_text(const Field &f, const void *config) {
  const std::uint64_t bits = bits_of(f, config);
  switch (f.kind) {
  case Field::Kind::boolean:
    return bits ? "true" : "false";
  case Field::Kind::signed_integer:
    return std::to_string(signed_of(f, bits));
  case Field::Kind::unsigned_integer:
    return std::to_string(bits);
  case Field::Kind::floating: {
    double v = 0;
    if (f.bytes == 4) {
      float narrow;
      std::memcpy(&narrow, &bits, 4);
      v = static_cast<double>(narrow);
    } else
      std::memcpy(&v, &bits, 8);
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.*g", f.bytes == 4 ? 9 : 17, v);
    char shorter[32];   // the shortest text that reads back as the same number
    for (int digits = 1; digits < 17; ++digits) {
      std::snprintf(shorter, sizeof shorter, "%.*g", digits, v);
      double back = std::strtod(shorter, nullptr);
      if (f.bytes == 4 ? static_cast<float>(back) == static_cast<float>(v) : back == v)
        return shorter;
    }
    return buffer;
  }
  case Field::Kind::enumeration:
    for (const Enumerator &e : f.enumerators)
      if (static_cast<std::uint64_t>(e.value) == bits)
        return std::string(e.name);
    return f.is_signed ? std::to_string(signed_of(f, bits)) : std::to_string(bits);
  }
  return "";
}

std::string accepted(const Field &f) {
  switch (f.kind) {
  case Field::Kind::boolean:
    return "true or false";
  case Field::Kind::signed_integer:
    return "an integer";
  case Field::Kind::unsigned_integer:
    return "an integer that is not negative";
  case Field::Kind::floating:
    return f.bytes == 4 ? "a number that fits 32 bits, from 1.4e-45 to 3.4e+38 in size" : "a number";
  case Field::Kind::enumeration: {
    std::string s;
    for (const Enumerator &e : f.enumerators)
      s += (s.empty() ? "" : ", ") + std::string(e.name);
    return (s.empty() ? "" : "one of " + s + ", or ") + "the number of an enumerator";
  }
  }
  return "";
}

// False where the text is no number that fits the field.
bool read_signed(const Field &f, std::string_view text, std::uint64_t &bits) {
  std::int64_t v = 0;
  const char *end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, v);
  bits = static_cast<std::uint64_t>(v);
  return error == std::errc() && at == end && signed_of(f, bits) == v;
}
bool read_unsigned(const Field &f, std::string_view text, std::uint64_t &bits) {
  const char *end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, bits);
  return error == std::errc() && at == end && (f.bytes == 8 || bits >> (8 * f.bytes) == 0);
}

// Writes a value given as text; false when the field does not accept it.
bool assign(const Field &f, void *config, std::string_view text) {
  std::uint64_t bits = 0;
  const char *end = text.data() + text.size();
  switch (f.kind) {
  case Field::Kind::boolean:
    if (text != "true" && text != "false" && text != "1" && text != "0")
      return false;
    bits = text == "true" || text == "1";
    break;
  case Field::Kind::signed_integer:
    if (!read_signed(f, text, bits))
      return false;
    break;
  case Field::Kind::unsigned_integer:
    if (!read_unsigned(f, text, bits))
      return false;
    break;
  case Field::Kind::floating: {
    double v = 0;
    auto [at, error] = std::from_chars(text.data(), end, v);
    if (error != std::errc() || at != end)
      return false;
    const float narrow = static_cast<float>(v);
    const bool is_lost = std::isinf(narrow) != std::isinf(v) || (narrow == 0) != (v == 0);
    if (f.bytes == 4 && is_lost)
      return false;
    if (f.bytes == 4)
      std::memcpy(&bits, &narrow, 4);
    else
      std::memcpy(&bits, &v, 8);
    break;
  }
  case Field::Kind::enumeration: {
    auto it = std::find_if(f.enumerators.begin(), f.enumerators.end(),
                           [&](const Enumerator &e) { return e.name == text; });
    if (it != f.enumerators.end())
      bits = static_cast<std::uint64_t>(it->value);
    else if (f.is_signed ? !read_signed(f, text, bits) : !read_unsigned(f, text, bits))
      return false;
    break;
  }
  }
  std::memcpy(static_cast<char *>(config) + f.offset, &bits, f.bytes);
  return true;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ')
    s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ')
    s.remove_suffix(1);
  return s;
}

void assign_named(const FieldTable &table, void *config, std::string_view item) {
  std::size_t equals = item.find('=');
  std::string name(trim(item.substr(0, equals)));
  if (equals == std::string_view::npos)
    throw Error("config: \"" + name + "\" has no value; write " + name + "=...", {});
  std::string_view value = trim(item.substr(equals + 1));
  for (const Field &f : table.fields) {
    if (f.path != name)
      continue;
    if (!assign(f, config, value))
      throw Error("config: " + name + " = \"" + std::string(value) + "\"; it takes " + accepted(f), {});
    return;
  }
  std::string known;
  for (const Field &f : table.fields)
    known += (known.empty() ? "" : ", ") + f.path;
  throw Error("config: no field is called \"" + name + "\"; the fields are " + known, {});
}

}   // namespace

std::string describe(const FieldTable &table, const void *config) {
  // Where nothing was measured, a launch asks for the text of every config.
  constexpr std::size_t expected_characters = 24;
  std::string s;
  s.reserve(table.fields.size() * expected_characters);
  for (const Field &f : table.fields) {
    if (!s.empty())
      s += ' ';
    s.append(f.path).append(1, '=').append(value_text(f, config));
  }
  return s;
}

void push_values(const FieldTable &table, const void *config, launching::WordKey &key) {
  for (const Field &field : table.fields) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char *>(config) + field.offset, field.bytes);
    key.push(word);
  }
}

// Items are separated by commas or spaces: the text of describe() reads back.
void parse(const FieldTable &table, void *config, std::string_view text) {
  while (!(text = trim(text)).empty()) {
    std::size_t end = text.find_first_of(", ");
    if (end != 0)
      assign_named(table, config, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}   // namespace tile::detail

// SPDX-License-Identifier: MIT
// Names and values of the fields of a plain config struct, without a registration macro.
//
// C++20 has no reflection, but three facts together give it for aggregates. A type that converts to anything
// counts the initialisers of an aggregate. Structured bindings reach the fields. And the address of a field
// can be a template argument, if the object has external linkage. The compiler writes this argument into
// __PRETTY_FUNCTION__, with the name of the field.
// Fields are bools, numbers of up to 64 bits, enums, and structs of these. A struct has at most 16 fields.
// Pointers, arrays, base classes and bit-fields are not possible.
//
// The templates only fill a table, once for each config type. All code that works with configs reads it.
#pragma once

#include <tile/device.h>
#include <tile/word_key.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tile {
namespace detail {

struct Enumerator {
  std::int64_t value;
  std::string_view name;
};

struct Field {
  enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, enumeration };
  std::string path;   // "block_m", "launch.num_warps"
  Kind kind;
  std::uint8_t bytes;
  std::size_t offset;
  bool is_signed;                        // for an enumeration: whether its numbers are signed
  std::vector<Enumerator> enumerators;   // only those with known names; the others are numbers
};

struct FieldTable {
  std::vector<Field> fields;
  std::ptrdiff_t launch = -1;               // offset of the first member of type Launch, or -1
  std::string launch_path, second_launch;   // paths of the first two such members
  std::vector<std::byte> plain;             // a config of default values
};

std::string describe(const FieldTable &table, const void *config);
void parse(const FieldTable &table, void *config, std::string_view text);
void push_values(const FieldTable &table, const void *config, launching::WordKey &key);

struct anything {
  template <class T> constexpr operator T() const;
};
template <class T, std::size_t... I> constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), anything{})...}; };
}
template <class T, std::size_t N = 0> constexpr std::size_t initialiser_count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>()))
    return initialiser_count<T, N + 1>();
  else
    return N;
}
// True if each initialiser can have its own braces. Then no initialiser is for an element of an array, and
// their number is the number of fields.
template <class T, std::size_t... I> constexpr bool takes_braced(std::index_sequence<I...>) {
  return requires { T{{(static_cast<void>(I), anything{})}...}; };
}
template <class T> constexpr std::size_t field_count() {
  constexpr std::size_t n = initialiser_count<T>();
  constexpr bool no_array = takes_braced<T>(std::make_index_sequence<n>());
  static_assert(no_array,
                "a field of a config is a bool, a number of up to 64 bits, an enum, or a struct of them, "
                "but no array and no 16-bit float: give each element of an array a field of its own");
  if constexpr (no_array)
    return n;
  else
    return 0;
}

// clang-format off
template <class T> constexpr auto tie_fields(T &v) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  static_assert(n <= 16, "a config struct has at most 16 fields: group some in a nested struct");
  if constexpr (n == 0) { return std::tie(); }
  else if constexpr (n == 1) { auto &[a] = v; return std::tie(a); }
  else if constexpr (n == 2) { auto &[a, b] = v; return std::tie(a, b); }
  else if constexpr (n == 3) { auto &[a, b, c] = v; return std::tie(a, b, c); }
  else if constexpr (n == 4) { auto &[a, b, c, d] = v; return std::tie(a, b, c, d); }
  else if constexpr (n == 5) { auto &[a, b, c, d, e] = v; return std::tie(a, b, c, d, e); }
  else if constexpr (n == 6) { auto &[a, b, c, d, e, f] = v; return std::tie(a, b, c, d, e, f); }
  else if constexpr (n == 7) { auto &[a, b, c, d, e, f, g] = v; return std::tie(a, b, c, d, e, f, g); }
  else if constexpr (n == 8) { auto &[a, b, c, d, e, f, g, h] = v; return std::tie(a, b, c, d, e, f, g, h); }
  else if constexpr (n == 9) { auto &[a, b, c, d, e, f, g, h, i] = v; return std::tie(a, b, c, d, e, f, g, h, i); }
  else if constexpr (n == 10) { auto &[a, b, c, d, e, f, g, h, i, j] = v; return std::tie(a, b, c, d, e, f, g, h, i, j); }
  else if constexpr (n == 11) { auto &[a, b, c, d, e, f, g, h, i, j, k] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k); }
  else if constexpr (n == 12) { auto &[a, b, c, d, e, f, g, h, i, j, k, l] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l); }
  else if constexpr (n == 13) { auto &[a, b, c, d, e, f, g, h, i, j, k, l, m] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m); }
  else if constexpr (n == 14) { auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, o] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o); }
  else if constexpr (n == 15) { auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p); }
  else { auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q); }
}
// clang-format on

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"   // only its address is used
#pragma clang diagnostic ignored "-Wundefined-internal"       // of a config in an unnamed namespace
#endif
template <class T> struct Wrapped {
  T value;
};
template <class T> extern const Wrapped<T> specimen;
template <class T> struct Address {   // clang takes a field's address only inside a class
  T *p;
};
template <class T> Address(T *) -> Address<T>;

// g++ spells the argument "...::Config::block_m)}", clang "...specimen.value.block_m}".
template <auto A> constexpr std::string_view spelled() {
  std::string_view s = __PRETTY_FUNCTION__;
  s = s.substr(0, s.rfind('}'));   // the name of a type may contain a brace: {anonymous}
  s = s.substr(0, s.find_last_not_of(')') + 1);
  return s.substr(s.find_last_of(":.") + 1);
}
template <class T, std::size_t I>
constexpr std::string_view field_name = spelled<Address{&std::get<I>(tie_fields(specimen<T>.value))}>();
#ifdef __clang__
#pragma clang diagnostic pop
#endif

// The name of an enumerator, or "" if the value has no name. Then compilers write a cast of a number:
// "(tile::Order)7".
template <auto V> constexpr std::string_view enumerator() {
  std::string_view s = __PRETTY_FUNCTION__;
  s = s.substr(s.find("V = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));
  s = s.substr(s.rfind(':') + 1);
  return s.find(')') == s.npos ? s : std::string_view();
}
// The names of the values 0 to 31, as data, because code that adds them one by one takes long to compile.
// In the text of a config, all other values are numbers.
template <class E>
constexpr auto enumerators = []<int... V>(std::integer_sequence<int, V...>) {
  return std::array<std::string_view, sizeof...(V)>{enumerator<static_cast<E>(V)>()...};
}(std::make_integer_sequence<int, 32>());

void append_field(FieldTable &table, std::string path, Field::Kind kind, std::size_t bytes,
                  std::size_t offset, bool is_signed = false,
                  std::span<const std::string_view> enumerators = {});
void append_launch(FieldTable &table, std::string path, std::size_t offset);

template <class T>
void append_fields(FieldTable &table, const T &object, const void *base, const std::string &prefix) {
  auto append = [&]<class V>(std::string_view name, const V &v) {
    std::string path = prefix + std::string(name);
    auto offset =
        static_cast<std::size_t>(reinterpret_cast<const char *>(&v) - static_cast<const char *>(base));
    using Kind = Field::Kind;
    if constexpr (std::is_same_v<V, bool>)
      append_field(table, path, Kind::boolean, sizeof(V), offset);
    else if constexpr (std::is_integral_v<V> && sizeof(V) <= 8)
      append_field(table, path, std::is_signed_v<V> ? Kind::signed_integer : Kind::unsigned_integer,
                   sizeof(V), offset);
    else if constexpr (std::is_floating_point_v<V> && sizeof(V) <= 8)
      append_field(table, path, Kind::floating, sizeof(V), offset);
    else if constexpr (std::is_enum_v<V>)
      append_field(table, path, Kind::enumeration, sizeof(V), offset,
                   std::is_signed_v<std::underlying_type_t<V>>, enumerators<V>);
    else {
      constexpr bool is_struct = std::is_class_v<V> && std::is_aggregate_v<V>;
      static_assert(is_struct, "a field of a config is a bool, a number of up to 64 bits, an enum, or a "
                               "struct of them: its value is printed, compared and stored, and an address "
                               "cannot be; pass a function to the kernel as a template argument");
      if constexpr (std::is_same_v<V, Launch>)
        append_launch(table, path, offset);
      if constexpr (is_struct)
        append_fields(table, v, base, path + ".");
    }
  };
  auto fields = tie_fields(object);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (append(field_name<T, I>, std::get<I>(fields)), ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(fields)>>());
}

template <class T> const FieldTable &field_table() {
  static const FieldTable table = [] {
    FieldTable t;
    const T object{};
    append_fields(t, object, &object, "");
    const auto *bytes = reinterpret_cast<const std::byte *>(&object);
    t.plain.assign(bytes, bytes + sizeof object);
    return t;
  }();
  return table;
}

}   // namespace detail

// The text of a config, for tables and reports: "block_m=128 activation=none launch.num_warps=8".
template <class T> std::string describe_config(const T &config) {
  return detail::describe(detail::field_table<T>(), &config);
}

// Reads "block_m=64,launch.num_warps=8". Fields that are not named keep their values in `start`. Throws
// tile::Error for unknown fields and wrong values; it names the known fields, or the accepted values.
template <class T> T parse_config(std::string_view text, T start = {}) {
  detail::parse(detail::field_table<T>(), &start, text);
  return start;
}

}   // namespace tile

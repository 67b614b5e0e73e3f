// SPDX-License-Identifier: MIT
// JSON as records are written and read: small documents of ours, and what other programs measured.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tile::json {

class Value;
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
using Object = std::vector<Member>;   // in the order in which it is written

class Value {
 public:
  Value() = default;   // null
  Value(bool b) : value_(b) {}
  Value(double number) : value_(number) {}
  Value(int number) : value_(static_cast<double>(number)) {}
  Value(std::string text) : value_(std::move(text)) {}
  Value(const char *text) : value_(std::string(text)) {}
  Value(Array items) : value_(std::move(items)) {}
  Value(Object members) : value_(std::move(members)) {}

  // Null where the value is of another kind.
  const bool *boolean() const { return std::get_if<bool>(&value_); }
  const double *number() const { return std::get_if<double>(&value_); }
  const std::string *string() const { return std::get_if<std::string>(&value_); }
  const Array *array() const { return std::get_if<Array>(&value_); }
  const Object *object() const { return std::get_if<Object>(&value_); }
  const Value *find(std::string_view member) const;   // null: it has none, or is no object

  // On one line, with `<` escaped, so that it can stand in a page as it is. Numbers that are not finite are
  // null.
  std::string text() const;

 private:
  std::variant<std::monostate, bool, double, std::string, Array, Object> value_;
};

// One value and nothing behind it. Throws tile::Error: "line 3, column 7: expected `,` or `}`".
Value parse(std::string_view text);

}   // namespace tile::json

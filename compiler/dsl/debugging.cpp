// SPDX-License-Identifier: MIT
// Assumptions, asserts and prints.
#include "compiler/dsl/shapes.h"

#include <cctype>
#include <string_view>

namespace tile::detail {

Use assume(const Use &a, Fact fact, std::int64_t n) {
  static constexpr const char *names[] = {"assume_divisible", "assume_contiguous", "assume_constant"};
  const std::string what = names[static_cast<int>(fact)];
  const Shape &s = a.value.shape;
  if (n < 1)
    throw Error(what + ": the number is at least 1, not " + std::to_string(n), a.loc);
  if (fact != Fact::divisible) {
    if (s.empty())
      throw Error(what + " is about runs along the last axis, and a scalar has no axes", a.loc);
    if (s.back() % n != 0)
      throw Error(what + ": runs of " + std::to_string(n) + " do not divide the last axis of shape " +
                      text(s),
                  a.loc);
  }
  return record<Code::assume>({a}, a.value.type, s, a.loc, {.fact = fact, .number = n});
}

Use assume_range(const Use &a, std::int64_t low, std::int64_t high) {
  if (low > high)
    throw Error("assume_range: the range " + std::to_string(low) + " .. " + std::to_string(high) +
                    " ends before it begins",
                a.loc);
  ElementType t = a.value.type;
  if (t.bits() < 64) {   // unsigned types too: their upper half is not part of any range that can be told
    const std::int64_t limit = std::int64_t(1) << (t.bits() - 1), least = t.is_unsigned() ? 0 : -limit;
    if (low < least || high >= limit)
      throw Error("assume_range: the range " + std::to_string(low) + " .. " + std::to_string(high) +
                      " does not lie in " + std::to_string(least) + " .. " + std::to_string(limit - 1) +
                      ", the values of " + t.name(),
                  a.loc);
  } else if (t.is_unsigned() && low < 0)
    throw Error("assume_range: a u64 is not negative, the range begins at " + std::to_string(low), a.loc);
  return record<Code::assume_range>({a}, t, a.value.shape, a.loc, {.low = low, .high = high});
}

void assume_true(const Use &c) { record_effect(Code::assume_true, {c}, c.loc); }

void assume_apart(const Use &p, const Use &other) {
  for (const Use &pointer : {p, other})
    if (!pointer.value.shape.empty())
      throw Error("assume_apart is about pointers, and this is a tile of them, of shape " +
                      text(pointer.value.shape),
                  p.loc)
          .add_help("give it the pointers that the tiles are made from");
  record_effect(Code::assume_apart, {p, other}, p.loc);
}

namespace {
void need_text(const char *what, const char *text, Loc l) {
  if (!text)
    throw Error(std::string(what) + ": the text is a null pointer; write \"\" for none", l);
}

// "%f", "%-8.3lld" or "{}": what printf or std::print would put a value in place of.
std::string place_for_a_value(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "{}")
      return "{}";
    if (text[at] != '%')
      continue;
    std::size_t end = text.find_first_not_of("-+#.0123456789hlLjzt", at + 1);
    if (end == text.npos || std::string_view("diouxXeEfFgGaAcsp").find(text[end]) == text.npos)
      continue;
    const bool is_word = end + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[end + 1]));
    if (!is_word)   // "5%discount" is a text
      return std::string(text.substr(at, end + 1 - at));
  }
  return "";
}
void need_no_format(const char *what, const char *text, Loc l) {
  if (const std::string place = place_for_a_value(text); !place.empty())
    throw Error(std::string(what) + " takes no format, but the text has " + place +
                    ": each value is written after the text, one line for each element",
                l)
        .add_help("write " + std::string(what) + "(\"x\", x)");
}
}   // namespace

void device_assert(const Use &c, const char *message, const Use *mask) {
  need_text("device_assert", message, c.loc);
  std::vector<Use> operands{c};
  if (mask)
    operands.push_back(fit("the mask of device_assert", *mask, c.value.shape, "the condition"));
  record_effect<Code::assert_true>(std::move(operands), c.loc,
                                   {.message = message, .has_mask = mask != nullptr});
}

void print(const char *prefix, bool hex, const std::vector<Use> &values, Loc l) {
  const char *what = hex ? "print_hex" : "print";
  need_text(what, prefix, l);
  if (!values.empty())
    need_no_format(what, prefix, l);
  std::vector<bool> areUnsigned;
  for (const Use &u : values)
    areUnsigned.push_back(u.value.type.is_unsigned());
  record_effect<Code::print>(values, l,
                             {.prefix = prefix, .hex = hex, .are_unsigned = std::move(areUnsigned)});
}

}   // namespace tile::detail

// SPDX-License-Identifier: MIT
#include "runtime/json.h"

#include "runtime/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace tile::json {
namespace {

constexpr int deepest = 100;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value document() {
    Value value = this->value(0);
    skip();
    if (at_ != text_.size())
      fail("expected nothing more");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string &what) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? at_ + 1 : at_ - start;
    throw Error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what, {});
  }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip();
    if (next() != c || at_ == text_.size())
      return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word))
      return false;
    at_ += word.size();
    return true;
  }

  Value value(int depth) {
    if (depth > deepest)
      fail("nested more than " + std::to_string(deepest) + " deep");
    skip();
    switch (next()) {
    case '{':
      return object(depth);
    case '[':
      return array(depth);
    case '"':
      return string();
    default:
      break;
    }
    if (take_word("true"))
      return true;
    if (take_word("false"))
      return false;
    if (take_word("null"))
      return {};
    return number();
  }

  Value number() {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    double number = 0;
    // from_chars knows "inf" and "nan", JSON does not.
    const bool begins = next() == '-' || (next() >= '0' && next() <= '9');
    const auto [rest, error] = std::from_chars(begin, end, number);
    if (!begins || error == std::errc::invalid_argument || !std::isfinite(number))
      fail("expected a value");
    if (error != std::errc())
      fail("this number is out of range");
    at_ += static_cast<std::size_t>(rest - begin);
    return number;
  }

  void append_code_point(std::string &to, std::uint32_t code) {
    const auto byte = [&](std::uint32_t b) { to += static_cast<char>(b); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xC0 | code >> 6);
      byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      byte(0xE0 | code >> 12);
      byte(0x80 | (code >> 6 & 0x3F));
      byte(0x80 | (code & 0x3F));
    } else {
      byte(0xF0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3F));
      byte(0x80 | (code >> 6 & 0x3F));
      byte(0x80 | (code & 0x3F));
    }
  }
  std::uint32_t hex() {
    std::uint32_t code = 0;
    const char *begin = text_.data() + at_;
    const std::size_t left = std::min<std::size_t>(4, text_.size() - at_);
    const auto [rest, error] = std::from_chars(begin, begin + left, code, 16);
    if (error != std::errc() || rest != begin + 4)
      fail("expected four hexadecimal digits");
    at_ += 4;
    return code;
  }

  std::string string() {
    ++at_;
    std::string all;
    for (;;) {
      if (at_ == text_.size())
        fail("the string does not end");
      const char c = text_[at_++];
      if (c == '"')
        return all;
      if (static_cast<unsigned char>(c) < 0x20)
        fail("a control character in a string");
      if (c != '\\') {
        all += c;
        continue;
      }
      if (at_ == text_.size())
        fail("the string does not end");
      const char escaped = text_[at_++];
      constexpr std::string_view names = "\"\\/bfnrt", codes = "\"\\/\b\f\n\r\t";
      if (const std::size_t which = names.find(escaped); which != std::string_view::npos) {
        all += codes[which];
      } else if (escaped == 'u') {
        std::uint32_t code = hex();
        if (code >= 0xD800 && code < 0xDC00 && take_word("\\u"))
          code = 0x10000 + ((code - 0xD800) << 10) + (hex() & 0x3FF);
        append_code_point(all, code);
      } else {
        fail("no such escape");
      }
    }
  }

  Value array(int depth) {
    ++at_;
    Array items;
    if (take(']'))
      return items;
    do
      items.push_back(value(depth + 1));
    while (take(','));
    if (!take(']'))
      fail("expected `,` or `]`");
    return items;
  }

  Value object(int depth) {
    ++at_;
    Object members;
    if (take('}'))
      return members;
    do {
      skip();
      if (next() != '"')
        fail("expected the name of a member");
      std::string name = string();
      if (!take(':'))
        fail("expected `:`");
      members.emplace_back(std::move(name), value(depth + 1));
    } while (take(','));
    if (!take('}'))
      fail("expected `,` or `}`");
    return members;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void append(std::string &to, const std::string &text) {
  constexpr std::string_view digits = "0123456789abcdef";
  to += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (to += '\\') += c;
    else if (code < 0x20 || c == '<')
      ((to += "\\u00") += digits[code >> 4]) += digits[code & 15];
    else
      to += c;
  }
  to += '"';
}

void append(std::string &to, double number) {
  std::array<char, 40> buffer;
  char *const begin = buffer.data(), *const behind = begin + buffer.size();
  constexpr double exact = 1e15;   // whole numbers up to there are written as such: 100000, not 1e+05
  const bool is_whole = std::abs(number) < exact && number == std::floor(number);
  const auto [end, error] = is_whole ? std::to_chars(begin, behind, static_cast<std::int64_t>(number))
                                     : std::to_chars(begin, behind, number);
  to.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

void append(std::string &to, const Value &value) {
  if (const bool *b = value.boolean()) {
    to += *b ? "true" : "false";
  } else if (const double *number = value.number(); number && std::isfinite(*number)) {
    append(to, *number);
  } else if (const std::string *text = value.string()) {
    append(to, *text);
  } else if (const Array *items = value.array()) {
    to += '[';
    for (std::size_t i = 0; i < items->size(); ++i) {
      to += i ? ", " : "";
      append(to, (*items)[i]);
    }
    to += ']';
  } else if (const Object *members = value.object()) {
    to += '{';
    for (std::size_t i = 0; i < members->size(); ++i) {
      to += i ? ", " : "";
      append(to, (*members)[i].first);
      to += ": ";
      append(to, (*members)[i].second);
    }
    to += '}';
  } else {
    to += "null";
  }
}

}   // namespace

const Value *Value::find(std::string_view member) const {
  if (const Object *members = object())
    for (const auto &[name, value] : *members)
      if (name == member)
        return &value;
  return nullptr;
}

std::string Value::text() const {
  std::string all;
  append(all, *this);
  return all;
}

Value parse(std::string_view text) { return Parser(text).document(); }

}   // namespace tile::json

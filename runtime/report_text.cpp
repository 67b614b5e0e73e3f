// SPDX-License-Identifier: MIT
#include "runtime/report_text.h"

namespace tile {
namespace {

std::string with_commas(const std::string &digits) {
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && digits[at - 1] != '-' && (digits.size() - at) % 3 == 0)
      text.push_back(',');
    text.push_back(digits[at]);
  }
  return text;
}

}   // namespace

std::string grouped(std::int64_t number) { return with_commas(std::to_string(number)); }
std::string grouped(std::uint64_t number) { return with_commas(std::to_string(number)); }

std::string index_text(std::span<const std::int64_t> extents, std::size_t element) {
  std::string text;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const auto extent = static_cast<std::size_t>(extents[axis]);
    text = std::to_string(element % extent) + (text.empty() ? "" : ", ") + text;
    element /= extent;
  }
  return "[" + text + "]";
}

static std::string broken_promise(const std::string &what) {
  return "a promised fact does not hold: " + what;
}
std::string no_multiple_text(const std::string &number, std::int64_t of) {
  return broken_promise(number + " is not a multiple of " + std::to_string(of));
}
std::string outside_range_text(std::int64_t number, std::int64_t low, std::int64_t high) {
  return broken_promise(grouped(number) + " is outside " + grouped(low) + " .. " + grouped(high));
}
std::string same_buffer_text(std::string_view buffer) {
  return broken_promise("both pointers point into `" + std::string(buffer) + "`");
}
std::string loop_step_text(std::int64_t step) {
  return "the step of this range is " + grouped(step) +
         "; a step that is known only when the kernel runs must be positive: give it as maximum(step, 1), or "
         "count down with a literal";
}

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text)
    all += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return all;
}

}   // namespace tile

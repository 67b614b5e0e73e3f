// SPDX-License-Identifier: MIT
// Decides about colour and paints reports.
#include "runtime/terminal.h"

#include "runtime/environment.h"

#include <array>
#include <cstdlib>
#include <unistd.h>

namespace tile {
namespace {

constexpr std::string_view red = "\x1b[1;31m", cyan = "\x1b[1;36m", blue = "\x1b[34m", green = "\x1b[32m",
                           bold = "\x1b[1m", plain = "\x1b[0m";

std::string painted(std::string_view color, std::string_view text) {
  return std::string(color) + std::string(text) + std::string(plain);
}

// `prefix` in `color`, the rest of the line in `rest_color`; empty if the line does not begin so.
std::string after_prefix(std::string_view line, std::string_view prefix, std::string_view color,
                         std::string_view rest_color = {}) {
  if (!line.starts_with(prefix))
    return {};
  line.remove_prefix(prefix.size());
  return painted(color, prefix) + (rest_color.empty() ? std::string(line) : painted(rest_color, line));
}

std::string colored_line(std::string_view line) {
  struct Style {
    std::string_view prefix, color, rest;
  };
  static constexpr std::array styles{Style{"error:", red, bold}, Style{"note:", cyan, {}},
                                     Style{"  -->", blue, {}}, Style{"  = help:", green, {}},
                                     Style{"  =", blue, {}}};
  for (const Style &style : styles)
    if (std::string done = after_prefix(line, style.prefix, style.color, style.rest); !done.empty())
      return done;
  // "   |", "27 | text" and "   |    ^": the margin in blue, the caret in red.
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos || line.find_first_not_of(" 0123456789") != bar)
    return std::string(line);
  const std::string_view margin = line.substr(0, bar + 1), rest = line.substr(bar + 1);
  const bool is_caret = line.find_first_of("0123456789") > bar && rest.ends_with('^');
  return painted(blue, margin) + (is_caret ? painted(red, rest) : std::string(rest));
}

}   // namespace

bool is_terminal(std::FILE *stream) { return isatty(fileno(stream)) == 1; }

bool wants_color(std::FILE *stream) {
  switch (environment::color()) {
  case environment::Color::always:
    return true;
  case environment::Color::never:
    return false;
  case environment::Color::automatic:
    break;
  }
  const char *no_color = std::getenv("NO_COLOR"), *kind = std::getenv("TERM");
  if ((no_color && *no_color) || (kind && std::string_view(kind) == "dumb"))
    return false;
  return is_terminal(stream);
}

std::string colored(std::string_view report) {
  std::string text;
  while (true) {
    const std::size_t end = report.find('\n');
    text += colored_line(report.substr(0, end));
    if (end == std::string_view::npos)
      return text;
    text += '\n';
    report.remove_prefix(end + 1);
  }
}

void print_error(std::FILE *stream, const Error &error) {
  bool color;
  try {
    color = wants_color(stream);
  } catch (const Error &) {
    color = false;   // a bad TILE_COLOR is reported where values are checked, not instead of this error
  }
  const std::string text = (color ? colored(error.what()) : std::string(error.what())) + "\n";
  std::fputs(text.c_str(), stream);
}

}   // namespace tile

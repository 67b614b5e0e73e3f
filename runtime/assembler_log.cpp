// SPDX-License-Identifier: MIT
#include "runtime/assembler_log.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tile {

// The number before each mention of `what`, the largest.
static std::optional<int> largest_before(std::string_view log, std::string_view what) {
  std::optional<int> most;
  for (std::size_t at = 0; (at = log.find(what, at)) != std::string_view::npos; ++at) {
    const std::size_t space = at == 0 ? std::string_view::npos : log.find_last_not_of("0123456789", at - 1);
    const std::size_t first = space == std::string_view::npos ? 0 : space + 1;
    int number = 0;
    if (std::from_chars(log.data() + first, log.data() + at, number).ec == std::errc())
      most = std::max(most.value_or(0), number);
  }
  return most;
}

std::optional<int> spill_bytes(std::string_view log) {
  return std::max(largest_before(log, " bytes spill stores"), largest_before(log, " bytes spill loads"));
}

std::optional<int> registers_used(std::string_view log) { return largest_before(log, " registers"); }

// Calls visit(line, number) until it returns false.
template <class Visit> static void for_each_line(std::string_view text, Visit &&visit) {
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!visit(line, number))
      return;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

// The number that a text begins with, behind blanks; what follows is left in `text`.
static std::optional<unsigned> take_number(std::string_view &text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc())
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::vector<std::string> lost_speed(std::string_view log) {
  constexpr std::string_view family = "(C75";
  constexpr std::size_t code = std::string_view("(C7510)").size();
  std::vector<std::string> losses;
  for_each_line(log, [&](std::string_view line, unsigned) {
    const std::size_t at = line.find(family);
    if (at != std::string_view::npos && line.size() - at >= code && line[at + code - 1] == ')')
      losses.emplace_back(line.substr(at));
    return true;
  });
  return losses;
}

std::optional<unsigned> line_named(std::string_view message) {
  constexpr std::string_view word = "line ";
  for (std::size_t at = 0; (at = message.find(word, at)) != std::string_view::npos;) {
    std::string_view rest = message.substr(at += word.size());
    if (const std::optional<unsigned> number = take_number(rest))
      return number;
  }
  return std::nullopt;
}

std::string_view line_of(std::string_view ptx, unsigned wanted) {
  std::string_view found;
  for_each_line(ptx, [&](std::string_view line, unsigned number) {
    if (number == wanted)
      found = line;
    return number < wanted;
  });
  return found;
}

Location user_line(std::string_view ptx, unsigned wanted) {
  constexpr std::string_view loc = ".loc", file = ".file";
  const auto take = [](std::string_view &line, std::string_view directive) {
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    const bool is_there = line.starts_with(directive);
    if (is_there)
      line.remove_prefix(directive.size());
    return is_there;
  };
  std::optional<unsigned> file_number;
  Location where;
  for_each_line(ptx, [&](std::string_view line, unsigned number) {
    if (wanted ? number > wanted : where.known())
      return false;
    if (!take(line, loc))
      return true;
    const auto in = take_number(line), row = take_number(line), column = take_number(line);
    if (in && row && column && *row != 0) {
      file_number = in;
      where.line = *row;
      where.column = *column;
    }
    return true;
  });
  for_each_line(ptx, [&](std::string_view line, unsigned) {
    if (!file_number || !take(line, file) || take_number(line) != file_number)
      return true;
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    if (begin < end)
      where.file = line.substr(begin + 1, end - begin - 1);
    return false;
  });
  return where.file.empty() ? Location() : where;
}

}   // namespace tile

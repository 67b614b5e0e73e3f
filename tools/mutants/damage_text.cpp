// SPDX-License-Identifier: MIT
#include "tools/mutants/damage_text.h"

#include <array>
#include <regex>
#include <sstream>
#include <vector>

namespace tile::mutants {
namespace {

struct Word {
  std::regex form;
  std::vector<std::string> instead;   // beside what the text itself has of its form
};

const std::vector<Word> &words() {
  static const std::vector<std::string> numbers{
      "0",   "1",    "-1",    "2",          "3",           "5",          "7",
      "8",   "16",   "31",    "32",         "33",          "64",         "100",
      "255", "1024", "65536", "2147483647", "-2147483648", "4294967296", "9223372036854775807"};
  static const std::vector<Word> all{
      {std::regex("%[A-Za-z0-9_]+"), {}},
      {std::regex(R"(-?\b\d+\b)"), numbers},
      {std::regex(R"(\d+(?=x))"), {"1", "2", "3", "5", "7", "8", "16", "31", "32", "33", "64", "?"}},
      {std::regex(
           R"(!?\b(tensor<[^<>]*(<[^<>]*>)?[^<>]*>|tile\.ptr<\w+>|tile_gpu\.\w+(<[^<>]*>)?|i\d+|b?f\d+|index))"),
       {"i1",
        "i8",
        "i32",
        "i64",
        "i128",
        "index",
        "f16",
        "bf16",
        "f32",
        "f64",
        "f8E4M3FN",
        "tensor<32xf32>",
        "tensor<16x16xf16>",
        "tensor<4x32xi32>",
        "tensor<?xf32>",
        "tensor<*xf32>",
        "tensor<f32>",
        "vector<4xf32>",
        "!tile.ptr<f32>",
        "tensor<32x!tile.ptr<f16>>",
        "!llvm.ptr<3>",
        "none"}},
      {std::regex(R"(\{[^{}]*\}|#\w+(\.\w+)?(<[^<>]*>)?)"), {"", "{}"}},
      {std::regex(R"(\b(tile|tile_gpu|arith|scf|math|nvvm|llvm|func)\.\w+(\.\w+)*)"), {}},
      {std::regex(R"(dense<[^<>]*>)"), {"dense_resource<__elided__>", "dense<0>", "dense<1>"}}};
  return all;
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

std::string damaged_lines(const std::string &text, std::size_t kind, Chance &chance) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty())
    return text;
  const std::size_t at = below(lines.size(), chance), other = below(lines.size(), chance);
  if (kind == 0)
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
  else if (kind == 1)
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(other), std::string(lines[at]));
  else
    std::swap(lines[at], lines[other]);
  std::string damaged;
  for (const std::string &line : lines)
    damaged += line + "\n";
  return damaged;
}

std::string exchanged(const std::string &text, const Word &word, Chance &chance) {
  const std::vector<std::smatch> found{std::sregex_iterator(text.begin(), text.end(), word.form), {}};
  if (found.empty())
    return text;
  const std::smatch &chosen = found[below(found.size(), chance)];
  const auto at = static_cast<std::size_t>(chosen.position());
  const std::size_t with = below(found.size() + 2 * word.instead.size(), chance);
  const std::string instead =
      with < found.size() ? found[with].str() : word.instead[(with - found.size()) % word.instead.size()];
  return text.substr(0, at) + instead + text.substr(at + static_cast<std::size_t>(chosen.length()));
}

}   // namespace

std::string damaged_text(std::string text, Chance &chance) {
  static constexpr std::array<int, 5> times{1, 1, 1, 2, 3};
  for (int left = times[below(times.size(), chance)]; left > 0; --left) {
    const std::size_t kind = below(3 + 2 * words().size(), chance);
    text = kind < 3 ? damaged_lines(text, kind, chance) : exchanged(text, words()[(kind - 3) / 2], chance);
  }
  return text;
}

}   // namespace tile::mutants

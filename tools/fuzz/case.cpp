// SPDX-License-Identifier: MIT
// The first line of a case says what the kernel's text does not:
//
//   // fuzz: seed 7 floats small grid 2 1 order 7 elements 32768 8192 scalars 5 0 12
//
// The order, of the simulator's threads and copies, is left out where the environment says it.
#include "tools/fuzz/check.h"

#include <sstream>

namespace tile::fuzz {

static Error no_header() {
  return Error("this is not a program of `tile fuzz`: it has no line `// fuzz: seed .. floats .. grid .. "
               "elements .. scalars ..`",
               {});
}

Case read_case(std::string text) {
  Case result;
  const std::size_t at = text.find("// fuzz: ");
  if (at == std::string::npos)
    throw no_header();
  std::istringstream line(text.substr(at + 9, text.find('\n', at) - at - 9));
  std::string word;
  while (line >> word) {
    if (word == "seed") {
      line >> result.seed;
    } else if (word == "floats") {
      line >> word;
      if (word != name(Floats::small) && word != name(Floats::ring))
        throw no_header();
      result.floats = word == name(Floats::ring) ? Floats::ring : Floats::small;
    } else if (word == "order") {
      line >> result.order;
    } else if (word == "grid") {
      line >> result.grid.x >> result.grid.y;
    } else if (word == "elements") {
      for (std::int64_t count; line >> count;)
        result.elements.push_back(count);
      line.clear();
    } else if (word == "scalars") {
      for (std::int32_t scalar; line >> scalar;)
        result.scalars.push_back(scalar);
      line.clear();
    } else {
      throw no_header();
    }
  }
  result.text = std::move(text);
  return result;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
  case Verdict::agree:
    return "agrees";
  case Verdict::differ:
    return "differs";
  case Verdict::refused:
    return "refused";
  case Verdict::failed:
    return "failed";
  case Verdict::crashed:
    return "crashed";
  case Verdict::hung:
    return "hung";
  }
  return "";
}

}   // namespace tile::fuzz

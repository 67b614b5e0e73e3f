// SPDX-License-Identifier: MIT
// ER2 and ER3, as far as they show while a kernel runs: asserts and printing.
#include "context.h"
#include "families.h"
#include "types.h"

namespace tile::conformance {

namespace {

enum class Assertion { scalar, one_lane, masked };
struct AssertConfig {
  Assertion assertion = Assertion::scalar;
};

void asserting(Ptr<const i32> x, Ptr<i32> z, const AssertConfig &cfg) {
  const Int i = arange(0, 64);
  const Int value = load(x + i);
  switch (cfg.assertion) {
  case Assertion::scalar:
    device_assert(load(x + 7) >= 0, "the eighth is not negative");
    break;
  case Assertion::one_lane:
    device_assert(value >= 0, "no value is negative");
    break;
  case Assertion::masked:
    device_assert(value >= 0, "no even value is negative", i % 2 == 0);
    break;
  }
  store(z + i, value);
}

// A bad value at `place`: -1 for none. Returns the message, empty when the launch succeeds.
std::string run_asserting(Context &t, Assertion assertion, int place) {
  Array x(element_type<i32>, 64);
  if (place >= 0)
    x.set_integer(static_cast<std::size_t>(place), -5);
  Memory &in = t.input(x), &out = t.output<i32>(64);
  try {
    t.run<&asserting>({assertion}, {1}, {in, out});
  } catch (const Error &error) {
    t.require(error.where().known(), "a failed assert has no place");
    return error.what();
  }
  t.exact(out, x);
  return "";
}

void check_assert(Context &t, Assertion assertion, const std::string &message, int failing, int harmless) {
  t.section("true");
  t.require(run_asserting(t, assertion, harmless).empty(), "an assert that holds stopped the launch");
  t.section("false");
  const std::string text = run_asserting(t, assertion, failing);
  t.require(text.find(message) != std::string::npos, "the report lacks the message of the assert: " + text);
  t.require(text.find("debugging.cpp") != std::string::npos, "the report lacks the user's line: " + text);
  t.section("afterwards");   // the device is still of use
  t.require(run_asserting(t, assertion, -1).empty(), "a failed assert spoiled the launches after it");
}

struct PrintConfig {
  bool hex = false;
};
void printing(Ptr<const i32> x, Ptr<const f32> y, const PrintConfig &cfg) {
  const Int i = arange(0, 4);
  if (cfg.hex) {
    print_hex("bits", load(x + i));
  } else {
    print("pair", load(x + i), load(y + i));
    print("program", program_id(0));
  }
}

// The words of a line that are numbers or names, punctuation apart.
std::vector<std::string> words(const std::string &line) {
  std::vector<std::string> result(1);
  for (char c : line) {
    const bool separates = c == ' ' || c == ',' || c == ':' || c == '(' || c == ')' || c == '[' || c == ']' ||
                           c == '\n' || c == '=';
    if (!separates)
      result.back() += c;
    else if (!result.back().empty())
      result.emplace_back();
  }
  if (result.back().empty())
    result.pop_back();
  return result;
}

void check_print(Context &t) {
  const Array x = Array::of<i32>({7, -8, 900, 0}), y = Array::of<f32>({1.5, -2.25, 0, 1024});
  Memory &in_x = t.input(x), &in_y = t.input(y);
  t.take_printed();
  t.run<&printing>({}, {2}, {in_x, in_y});
  const std::vector<std::string> lines = t.take_printed();
  // Two programs print two tiles of four and a scalar each.
  t.require(lines.size() == 18, "expected 18 lines, got " + std::to_string(lines.size()));
  const std::vector<std::string> integers{"7", "-8", "900", "0"};
  std::vector<std::string> seen;   // of the tile x, in the first program that printed it
  std::string first_program;
  int scalars = 0;
  for (const std::string &line : lines) {
    const std::vector<std::string> parts = words(line);
    t.require(!parts.empty() && line.find(parts[0]) == 0, "an empty line was printed");
    const bool is_pair = line.find("pair") != std::string::npos;
    scalars += line.find("program") != std::string::npos && !is_pair;
    if (is_pair && seen.size() < 4)
      seen.push_back(parts.back());
  }
  t.require(scalars >= 2, "the scalar was not printed once per program");
  t.require(seen == integers, "the elements of a tile are not printed in order: " + lines[0]);

  t.section("hex");
  Memory &again = t.input(x), &unused = t.input(y);
  t.run<&printing>({true}, {1}, {again, unused});
  const std::vector<std::string> hex = t.take_printed();
  t.require(hex.size() == 4, "expected 4 lines, got " + std::to_string(hex.size()));
  for (auto [line, digits] : {std::pair{0, "7"}, {1, "fffffff8"}, {2, "384"}, {3, "0"}}) {
    std::string last = words(hex[static_cast<std::size_t>(line)]).back();
    for (char &c : last)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    t.require(last.rfind("0x", 0) == 0 && std::stoul(last, nullptr, 16) == std::stoul(digits, nullptr, 16),
              "hex of element " + std::to_string(line) + " is printed as " + last);
  }
}

}   // namespace

void add_debugging_cases(Suite &suite) {
  suite.add_needing("ER2/assert/scalar", Needs::asserts, [](Context &t) {
    check_assert(t, Assertion::scalar, "the eighth is not negative", 7, 8);
  });
  suite.add_needing("ER2/assert/one_lane", Needs::asserts,
                    [](Context &t) { check_assert(t, Assertion::one_lane, "no value is negative", 63, -1); });
  suite.add_needing("ER2/assert/masked", Needs::asserts, [](Context &t) {
    check_assert(t, Assertion::masked, "no even value is negative", 62, 61);
  });
  suite.add_needing("ER3/print", Needs::printing, check_print);
}

}   // namespace tile::conformance

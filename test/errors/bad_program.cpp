// SPDX-License-Identifier: MIT
// Reads the expectations out of the comments of a bad program and holds its error against them.
#include "test/errors/bad_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace tile::bad {
namespace {

struct Expectation {
  std::string kind, text;   // "error", "axis 2 ... [128, 64]"
  unsigned line;
};

// "error: text" -> {"error", "text"}; outside the program itself, "error in program: text".
std::optional<std::pair<std::string, std::string>> parse(std::string_view comment, std::string_view program,
                                                         bool inside) {
  for (std::string kind : {"error", "error without a place", "note", "help", "context"}) {
    std::string start = inside ? kind + ": " : kind + " in " + std::string(program) + ": ";
    if (comment.starts_with(start))
      return std::pair{kind, std::string(comment.substr(start.size()))};
  }
  return std::nullopt;
}

// __FILE__ below the source folder. A build with ccache's base_dir compiles "../test/errors/x.cpp".
std::filesystem::path source(std::string_view file) {
  while (file.starts_with("../"))
    file.remove_prefix(3);
  return std::filesystem::path(TILE_SOURCE_DIR) / file;
}

// The comments of the function that begins at `first` and ends at the next line that is "}", and
// those elsewhere that name it.
std::vector<Expectation> expectations(const std::string &file, const std::string &program, unsigned first) {
  std::ifstream in(source(file));
  EXPECT_TRUE(in) << "cannot read " << file;
  std::vector<Expectation> found;
  std::string line;
  unsigned code = 0;   // the line that a comment with ^ speaks of
  bool ended = false;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    ended |= number > first && line == "}";
    std::size_t slashes = line.find("// ");
    bool only_comment = slashes != std::string::npos && line.find_first_not_of(' ') == slashes;
    if (!only_comment)
      code = number;
    if (slashes == std::string::npos)
      continue;
    std::string_view comment = std::string_view(line).substr(slashes + 3);
    bool above = comment.starts_with("^ ");
    if (auto parsed = parse(above ? comment.substr(2) : comment, program, number >= first && !ended))
      found.push_back({parsed->first, parsed->second, above ? code : number});
  }
  return found;
}

bool contains(std::string_view text, std::string_view pattern) {
  for (std::size_t at = 0;;) {
    std::size_t gap = pattern.find(" ... ");
    std::string_view part = pattern.substr(0, gap);
    at = text.find(part, at);
    if (at == std::string_view::npos)
      return false;
    if (gap == std::string_view::npos)
      return true;
    at += part.size();
    pattern.remove_prefix(gap + 5);
  }
}

class BadProgram : public testing::Test {
 public:
  BadProgram(std::string name, std::string file, unsigned line, void (*body)())
      : name_(std::move(name)), file_(std::move(file)), line_(line), body_(body) {}

  void TestBody() override {
    std::vector<Expectation> expected = expectations(file_, name_, line_);
    ASSERT_FALSE(expected.empty()) << "no expectation at " << file_ << ":" << line_;
    try {
      body_();
    } catch (const Error &e) {
      SCOPED_TRACE(e.what());
      compare(e, expected);
      return;
    }
    ADD_FAILURE() << name_ << " is accepted";
  }

 private:
  void compare(const Error &e, const std::vector<Expectation> &expected) const {
    std::string_view text = e.what();
    EXPECT_TRUE(text.starts_with("error: "));
    std::size_t notes = 0;
    for (const Expectation &x : expected) {
      if (x.kind == "error") {
        EXPECT_TRUE(contains(e.message(), x.text)) << "expected: " << x.text;
        EXPECT_EQ(e.where().file, file_);
        EXPECT_EQ(e.where().line, x.line) << "the error's line";
        EXPECT_TRUE(contains(text, "--> ... :" + std::to_string(x.line)));
      } else if (x.kind == "error without a place") {
        EXPECT_TRUE(contains(e.message(), x.text)) << "expected: " << x.text;
        EXPECT_FALSE(e.where().known());
      } else if (x.kind == "note") {
        ++notes;
        bool found = false;
        for (const Error::Note &n : e.notes())
          found |= contains(n.text, x.text) && n.where.line == x.line && n.where.file == file_;
        EXPECT_TRUE(found) << "expected at line " << x.line << " the note: " << x.text;
      } else {
        bool found = false;
        for (const std::string &c : e.context())
          found |= contains(c, x.kind == "help" ? "help: ... " + x.text : x.text);
        EXPECT_TRUE(found) << "expected the " << x.kind << ": " << x.text;
      }
    }
    std::size_t placed = 0;
    for (const Error::Note &n : e.notes())
      placed += n.where.known();
    EXPECT_EQ(placed, notes) << "notes with a place";
  }

  std::string name_, file_;
  unsigned line_;
  void (*body_)();
};

}   // namespace

bool refuse(const char *name, const char *file, unsigned line, void (*body)()) {
  testing::RegisterTest("BadPrograms", name, nullptr, nullptr, file, static_cast<int>(line),
                        [=]() -> testing::Test * { return new BadProgram(name, file, line, body); });
  return true;
}

}   // namespace tile::bad

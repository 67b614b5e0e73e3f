// SPDX-License-Identifier: MIT
// Colour: who gets it, and that it changes nothing but colour.
#include <tile/terminal.h>

#include "test/unit/runtime/scratch_folder.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace tile {
namespace {

// A stream that is no terminal.
struct TemporaryFile {
  std::FILE *stream = std::tmpfile();
  ~TemporaryFile() { std::fclose(stream); }
  std::string text() const {
    std::string all;
    std::rewind(stream);
    for (int c; (c = std::fgetc(stream)) != EOF;)
      all += static_cast<char>(c);
    return all;
  }
};

std::string without_escapes(std::string text) {
  for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;)
    text.erase(at, text.find('m', at) + 1 - at);
  return text;
}

class Colors : public ::testing::Test {
 protected:
  Colors() {
    guard.set("TILE_COLOR", nullptr);
    guard.set("NO_COLOR", nullptr);
  }
  testing::EnvironmentGuard guard;
  TemporaryFile file;
};

TEST_F(Colors, FilesAreNotColored) {
  EXPECT_FALSE(wants_color(file.stream));
  print_error(file.stream, Error("bad", {}));
  EXPECT_EQ(file.text(), "error: bad\n");
}

TEST_F(Colors, AlwaysBeatsNoColor) {
  guard.set("TILE_COLOR", "always");
  guard.set("NO_COLOR", "1");
  EXPECT_TRUE(wants_color(file.stream));
  print_error(file.stream, Error("bad", {}));
  EXPECT_EQ(file.text(), "\x1b[1;31merror:\x1b[0m\x1b[1m bad\x1b[0m\n");
  guard.set("TILE_COLOR", "never");
  EXPECT_FALSE(wants_color(file.stream));
}

TEST_F(Colors, ABadSettingDoesNotHideTheError) {
  guard.set("TILE_COLOR", "yes");
  print_error(file.stream, Error("bad", {}));
  EXPECT_EQ(file.text(), "error: bad\n");
}

TEST_F(Colors, OnlyEscapesAreAdded) {
  const std::string report = "error: a | b\n  --> x.cpp:12:3\n   |\n12 | f(a | b);^\n   |   ^\nnote: here\n"
                             "  --> x.cpp:1:1\n  = kernel k\n  = help: do it\nplain | text";
  const std::string painted = colored(report);
  EXPECT_NE(painted.find("\x1b[34m   |\x1b[0m\x1b[1;31m   ^\x1b[0m"), std::string::npos);   // the caret
  EXPECT_NE(painted.find("\x1b[34m12 |\x1b[0m f(a | b);^\n"), std::string::npos);           // the source
  EXPECT_NE(painted.find("\x1b[32m  = help:\x1b[0m do it"), std::string::npos);
  EXPECT_NE(painted.find("\nplain | text"), std::string::npos);
  EXPECT_EQ(without_escapes(painted), report);
}

}   // namespace
}   // namespace tile

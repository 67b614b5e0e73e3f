// SPDX-License-Identifier: MIT
// Finds and quotes a line of the user's source.
#include "runtime/source_excerpt.h"

#include "runtime/environment.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tile {
namespace {

namespace fs = std::filesystem;

bool is_system_header(std::string_view file) {
  return file.find("/include/c++/") != std::string_view::npos || file.starts_with("/usr/include/");
}

bool is_file(const fs::path &path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The file on this machine; empty if it is not found.
fs::path find_source(const fs::path &file) {
  if (file.is_absolute())
    return is_file(file) ? file : fs::path();
  if (const fs::path root = environment::source_root(); !root.empty() && is_file(root / file))
    return root / file;
  std::error_code failed;
  fs::path folder = fs::current_path(failed);
  if (failed)
    return {};
  while (!is_file(folder / file)) {
    if (!folder.has_relative_path())
      return {};
    folder = folder.parent_path();
  }
  return folder / file;
}

bool read_line(const fs::path &file, unsigned number, std::string &line) {
  std::ifstream stream(file);
  for (unsigned i = 0; i < number; ++i)
    if (!std::getline(stream, line))
      return false;
  if (line.ends_with('\r'))
    line.pop_back();
  return true;
}

// What stands before the caret: tabs stay tabs so that the caret is below its column however
// wide they are shown; a character of several bytes takes one space.
std::string caret_indent(std::string_view line, unsigned column) {
  std::string indent;
  for (char c : line.substr(0, column - 1))
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      indent += c == '\t' ? '\t' : ' ';
  return indent;
}

}   // namespace

std::string source_excerpt(const Location &where) {
  if (!where.known() || where.file.empty() || is_system_header(where.file))
    return {};
  const fs::path file = find_source(where.file);
  std::string line;
  if (file.empty() || !read_line(file, where.line, line))
    return {};
  std::string number = std::to_string(where.line);
  number.insert(0, number.size() < 2 ? 1 : 0, ' ');
  const std::string margin(number.size() + 1, ' ');
  std::string text = margin + "|\n" + number + " | " + line + "\n";
  // The compiler counts from 1; one past the end is a legal place, beyond it is another file.
  if (where.column >= 1 && where.column <= line.size() + 1)
    text += margin + "| " + caret_indent(line, where.column) + "^\n";
  return text;
}

}   // namespace tile

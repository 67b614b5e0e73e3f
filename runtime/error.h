// SPDX-License-Identifier: MIT
// The error that users see. Mistakes that tracing, a pass, the interpreter or the driver finds all have the
// same form.
#pragma once

#include <tile/error_code.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tile {

// A place in the user's source. Line 0: unknown.
struct Location {
  std::string file;
  unsigned line = 0, column = 0;
  Location() = default;
  Location(std::string f, unsigned l, unsigned c) : file(std::move(f)), line(l), column(c) {}
  Location(const std::source_location &l) : file(l.file_name()), line(l.line()), column(l.column()) {}
  bool known() const { return line != 0; }
  bool operator==(const Location &) const = default;
};

// error: add: shapes [128] and [256] do not broadcast
//   --> gemm.cpp:27:28
//    |
// 27 |   auto q = p + (rows * n + cols);
//    |                            ^
// note: `cols` was made here
//   --> gemm.cpp:26:34
//   = kernel matmul<f16>, config block_m=128
//   = help: add an axis: rows[all, none]
//
// what() returns this whole text, without colour and without a newline at the end. The source line is shown
// if the file can be read and is no system header (runtime/source_excerpt.h).
class Error : public std::runtime_error {
 public:
  struct Note {
    std::string text;
    Location where;
  };

  Error(std::string message, Location where, std::vector<Note> notes = {});

  const std::string &message() const { return message_; }
  const Location &where() const { return where_; }
  const std::vector<Note> &notes() const { return notes_; }
  const std::vector<std::string> &context() const { return context_; }
  const char *what() const noexcept override { return text_.c_str(); }
  ErrorCode code() const { return code_; }

  // Each call adds one `= ...` line. Calls chain: throw Error(...).add_context(...).add_help(...);
  Error &add_context(std::string line) &;
  Error &add_help(std::string edit) &;
  Error &with_code(ErrorCode code) & {
    code_ = code;
    return *this;
  }
  Error &&with_code(ErrorCode code) && { return std::move(with_code(code)); }
  // The same error at another place, for one that knows no line of the user's.
  Error at(Location where) const;
  Error &&add_context(std::string line) && { return std::move(add_context(std::move(line))); }
  Error &&add_help(std::string edit) && { return std::move(add_help(std::move(edit))); }

 private:
  void render();
  ErrorCode code_ = ErrorCode::invalid_argument;
  std::string message_;
  Location where_;
  std::vector<Note> notes_;
  std::vector<std::string> context_;   // "help: ..." lines last
  std::string excerpt_;                // the source line and the caret, read once
  std::string text_;
};

}   // namespace tile

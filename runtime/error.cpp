// SPDX-License-Identifier: MIT
// How an error reads: see the picture in error.h.
#include "runtime/error.h"

#include "runtime/source_excerpt.h"

#include <algorithm>
#include <string_view>

namespace tile {
namespace {

constexpr std::string_view help_prefix = "help: ";

std::string place_line(const Location &where) {
  std::string text = "  --> " + (where.file.empty() ? std::string("<unknown>") : where.file) + ":" +
                     std::to_string(where.line);
  if (where.column)
    text += ":" + std::to_string(where.column);
  return text + "\n";
}

}   // namespace

Error::Error(std::string message, Location where, std::vector<Note> notes)
    : std::runtime_error(message), message_(std::move(message)), where_(std::move(where)),
      notes_(std::move(notes)), excerpt_(source_excerpt(where_)) {
  render();
}

Error Error::at(Location where) const {
  Error there(*this);
  there.where_ = std::move(where);
  there.excerpt_ = source_excerpt(there.where_);
  there.render();
  return there;
}

Error &Error::add_context(std::string line) & {
  // Advice comes last, whoever adds context on the error's way up.
  const auto first_help = std::find_if(context_.begin(), context_.end(), [](const std::string &entry) {
    return entry.starts_with(help_prefix);
  });
  context_.insert(first_help, std::move(line));
  render();
  return *this;
}

Error &Error::add_help(std::string edit) & {
  context_.push_back(std::string(help_prefix) + std::move(edit));
  render();
  return *this;
}

void Error::render() {
  text_ = "error: " + message_ + "\n";
  if (where_.known())
    text_ += place_line(where_) + excerpt_;
  for (const Note &note : notes_) {
    text_ += "note: " + note.text + "\n";
    if (note.where.known())
      text_ += place_line(note.where);
  }
  for (const std::string &line : context_)
    text_ += "  = " + line + "\n";
  text_.pop_back();
}

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "tools/registry/c_header.h"

#include "runtime/element.h"
#include "runtime/error.h"
#include "runtime/library_abi.h"
#include "tools/registry/load_library.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <span>
#include <sstream>
#include <vector>

namespace tile::registry {
namespace {

using library::ExportedFunction, library::ParameterKind;

std::string c_name(Kind kind) {
  switch (kind) {
  case Kind::I1:
    return "bool";
  case Kind::F64:
    return "double";
  case Kind::F16:
  case Kind::BF16:
  case Kind::E4M3:
  case Kind::E5M2:
  case Kind::F32:
    return "float";
  default: {
    const ElementType type{kind};
    return fmt::format("{}int{}_t", type.is_unsigned() ? "u" : "", type.bits());
  }
  }
}

std::string c_type(const library::Parameter &parameter) {
  switch (parameter.kind) {
  case ParameterKind::tensor:
    return "const tile_tensor *";
  case ParameterKind::text:
    return "const char *";
  default:
    return c_name(static_cast<Kind>(parameter.element)) + " ";
  }
}

// "x: f32, 2 axes, written"
std::string about(const library::Parameter &parameter) {
  std::string text =
      fmt::format("{}: {}", parameter.name,
                  parameter.takes_any_element ? "any element type"
                                              : ElementType{static_cast<Kind>(parameter.element)}.name());
  if (parameter.rank >= 0)
    text += fmt::format(", {} {}", parameter.rank, parameter.rank == 1 ? "axis" : "axes");
  if (parameter.is_contiguous)
    text += ", contiguous";
  if (parameter.is_written)
    text += ", written";
  return text;
}

constexpr std::size_t most = 110;   // characters of a line

std::string comment_in_lines(const std::string &words) {
  std::istringstream left(words);
  std::string text, line = "/*", word;
  while (left >> word) {
    if (left.eof())
      word += " */";
    if (line.size() + 1 + word.size() > most) {
      text += line + "\n";
      line = " *";
    }
    line += " " + word;
  }
  return text + line + "\n";
}

// "int name(a, b, c);"
std::string in_lines(const std::string &name, const std::vector<std::string> &parameters) {
  const std::string begin = "int " + name + "(";
  std::string text, line = begin;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == parameters.size();
    const std::string item = parameters[i] + (is_last ? ");" : ",");
    if (!is_first && line.size() + 1 + item.size() > most) {
      text += line + "\n";
      line = std::string(begin.size(), ' ') + item;
    } else {
      line += (is_first ? "" : " ") + item;
    }
  }
  return text + line + "\n";
}

std::string declaration(const ExportedFunction &function) {
  const library::Parameter *first = nullptr;
  const auto count = static_cast<std::size_t>(function.describe(&first));
  std::string tensors;
  std::vector<std::string> taken{"tile_stream stream"};
  for (const library::Parameter &parameter : std::span(first, count)) {
    if (parameter.kind == ParameterKind::tensor)
      tensors += (tensors.empty() ? "" : "; ") + about(parameter);
    taken.push_back(c_type(parameter) + parameter.name);
  }
  return (tensors.empty() ? "" : comment_in_lines(tensors)) +
         in_lines(fmt::format("{}_{}", function.prefix, function.name), taken);
}

}   // namespace

std::string c_header(const std::string &library) {
  const auto *exports =
      load_table<library::ExportsAbi>(library, library::exports_symbol, library::exports_format);
  if (!exports || !exports->last)
    throw Error("--from: " + library + " exports no functions", {})
        .add_help(
            "in one of its source files, include <tile/export.h> and write TILE_EXPORT(prefix, my_kernel)");
  std::map<std::string, std::string> declarations;   // by name: the order does not depend on the linker
  for (const ExportedFunction *function = exports->last; function; function = function->before)
    declarations[std::string(function->prefix) + "_" + function->name] = declaration(*function);
  std::string text =
      fmt::format("/* Made by `tile header --from {}`.\n"
                  " *\n"
                  " * Every function gives 0, or a tile_status; then tile_error_text() says what is wrong.\n"
                  " * A launch on a GPU is queued on the stream. */\n"
                  "#pragma once\n\n#include <tile/tile.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
                  std::filesystem::path(library).filename().string());
  for (const auto &[function, declared] : declarations)
    text += "\n" + declared;
  return text + "\n#ifdef __cplusplus\n}\n#endif\n";
}

}   // namespace tile::registry

// SPDX-License-Identifier: MIT
#include "tools/fuzz/print.h"

#include <fmt/format.h>

#include <cctype>

namespace tile::fuzz {
namespace {

std::string element(const Type &type) {
  const std::string name = type.kind == Kind::E4M3   ? "f8E4M3FN"
                           : type.kind == Kind::E5M2 ? "f8E5M2"
                                                     : ElementType{type.kind}.name();
  return type.is_pointer ? "!tile.ptr<" + name + ">" : name;
}

class Printer {
 public:
  explicit Printer(const Program &program) : program_(program) {}

  std::string print() {
    text_ = header(program_) + "func.func @fuzz(";
    std::size_t number = 0;
    for (int argument : program_.body.arguments) {
      text_ += (number ? ",\n               " : "") + name(argument) + ": " + type(argument);
      if (number < program_.buffers.size()) {
        const Buffer &buffer = program_.buffers[number];
        text_ += fmt::format(" {{tile.name = \"{}_{}\", tile.divisibility = 16 : i32}}", buffer.role,
                             ElementType{buffer.kind}.name());
      } else {
        text_ += fmt::format(" {{tile.name = \"n{}\"}}", number - program_.buffers.size());
      }
      ++number;
    }
    const Launch &launch = program_.launch;
    text_ +=
        fmt::format(") attributes {{tile.kernel, tile.num_warps = {} : i32, tile.num_stages = {} : i32, "
                    "tile.fp_fusion = {}{}{}}} {{\n",
                    launch.num_warps, launch.num_stages, launch.fp_fusion,
                    launch.num_ctas > 1 ? fmt::format(", tile.num_ctas = {} : i32", launch.num_ctas) : "",
                    launch.ping_pong ? ", tile.ping_pong" : "");
    nodes(program_.body, 1);
    return text_ + "  return\n}\n";
  }

 private:
  static std::string name(int value) { return "%v" + std::to_string(value); }
  const Type &type_of(int value) const { return program_.values[static_cast<std::size_t>(value)].type; }

  std::string with_elements(const std::vector<int> &axes, const std::string &elements) const {
    if (axes.empty())
      return elements;
    std::string text = "tensor<";
    for (int axis : axes)
      text += std::to_string(extent(program_, axis)) + "x";
    return text + elements + ">";
  }
  // "8x4xi32"
  std::string shape(int value) const {
    std::string text;
    for (int axis : type_of(value).axes)
      text += std::to_string(extent(program_, axis)) + "x";
    return text + element(type_of(value));
  }
  std::string type(int value) const {
    return type_of(value).is_descriptor ? "!tile.desc<" + shape(value) + ">"
                                        : with_elements(type_of(value).axes, element(type_of(value)));
  }

  std::string list(const std::vector<int> &values, std::string (Printer::*part)(int) const) const {
    std::string text;
    for (int value : values)
      text += (text.empty() ? "" : ", ") + (this->*part)(value);
    return text;
  }
  std::string name_of(int value) const { return name(value); }

  void indent(int depth) { text_.append(static_cast<std::size_t>(2 * depth), ' '); }

  void results(const Node &node) {
    if (!node.results.empty())
      text_ += list(node.results, &Printer::name_of) + " = ";
  }

  void nodes(const Region &region, int depth) {
    for (const Node &node : region.nodes) {
      if (node.form == Node::Form::plain)
        plain(node, depth);
      else if (node.form == Node::Form::branch)
        branch(node, depth);
      else if (node.form == Node::Form::while_loop)
        while_loop(node, depth);
      else
        loop(node, depth);
    }
  }

  void body(const Region &region, int depth) {
    text_ += " {\n";
    nodes(region, depth + 1);
    if (!region.yields.empty()) {
      indent(depth + 1);
      text_ += "scf.yield " + list(region.yields, &Printer::name_of) + " : " +
               list(region.yields, &Printer::type) + "\n";
    }
    indent(depth);
    text_ += "}";
  }

  void loop(const Node &node, int depth) {
    const Region &region = node.regions[0];
    indent(depth);
    results(node);
    text_ += fmt::format("scf.for {}{} = {} to {} step {}",
                         node.form == Node::Form::unsigned_loop ? "unsigned " : "", name(region.arguments[0]),
                         name(node.operands[0]), name(node.operands[1]), name(node.operands[2]));
    if (!node.results.empty()) {
      text_ += " iter_args(";
      for (std::size_t i = 0; i < node.results.size(); ++i)
        text_ += fmt::format("{}{} = {}", i ? ", " : "", name(region.arguments[i + 1]),
                             name(node.operands[i + 3]));
      text_ += ") -> (" + list(node.results, &Printer::type) + ")";
    }
    text_ += " : " + type(node.operands[0]);
    body(region, depth);
    options(node);
  }

  void options(const Node &node) {
    std::string said;
    const auto say = [&](const std::string &option) { said += (said.empty() ? "" : ", ") + option; };
    if (node.stages)
      say(fmt::format("tile.num_stages = {} : i32", node.stages));
    if (node.unroll)
      say(fmt::format("tile.unroll = {} : i32", node.unroll));
    if (node.has_independent_iterations)
      say("tile.specialize_warps");
    text_ += said.empty() ? "\n" : " {" + said + "}\n";
  }

  void while_loop(const Node &node, int depth) {
    const Region &before = node.regions[0], &after = node.regions[1];
    const std::string types = list(node.results, &Printer::type);
    indent(depth);
    results(node);
    text_ += "scf.while (";
    for (std::size_t i = 0; i < node.operands.size(); ++i)
      text_ += fmt::format("{}{} = {}", i ? ", " : "", name(before.arguments[i]), name(node.operands[i]));
    text_ += ") : (" + types + ") -> (" + types + ") {\n";
    nodes(before, depth + 1);
    indent(depth + 1);
    const std::vector<int> carried(before.yields.begin() + 1, before.yields.end());
    text_ += "scf.condition(" + name(before.yields[0]) + ") " + list(carried, &Printer::name_of) + " : " +
             types + "\n";
    indent(depth);
    text_ += "} do {\n";
    indent(depth);
    text_ += "^bb0(";
    for (std::size_t i = 0; i < after.arguments.size(); ++i)
      text_ += fmt::format("{}{}: {}", i ? ", " : "", name(after.arguments[i]), type(after.arguments[i]));
    text_ += "):\n";
    nodes(after, depth + 1);
    indent(depth + 1);
    text_ += "scf.yield " + list(after.yields, &Printer::name_of) + " : " + types + "\n";
    indent(depth);
    text_ += "}\n";
  }

  void branch(const Node &node, int depth) {
    indent(depth);
    results(node);
    text_ += "scf.if " + name(node.operands[0]) + " -> (" + list(node.results, &Printer::type) + ")";
    body(node.regions[0], depth);
    text_ += " else";
    body(node.regions[1], depth);
    text_ += "\n";
  }

  void plain(const Node &node, int depth) {
    ++own_;
    indent(depth);
    // The results stand before the last operation of the text; the others have names of the node's own.
    const std::size_t last = node.text.rfind("\n$=");
    const std::string first = last == std::string::npos ? "" : node.text.substr(0, last + 1);
    const std::string main = last == std::string::npos ? node.text : node.text.substr(last + 3);
    if (!first.empty()) {
      fill(node, first, depth);
      indent(depth);
    }
    results(node);
    fill(node, main, depth);
    text_ += "\n";
  }

  void fill(const Node &node, const std::string &form, int depth) {
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] == '\n') {
        text_ += '\n';
        if (i + 1 < form.size())
          indent(depth);
      } else if (form[i] != '$') {
        text_ += form[i];
      } else {
        i = place(node, form, i + 1);
      }
    }
  }

  // Fills the place whose kind is at `at`; gives the position of its last character.
  std::size_t place(const Node &node, const std::string &form, std::size_t at) {
    if (form[at] == '~') {
      text_ += fmt::format("%own{}{}", own_, form[at + 1]);
      return at + 1;
    }
    if (form[at] == 'P') {
      text_ += with_elements(type_of(node.operands[1]).axes, element(type_of(node.operands[0])));
      return at;
    }
    const char kind = std::isdigit(static_cast<unsigned char>(form[at])) ? ' ' : form[at++];
    std::size_t number = 0, end = at;
    while (end < form.size() && std::isdigit(static_cast<unsigned char>(form[end])))
      number = number * 10 + static_cast<std::size_t>(form[end++] - '0');
    switch (kind) {
    case ' ':
      text_ += name(node.operands[number]);
      break;
    case 't':
      text_ += type(node.operands[number]);
      break;
    case 'e':
      text_ += element(type_of(node.operands[number]));
      break;
    case 's':
      text_ += shape(node.operands[number]);
      break;
    case 'S':
      text_ += shape(node.results[number]);
      break;
    case 'b':
      text_ += with_elements(type_of(node.operands[number]).axes, "i1");
      break;
    case 'r':
      text_ += name(node.results[number]);
      break;
    case 'T':
      text_ += type(node.results[number]);
      break;
    case 'E':
      text_ += element(type_of(node.results[number]));
      break;
    case 'x':
      text_ += std::to_string(extent(program_, static_cast<int>(number)));
      break;
    default:
      break;
    }
    return end - 1;
  }

  const Program &program_;
  std::string text_;
  int own_ = 0;
};

}   // namespace

std::string header(const Program &program) {
  std::string text = fmt::format("// fuzz: seed {} floats {} grid {} {} elements", program.seed,
                                 name(program.floats), program.grid.x, program.grid.y);
  for (const Buffer &buffer : program.buffers)
    text += " " + std::to_string(buffer.elements);
  if (program.order)
    text.insert(text.find(" elements"), fmt::format(" order {}", program.order));
  text += " scalars";
  for (std::int32_t scalar : program.scalars)
    text += " " + std::to_string(scalar);
  return text + "\n";
}

std::string print(const Program &program) { return Printer(program).print(); }

}   // namespace tile::fuzz

// SPDX-License-Identifier: MIT
#include "test/unit/transforms/random_kernel.h"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <vector>

namespace tile::test {
namespace {

enum Shape { scalar, vector, column, row, matrix, shapes };
constexpr std::array<std::string_view, shapes> Prefix{"", "8x", "8x1x", "1x4x", "8x4x"};

class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random(seed) {}

  RandomKernel write() {
    RandomKernel kernel;
    kernel.n = edge();
    kernel.m = static_cast<std::int32_t>(below(100));
    begin(kernel);
    for (int step = 0; step < 30; ++step)
      statement();
    loop();
    for (int step = 0; step < 20; ++step)
      statement();
    for (int index = 0; index < RandomKernelStores; ++index)
      store(index);
    kernel.text = text + "  return\n}\n";
    return kernel;
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); }

  std::int32_t edge() {
    constexpr std::int32_t edges[] = {0, 1, -1, 2, 3, 7, 31, 32, 33, 64, -5, INT32_MAX, INT32_MIN, 1000};
    return edges[below(std::size(edges))];
  }

  static std::string type(Shape shape, std::string_view element) {
    if (shape == scalar)
      return std::string(element);
    return "tensor<" + std::string(Prefix[shape]) + std::string(element) + ">";
  }

  std::string emit(const std::string &operation) {
    std::string name = "%v" + std::to_string(count++);
    text += "  " + name + " = " + operation + "\n";
    return name;
  }

  void begin(const RandomKernel &kernel) {
    text = "func.func @random(%x: !tile.ptr<i32>, %out: !tile.ptr<i32>, %n: i32, %m: i32) attributes "
           "{tile.kernel} {\n";
    text += "  %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n";
    ints[scalar] = {"%n", "%m", emit("tile.program_id y"), emit("tile.num_programs x")};
    std::string low = std::to_string(kernel.m - static_cast<int>(below(3)));
    ints[scalar].push_back(emit("tile.assume %m {range = array<i64: " + low + ", 100>} : i32"));
    std::string rows = emit("tile.arange 0 to 8 : tensor<8xi32>"),
                columns = emit("tile.arange 0 to 4 : tensor<4xi32>");
    ints[vector] = {rows, emit("tile.arange -3 to 5 : tensor<8xi32>")};
    std::string down = expand(rows);
    std::string along =
        emit("tile.expand_dims " + columns + " {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>");
    ints[column] = {down};
    ints[row] = {along};
    std::string four = emit("arith.constant dense<4> : tensor<8x1xi32>");
    std::string start =
        stretch(column, emit("arith.muli " + down + ", " + four + " : tensor<8x1xi32>"), "i32");
    offsets = emit("arith.addi " + start + ", " + stretch(row, along, "i32") + " : tensor<8x4xi32>");
    std::string pointers = emit("tile.splat %x : !tile.ptr<i32> -> tensor<8x4x!tile.ptr<i32>>");
    from =
        emit("tile.addptr " + pointers + ", " + offsets + " : tensor<8x4x!tile.ptr<i32>>, tensor<8x4xi32>");
    ints[matrix] = {offsets, emit("tile.load " + from + " : tensor<8x4x!tile.ptr<i32>>")};
    for (int shape = 0; shape < shapes; ++shape)
      compare(static_cast<Shape>(shape));
  }

  std::string expand(const std::string &value) {
    return emit("tile.expand_dims " + value + " {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>");
  }
  std::string stretch(Shape shape, const std::string &value, std::string_view element) {
    return emit("tile.broadcast " + value + " : " + type(shape, element) + " -> " + type(matrix, element));
  }

  const std::string &any(const std::vector<std::string> &values) { return values[below(values.size())]; }

  // Recent values more often, so that chains grow; now and then a constant.
  std::string operand(Shape shape) {
    if (below(5) == 0) {
      std::string value = std::to_string(edge());
      return emit("arith.constant " + (shape == scalar ? value : "dense<" + value + ">") + " : " +
                  type(shape, "i32"));
    }
    const auto &values = ints[shape];
    return below(2) ? values.back() : any(values);
  }

  void compare(Shape shape) {
    constexpr std::string_view predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                               "sge", "ult", "ule", "ugt", "uge"};
    std::string a = operand(shape), b = operand(shape);
    bools[shape].push_back(emit("arith.cmpi " + std::string(predicates[below(10)]) + ", " + a + ", " + b +
                                " : " + type(shape, "i32")));
  }

  void combine(Shape shape) {
    constexpr std::string_view operations[] = {
        "arith.addi",  "arith.subi",   "arith.muli",     "arith.andi",     "arith.ori",  "arith.xori",
        "arith.maxsi", "arith.minsi",  "arith.maxui",    "arith.minui",    "tile.divsi", "tile.divui",
        "tile.remsi",  "tile.remui",   "tile.ceildivsi", "tile.ceildivui", "tile.shli",  "tile.shrsi",
        "tile.shrui",  "tile.mulhisi", "tile.mulhiui"};
    std::string a = operand(shape), b = operand(shape);
    ints[shape].push_back(emit(std::string(operations[below(std::size(operations))]) + " " + a + ", " + b +
                               " : " + type(shape, "i32")));
  }

  void choose(Shape shape) {
    std::string a = operand(shape), b = operand(shape), condition = any(bools[shape]);
    std::string types = shape == scalar ? "i32" : type(shape, "i1") + ", " + type(shape, "i32");
    ints[shape].push_back(emit("arith.select " + condition + ", " + a + ", " + b + " : " + types));
  }

  void reshape() {
    switch (below(5)) {
    case 0: {
      auto to = static_cast<Shape>(1 + below(shapes - 1));
      ints[to].push_back(emit("tile.splat " + operand(scalar) + " : i32 -> " + type(to, "i32")));
      return;
    }
    case 1:
      ints[column].push_back(expand(operand(vector)));
      return;
    case 2:
      ints[matrix].push_back(stretch(column, operand(column), "i32"));
      return;
    case 3:
      ints[matrix].push_back(stretch(row, operand(row), "i32"));
      return;
    default:
      Shape shape = below(2) ? column : row;
      bools[matrix].push_back(stretch(shape, any(bools[shape]), "i1"));
    }
  }

  void access() {
    std::string mask = any(bools[matrix]), other = operand(matrix);
    std::string pointers = " : " + type(matrix, "!tile.ptr<i32>");
    if (below(2)) {
      ints[matrix].push_back(emit("tile.load " + from + ", " + mask + ", " + other + pointers));
      return;
    }
    std::string loaded = emit("tile.load " + from + ", " + mask + pointers);
    ints[matrix].push_back(
        emit("arith.select " + mask + ", " + loaded + ", " + other + " : tensor<8x4xi1>, tensor<8x4xi32>"));
  }

  void statement() {
    auto shape = static_cast<Shape>(below(shapes));
    switch (below(8)) {
    case 0:
      return compare(shape);
    case 1:
      return choose(shape);
    case 2:
    case 3:
      return reshape();
    case 4:
      return access();
    default:
      return combine(shape);
    }
  }

  // At most 16 rounds, counted up from anywhere, by signed or by unsigned numbers.
  void loop() {
    bool isUnsigned = below(2) != 0;
    std::string start =
        isUnsigned ? emit("arith.constant 2147483640 : i32") : emit("arith.constant -5 : i32");
    std::string fifteen = emit("arith.constant 15 : i32");
    std::string length = emit("arith.andi " + operand(scalar) + ", " + fifteen + " : i32");
    std::string end = emit("arith.addi " + start + ", " + length + " : i32");
    std::string initial = operand(scalar), name = "%v" + std::to_string(count++), saved = text;
    text.clear();
    auto outsideInts = ints;
    auto outsideBools = bools;
    ints[scalar].push_back("%s");
    ints[scalar].push_back("%i");
    for (int step = 0; step < 8; ++step)
      statement();
    std::string mixed = emit("arith.xori %s, " + ints[scalar].back() + " : i32");
    text = saved + "  " + name + " = scf.for " + (isUnsigned ? "unsigned " : "") + "%i = " + start + " to " +
           end + " step %one iter_args(%s = " + initial + ") -> (i32) : i32 {\n" + text + "  scf.yield " +
           mixed + " : i32\n  }\n";
    ints = outsideInts;
    bools = outsideBools;
    ints[scalar].push_back(name);
  }

  void store(int index) {
    auto shape = static_cast<Shape>(index % shapes);
    std::string value =
        ints[shape][ints[shape].size() - 1 - below(std::min<std::size_t>(4, ints[shape].size()))];
    if (shape == scalar)
      value = emit("tile.splat " + value + " : i32 -> tensor<8x4xi32>");
    if (shape == vector)
      value = stretch(column, expand(value), "i32");
    if (shape == column || shape == row)
      value = stretch(shape, value, "i32");
    std::string base = emit("arith.constant " + std::to_string(32 * index) + " : i32");
    std::string start = emit("tile.addptr %out, " + base + " : !tile.ptr<i32>, i32");
    std::string pointers = emit("tile.splat " + start + " : !tile.ptr<i32> -> tensor<8x4x!tile.ptr<i32>>");
    std::string to =
        emit("tile.addptr " + pointers + ", " + offsets + " : tensor<8x4x!tile.ptr<i32>>, tensor<8x4xi32>");
    std::string mask = below(3) ? "" : ", " + any(bools[matrix]);
    text += "  tile.store " + to + ", " + value + mask + " : tensor<8x4x!tile.ptr<i32>>\n";
  }

  std::mt19937 random;
  std::string text, offsets, from;
  std::array<std::vector<std::string>, shapes> ints, bools;
  int count = 0;
};

}   // namespace

RandomKernel random_kernel(std::uint32_t seed) { return Writer(seed).write(); }

}   // namespace tile::test

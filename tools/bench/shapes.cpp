// SPDX-License-Identifier: MIT
#include "tools/bench/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <charconv>
#include <fstream>

namespace tile::bench {
namespace {

using registry::BadSetting;

constexpr std::string_view sweep_prefix = "sweep:";
constexpr std::size_t most_shapes = 1000;

// How many products there are, or heads share one of keys, is no size of one.
bool is_count(const std::string &name) {
  return name == "groups" || name == "batch" || name == "heads" || name == "sharing";
}

bool is_rows(const registry::Entry &kernel, const std::string &name) {
  return kernel.parameter(name)->form == registry::Parameter::Form::rows;
}

std::string accepted(const registry::Entry &kernel) {
  std::string sizes, example, dealt;
  for (const std::string &name : size_names(kernel)) {
    sizes += (sizes.empty() ? "" : "x") + name;
    const std::string separator = example.empty() ? "" : "x", size = is_count(name) ? "8" : "1024";
    example += separator + size;
    dealt += separator + size + (is_rows(kernel, name) ? "u" : "");
  }
  return fmt::format("a shape of {} is {}, as in {}", kernel.name, sizes, example) +
         (dealt == example ? "" : fmt::format(" or {}, with 1024 rows of all dealt unevenly", dealt)) +
         (size_names(kernel).size() > 1 ? ", or one number for all" : "");
}

// Whole numbers from 1 on; what a setting takes beyond that, it says itself.
bool is_size(const std::string &text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
         text.find_first_not_of('0') != std::string::npos;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos)
      return parts;
    begin = end + 1;
  }
}

Shape parse_shape(const std::string &text, const registry::Entry &kernel) {
  const std::vector<std::string> names = size_names(kernel);
  Shape shape = split(text, 'x');
  if (shape.size() == 1 && names.size() > 1) {
    const std::string all = shape[0];
    shape.clear();
    for (const std::string &name : names)
      shape.push_back(is_count(name) ? kernel.parameter(name)->fallback : all);
  }
  bool good = shape.size() == names.size();
  for (std::size_t i = 0; good && i < names.size(); ++i) {
    const bool is_dealt = is_rows(kernel, names[i]) && shape[i].ends_with('u');
    good = is_size(shape[i].substr(0, shape[i].size() - is_dealt));
  }
  if (!good)
    throw BadSetting(fmt::format("`{}` is not a shape; {}", text, accepted(kernel)));
  registry::Settings settings(kernel.parameters);
  for (std::size_t i = 0; i < names.size(); ++i)
    settings.set(names[i], shape[i]);
  return shape;
}

std::int64_t number(const std::string &text, const std::string &sweep) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > largest)
    throw BadSetting(fmt::format("`{}` is not a sweep; accepted are sweep:512..8192, which doubles, and "
                                 "sweep:512..4096+512, which adds",
                                 sweep));
  return value;
}

// sweep:512..4096 doubles, sweep:512..4096+512 adds.
std::vector<Shape> parse_sweep(const std::string &text, const registry::Entry &kernel) {
  const std::string range = text.substr(sweep_prefix.size());
  const std::size_t dots = range.find("..");
  const std::size_t plus = range.find('+');
  if (dots == std::string::npos)
    number("", text);
  const std::int64_t low = number(range.substr(0, dots), text);
  const std::int64_t high = number(range.substr(dots + 2, plus - std::min(plus, dots + 2)), text);
  const std::int64_t step = plus == std::string::npos ? 0 : number(range.substr(plus + 1), text);
  if (high < low)
    throw BadSetting(fmt::format("`{}` sweeps over nothing: {} is less than {}", text, high, low));
  std::vector<Shape> shapes;
  for (std::int64_t size = low; size <= high; size = step ? size + step : size * 2) {
    shapes.push_back(parse_shape(std::to_string(size), kernel));
    if (shapes.size() > most_shapes)
      throw BadSetting(fmt::format("`{}` has more than {} shapes", text, most_shapes));
  }
  return shapes;
}

std::vector<Shape> parse_file(const std::string &name, const registry::Entry &kernel) {
  std::ifstream file(name);
  std::string line;
  if (!file || (file.peek() == std::ifstream::traits_type::eof() && !file.eof()))
    throw BadSetting(fmt::format("--shapes: `{}` is neither a list of shapes nor a file that can be read; {}",
                                 name, accepted(kernel)));
  std::vector<Shape> shapes;
  for (int number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.size(), line.find('#')));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos)
      continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    try {
      shapes.push_back(parse_shape(line, kernel));
    } catch (const BadSetting &wrong) {
      throw BadSetting(fmt::format("{}:{}: {}", name, number, wrong.what()));
    }
  }
  if (shapes.empty())
    throw BadSetting(fmt::format("{} has no shapes; {}, one per line", name, accepted(kernel)));
  return shapes;
}

}   // namespace

std::vector<std::string> size_names(const registry::Entry &kernel) {
  std::vector<std::string> names;
  for (const registry::Parameter &p : kernel.parameters)
    if (p.choices.empty() &&
        (p.form == registry::Parameter::Form::count || p.form == registry::Parameter::Form::rows))
      names.push_back(p.name);
  return names;
}

std::vector<Shape> parse_shapes(const std::string &text, const registry::Entry &kernel) {
  if (text.starts_with(sweep_prefix))
    return parse_sweep(text, kernel);
  if (!text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])))
    return parse_file(text, kernel);
  std::vector<Shape> shapes;
  for (const std::string &part : split(text, ','))
    shapes.push_back(parse_shape(part, kernel));
  return shapes;
}

// Rows of multiples of 16 elements, which descriptors take.
std::vector<Shape> small_shapes(const registry::Entry &kernel) {
  Shape shape;
  for (const std::string &name : size_names(kernel)) {
    const std::int64_t size = std::stoll(kernel.parameter(name)->fallback);
    shape.push_back(std::to_string(is_count(name) ? size : (size + 15) / 16 * 16));
  }
  return {shape};
}

std::vector<Shape> usual_shapes(const registry::Entry &kernel) {
  const std::size_t sizes = size_names(kernel).size();
  if (sizes == 1)
    return parse_shapes("1048576,16777216,67108864", kernel);
  if (kernel.name == "top_k")   // tokens and experts
    return parse_shapes("8192x64,16384x256,4096x8192", kernel);
  if (kernel.name == "rotary_embedding")   // tokens and their heads
    return parse_shapes("32x32,4096x32,16384x8", kernel);
  if (sizes == 2)
    return parse_shapes("4096x1024,8192x4096,8192x16384", kernel);
  if (kernel.parameter("sequences"))
    return parse_shapes("16x8x1x4096x4,4x8x1024x1024x4", kernel);
  if (kernel.name == "attention_backward")   // float64 takes seconds for a row of keys of longer ones
    return parse_shapes("32x512x512x1,16x1024x1024x1", kernel);
  if (kernel.parameter("heads"))
    return parse_shapes("16x1024x1024x1,16x4096x4096x1", kernel);
  if (sizes == 4)
    return parse_shapes("8x512x512x512,4x2048x2048x2048", kernel);
  return parse_shapes("512,1024,2048,4096,8192,64x4096x4096,4096x4096x512,512x512x16384", kernel);
}

}   // namespace tile::bench

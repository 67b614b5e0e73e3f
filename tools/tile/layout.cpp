// SPDX-License-Identifier: MIT
// `tile layout`: a layout as a table of who holds each element, and as a picture. The layout is given as
// text, or it is one of those of a kernel.
#include "compiler/api/layout_text.h"
#include "compiler/layout/svg.h"
#include "runtime/error.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/commands.h"
#include "tools/tile/traced_kernel.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>

namespace tile::tool {

static std::vector<Option> layout_options() {
  return {{"svg", "FILE", "also writes a picture"},
          {"element", "NAME", "element type, for the banks of shared memory; f16, or the kernel's"}};
}

static std::vector<Option> kernel_options() {
  std::vector<Option> options = specialization_options();
  options.insert(
      options.begin(),
      {"number", "N", "which layout of the list; without this option the command prints the list"});
  return options;
}

std::string layout_help() {
  return "usage: tile layout '#tile_gpu.layout<...>' [--option value ...]\n"
         "       tile layout KERNEL [--number N] [--option value ...]\n\n"
         "Prints which warp, lane and register holds each element of a tile (w0:l3:r1), or its offset in "
         "shared\n"
         "memory. With a kernel and no number, it lists the layouts of the kernel's code.\n\n"
         "options:\n" +
         describe(layout_options()) +
         "\noptions for the layouts of a kernel, in addition to those of `tile dump`:\n" +
         describe(kernel_options()) + from_help();
}

static std::int64_t parse_number(const std::string &text, std::size_t count) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number >= count)
    throw BadUsage(fmt::format("--number takes the number of a layout, 0 to {}, not `{}`", count - 1, text));
  return static_cast<std::int64_t>(number);
}

static unsigned parse_element_bits(const std::string &name) {
  ElementType type;
  if (!parse_kind(name, type.kind))
    throw BadUsage(
        fmt::format("--element takes the name of an element type such as f16 or i8, not `{}`", name));
  return static_cast<unsigned>(type.bytes() * 8);
}

static std::string shape_text(const layout::TileLayout &layout) {
  std::string text;
  for (std::int64_t extent : layout.shape())
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

// "16 x 24: 4 warps, 12 registers of each thread; cells are warp:lane:register"
static std::string summary(const layout::TileLayout &layout) {
  if (layout.isShared())
    return fmt::format("{}: {} elements of shared memory; cells are offsets in elements", shape_text(layout),
                       layout.places());
  return fmt::format("{}: {} warp{}, {} register{} of each thread{}; cells are warp:lane:register",
                     shape_text(layout), layout.warps(), layout.warps() == 1 ? "" : "s", layout.places(),
                     layout.places() == 1 ? "" : "s",
                     layout.isReplicated() ? ", some elements are held more than once" : "");
}

static void write_file(const std::string &name, const std::string &text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(name.c_str(), "wb"), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    throw BadUsage(fmt::format("--svg: cannot write {}", name));
}

static void show(const layout::TileLayout &layout, unsigned bits, const std::string &title,
                 const CommandLine &line) {
  if (layout.rank() < 1 || layout.rank() > 2)
    throw BadUsage(fmt::format("a layout of rank 1 or 2 can be shown, this one is {} and has rank {}",
                               shape_text(layout), layout.rank()));
  if (!line.has("svg"))
    refuse_idle(line, {"element"}, "without --svg, whose banks it is for");
  std::int64_t elements = 1;
  for (std::int64_t extent : layout.shape())
    elements *= extent;
  if (elements > layout::MostSvgElements)
    throw BadUsage(fmt::format("a layout of at most {} elements can be shown, this one is {}",
                               layout::MostSvgElements, shape_text(layout)));
  if (const std::string *file = line.find("svg"))
    write_file(*file, layout::svg(layout, {title, bits}));
  fmt::print("{}\n{}", summary(layout), layout.table());
}

static int show_text(const std::string &text, std::span<const std::string> rest) {
  const std::vector<Option> options = layout_options();
  const CommandLine line = parse(rest, options, "tile layout");
  if (!line.operands.empty())
    throw BadUsage(fmt::format("tile layout takes one layout or kernel, not also `{}`", line.operands[0]));
  const std::string *element = line.find("element");
  const unsigned bits = element ? parse_element_bits(*element) : 16;
  std::optional<layout::TileLayout> layout;
  try {
    layout = parse_layout(text);
  } catch (const Error &error) {
    throw BadUsage(error.message());
  }
  show(*layout, bits, shape_text(*layout), line);
  return 0;
}

static void list_layouts(const std::vector<FoundLayout> &layouts) {
  for (std::size_t i = 0; i < layouts.size(); ++i)
    fmt::print("{:>3}  {:<22} {:<9} {:>3} value{}  {}  {}\n", i, layouts[i].tile,
               layouts[i].layout.isShared() ? "shared" : "registers", layouts[i].values,
               layouts[i].values == 1 ? " " : "s", layouts[i].place, layouts[i].text);
}

static int show_kernel(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "layout");
  std::vector<Option> options = layout_options();
  for (const Option &option : trace_options(kernel, kernel_options()))
    options.push_back(option);
  const CommandLine line = parse(rest, options, command);
  if (!line.operands.empty())
    throw BadUsage(fmt::format("{} takes options, not `{}`", command, line.operands[0]));

  const Specialization chosen(kernel, line);
  const std::string text = text_after(Stage::TileGpu, kernel.trace(chosen.settings, chosen.is_specialized),
                                      chosen.target, {.locations = true});
  const std::vector<FoundLayout> layouts = layouts_in(text);
  const std::string *number = line.find("number");
  if (!number) {
    if (line.has("svg"))
      throw BadUsage(fmt::format("--svg needs --number, which says which layout of {} to draw", kernel.name));
    refuse_idle(line, {"element"}, "without --svg, whose banks it is for");
    list_layouts(layouts);
    return 0;
  }
  const FoundLayout &found = layouts[static_cast<std::size_t>(parse_number(*number, layouts.size()))];
  const std::string *element = line.find("element");
  show(found.layout, element ? parse_element_bits(*element) : found.element_bits,
       fmt::format("{} {}  {}", kernel.name, found.tile, found.place), line);
  return 0;
}

int layout(Arguments arguments) {
  if (arguments.empty())
    throw BadUsage("tile layout needs a layout or the name of a kernel first; see `tile help layout`");
  const bool is_text = arguments[0].starts_with("#") || arguments[0].starts_with("<");
  return is_text ? show_text(arguments[0], arguments.subspan(1)) : show_kernel(arguments);
}

}   // namespace tile::tool

// SPDX-License-Identifier: MIT
// `tile pack`: files of compiled kernels to ship with a program.
#include "runtime/pack/pack.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/pack_make.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tile::tool {
namespace {

std::vector<std::string> files(Arguments arguments, const std::string &command, std::size_t least,
                               std::size_t most, const std::string &takes) {
  const CommandLine line = parse(arguments, {}, command);
  if (line.operands.size() < least || line.operands.size() > most)
    throw BadUsage(command + " takes " + takes);
  return line.operands;
}

std::string text_of(const Pack::Entry &entry) {
  return fmt::format("{:<8} {:<12}  {}; {}{}{}", entry.target,
                     entry.kind == LoweredKernel::Code::cubin ? "machine code" : "PTX", entry.identity.kernel,
                     tile::text_of(entry.identity.classes), entry.identity.config.empty() ? "" : "; ",
                     entry.identity.config);
}

int list_entries(Arguments arguments) {
  const Pack pack = Pack::read(files(arguments, "tile pack list", 1, 1, "one file")[0]);
  for (const Pack::Entry &entry : pack.entries())
    fmt::print("{:>6} KiB  {}\n", (entry.bytes + 1023) / 1024, text_of(entry));
  if (!pack.tunings().empty())
    fmt::print("tunings:\n{}", pack.tunings());
  fmt::print("made by {}\n", pack.maker());
  return 0;
}

int verify(Arguments arguments) {
  const Pack pack = Pack::read(files(arguments, "tile pack verify", 1, 1, "one file")[0]);
  std::size_t damaged = 0;
  for (const Pack::Entry &entry : pack.entries())
    try {
      static_cast<void>(pack.kernel(entry));
    } catch (const Error &error) {
      ++damaged;
      fmt::print("{}: {}\n", text_of(entry), error.message());
    }
  fmt::print("{} entries, {} damaged\n", pack.entries().size(), damaged);
  return damaged ? 1 : 0;
}

int diff(Arguments arguments) {
  const std::vector<std::string> names = files(arguments, "tile pack diff", 2, 2, "two files");
  const Pack one = Pack::read(names[0]), other = Pack::read(names[1]);
  std::size_t differences = 0;
  const auto print_missing = [&](const Pack &from, const Pack &in, const char *mark) {
    for (const Pack::Entry &entry : from.entries())
      if (std::ranges::none_of(in.entries(), [&](const Pack::Entry &e) { return e.replaces(entry); })) {
        ++differences;
        fmt::print("{} {}\n", mark, text_of(entry));
      }
  };
  print_missing(one, other, "-");
  print_missing(other, one, "+");
  for (const Pack::Entry &entry : one.entries())
    for (const Pack::Entry &same : other.entries())
      if (same.replaces(entry) && one.kernel(entry) != other.kernel(same)) {
        ++differences;
        fmt::print("! {}: other code\n", text_of(entry));
      }
  if (one.tunings() != other.tunings()) {
    ++differences;
    fmt::print("! other tunings\n");
  }
  fmt::print("{} differences\n", differences);
  return differences ? 1 : 0;
}

int merge(Arguments arguments) {
  const std::vector<std::string> names =
      files(arguments, "tile pack merge", 2, 1000, "the file to write, then the packs to merge");
  Pack all;
  std::string makers;
  std::size_t twice = 0;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const Pack pack = Pack::read(names[i]);
    for (const Pack::Entry &entry : pack.entries())
      twice += !all.add(entry.identity, pack.kernel(entry));
    all.add_tunings(pack.tunings());
    if (makers.find(pack.maker()) == std::string::npos)
      makers += (makers.empty() ? "" : "\n") + pack.maker();
  }
  all.set_maker(makers);
  all.write(names[0]);
  fmt::print("{}: {} entries{}\n", names[0], all.entries().size(),
             twice ? fmt::format("; {} were in several packs, the first one counts", twice) : "");
  return 0;
}

struct Action {
  std::string_view name, summary;
  int (*run)(Arguments);
};
const std::vector<Action> &actions() {
  static const std::vector<Action> all{
      {"make", "compiles kernels, without a GPU: make FILE --arch A,B KERNEL ... [--from LIBRARY]",
       make_pack},
      {"cached", "takes what programs have compiled and tuned, from the cache: cached FILE", pack_cached},
      {"list", "the entries", list_entries},
      {"verify", "reads all entries; exit code 1 if one is damaged", verify},
      {"diff", "what differs between two packs; exit code 1 if something does", diff},
      {"merge", "makes one of several: merge FILE PACK ...", merge}};
  return all;
}

}   // namespace

std::string pack_help() {
  std::string text = "usage: tile pack ACTION FILE ...\n\n"
                     "Packs are files of compiled kernels, which programs ship with (docs/shipping.md).\n\n";
  for (const Action &action : actions())
    text += fmt::format("  {:<7} {}\n", action.name, action.summary);
  return text + "\noptions of make, in addition to those of the kernels in `tile help dump`:\n" +
         describe(make_pack_options()) + from_help();
}

int pack(Arguments arguments) {
  std::vector<std::string> names;
  for (const Action &action : actions()) {
    if (!arguments.empty() && arguments[0] == action.name)
      return action.run(arguments.subspan(1));
    names.emplace_back(action.name);
  }
  throw BadUsage(arguments.empty()
                     ? "tile pack needs an action: " + registry::joined(names)
                     : fmt::format("tile pack: no action `{}`{}; there are {}", arguments[0],
                                   registry::did_you_mean(arguments[0], names), registry::joined(names)));
}

}   // namespace tile::tool

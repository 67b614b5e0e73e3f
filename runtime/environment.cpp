// SPDX-License-Identifier: MIT
// The table of environment.h and the parsers of its rows.
#include "runtime/environment.h"

#include "runtime/default_target.h"
#include "runtime/error.h"
#include "runtime/nearest_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

#include <unistd.h>

namespace tile::environment {
namespace {

constexpr int most_jobs = 1024;
constexpr int most_seconds = 86400;   // a day

// Empty is the same as not set.
std::optional<std::string> read(const Variable &variable) {
  const char *value = std::getenv(std::string(variable.name).c_str());
  return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

[[noreturn]] void refuse(const Variable &variable, std::string_view value, std::string_view what_is_wrong,
                         std::optional<std::string_view> meant = {}) {
  Error error(std::string(variable.name) + "=" + std::string(value) + ": " + std::string(what_is_wrong) +
                  "; accepted: " + std::string(variable.values),
              {});
  if (meant)
    error.add_help("did you mean `" + std::string(*meant) + "`?");
  throw error;
}

struct CheckName {
  std::string_view name;
  bool Checks::*field;
};
constexpr std::array check_names{
    CheckName{"asserts", &Checks::asserts},   CheckName{"bounds", &Checks::bounds},
    CheckName{"overflow", &Checks::overflow}, CheckName{"uninitialized", &Checks::uninitialized},
    CheckName{"trace", &Checks::trace},       CheckName{"races", &Checks::races}};

constexpr std::array<std::string_view, 3> color_names{"auto", "always", "never"};

std::string text(const Checks &checks) {
  std::string list;
  for (const CheckName &check : check_names)
    if (checks.*check.field)
      list += (list.empty() ? "" : ",") + std::string(check.name);
  return list.empty() ? "none" : list;
}

std::string text(const Copies &copies) {
  return copies.when == Completion::latest  ? "latest"
         : copies.when == Completion::eager ? "eager"
                                            : std::to_string(copies.seed);
}

constexpr std::array<std::string_view, 4> tune_names{"auto", "never", "stored", "always"};
constexpr std::array<std::string_view, 2> stand_in_names{"auto", "never"};
constexpr std::array<std::string_view, 2> compile_names{"auto", "never"};
constexpr std::array<std::string_view, 3> cache_names{"on", "off", "readonly"};
constexpr std::array<std::string_view, 2> lost_speed_names{"error", "warning"};
constexpr int most_cache_mib = 1 << 20, usual_cache_mib = 2048;

constexpr std::array table{
    Variable{.name = "TILE_CACHE",
             .values = "on, off, readonly",
             .default_value = "on",
             .is_in_key = false,
             .help = "Keeps kernels that were compiled for a GPU on disk, where the next program finds "
                     "them. With `readonly`, kernels are found but not kept",
             .effective = [] { return std::string(cache_names[static_cast<std::size_t>(cache())]); }},
    Variable{.name = "TILE_CACHE_DIR",
             .values = "the absolute path of a folder",
             .default_value = "",
             .is_in_key = false,
             .help = "The folder of the kept kernels. Without it, they are in the folder `tile` of "
                     "XDG_CACHE_HOME, or of `.cache` in your home folder",
             .effective =
                 [] {
                   const char *chosen = std::getenv("TILE_CACHE_DIR");
                   return std::string(chosen ? chosen : "");
                 }},
    Variable{.name = "TILE_CACHE_SIZE",
             .values = "a number of MiB from 1 to 1048576",
             .default_value = "2048",
             .is_in_key = false,
             .help = "The size limit of all kept kernels together. Beyond it, the least recently used are "
                     "removed first",
             .effective = [] { return std::to_string(cache_size()); }},
    Variable{.name = "TILE_CHECK",
             .values = "none, all, or a list of asserts, bounds, overflow, uninitialized, trace, races",
             .default_value = "asserts,bounds,overflow",
             .is_in_key = false,
             .help = "What a run on the CPU is checked for. `asserts`: failed device_assert and assume_*. "
                     "`bounds`: accesses outside of buffers, or misaligned. `overflow`: offsets whose "
                     "32-bit or 64-bit arithmetic wrapped. `uninitialized`: reads of memory that nothing "
                     "wrote. `trace`, on every device: kernels that record something else than at their "
                     "first launch. `races`, on the simulator: programs of one launch that store "
                     "different bytes in one place, or store what another reads, without atomics that "
                     "could order them",
             .effective = [] { return text(check()); }},
    Variable{.name = "TILE_COLOR",
             .values = "auto, always, never",
             .default_value = "auto",
             .is_in_key = false,
             .help = "Colour in the messages of the tools. With `auto`, messages on a terminal have "
                     "colour, unless NO_COLOR is set",
             .effective = [] { return std::string(color_names[static_cast<std::size_t>(color())]); }},
    Variable{.name = "TILE_COMPILE",
             .values = "auto, never",
             .default_value = "auto",
             .is_in_key = false,
             .help =
                 "Whether launches on a GPU may compile. With `never`, a launch takes its code from a pack "
                 "or from the cache, or ends with an error that says what is missing. Nothing is tuned or "
                 "written then. A program may decide it by tile::set_policy()",
             .effective = [] { return std::string(compile_names[static_cast<std::size_t>(compile())]); }},
    Variable{.name = "TILE_DEVICE",
             .values = "auto, interpreter, simulator, cuda, or cuda:N for the GPU of that number",
             .default_value = "auto",
             .is_in_key = false,
             .help = "The device of programs that do not name one. `cuda` is the same as cuda:0. `auto` "
                     "is a GPU where there is one, else the simulator",
             .effective = device},
    Variable{.name = "TILE_DUMP",
             .values = "a folder",
             .default_value = "",
             .is_in_key = false,
             .help = "Writes the code of every compiled kernel after each step. Each kernel gets a folder "
                     "of numbered files below this one",
             .effective = dump},
    Variable{.name = "TILE_JOBS",
             .values = "a number of threads from 1 to 1024, or auto",
             .default_value = "auto",
             .is_in_key = false,
             .help = "How many threads run a kernel on the CPU, or compile the configs that a tuner "
                     "tries. With `auto`, there is one for each core that the process may use, or fewer "
                     "where its control group (a container's) allows fewer",
             .effective = [] { return jobs() ? std::to_string(jobs()) : std::string("auto"); }},
    Variable{.name = "TILE_LIBRARY_PATH",
             .values = "folders, with `:` between them",
             .default_value = "",
             .is_in_key = false,
             .help = "Where `tile bench` looks first for cuBLAS and cuDNN. After these folders it tries "
                     "the system's, those of CUDA and the packages of python3",
             .effective = library_path},
    Variable{.name = "TILE_LIMIT",
             .values = "a number of seconds from 1 to 86400, or none",
             .default_value = "300",
             .is_in_key = false,
             .help = "How long a launch may take on the interpreter or the simulator. Then it ends with "
                     "an error that names the loop that still runs, or says how much of the grid is done. "
                     "The simulator also refuses kernels whose tiles would take minutes to compile, "
                     "unless the limit is `none`",
             .effective = [] { return limit() ? std::to_string(limit()) : std::string("none"); }},
    Variable{
        .name = "TILE_LOST_SPEED",
        .values = "error, warning",
        .default_value = "error",
        .is_in_key = true,
        .help = "What happens when the assembler reports that it made a kernel slower than it is "
                "written. It reports, for example, products of warpgroups that it serialises and a "
                "setmaxnreg that it ignores",
        .effective = [] { return std::string(lost_speed_names[static_cast<std::size_t>(lost_speed())]); }},
    Variable{.name = "TILE_PACKS",
             .values = "files, with `:` between them",
             .default_value = "",
             .is_in_key = false,
             .help =
                 "Packs of compiled kernels, as `tile pack` makes them. Launches search them before those "
                 "that the program loads, and before the cache",
             .effective =
                 [] {
                   std::string text;
                   for (const std::string &path : packs())
                     text += (text.empty() ? "" : ":") + path;
                   return text;
                 }},
    Variable{.name = "TILE_PTXAS",
             .values = "auto, driver, or the path of a program",
             .default_value = "auto",
             .is_in_key = false,
             .help = "Which assembler makes machine code from PTX: the driver's, or a ptxas. With `auto`, "
                     "it is the ptxas in PATH or in /usr/local/cuda/bin, or the driver's where there is "
                     "no ptxas or it is too old",
             .effective = ptxas},
    Variable{.name = "TILE_REMARKS",
             .values = "0, 1",
             .default_value = "0",
             .is_in_key = false,
             .help = "Shows on standard error what the compiler has chosen for each kernel that the program "
                     "loads, and why, at the lines of its source",
             .effective = [] { return std::string(remarks() ? "1" : "0"); }},
    Variable{.name = "TILE_SCHEDULE",
             .values = "fixed, or random:SEED with a number as SEED",
             .default_value = "fixed",
             .is_in_key = false,
             .help = "The order in which the simulator's threads run: always the same, or random. A "
                     "random order exposes bugs that the fixed one hides, such as deadlocks. A seed "
                     "stands for one order",
             .effective =
                 [] {
                   const std::optional<unsigned> seed = schedule();
                   return seed ? "random:" + std::to_string(*seed) : std::string("fixed");
                 }},
    Variable{.name = "TILE_SIMULATED_COPIES",
             .values = "latest, eager, or a number that seeds random times",
             .default_value = "latest",
             .is_in_key = false,
             .help = "When asynchronous copies arrive in the simulator's shared memory: as late as is "
                     "allowed, at once, or at random times between",
             .effective = [] { return text(simulated_copies()); }},
    Variable{.name = "TILE_SIMULATED_GPU",
             .values = "a target, as in sm_90a",
             .default_value = default_target,
             .is_in_key = false,
             .help = "The GPU whose code the simulator runs",
             .effective = simulated_gpu},
    Variable{.name = "TILE_SOURCE_ROOT",
             .values = "a folder",
             .default_value = "",
             .is_in_key = false,
             .help = "Where error reports look for source files with relative names. They look there "
                     "first, then in the current folder and those above it",
             .effective = source_root},
    Variable{.name = "TILE_STAND_INS",
             .values = "auto, never",
             .default_value = "auto",
             .is_in_key = false,
             .help = "What a launch does when its config is not compiled yet, for kernels that are tuned "
                     "when asked. With `auto`, it takes another config that is compiled, and its own is "
                     "compiled in the background. With `never`, it waits, as it does with TILE_TUNE=never",
             .effective = [] { return std::string(stand_in_names[stand_ins() ? 0 : 1]); }},
    Variable{.name = "TILE_TIMING",
             .values = "0, 1",
             .default_value = "0",
             .is_in_key = false,
             .help = "Prints on standard error how long each step of each compilation took",
             .effective = [] { return std::string(timing() ? "1" : "0"); }},
    Variable{.name = "TILE_TUNE",
             .values = "auto, never, stored, always",
             .default_value = "auto",
             .is_in_key = false,
             .help = "Whether kernels with several configs are tuned at their first launch. With `auto`, "
                     "kernels that ask for it are tuned, unless an earlier process has stored a result. "
                     "With `never`, a launch takes the config that is expected to be the fastest, of "
                     "those that suit the arguments and fit the device. With `stored`, it takes the "
                     "stored config, or else the same one as with `never`. With `always`, all kernels are "
                     "tuned, whatever is stored",
             .effective = [] { return std::string(tune_names[static_cast<std::size_t>(tune())]); }},
    Variable{.name = "TILE_TUNE_LIMIT",
             .values = "a number of seconds from 1 to 86400",
             .default_value = "60",
             .is_in_key = false,
             .help = "How long a launch of a config may take while a kernel is tuned. Beyond that the "
                     "config counts as hung, and the launch ends with an error that names it",
             .effective = [] { return std::to_string(tune_limit()); }},
    Variable{.name = "TILE_TUNE_LOG",
             .values = "0, 1",
             .default_value = "0",
             .is_in_key = false,
             .help = "Shows on standard error how each tuning goes and how the configs rank",
             .effective = [] { return std::string(tune_log() ? "1" : "0"); }},
    Variable{.name = "TILE_VERIFY",
             .values = "0, 1",
             .default_value = "0",
             .is_in_key = false,
             .help = "Verifies a kernel after every pass of the compiler, not only before the first and "
                     "after the last. It is for work on the compiler",
             .effective = [] { return std::string(verify() ? "1" : "0"); }},
};

const Variable &row(std::string_view name) { return *std::ranges::find(table, name, &Variable::name); }

int number_of(const Variable &variable, const std::string &value, int most, std::string_view what_is_wrong) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > most)
    refuse(variable, value, what_is_wrong);
  return number;
}

bool is_on(std::string_view name) {
  const Variable &variable = row(name);
  const std::string value = read(variable).value_or("0");
  if (value != "0" && value != "1")
    refuse(variable, value, "no such choice");
  return value == "1";
}

// By the position of its name; the first is the default.
template <class T> T choice(std::string_view name, std::span<const std::string_view> names) {
  const Variable &variable = row(name);
  const std::optional<std::string> value = read(variable);
  if (!value)
    return T{};
  const auto found = std::ranges::find(names, *value);
  if (found == names.end())
    refuse(variable, *value, "no such choice", nearest_name(*value, names));
  return static_cast<T>(found - names.begin());
}

}   // namespace

Checks check() {
  const Variable &variable = row("TILE_CHECK");
  const std::optional<std::string> value = read(variable);
  if (!value)
    return {};
  if (*value == "none")
    return {.asserts = false, .bounds = false, .overflow = false, .uninitialized = false};
  if (*value == "all")
    return {.asserts = true,
            .bounds = true,
            .overflow = true,
            .uninitialized = true,
            .trace = true,
            .races = true};
  Checks checks{.asserts = false, .bounds = false, .overflow = false, .uninitialized = false};
  for (std::string_view rest = *value;;) {
    const std::string_view name = rest.substr(0, rest.find(','));
    const auto found = std::ranges::find(check_names, name, &CheckName::name);
    if (found == check_names.end()) {
      std::vector<std::string_view> names{"none", "all"};
      for (const CheckName &candidate : check_names)
        names.push_back(candidate.name);
      const bool alone = std::ranges::find(names, name) != names.end();
      refuse(variable, *value,
             "`" + std::string(name) + (alone ? "` cannot be combined" : "` is not a check"),
             alone ? std::nullopt : nearest_name(name, names));
    }
    checks.*found->field = true;
    if (name.size() == rest.size())
      return checks;
    rest.remove_prefix(name.size() + 1);
  }
}

Cache cache() { return choice<Cache>("TILE_CACHE", cache_names); }

std::string cache_dir() {
  if (std::optional<std::string> chosen = read(row("TILE_CACHE_DIR")))
    return std::move(*chosen);
  // As the XDG specification has it: relative ones do not count.
  for (const auto &[variable, folder] : {std::pair{"XDG_CACHE_HOME", "/tile"}, {"HOME", "/.cache/tile"}})
    if (const char *value = std::getenv(variable); value && *value == '/')
      return std::string(value) + folder;
  return "";
}

int cache_size() {
  const Variable &variable = row("TILE_CACHE_SIZE");
  const std::optional<std::string> value = read(variable);
  return value ? number_of(variable, *value, most_cache_mib, "not a number of MiB") : usual_cache_mib;
}

Color color() { return choice<Color>("TILE_COLOR", color_names); }

std::string device() { return read(row("TILE_DEVICE")).value_or("auto"); }

std::string dump() { return read(row("TILE_DUMP")).value_or(""); }

bool stand_ins() { return !choice<bool>("TILE_STAND_INS", stand_in_names); }

bool timing() { return is_on("TILE_TIMING"); }

bool verify() { return is_on("TILE_VERIFY"); }

Compile compile() { return choice<Compile>("TILE_COMPILE", compile_names); }

std::vector<std::string> packs() {
  std::vector<std::string> files;
  std::string rest = read(row("TILE_PACKS")).value_or("");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0)
      files.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return files;
}

Tune tune() { return choice<Tune>("TILE_TUNE", tune_names); }

int limit() {
  const Variable &variable = row("TILE_LIMIT");
  const std::string value = read(variable).value_or("300");
  return value == "none" ? 0 : number_of(variable, value, most_seconds, "not a number of seconds");
}

int tune_limit() {
  const Variable &variable = row("TILE_TUNE_LIMIT");
  const std::optional<std::string> value = read(variable);
  return value ? number_of(variable, *value, most_seconds, "not a number of seconds") : 60;
}

bool remarks() { return is_on("TILE_REMARKS"); }

bool tune_log() { return is_on("TILE_TUNE_LOG"); }

int jobs() {
  const Variable &variable = row("TILE_JOBS");
  const std::optional<std::string> value = read(variable);
  if (!value || *value == "auto")
    return 0;
  return number_of(variable, *value, most_jobs, "not a number of threads");
}

std::string library_path() { return read(row("TILE_LIBRARY_PATH")).value_or(""); }

Copies simulated_copies() {
  const Variable &variable = row("TILE_SIMULATED_COPIES");
  const std::optional<std::string> value = read(variable);
  if (!value || *value == "latest")
    return {};
  if (*value == "eager")
    return {.when = Completion::eager};
  Copies copies{.when = Completion::random};
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), copies.seed);
  if (error != std::errc() || end != value->data() + value->size())
    refuse(variable, *value, "neither a choice nor a seed");
  return copies;
}

LostSpeed lost_speed() { return choice<LostSpeed>("TILE_LOST_SPEED", lost_speed_names); }

std::string ptxas() { return read(row("TILE_PTXAS")).value_or("auto"); }

std::optional<unsigned> schedule() {
  const Variable &variable = row("TILE_SCHEDULE");
  const std::string value = read(variable).value_or("fixed");
  if (value == "fixed")
    return std::nullopt;
  constexpr std::string_view random = "random:";
  unsigned seed = 0;
  const char *end = value.data() + value.size();
  const char *number = value.starts_with(random) ? value.data() + random.size() : end;
  if (const auto [rest, error] = std::from_chars(number, end, seed); error != std::errc() || rest != end)
    refuse(variable, value, "neither a choice nor a seed");
  return seed;
}

std::string simulated_gpu() { return read(row("TILE_SIMULATED_GPU")).value_or(std::string(default_target)); }

std::string source_root() { return read(row("TILE_SOURCE_ROOT")).value_or(""); }

std::span<const Variable> variables() { return table; }

void check_values() {
  for (const Variable &variable : table)
    variable.effective();
}

std::vector<std::string> warnings() {
  std::vector<std::string_view> names;
  for (const Variable &variable : table)
    names.push_back(variable.name);
  std::vector<std::string> sentences;
  for (char **entry = environ; entry && *entry; ++entry) {
    const std::string_view setting = *entry;
    const std::string_view name = setting.substr(0, setting.find('='));
    if (!name.starts_with("TILE_") || std::ranges::find(names, name) != names.end())
      continue;
    const std::optional<std::string_view> meant = nearest_name(name, names);
    sentences.push_back("the environment sets " + std::string(name) + ", which is not a variable of tile" +
                        (meant ? "; did you mean " + std::string(*meant) + "?" : ""));
  }
  std::ranges::sort(sentences);
  return sentences;
}

std::string help() {
  std::string all;
  for (const Variable &variable : table) {
    all += std::string(variable.name) + "=" + std::string(variable.values) + "\n    " +
           std::string(variable.help) + ".\n    ";
    if (!variable.default_value.empty())
      all += "Default: " + std::string(variable.default_value) + ". ";
    all += variable.is_in_key ? "In the key of kept kernels.\n" : "Not in the key of kept kernels.\n";
  }
  return all;
}

std::string report() {
  std::size_t widest = 0;
  for (const Variable &variable : table)
    widest = std::max(widest, variable.name.size() + 1 + variable.effective().size());
  std::string all;
  for (const Variable &variable : table) {
    std::string line = std::string(variable.name) + "=" + variable.effective();
    line.resize(widest + 3, ' ');
    all += line + (read(variable) ? "set in the environment" : "default") + "\n";
  }
  return all;
}

}   // namespace tile::environment

// SPDX-License-Identifier: MIT
// The environment variables of the project: one table, from which come parsing, help, the
// report of `tile env` and the warnings about unknown names. Nothing else reads these variables. Which of
// them may change the last bits of results, says docs/environment.md.
#pragma once

#include "tile/completion.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile::environment {

// TILE_CHECK: what a run is checked for. A list means exactly those.
struct Checks {
  bool asserts = true, bounds = true, overflow = true, uninitialized = false;
  bool trace = false;   // at each launch: the kernel records what it did at the first
  bool races = false;   // between the programs of a launch
  bool operator==(const Checks &) const = default;
};
enum class Color { automatic, always, never };
enum class Tune { automatic, never, stored, always };
enum class LostSpeed { error, warning };
enum class Cache { on, off, readonly };

// TILE_NAME is read by name(), each time anew. A value that means nothing throws tile::Error with the
// accepted ones.
Cache cache();             // whether compiled kernels are kept on disk
std::string cache_dir();   // where; empty: there is no home for them
int cache_size();          // MiB
Checks check();
Color color();
std::string device();         // as open_device() takes it
std::string dump();           // where the IR after each pass goes; empty: nowhere
int jobs();                   // threads; 0: as many as there are usable cores
std::string library_path();   // where libraries to compare with are looked for first; empty: nowhere
// TILE_SIMULATED_COPIES: when the simulator's asynchronous copies arrive.
struct Copies {
  Completion when = Completion::latest;
  unsigned seed = 1;
};
Copies simulated_copies();
LostSpeed lost_speed();   // what it is where the assembler makes code slower than it is written
std::string ptxas();      // auto, driver, or the path of a program
// TILE_SCHEDULE: the seed of the order in which the simulator's threads go on; none: it is fixed.
std::optional<unsigned> schedule();
int limit();                   // seconds that a launch on the CPU may take; 0: any number
std::string simulated_gpu();   // the target whose code the simulator runs
std::string source_root();     // where relative names of source files begin; empty: not set
bool stand_ins();              // whether launches take other code while theirs is compiled
bool timing();                 // whether compilations say where their time went
bool verify();                 // whether the IR is verified after every pass
Tune tune();                   // whether first launches try several configs
int tune_limit();              // seconds that a config may take while tuning
bool tune_log();               // whether tuning shows its progress and its table

struct Variable {
  std::string_view name;
  std::string_view values;   // what it may be set to
  std::string_view default_value;
  bool is_in_key;   // of what the cache keeps: of another value the code is another, or an error
                    // (docs/cache.md)
  std::string_view help;
  std::string (*effective)();   // the value in force, in its shortest spelling
};
std::span<const Variable> variables();

// Throws as the accessor of the first variable that has a bad value would: for programs that want to
// say so before they work.
void check_values();
// One sentence for each TILE_ variable that does not exist, with the nearest that does.
std::vector<std::string> warnings();

std::string help();     // every variable, its values and what it does
std::string report();   // every variable, the value in force and where it comes from

}   // namespace tile::environment

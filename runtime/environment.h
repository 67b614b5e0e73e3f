// SPDX-License-Identifier: MIT
// The environment variables of the project. Parsing, help, the report of `tile env` and the warnings about
// unknown names use one table. No other code reads these variables. docs/environment.md says which of them
// may change the last bits of results.
#pragma once

#include <tile/completion.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile::environment {

// TILE_CHECK: the checks of a run. A list enables exactly the listed checks.
struct Checks {
  bool asserts = true, bounds = true, overflow = true, uninitialized = false;
  bool trace = false;   // at each launch: tracing the kernel records the same as at the first launch
  bool races = false;   // between the programs of a launch
  bool operator==(const Checks &) const = default;
};
enum class Color { automatic, always, never };
enum class Tune { automatic, never, stored, always };
enum class LostSpeed { error, warning };
enum class Cache { on, off, readonly };
enum class Compile { automatic, never };

// name() reads TILE_NAME, each time anew. It throws tile::Error for an invalid value and lists the accepted
// values.
Cache cache();             // whether compiled kernels are kept on disk
std::string cache_dir();   // the folder of the cache; empty: there is no home folder for it
int cache_size();          // MiB
Checks check();
Compile compile();   // whether launches may compile
Color color();
std::string device();         // as for open_device()
std::string dump();           // where the IR after each pass is written; empty: nowhere
int jobs();                   // number of threads; 0: one for each usable core
std::string library_path();   // searched first for libraries to compare with; empty: nowhere
// TILE_SIMULATED_COPIES: when asynchronous copies of the simulator arrive.
struct Copies {
  Completion when = Completion::latest;
  unsigned seed = 1;
};
Copies simulated_copies();
LostSpeed lost_speed();             // how to report that the assembler made code slower than it is written
std::vector<std::string> packs();   // files of packs that launches search first
std::string ptxas();                // auto, driver, or the path of a program
bool remarks();                     // whether launches say what the compiler has chosen for their kernels
// TILE_SCHEDULE: the seed for the order in which the simulator's threads run; none: the order is fixed.
std::optional<unsigned> schedule();
int limit();                   // seconds that a launch on the CPU may take; 0: no limit
std::string simulated_gpu();   // the target of the code that the simulator runs
std::string source_root();     // the folder for relative names of source files; empty: not set
bool stand_ins();              // whether launches use other code while their own is compiled
bool timing();                 // whether compilations print where their time went
bool verify();                 // whether the IR is verified after every pass
Tune tune();                   // whether first launches try several configs
int tune_limit();              // seconds that a config may take while tuning
bool tune_log();               // whether tuning shows its progress and its table

struct Variable {
  std::string_view name;
  std::string_view values;   // the accepted values
  std::string_view default_value;
  bool is_in_key;   // the key of the cache contains it: with another value, the code differs or is an
                    // error (docs/cache.md)
  std::string_view help;
  std::string (*effective)();   // the value in force, in its shortest spelling
};
std::span<const Variable> variables();

// Throws the tile::Error of the first variable that has an invalid value. For programs that report it before
// they start their work.
void check_values();
// One sentence for each TILE_ variable that does not exist. It names the most similar variable that does.
std::vector<std::string> warnings();

std::string help();     // every variable, its values and what it does
std::string report();   // every variable, the value in force and where it comes from

}   // namespace tile::environment

// SPDX-License-Identifier: MIT
// The commands of `tile`: each takes what follows its name and returns the exit code.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tile::tool {

using Arguments = std::span<const std::string>;

int run(Arguments arguments);       // a kernel on random data, checked
int check(Arguments arguments);     // a kernel on the simulator, in many orders
int dump(Arguments arguments);      // a kernel's IR
int why(Arguments arguments);       // what was chosen for a kernel
int trace(Arguments arguments);     // when the warps of a kernel do what
int tune(Arguments arguments);      // a kernel's configs, timed
int latency(Arguments arguments);   // how long launches hold their caller up
int bench(Arguments arguments);     // kernels and libraries, timed beside each other
int cache(Arguments arguments);     // the kernels that are kept on disk
int pack(Arguments arguments);      // files of compiled kernels to ship
int header(Arguments arguments);    // for C
int layout(Arguments arguments);    // who holds the elements of a tile
int fuzz(Arguments arguments);      // random programs on two devices
int test(Arguments arguments);      // the conformance suite
int list(Arguments arguments);      // the kernels
int env(Arguments arguments);       // the environment variables in force
int help(Arguments arguments);      // this

struct Command {
  std::string name, summary;
  int (*run)(Arguments);
  std::string (*help)();   // null: the summary is all there is to say
};
// Those of the program: each defines its own.
const std::vector<Command> &commands();

// What `tile help NAME` prints about one command.
std::string run_help();
std::string check_help();
std::string dump_help();
std::string trace_help();
std::string why_help();
std::string tune_help();
std::string latency_help();
std::string bench_help();
std::string cache_help();
std::string pack_help();
std::string header_help();
std::string layout_help();
std::string fuzz_help();
std::string test_help();
std::string list_help();

}   // namespace tile::tool

// SPDX-License-Identifier: MIT
// What `tile`, the user's tool, knows.
#include "tools/tile/commands.h"

namespace tile::tool {

const std::vector<Command> &commands() {
  static const std::vector<Command> all{
      {"run", "run a kernel on random inputs and check it against float64", run, run_help},
      {"check", "run a kernel's code in many orders, without a GPU", check, check_help},
      {"dump", "print a kernel's IR", dump, dump_help},
      {"why", "say what the compiler chose for a kernel, and why", why, why_help},
      {"trace", "say when the warps of a kernel do what, without a GPU", trace, trace_help},
      {"tune", "time the configs of a kernel and rank them", tune, tune_help},
      {"latency", "measure how long a launch blocks its caller", latency, latency_help},
      {"bench", "measure kernels and compare them with libraries", bench, bench_help},
      {"cache", "manage the compiled kernels that are kept on disk", cache, cache_help},
      {"pack", "make and look at files of compiled kernels to ship", pack, pack_help},
      {"header", "write the C header of a library's exported functions", header, header_help},
      {"layout", "show which thread holds which element of a tile", layout, layout_help},
      {"fuzz", "run random programs on two devices and compare", fuzz, fuzz_help},
      {"test", "run the conformance suite on a device", test, test_help},
      {"list", "list the kernels and their options", list, list_help},
      {"env", "print the environment variables in force", env, nullptr},
      {"help", "explain the tool or one command", help, nullptr}};
  return all;
}

}   // namespace tile::tool

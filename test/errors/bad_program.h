// SPDX-License-Identifier: MIT
// Programs that must be refused. Each is a kernel, or host code, that carries what is
// expected as comments on the lines where it is expected:
//
//   REFUSED(axis_out_of_range) {
//     auto x = zeros<f32>({cfg.m, cfg.n});
//     auto y = sum(x, 2);   // error: sum: axis 2 ... [128, 64]
//   }
//
// `// error:` stands on the line that the error names and `// note:` on the line of a note; all
// notes with a place must be expected. `// error without a place:` is for text that is no code. `// help:`
// and `// context:` name a `= ...` line and may stand anywhere. A comment that begins with `^` speaks of the
// nearest line of code above. The text must occur in the message; ` ... ` stands for anything. Where a host
// program needs a kernel of its own, the comments in it say whose they are: `// error in program: text`.
#pragma once

#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tile::bad {

struct Sizes {
  int m = 128, n = 64, k = 32;
};

// Adds a test that runs `body` and compares what it throws with the comments from `line` on.
bool refuse(const char *name, const char *file, unsigned line, void (*body)());

template <auto Fn> void trace_once() { Kernel<Fn>{.name = "bad"}.trace({}); }

// Runs a bad kernel as two programs: p, h and q have 64 elements, n is 100, wide is 1.
template <auto Fn> void run_once_on(const char *kind) {
  auto device = open_device(kind);
  Buffer<f32> p(*device, std::vector<f32>(64), "p");
  Buffer<f16> h(*device, std::vector<f16>(64), "h");
  Buffer<i32> q(*device, std::vector<i32>(64), "q");
  Kernel<Fn>{.name = "bad", .parameters = {"p", "h", "q", "n", "wide"}, .grid = [](auto &, auto...) {
               return Grid{2};
             }}(*device, p, h, q, 100, i64{1});
  device->synchronize();
}
template <auto Fn> void run_once() { run_once_on<Fn>("interpreter"); }
template <auto Fn> void run_simulated() { run_once_on<Fn>("simulator"); }

}   // namespace tile::bad

#define BAD_PARAMETERS                                                                                       \
  ([[maybe_unused]] Ptr<f32> p, [[maybe_unused]] Ptr<f16> h, [[maybe_unused]] Ptr<i32> q,                    \
   [[maybe_unused]] Int n, [[maybe_unused]] Int64 wide, [[maybe_unused]] const ::tile::bad::Sizes &cfg)

// A kernel that must be refused while it is traced.
#define REFUSED(program)                                                                                     \
  static void program BAD_PARAMETERS;                                                                        \
  [[maybe_unused]] static const bool program##_refused =                                                     \
      ::tile::bad::refuse(#program, __FILE__, __LINE__, &::tile::bad::trace_once<&program>);                 \
  static void program BAD_PARAMETERS

// A kernel that is traced without complaint and must be stopped while it runs.
#define REFUSED_RUNNING(program)                                                                             \
  static void program BAD_PARAMETERS;                                                                        \
  [[maybe_unused]] static const bool program##_refused =                                                     \
      ::tile::bad::refuse(#program, __FILE__, __LINE__, &::tile::bad::run_once<&program>);                   \
  static void program BAD_PARAMETERS

// The same on the simulator, which looks at compiled code.
#define REFUSED_SIMULATED(program)                                                                           \
  static void program BAD_PARAMETERS;                                                                        \
  [[maybe_unused]] static const bool program##_refused =                                                     \
      ::tile::bad::refuse(#program, __FILE__, __LINE__, &::tile::bad::run_simulated<&program>);              \
  static void program BAD_PARAMETERS

// Host code that must be refused: launches, configs, values outside a trace.
#define REFUSED_HOST(program)                                                                                \
  static void program();                                                                                     \
  [[maybe_unused]] static const bool program##_refused =                                                     \
      ::tile::bad::refuse(#program, __FILE__, __LINE__, &program);                                           \
  static void program()

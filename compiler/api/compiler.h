// SPDX-License-Identifier: MIT
// The compiler as those see it who trace, launch and tune: one small API, behind which are MLIR, LLVM, the
// passes and the interpreter's decoder. It is a library of its own, loaded when somebody first asks for it,
// so that a program whose kernels are all in the cache maps no LLVM (docs/design.md, Two sides).
#pragma once

#include "compiler/api/compile.h"
#include "compiler/api/layout_text.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tile::host {
struct Engine;
}
namespace tile::simulator {
struct Program;
}

namespace tile {

struct StampedKernel;   // runtime/stamps.h

// What code of the simulator is to be like.
struct SimulatorCode {
  bool ring_floats = false;   // floats are elements of a ring (compiler/analysis/float_ring.h)
  // What it looks for while it runs, at a price.
  bool checks_facts = true;     // what assume_divisible and assume_range promise
  bool checks_offsets = true;   // no access through an offset that overflowed; only where bounds are checked
  bool limits_size = false;     // no kernel whose code takes minutes to compile
  bool marks_places = false;    // tell what its warps do, for recordings
};

// What the interpreter looks for while it runs.
struct Interpretation {
  bool bounds = true, overflow = true, asserts = true;
  bool ring_floats = false;
};

// All of it throws tile::Error at the user's line where the kernel is refused, and may be called by any
// number of threads.
class Compiler {
 public:
  virtual ~Compiler() = default;

  virtual LoweredKernel compile(const KernelIR &kernel, const Target &target) const = 0;
  virtual LoweredKernel compile(const HandWritten &kernel, const Target &target) const = 0;
  virtual StampedKernel compile_stamped(const KernelIR &kernel, const Target &target) const = 0;
  virtual std::shared_ptr<const simulator::Program> simulate(const KernelIR &kernel, const Target &target,
                                                             const SimulatorCode &code) const = 0;
  virtual std::shared_ptr<const simulator::Program> simulate(const HandWritten &kernel) const = 0;
  // The engine outlives what it gives.
  virtual std::unique_ptr<Executable> interpret(host::Engine &engine, const KernelIR &kernel,
                                                const Interpretation &how) const = 0;

  virtual std::string text(const KernelIR &kernel, const TextOptions &format) const = 0;
  virtual std::string text_after(Stage stage, const KernelIR &kernel, const Target &target,
                                 const TextOptions &format, std::vector<Remark> *remarks) const = 0;
  virtual KernelIR read(const std::string &text, const std::string &file) const = 0;
  virtual void check(const KernelIR &kernel) const = 0;   // that its module can be made
  virtual layout::TileLayout parse_layout(std::string_view text) const = 0;
  virtual std::vector<FoundLayout> layouts_in(std::string_view module) const = 0;
};

// The one of this process. Throws tile::Error, each time anew, where its library is missing or was built from
// other sources.
const Compiler &compiler();
// Whether anybody has asked yet.
bool compiler_is_loaded();

// What the library of the compiler exports. The first says how it was built and means the same in every
// build; the second is asked only where the build is this one.
inline constexpr char compiler_build_symbol[] = "tile_compiler_build", compiler_symbol[] = "tile_compiler";

}   // namespace tile

// SPDX-License-Identifier: MIT
// PTX to machine code by NVIDIA's ptxas, which assembles a kernel as a whole. What the driver's linker makes
// is code that could be linked with more, and it ignores setmaxnreg for that.
#pragma once

#include "runtime/error.h"
#include "runtime/lowered_kernel.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct Assembler {
  std::string path;
  bool is_chosen = false;   // by TILE_PTXAS; else it was found
  // What tells it from another one: its path, size and time.
  std::string identity() const;
};

// As TILE_PTXAS says: a ptxas, which must be there, or the one in PATH or of the toolkit's usual folder.
// Nothing where the driver is to assemble. Throws tile::Error where what was chosen cannot be run.
std::optional<Assembler> find_assembler();

// It does not know the version of the PTX, or the GPU.
class AssemblerIsTooOld : public Error {
 public:
  using Error::Error;
};

struct MachineCode {
  std::vector<std::byte> cubin;
  std::string log;
};
// Any number of threads at once. `name`: the kernel's, for messages. Throws tile::Error: with its first error
// and the line of PTX that it names, or with what became of it instead.
MachineCode assemble(const Assembler &assembler, std::string_view ptx, const std::string &target,
                     const std::string &name, int limit_seconds = 300);

// The same of a whole kernel, for the GPU that `target` names.
LoweredKernel assembled(const Assembler &assembler, LoweredKernel ptx, const std::string &target);

// PTX without the lines of its source. With them, more than half of its machine code is for debuggers and
// profilers: the lines, and all of the PTX.
LoweredKernel without_lines(LoweredKernel ptx);

// What an assembler has said of a kernel that is PTX still: log, registers and spills. Where it made the code
// slower than it is written (registers that stay where they are, products of a warpgroup one after the other)
// this throws tile::Error, with the user's line where one is known; or warns, as TILE_LOST_SPEED says.
void take_log(LoweredKernel &ptx, std::string log);

// The error of an assembler that refuses the code; `who`: "ptxas".
Error refusal(const std::string &who, const std::string &name, std::string_view ptx, const std::string &log);

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "compiler/target/sass.h"

#include "runtime/assembler.h"
#include "runtime/error.h"
#include "runtime/process.h"

#include <array>

namespace tile {
namespace {

constexpr int limitSeconds = 300;

Error missing(const std::string &program) {
  Error error("machine code is written by NVIDIA's " + program + ", which is not on this machine's PATH", {});
  error.add_help("install the CUDA toolkit, or look at the stage `ptx`");
  return error;
}

MachineCode assembledBy(const std::string &ptx, const Target &target) {
  const std::optional<Assembler> assembler = find_assembler();
  if (!assembler)
    throw missing("ptxas");
  return assemble(*assembler, ptx, target.name(), "this kernel");
}

}   // namespace

std::string machineCode(const std::string &ptx, const Target &target, bool lines) {
  constexpr std::array<std::string_view, 1> toolkit{"/usr/local/cuda/bin"};
  const MachineCode code = assembledBy(ptx, target);
  const std::optional<std::string> disassembler = find_program("nvdisasm", toolkit);
  if (!disassembler)
    throw missing("nvdisasm");
  const auto *bytes = reinterpret_cast<const char *>(code.cubin.data());
  const TemporaryFile binary(".cubin", {bytes, code.cubin.size()});
  std::vector<std::string> command{*disassembler, "-c", binary.path()};
  if (lines)
    command.insert(command.begin() + 1, "-g");
  const Ran ran = run_program(command, limitSeconds);
  if (!ran.succeeded())
    throw Error("nvdisasm " + ran.how() + ": " + ran.err, {});
  return ran.out;
}

std::string assemblerLog(const std::string &ptx, const Target &target) {
  return assembledBy(ptx, target).log;
}

}   // namespace tile

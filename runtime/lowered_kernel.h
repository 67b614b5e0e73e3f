// SPDX-License-Identifier: MIT
// A completely compiled kernel: its code, and all information that a launch needs. It is a plain value, which
// can be written to a file and read back. Programs that link the runtime alone can launch it.
#pragma once

#include <tile/device_check.h>
#include <tile/kernel_signature.h>
#include <tile/requirements.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct LoweredKernel : KernelSignature {
  enum class Code : std::uint8_t {
    ptx,     // text; the driver assembles it
    cubin,   // machine code
    host,    // code of this process, which the simulator holds separately
  };

  std::string symbol;   // the kernel's name in its code
  std::string target;   // the target of the code: "sm_90a"
  Code kind = Code::ptx;
  std::vector<std::byte> code;
  unsigned threads = 32, shared_bytes = 0;   // per CTA; the launch asks for this much shared memory
  // The GPU may start this kernel while the kernels before it end. Each thread waits for them before it
  // accesses memory.
  bool starts_early = false;
  ProductUnit unit = ProductUnit::none;
  unsigned roles = 1;   // programs that groups of its warps run; 1: all warps run the same one

  std::vector<DeviceCheck> checks;    // its checks while it runs, by the number in its fault record
  std::vector<std::string> formats;   // formats of the lines that it prints, by the number in its records

  // Registers and spills per thread, -1 before it is assembled; and the assembler's messages, one per line.
  int registers = -1, spill_bytes = -1;
  std::string assembler_log;

  // The code as text, for Code::ptx.
  std::string_view text() const { return {reinterpret_cast<const char *>(code.data()), code.size()}; }
  void set_text(std::string_view text);

  // The contents of a file, with a version and a checksum.
  std::vector<std::byte> serialise() const;
  // Throws tile::Error with the remedy if serialise() has not written these bytes.
  static LoweredKernel parse(std::span<const std::byte> bytes);

  bool operator==(const LoweredKernel &) const = default;
};

}   // namespace tile

// SPDX-License-Identifier: MIT
// A kernel that the compiler is done with: its code, and all that a launch needs to know of it. A value with
// no compiler in it: it goes to a file and comes back, and programs that link the runtime alone launch it.
#pragma once

#include "tile/device_check.h"
#include "tile/kernel_signature.h"

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
    host,    // of this process, and held beside this by the simulator
  };

  std::string symbol;   // the kernel's name in its code
  std::string target;   // the GPU that the code is for: "sm_90a"
  Code kind = Code::ptx;
  std::vector<std::byte> code;
  unsigned threads = 32, shared_bytes = 0;   // per CTA; shared memory that the launch asks for
  // Every thread waits by itself for the kernels before this one, before it touches memory: the GPU may start
  // it while these end.
  bool starts_early = false;

  std::vector<DeviceCheck> checks;    // what it checks while it runs, by the number in its fault record
  std::vector<std::string> formats;   // of what it prints, by the number in its records

  // Per thread, and what the assembler said, a line for each message. -1: it was not assembled yet.
  int registers = -1, spill_bytes = -1;
  std::string assembler_log;

  // Of code that is text.
  std::string_view text() const { return {reinterpret_cast<const char *>(code.data()), code.size()}; }
  void set_text(std::string_view text);

  // A file's contents: with a version and a checksum.
  std::vector<std::byte> serialise() const;
  // Throws tile::Error, which says what to do, for any bytes that serialise() has not written.
  static LoweredKernel parse(std::span<const std::byte> bytes);

  bool operator==(const LoweredKernel &) const = default;
};

}   // namespace tile

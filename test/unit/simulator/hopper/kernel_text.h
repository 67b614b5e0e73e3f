// SPDX-License-Identifier: MIT
// The frame of a kernel that is written by hand.
#pragma once

#include <fmt/format.h>

#include <string>

namespace tile::simulator {

struct KernelText {
  std::string arguments;   // "%x: !llvm.ptr<1>"
  std::string body;        // ends with llvm.return; %tid, %smem and %c0 to %c4, %c8, %c16, %c32 are there
  int threads = 32, sharedBytes = 4096;
  std::string attributes = "";         // ", nvvm.cluster_dim = array<i32: 2, 1, 1>"
  std::string globals = "";            // what else the module has
  std::string moduleAttributes = "";   // ", tile_gpu.persistent"
};

inline std::string moduleText(const KernelText &k) {
  std::string text =
      fmt::format(R"(module attributes {{tile_gpu.shared_bytes = {} : i32{}}} {{
llvm.mlir.global external @tile_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
{}llvm.func @kernel({}) attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {}>{}}} {{
%smem = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
%tid = nvvm.read.ptx.sreg.tid.x : i32
%true = llvm.mlir.constant(true) : i1
)",
                  k.sharedBytes, k.moduleAttributes, k.globals, k.arguments, k.threads, k.attributes);
  for (const int i : {-1, 0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 64, 128, 256, 512, 1000, 1024})
    text += fmt::format("%c{} = llvm.mlir.constant({} : i32) : i32\n", i < 0 ? "m1" : std::to_string(i), i);
  return text + k.body + "\n}\n}\n";
}

// A parameter that is a tensor map.
inline std::string mapParameter(const std::string &name) {
  return name + ": !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}";
}

// The place of shared memory at this offset, as %name.
inline std::string at(const std::string &name, int offset) {
  return fmt::format("%{} = llvm.getelementptr %smem[{}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n", name,
                     offset);
}
// The address of element `index` of 4 bytes, as %name.
inline std::string element(const std::string &name, const std::string &pointer, const std::string &index) {
  return fmt::format("%{} = llvm.getelementptr {}[{}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n", name,
                     pointer, index);
}

// Thread 0 makes the mbarrier %bar at this offset, and brings bytes there; then all wait.
inline std::string loaded(int barrier, int bytes, const std::string &copies, int arrivals = 1) {
  return at("bar", barrier) + fmt::format(R"(%is0 = llvm.icmp "eq" %tid, %c0 : i32
%barCount = llvm.mlir.constant({} : i32) : i32
%barBytes = llvm.mlir.constant({} : i32) : i32
llvm.cond_br %is0, ^init, ^meet
^init:
nvvm.mbarrier.init %bar, %barCount : !llvm.ptr<3>, i32
nvvm.fence.mbarrier.init
llvm.br ^meet
^meet:
nvvm.barrier0
llvm.cond_br %is0, ^copy, ^wait
^copy:
nvvm.mbarrier.arrive.expect_tx %bar, %barBytes : !llvm.ptr<3>, i32
{}
llvm.br ^wait
^wait:
nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32
)",
                                          arrivals, bytes, copies);
}

}   // namespace tile::simulator

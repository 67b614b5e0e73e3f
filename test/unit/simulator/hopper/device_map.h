// SPDX-License-Identifier: MIT
// A kernel that changes a tensor map before it copies with it.
#pragma once

#include "kernel_text.h"

namespace tile::simulator {

// The parts of a kernel of one warp. It takes a map that the host made for rows of 8 words of %other, copies
// it to shared memory, makes it one of 8 rows of 16 words of %data, and brings a box of it to shared memory.
// A test leaves parts out.
struct MapSteps {
  std::string written = "nvvm.bar.warp.sync %cm1 : i32\n";   // the copy in shared memory, by all lanes
  std::string changes = R"(
%bits = llvm.ptrtoint %data : !llvm.ptr<1> to i64
%c64l = llvm.mlir.constant(64 : i64) : i64
tile_gpu.ptx_map_replace "global_address" of %smem with %bits : !llvm.ptr<3>, i64
tile_gpu.ptx_map_replace "rank" of %smem with %c1 : !llvm.ptr<3>, i32
tile_gpu.ptx_map_replace "global_dim" 0 of %smem with %c16 : !llvm.ptr<3>, i32
tile_gpu.ptx_map_replace "global_dim" 1 of %smem with %c8 : !llvm.ptr<3>, i32
tile_gpu.ptx_map_replace "global_stride" 0 of %smem with %c64l : !llvm.ptr<3>, i64
tile_gpu.ptx_map_replace "box_dim" 0 of %smem with %c8 : !llvm.ptr<3>, i32
tile_gpu.ptx_map_replace "box_dim" 1 of %smem with %c8 : !llvm.ptr<3>, i32
tile_gpu.ptx_map_replace "element_stride" 1 of %smem with %c1 : !llvm.ptr<3>, i32
tile_gpu.ptx_map_replace "elemtype" of %smem to 7 : !llvm.ptr<3>
tile_gpu.ptx_map_replace "interleave_layout" of %smem to 0 : !llvm.ptr<3>
tile_gpu.ptx_map_replace "swizzle_mode" of %smem to 1 : !llvm.ptr<3>
tile_gpu.ptx_map_replace "fill_mode" of %smem to 1 : !llvm.ptr<3>
)";
  std::string changed = "nvvm.bar.warp.sync %cm1 : i32\n";
  std::string published = "tile_gpu.ptx_map_publish %smem to %place : !llvm.ptr<3>, !llvm.ptr<1>\n";
  std::string afterCopy, afterWait;   // by the thread that copies; by all lanes
  std::string acquired = "nvvm.fence.proxy.acquire #nvvm.mem_scope<gpu> %generic, %c128\n";

  // The map is changed where it lies in global memory, and released by a fence.
  static MapSteps inGlobalMemory() {
    MapSteps steps;
    steps.published = "";
    steps.written = element("copy", "%place", "%tid") + "llvm.store %w, %copy : i32, !llvm.ptr<1>\n"
                                                        "nvvm.bar.warp.sync %cm1 : i32\n";
    steps.changed = "nvvm.fence.proxy.release #nvvm.mem_scope<gpu>\nnvvm.bar.warp.sync %cm1 : i32\n";
    for (std::size_t at = 0; (at = steps.changes.find("%smem", at)) != std::string::npos;)
      steps.changes.replace(at, 5, "%place");
    for (std::size_t at = 0; (at = steps.changes.find("<3>", at)) != std::string::npos;)
      steps.changes.replace(at, 3, "<1>");
    return steps;
  }

  // One thread copies the map to global memory as a whole.
  static MapSteps copiedByOne() {
    MapSteps steps = inGlobalMemory();
    steps.written = "llvm.cond_br %first, ^take, ^taken\n^take:\n"
                    "tile_gpu.ptx_map_copy %map to %place : !llvm.ptr<1>, !llvm.ptr<1>\n"
                    "llvm.br ^taken\n^taken:\nnvvm.bar.warp.sync %cm1 : i32\n";
    return steps;
  }

  // One word of the box goes to %out.
  static std::string copied(const std::string &name, const std::string &index) {
    return fmt::format("%s{0} = llvm.getelementptr %box[{1}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                       "%v{0} = llvm.load %s{0} : !llvm.ptr<3> -> i32\n",
                       name, index) +
           element("o" + name, "%out", index) +
           fmt::format("llvm.store %v{0}, %o{0} : i32, !llvm.ptr<1>\n", name);
  }
  std::string text() const {
    return moduleText(
        {"%map: !llvm.ptr<1>, %place: !llvm.ptr<1>, %data: !llvm.ptr<1>, %out: !llvm.ptr<1>",
         element("word", "%map", "%tid") +
             "%w = llvm.load %word : !llvm.ptr<1> -> i32\n"
             "%to = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
             "llvm.store %w, %to : i32, !llvm.ptr<3>\n"
             "%generic = llvm.addrspacecast %place : !llvm.ptr<1> to !llvm.ptr\n"
             "%first = llvm.icmp \"eq\" %tid, %c0 : i32\n" +
             written + "llvm.cond_br %first, ^change, ^changed\n^change:\n" + changes +
             "llvm.br ^changed\n^changed:\n" + changed + published + acquired + at("box", 1024) +
             loaded(512, 256,
                    "%to7 = llvm.addrspacecast %box : !llvm.ptr<3> to !llvm.ptr<7>\n"
                    "nvvm.cp.async.bulk.tensor.shared.cluster.global %to7, %generic, %bar, box[%c8, %c1] : "
                    "!llvm.ptr<7>, !llvm.ptr" +
                        (afterCopy.empty() ? "" : "\n" + afterCopy)) +
             afterWait + "%half = llvm.add %tid, %c32 : i32\n" + copied("a", "%tid") + copied("b", "%half") +
             "llvm.return",
         32, 4096});
  }
};

}   // namespace tile::simulator

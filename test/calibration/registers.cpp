// SPDX-License-Identifier: MIT
// Where a thread is: special registers, in grids and clusters of one to three dimensions.
#include "test/calibration/micro_kernel.h"

#include <fmt/format.h>

namespace tile::calibration {
namespace {

struct Place {
  unsigned thread;      // in its CTA
  unsigned cta[3];      // in the grid
  unsigned extent[3];   // of the grid
  unsigned cluster[3];
};
unsigned rankIn(const unsigned *at, const unsigned *extents) {
  return (at[2] * extents[1] + at[1]) * extents[0] + at[0];
}
using Value = unsigned (*)(const Place &);

struct Register {
  const char *name;
  Value value;
};

constexpr Register registers[] = {
    {"tid.x", [](const Place &p) { return p.thread; }},
    {"tid.y", [](const Place &) { return 0u; }},
    {"tid.z", [](const Place &) { return 0u; }},
    {"ntid.x", [](const Place &) { return 96u; }},
    {"ntid.y", [](const Place &) { return 1u; }},
    {"ntid.z", [](const Place &) { return 1u; }},
    {"laneid", [](const Place &p) { return p.thread % 32; }},
    {"warpsize", [](const Place &) { return 32u; }},
    {"ctaid.x", [](const Place &p) { return p.cta[0]; }},
    {"ctaid.y", [](const Place &p) { return p.cta[1]; }},
    {"ctaid.z", [](const Place &p) { return p.cta[2]; }},
    {"nctaid.x", [](const Place &p) { return p.extent[0]; }},
    {"nctaid.y", [](const Place &p) { return p.extent[1]; }},
    {"nctaid.z", [](const Place &p) { return p.extent[2]; }},
    {"clusterid.x", [](const Place &p) { return p.cta[0] / p.cluster[0]; }},
    {"clusterid.y", [](const Place &p) { return p.cta[1] / p.cluster[1]; }},
    {"clusterid.z", [](const Place &p) { return p.cta[2] / p.cluster[2]; }},
    {"nclusterid.x", [](const Place &p) { return p.extent[0] / p.cluster[0]; }},
    {"nclusterid.y", [](const Place &p) { return p.extent[1] / p.cluster[1]; }},
    {"nclusterid.z", [](const Place &p) { return p.extent[2] / p.cluster[2]; }},
    {"cluster.ctaid.x", [](const Place &p) { return p.cta[0] % p.cluster[0]; }},
    {"cluster.ctaid.y", [](const Place &p) { return p.cta[1] % p.cluster[1]; }},
    {"cluster.ctaid.z", [](const Place &p) { return p.cta[2] % p.cluster[2]; }},
    {"cluster.nctaid.x", [](const Place &p) { return p.cluster[0]; }},
    {"cluster.nctaid.y", [](const Place &p) { return p.cluster[1]; }},
    {"cluster.nctaid.z", [](const Place &p) { return p.cluster[2]; }},
    {"cluster.ctarank",
     [](const Place &p) {
       const unsigned at[] = {p.cta[0] % p.cluster[0], p.cta[1] % p.cluster[1], p.cta[2] % p.cluster[2]};
       return rankIn(at, p.cluster);
     }},
    {"cluster.nctarank", [](const Place &p) { return p.cluster[0] * p.cluster[1] * p.cluster[2]; }},
};

}   // namespace

void addRegisters(Suite &suite) {
  struct Shape {
    const char *name;
    unsigned extent[3], cluster[3];
  };
  constexpr Shape shapes[] = {{"one CTA", {1, 1, 1}, {1, 1, 1}},
                              {"grid 3x2x2", {3, 2, 2}, {1, 1, 1}},
                              {"clusters 2x1x1", {6, 1, 1}, {2, 1, 1}},
                              {"clusters 2x2x2", {4, 2, 4}, {2, 2, 2}}};
  for (const Register &r : registers)
    for (const Shape &shape : shapes) {
      const bool ofThread = std::string_view(r.name).find("cta") == std::string_view::npos &&
                            std::string_view(r.name).find("cluster") == std::string_view::npos;
      const bool ofCluster = std::string_view(r.name).find("cluster") != std::string_view::npos;
      const bool isClustered = shape.cluster[0] > 1, isOne = shape.extent[0] == 1;
      // The number of a warp is where it runs, and only of a CTA that is alone the place in it.
      if (ofThread ? !isOne : isOne || ofCluster != isClustered)
        continue;
      const auto &[x, y, z] = shape.extent;
      suite.push_back(perThread(
          {.operation = fmt::format("nvvm.read.ptx.sreg.{}", r.name),
           .variant = shape.name,
           .body = fmt::format("%x = nvvm.read.ptx.sreg.{} : i32\n", r.name),
           .threads = 96,
           .attributes = isClustered ? fmt::format(", nvvm.cluster_dim = array<i32: {}, {}, {}>",
                                                   shape.cluster[0], shape.cluster[1], shape.cluster[2])
                                     : "",
           .grid = {x, y, z}},
          [&](const Words &, unsigned i) {
            const unsigned cta = i / 96;
            Place place{i % 96, {cta % x, cta / x % y, cta / x / y}, {x, y, z}, {}};
            std::copy_n(shape.cluster, 3, place.cluster);
            return r.value(place);
          }));
    }
  // PTX ISA, "%warpid": a number that may change while the kernel runs, and need not be the warp's place in
  // its CTA. All threads of a warp read the same one.
  suite.push_back(perThread({.operation = "nvvm.read.ptx.sreg.warpid",
                             .variant = "the same for a warp",
                             .body = "%own = nvvm.read.ptx.sreg.warpid : i32\n"
                                     "%all = llvm.mlir.constant(-1 : i32) : i32\n"
                                     "%first = llvm.mlir.constant(0 : i32) : i32\n"
                                     "%clamp = llvm.mlir.constant(31 : i32) : i32\n"
                                     "%other = nvvm.shfl.sync idx %all, %own, %first, %clamp : i32 -> i32\n"
                                     "%same = llvm.icmp \"eq\" %own, %other : i32\n"
                                     "%x = llvm.zext %same : i1 to i32\n",
                             .threads = 96},
                            [](const Words &, unsigned) { return 1; }));
}

}   // namespace tile::calibration

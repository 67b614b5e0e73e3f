// SPDX-License-Identifier: MIT
// What the threads of a warp tell each other.
#include "test/calibration/micro_kernel.h"

#include <algorithm>
#include <fmt/format.h>

namespace tile::calibration {
namespace {

const std::string odd = "%bit = llvm.and %a, %c1 : i32\n%p = llvm.icmp \"eq\" %bit, %c1 : i32\n";
const std::string widened = "%x = llvm.zext %y : i1 to i32\n";

// PTX ISA, "shfl.sync".
unsigned sourceOf(const std::string &kind, unsigned lane, unsigned b, unsigned c) {
  const unsigned segment = c >> 8 & 31, bound = c & 31;
  const unsigned last = (lane & segment) | (bound & ~segment & 31), first = lane & segment;
  const int by = static_cast<int>(b & 31), at = static_cast<int>(lane);
  int from = at;
  bool isInside = false;
  if (kind == "up") {
    from = at - by;
    isInside = from >= static_cast<int>(last);
  } else {
    from = kind == "down"   ? at + by
           : kind == "bfly" ? at ^ by
                            : static_cast<int>(first | (b & ~segment & 31));
    isInside = from <= static_cast<int>(last);
  }
  return isInside ? static_cast<unsigned>(from) : lane;
}

void addShuffles(Suite &suite) {
  for (const char *kind : {"bfly", "up", "down", "idx"})
    for (const unsigned width : {32u, 16u, 8u, 2u})
      for (const int by : {1, 5, -1}) {
        const unsigned clamp = (32 - width) << 8 | (std::string(kind) == "up" ? 0u : 31u);
        const std::string offset = by < 0 ? "%o = llvm.and %b, %c31 : i32\n"
                                          : fmt::format("%o = llvm.mlir.constant({} : i32) : i32\n", by);
        const std::string constants = fmt::format("%clamp = llvm.mlir.constant({} : i32) : i32\n", clamp);
        suite.push_back(perThread(
            {.operation = "nvvm.shfl.sync",
             .variant = fmt::format("{} {}, segments of {}", kind,
                                    by < 0 ? "lane by lane" : fmt::format("by {}", by), width),
             .body = offset + constants +
                     fmt::format("%x = nvvm.shfl.sync {} %cm1, %a, %o, %clamp : i32 -> i32\n", kind),
             .threads = 64,
             .inputs = 2},
            [&](const Words &in, unsigned i) {
              const unsigned b = by < 0 ? in[1][i] & 31 : static_cast<unsigned>(by);
              return in[0][i / 32 * 32 + sourceOf(kind, i % 32, b, clamp)];
            }));
      }
  for (const char *kind : {"bfly", "up", "down", "idx"})
    suite.push_back(perThread(
        {.operation = "nvvm.shfl.sync",
         .variant = fmt::format("{} of f32", kind),
         .body = fmt::format(
             "%f = llvm.bitcast %a : i32 to f32\n%clamp = llvm.mlir.constant({} : i32) : i32\n"
             "%g = nvvm.shfl.sync {} %cm1, %f, %c3, %clamp : f32 -> f32\n%x = llvm.bitcast %g : f32 "
             "to i32\n",
             std::string(kind) == "up" ? 0 : 31, kind)},
        [&](const Words &in, unsigned i) {
          return in[0][sourceOf(kind, i, 3, std::string(kind) == "up" ? 0 : 31)];
        }));
  for (const char *kind : {"bfly", "up", "down", "idx"}) {
    const unsigned clamp = 24 << 8 | (std::string(kind) == "up" ? 0u : 31u);
    suite.push_back(
        perThread({.operation = "nvvm.shfl.sync",
                   .variant = fmt::format("{} by 5 with a predicate, segments of 8", kind),
                   .body = fmt::format(
                       "%o = llvm.mlir.constant(5 : i32) : i32\n%clamp = llvm.mlir.constant({} : i32) : i32\n"
                       "%m = nvvm.shfl.sync {} %cm1, %a, %o, %clamp {{return_value_and_is_valid}} : i32 -> "
                       "!llvm.struct<(i32, i1)>\n"
                       "%v = llvm.extractvalue %m[0] : !llvm.struct<(i32, i1)>\n"
                       "%p = llvm.extractvalue %m[1] : !llvm.struct<(i32, i1)>\n"
                       "%w = llvm.zext %p : i1 to i32\n%x = llvm.add %v, %w : i32\n",
                       clamp, kind)},
                  [=](const Words &in, unsigned i) {
                    const unsigned from = sourceOf(kind, i, 5, clamp);
                    // Lanes that are their own source for want of another one are told so; by index, all have
                    // one.
                    return in[0][from] + (from != i || std::string(kind) == "idx");
                  }));
  }
}

void addVotes(Suite &suite) {
  struct Inputs {
    const char *name;
    std::uint32_t (*draw)(Random &, unsigned);
  };
  constexpr Inputs all[] = {{"mixed", [](Random &r, unsigned) { return r.next(); }},
                            {"nobody", [](Random &r, unsigned) { return r.next() & ~1u; }},
                            {"everybody", [](Random &r, unsigned) { return r.next() | 1u; }}};
  for (const char *kind : {"any", "all", "uni", "ballot"})
    for (const Inputs &inputs : all)
      for (const bool ofHalf : {false, true}) {
        const bool isBallot = std::string(kind) == "ballot";
        // The first 12 lanes vote, the others go another way.
        const std::string vote = fmt::format("nvvm.vote.sync {} {}, %p -> {}\n", kind,
                                             ofHalf ? "%some" : "%cm1", isBallot ? "i32" : "i1");
        std::string body = odd;
        if (ofHalf)
          body += "%some = llvm.mlir.constant(4095 : i32) : i32\n%c12 = llvm.mlir.constant(12 : i32) : i32\n"
                  "%votes = llvm.icmp \"ult\" %tid, %c12 : i32\nllvm.cond_br %votes, ^vote, ^end(%c7 : "
                  "i32)\n^vote:\n";
        body += (isBallot ? "%v = " : "%y = ") + vote + (isBallot ? "" : "%v = llvm.zext %y : i1 to i32\n");
        body += ofHalf ? "llvm.br ^end(%v : i32)\n^end(%x: i32):\n" : "%x = llvm.add %v, %c0 : i32\n";
        suite.push_back(
            perThread({.operation = "nvvm.vote.sync",
                       .variant = fmt::format("{}, {}{}", kind, inputs.name, ofHalf ? ", 12 lanes" : ""),
                       .body = body,
                       .draw = inputs.draw},
                      [&](const Words &in, unsigned i) -> std::uint64_t {
                        const unsigned lanes = ofHalf ? 12 : 32;
                        if (i >= lanes)
                          return 7;
                        std::uint32_t ballot = 0;
                        for (unsigned lane = 0; lane < lanes; ++lane)
                          ballot |= (in[0][lane] & 1) << lane;
                        const std::uint32_t everybody = ofHalf ? 4095 : ~0u;
                        return isBallot                     ? ballot
                               : std::string(kind) == "any" ? ballot != 0
                               : std::string(kind) == "all" ? ballot == everybody
                                                            : ballot == everybody || !ballot;
                      }));
      }
}

void addMatches(Suite &suite) {
  for (const char *type : {"i32", "i64"})
    for (const bool areEqual : {false, true}) {
      // Few values, so that lanes share them; of 64 bits the upper half differs.
      const std::string value =
          std::string(type) == "i64"
              ? "%w = llvm.zext %a : i32 to i64\n%s = llvm.mlir.constant(32 : i64) : i64\n"
                "%v = llvm.shl %w, %s : i64\n"
              : "%v = llvm.add %a, %c0 : i32\n";
      const auto draw = [areEqual](Random &r, unsigned) { return areEqual ? 3 : r.below(4); };
      suite.push_back(
          perThread({.operation = "nvvm.match.sync",
                     .variant = fmt::format("any, {}{}", type, areEqual ? ", all equal" : ""),
                     .body = value + fmt::format("%x = nvvm.match.sync any %cm1, %v : {} -> i32\n", type),
                     .draw = draw},
                    [](const Words &in, unsigned i) {
                      std::uint32_t mask = 0;
                      for (unsigned lane = 0; lane < 32; ++lane)
                        mask |= std::uint32_t{in[0][lane] == in[0][i]} << lane;
                      return mask;
                    }));
      suite.push_back(perThread(
          {.operation = "nvvm.match.sync",
           .variant = fmt::format("all, {}{}", type, areEqual ? ", all equal" : ""),
           .body = value + fmt::format("%m = nvvm.match.sync all %cm1, %v : {} -> !llvm.struct<(i32, i1)>\n"
                                       "%m0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i1)>\n"
                                       "%m1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i1)>\n"
                                       "%n = llvm.zext %m1 : i1 to i32\n%x = llvm.sub %m0, %n : i32\n",
                                       type),
           .draw = draw},
          [areEqual](const Words &, unsigned) { return areEqual ? 0xFFFFFFFEu : 0u; }));
    }
}

void addWarpReductions(Suite &suite) {
  struct Kind {
    const char *name;
    std::uint32_t (*combine)(std::uint32_t, std::uint32_t);
  };
  constexpr Kind kinds[] = {{"add", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
                            {"and", [](std::uint32_t a, std::uint32_t b) { return a & b; }},
                            {"or", [](std::uint32_t a, std::uint32_t b) { return a | b; }},
                            {"xor", [](std::uint32_t a, std::uint32_t b) { return a ^ b; }},
                            {"umin", [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); }},
                            {"umax", [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); }},
                            {"min",
                             [](std::uint32_t a, std::uint32_t b) {
                               return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
                             }},
                            {"max", [](std::uint32_t a, std::uint32_t b) {
                               return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
                             }}};
  for (const Kind &kind : kinds)
    suite.push_back(
        perThread({.operation = "nvvm.redux.sync",
                   .variant = kind.name,
                   .body = fmt::format("%x = nvvm.redux.sync {} %a, %cm1 : i32 -> i32\n", kind.name),
                   .threads = 64},
                  [&](const Words &in, unsigned i) {
                    std::uint32_t all = in[0][i / 32 * 32];
                    for (unsigned lane = 1; lane < 32; ++lane)
                      all = kind.combine(all, in[0][i / 32 * 32 + lane]);
                    return all;
                  }));
}

}   // namespace

void addWarps(Suite &suite) {
  addShuffles(suite);
  addVotes(suite);
  addMatches(suite);
  addWarpReductions(suite);
  suite.push_back(perThread({.operation = "nvvm.elect.sync",
                             .variant = "whole warps",
                             .body = "%y = nvvm.elect.sync -> i1\n" + widened,
                             .threads = 64},
                            [](const Words &, unsigned i) { return i % 32 == 0; }));
  suite.push_back(perThread({.operation = "nvvm.elect.sync",
                             .variant = "lanes 8 to 31",
                             .body = "%late = llvm.icmp \"uge\" %tid, %c8 : i32\n"
                                     "llvm.cond_br %late, ^some, ^end(%c7 : i32)\n^some:\n"
                                     "%mask = llvm.mlir.constant(-256 : i32) : i32\n"
                                     "%y = nvvm.elect.sync %mask -> i1\n%v = llvm.zext %y : i1 to i32\n"
                                     "llvm.br ^end(%v : i32)\n^end(%x: i32):\n"},
                            [](const Words &, unsigned i) { return i < 8 ? 7 : i == 8; }));
  // Each lane writes a word of shared memory and reads that of another lane.
  for (const int by : {1, 31})
    suite.push_back(perThread(
        {.operation = "nvvm.bar.warp.sync",
         .variant = fmt::format("orders accesses, lanes {} apart", by),
         .body =
             fmt::format("%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                         "llvm.store %a, %p : i32, !llvm.ptr<3>\nnvvm.bar.warp.sync %cm1 : i32\n"
                         "%by = llvm.mlir.constant({} : i32) : i32\n%o = llvm.xor %tid, %by : i32\n"
                         "%q = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                         "%x = llvm.load %q : !llvm.ptr<3> -> i32\n",
                         by),
         .threads = 64},
        [by](const Words &in, unsigned i) { return in[0][i ^ static_cast<unsigned>(by)]; }));
  suite.push_back(
      perThread({.operation = "nvvm.exit",
                 .variant = "every other thread",
                 .body = odd + "llvm.cond_br %p, ^leave, ^stay\n^leave:\nnvvm.exit\nllvm.return\n^stay:\n"
                               "%x = llvm.xor %a, %c7 : i32\n"},
                [](const Words &in, unsigned i) { return in[0][i] & 1 ? 0xA5A5A5A5u : in[0][i] ^ 7; }));
}

}   // namespace tile::calibration

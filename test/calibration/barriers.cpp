// SPDX-License-Identifier: MIT
// Where threads of a CTA meet, fences, and what only has to be there: changes of the number of registers,
// dependencies between grids.
#include "test/calibration/micro_kernel.h"

#include <fmt/format.h>

namespace tile::calibration {
namespace {

// Each thread writes a word of shared memory, and after `between` reads that of thread i ^ `by` as %x.
std::string exchange(const std::string &between, int by = 33) {
  return "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
         "llvm.store %a, %p : i32, !llvm.ptr<3>\n" +
         between +
         fmt::format("%by = llvm.mlir.constant({} : i32) : i32\n%o = llvm.xor %tid, %by : i32\n"
                     "%q = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                     "%x = llvm.load %q : !llvm.ptr<3> -> i32\n",
                     by);
}
void addExchange(Suite &suite, const std::string &operation, const std::string &variant,
                 const std::string &between, unsigned threads = 128, int by = 33) {
  suite.push_back(perThread(
      {.operation = operation, .variant = variant, .body = exchange(between, by), .threads = threads},
      [by](const Words &in, unsigned i) { return in[0][i ^ static_cast<unsigned>(by)]; }));
}

void addCounting(Suite &suite) {
  struct Kind {
    const char *name;
    std::uint32_t (*of)(unsigned count);
  };
  constexpr Kind kinds[] = {{"popc", [](unsigned n) { return n; }},
                            {"and", [](unsigned n) { return std::uint32_t{n == 128}; }},
                            {"or", [](unsigned n) { return std::uint32_t{n > 0}; }}};
  struct Inputs {
    const char *name;
    std::uint32_t (*draw)(Random &, unsigned);
  };
  constexpr Inputs inputs[] = {{"mixed", [](Random &r, unsigned) { return r.below(2); }},
                               {"nobody", [](Random &, unsigned) { return 0u; }},
                               {"everybody", [](Random &r, unsigned) { return 1 + r.below(9); }}};
  for (const Kind &kind : kinds)
    for (const Inputs &in : inputs)
      suite.push_back(
          perThread({.operation = "nvvm.barrier",
                     .variant = fmt::format("{}, {}", kind.name, in.name),
                     .body = fmt::format("%x = nvvm.barrier #nvvm.reduction<{}> %a -> i32\n", kind.name),
                     .threads = 128,
                     .draw = in.draw},
                    [&](const Words &words, unsigned) {
                      unsigned count = 0;
                      for (const std::uint32_t word : words[0])
                        count += word != 0;
                      return kind.of(count);
                    }));
}

void addFences(Suite &suite) {
  // Behind a barrier, where they change nothing: that they exist and do not disturb is all that is seen.
  const std::string met = "nvvm.barrier0\n";
  for (const char *scope : {"cta", "gpu", "sys"})
    addExchange(suite, "nvvm.memory.barrier", scope, fmt::format("nvvm.memory.barrier <{}>\n", scope) + met);
  addExchange(suite, "nvvm.fence.sc.cluster", "", "nvvm.fence.sc.cluster\n" + met);
  for (const char *order : {"acquire", "release"}) {
    addExchange(suite, "nvvm.fence.sync_restrict", order,
                fmt::format("nvvm.fence.sync_restrict {{order = #nvvm.mem_order<{}>}}\n", order) + met);
    suite.back().needs = "PTX 8.6";
    addExchange(suite, "nvvm.fence.proxy.sync_restrict", order,
                fmt::format("nvvm.fence.proxy.sync_restrict {{order = #nvvm.mem_order<{}>}}\n", order) + met);
    suite.back().needs = "PTX 8.6";
  }
  for (const char *kind : {"alias", "async", "async.global"})
    addExchange(suite, "nvvm.fence.proxy", kind,
                fmt::format("nvvm.fence.proxy {{kind = #nvvm.proxy_kind<{}>}}\n", kind) + met);
  for (const char *space : {"cta", "cluster"})
    addExchange(suite, "nvvm.fence.proxy", fmt::format("async.shared of the {}", space),
                fmt::format("nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = "
                            "#nvvm.shared_space<{}>}}\n",
                            space) +
                    met);
  for (const char *scope : {"cta", "cluster", "gpu", "sys"}) {
    addExchange(suite, "nvvm.fence.proxy.release", scope,
                fmt::format("nvvm.fence.proxy.release <{}>\n", scope) + met);
    addExchange(suite, "nvvm.fence.proxy.acquire", scope,
                fmt::format("%map = llvm.addrspacecast %in : !llvm.ptr<1> to !llvm.ptr\n"
                            "nvvm.fence.proxy.acquire <{}> %map, %c128\n",
                            scope) +
                    met);
  }
  addExchange(suite, "nvvm.fence.mbarrier.init", "", "nvvm.fence.mbarrier.init\n" + met);
  for (const char *ordering : {"acquire", "release", "acq_rel", "seq_cst"})
    for (const char *scope : {"", "syncscope(\"device\") ", "syncscope(\"block\") "})
      addExchange(suite, "llvm.fence", fmt::format("{}, {}", ordering, *scope ? scope + 9 : "all"),
                  fmt::format("llvm.fence {}{}\n", scope, ordering) + met);
}

}   // namespace

void addBarriers(Suite &suite) {
  addExchange(suite, "nvvm.barrier0", "of 128 threads", "nvvm.barrier0\n");
  addExchange(suite, "nvvm.barrier0", "of 1024 threads", "nvvm.barrier0\n", 1024, 1023);
  addCounting(suite);
  for (const int id : {0, 1, 15})
    addExchange(suite, "nvvm.barrier", fmt::format("number {}", id),
                fmt::format("%id = llvm.mlir.constant({} : i32) : i32\nnvvm.barrier id = %id\n", id));
  addExchange(suite, "nvvm.barrier", "number and all threads",
              "nvvm.barrier id = %c3 number_of_threads = %c128\n");
  // Pairs of warps, each pair at a barrier of its own.
  addExchange(suite, "nvvm.barrier", "pairs of warps",
              "%six = llvm.mlir.constant(6 : i32) : i32\n%w = llvm.lshr %tid, %six : i32\n%n = llvm.add %w, "
              "%c1 : i32\n"
              "nvvm.barrier id = %n number_of_threads = %c64\n");
  // Warps 0 and 1 write and arrive; the others wait and read.
  suite.push_back(perThread(
      {.operation = "nvvm.barrier.arrive",
       .variant = "two warps of four",
       .body =
           "%first = llvm.icmp \"ult\" %tid, %c64 : i32\nllvm.cond_br %first, ^a, ^b\n^a:\n"
           "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
           "llvm.store %a, %p : i32, !llvm.ptr<3>\nnvvm.barrier.arrive id = %c1 number_of_threads = %c128\n"
           "llvm.br ^end(%c7 : i32)\n^b:\nnvvm.barrier id = %c1 number_of_threads = %c128\n"
           "%o = llvm.sub %tid, %c64 : i32\n"
           "%q = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
           "%y = llvm.load %q : !llvm.ptr<3> -> i32\nllvm.br ^end(%y : i32)\n^end(%x: i32):\n",
       .threads = 128},
      [](const Words &in, unsigned i) { return i < 64 ? 7 : in[0][i - 64]; }));
  addFences(suite);
  // Of four warpgroups one gives registers away and the others take them.
  suite.push_back(perThread(
      {.operation = "nvvm.setmaxregister",
       .variant = "decrease 40, increase 152",
       .body =
           "%group = llvm.lshr %tid, %c7 : i32\n%isFirst = llvm.icmp \"eq\" %group, %c0 : i32\n"
           "llvm.cond_br %isFirst, ^less, ^more\n^less:\nnvvm.setmaxregister decrease 40\n"
           "%y = llvm.xor %a, %c1 : i32\nllvm.br ^end(%y : i32)\n^more:\nnvvm.setmaxregister increase 152\n"
           "%z = llvm.xor %a, %c2 : i32\nllvm.br ^end(%z : i32)\n^end(%x: i32):\n",
       .threads = 512,
       // Without, the assembler does not know how many there are, and ignores the changes.
       .attributes = ", nvvm.minctasm = 1 : i32"},
      [](const Words &in, unsigned i) { return in[0][i] ^ (i < 128 ? 1 : 2); }));
  for (const char *kind : {"wait", "launch_dependents"})
    addExchange(suite, "nvvm.griddepcontrol", kind,
                fmt::format("nvvm.griddepcontrol {}\nnvvm.barrier0\n", kind));
}

}   // namespace tile::calibration

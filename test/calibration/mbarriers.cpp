// SPDX-License-Identifier: MIT
// mbarriers: all ways to arrive, to announce bytes and to wait.
#include "test/calibration/micro_kernel.h"

#include <fmt/format.h>

namespace tile::calibration {
namespace {

// Thread 0 makes %bar for `count` arrivals, and all meet.
std::string made(int count, const std::string &init = "nvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32\n") {
  return at("bar", 8192) +
         fmt::format(
             "%n = llvm.mlir.constant({} : i32) : i32\n%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\n"
             "llvm.cond_br %is0, ^i, ^m\n^i:\n{}nvvm.fence.mbarrier.init\nllvm.br ^m\n^m:\nnvvm.barrier0\n",
             count, init);
}
const std::string wait = "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n";
const std::string arrive = "%s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n";
// What only thread 0 does, and what only the others do.
std::string apart(const std::string &first, const std::string &others, int number = 0) {
  return fmt::format("llvm.cond_br %is0, ^one{0}, ^rest{0}\n^one{0}:\n{1}llvm.br ^both{0}\n^rest{0}:\n{2}"
                     "llvm.br ^both{0}\n^both{0}:\n",
                     number, first, others);
}

// Each thread writes a word, and after `between` reads that of thread i ^ 33.
void add(Suite &suite, const std::string &operation, const std::string &variant, int count,
         const std::string &between, unsigned threads = 64) {
  suite.push_back(
      perThread({.operation = operation,
                 .variant = variant,
                 .body = made(count) +
                         "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                         "llvm.store %a, %p : i32, !llvm.ptr<3>\n" +
                         between +
                         "%c33 = llvm.mlir.constant(33 : i32) : i32\n%o = llvm.xor %tid, %c33 : i32\n"
                         "%q = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                         "%x = llvm.load %q : !llvm.ptr<3> -> i32\n",
                 .threads = threads},
                [](const Words &in, unsigned i) { return in[0][i ^ 33]; }));
}

// `test` makes %y of type i1, which each thread stores, after thread 0 has done `before`.
void addTest(Suite &suite, const std::string &operation, const std::string &variant, int count,
             const std::string &before, const std::string &test, bool expected) {
  suite.push_back(perThread(
      {.operation = operation,
       .variant = variant,
       .body = made(count) + apart(before, "") + "nvvm.barrier0\n" + test + "%x = llvm.zext %y : i1 to i32\n",
       .threads = 64},
      [expected](const Words &, unsigned) { return std::uint64_t{expected}; }));
}

// A loop that asks until `test` gives %y.
std::string poll(const std::string &test) {
  return "llvm.br ^poll\n^poll:\n" + test + "llvm.cond_br %y, ^go, ^poll\n^go:\n";
}

}   // namespace

void addMbarriers(Suite &suite) {
  const std::string init = "nvvm.mbarrier.init", arrival = "nvvm.mbarrier.arrive",
                    drop = "nvvm.mbarrier.arrive_drop", expect = "nvvm.mbarrier.expect_tx";
  add(suite, init, "for 64", 64, arrive + wait);
  add(suite, init, "for 1", 1, "nvvm.barrier0\n" + apart(arrive, "") + wait);
  suite.push_back(
      perThread({.operation = init,
                 .variant = "with a predicate",
                 .body = at("bar", 8192) +
                         "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\n"
                         "nvvm.mbarrier.init %bar, %c64, predicate = %is0 : !llvm.ptr<3>, i32, i1\n"
                         "nvvm.fence.mbarrier.init\nnvvm.barrier0\n" +
                         arrive + wait + "%x = llvm.add %a, %c1 : i32\n",
                 .threads = 64},
                [](const Words &in, unsigned i) { return in[0][i] + 1; }));
  suite.push_back(perThread(
      {.operation = "nvvm.mbarrier.inval",
       .variant = "made again for another count",
       .body =
           made(1,
                "nvvm.mbarrier.init %bar, %c7 : !llvm.ptr<3>, i32\nnvvm.mbarrier.inval %bar : !llvm.ptr<3>\n"
                "nvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32\n") +
           apart(arrive, "") + wait + "%x = llvm.add %a, %c1 : i32\n",
       .threads = 64},
      [](const Words &in, unsigned i) { return in[0][i] + 1; }));

  add(suite, arrival, "by 2", 128, "%s = nvvm.mbarrier.arrive %bar, %c2 : !llvm.ptr<3> -> i64\n" + wait);
  add(suite, arrival, "in the scope of the cluster", 64,
      "%s = nvvm.mbarrier.arrive %bar {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3> -> i64\n" + wait);
  add(suite, arrival, "relaxed", 64,
      "%s = nvvm.mbarrier.arrive %bar {relaxed = true} : !llvm.ptr<3> -> i64\n" + wait + "nvvm.barrier0\n");
  suite.back().needs = "a newer PTX";
  add(suite, arrival + ".nocomplete", "and one that completes", 128,
      "%s0 = nvvm.mbarrier.arrive.nocomplete %bar, %c1 : !llvm.ptr<3>, i32 -> i64\n" + arrive + wait);
  // Everybody but thread 0 leaves for good: one arrival ends the next phase.
  const std::string second = "nvvm.barrier0\nllvm.cond_br %is0, ^again, ^then\n^again:\n"
                             "%s3 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\nllvm.br ^then\n^then:\n"
                             "nvvm.mbarrier.try_wait.parity %bar, %c1, %c1000 : !llvm.ptr<3>, i32, i32\n";
  const std::string first = "%s1 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n";
  add(suite, drop, "by 1", 64,
      apart(first, "%s2 = nvvm.mbarrier.arrive_drop %bar : !llvm.ptr<3> -> i64\n") + wait + second);
  add(suite, drop, "by 2", 127,
      apart(first, "%s2 = nvvm.mbarrier.arrive_drop %bar, %c2 : !llvm.ptr<3> -> i64\n") + wait + second);
  add(suite, drop + ".nocomplete", "by 1", 64,
      apart("", "%s2 = nvvm.mbarrier.arrive_drop.nocomplete %bar, %c1 : !llvm.ptr<3>, i32 -> i64\n") +
          "nvvm.barrier0\nllvm.cond_br %is0, ^last, ^waits\n^last:\n" + first + "llvm.br ^waits\n^waits:\n" +
          wait + second);
  add(suite, drop + ".expect_tx", "of 0 bytes", 64,
      apart(first, "%s2 = nvvm.mbarrier.arrive_drop.expect_tx %bar, %c0 : !llvm.ptr<3>, i32 -> i64\n") +
          wait + second);

  // Bytes that are announced and, without a copy, reported as arrived.
  const std::string complete = "nvvm.mbarrier.complete_tx %bar, %c64 : !llvm.ptr<3>, i32\n";
  add(suite, expect, "then complete_tx", 64,
      apart("nvvm.mbarrier.expect_tx %bar, %c64 : !llvm.ptr<3>, i32\n", "") + "nvvm.barrier0\n" + arrive +
          "nvvm.barrier0\n" + apart(complete, "", 1) + wait);
  addTest(suite, expect, "holds the phase", 1,
          "nvvm.mbarrier.expect_tx %bar, %c64 : !llvm.ptr<3>, i32\n" + first,
          "%y = nvvm.mbarrier.test.wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1\n", false);
  addTest(suite, "nvvm.mbarrier.complete_tx", "before the arrival", 1,
          "nvvm.mbarrier.expect_tx %bar, %c64 : !llvm.ptr<3>, i32\n" + complete + first,
          "%y = nvvm.mbarrier.test.wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1\n", true);
  addTest(suite, "nvvm.mbarrier.complete_tx", "before expect_tx", 2,
          first + complete + "nvvm.mbarrier.expect_tx %bar, %c64 : !llvm.ptr<3>, i32\n" +
              "%s5 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n",
          "%y = nvvm.mbarrier.test.wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1\n", true);
  add(suite, arrival + ".expect_tx", "of 0 bytes", 64,
      "nvvm.mbarrier.arrive.expect_tx %bar, %c0 : !llvm.ptr<3>, i32\n" + wait);
  add(suite, arrival + ".expect_tx", "with a predicate", 1,
      "nvvm.barrier0\nnvvm.mbarrier.arrive.expect_tx %bar, %c0, predicate = %is0 : !llvm.ptr<3>, i32, i1\n" +
          wait);

  // ---- waits
  const std::string tryWait = "nvvm.mbarrier.try_wait", testWait = "nvvm.mbarrier.test.wait";
  for (const std::string &operation : {tryWait, testWait}) {
    add(suite, operation, "of a state, in a loop", 64,
        arrive + poll("%y = " + operation + " %bar, %s : !llvm.ptr<3>, i64 -> i1\n"));
    add(suite, operation, "of a parity, in a loop", 64,
        arrive + poll("%y = " + operation + " %bar, %c0 : !llvm.ptr<3>, i32 -> i1\n"));
    // Before the first phase comes one of parity 1, which has ended.
    addTest(suite, operation, "phase 0 runs: parity 1", 2, first,
            "%y = " + operation + " %bar, %c1 : !llvm.ptr<3>, i32 -> i1\n", true);
    addTest(suite, operation, "phase 1 runs: parity 0", 1, first,
            "%y = " + operation + " %bar, %c0 : !llvm.ptr<3>, i32 -> i1\n", true);
    // The simulator lets no thread wait in vain: the other wait gives up after a while.
    if (operation == testWait) {
      addTest(suite, operation, "phase 0 runs: parity 0", 2, first,
              "%y = " + operation + " %bar, %c0 : !llvm.ptr<3>, i32 -> i1\n", false);
      addTest(suite, operation, "phase 1 runs: parity 1", 1, first,
              "%y = " + operation + " %bar, %c1 : !llvm.ptr<3>, i32 -> i1\n", false);
    }
  }
  add(suite, tryWait, "of a parity for 1000 ns, in a loop", 64,
      arrive + poll("%y = nvvm.mbarrier.try_wait %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32 -> i1\n"));
  add(suite, tryWait + ".parity", "after 64 arrivals", 64, arrive + wait);
  // Ten phases, parity by parity.
  add(suite, tryWait + ".parity", "ten phases", 64,
      "%c10 = llvm.mlir.constant(10 : i32) : i32\nllvm.br ^turn(%c0 : i32)\n^turn(%i: i32):\n"
      "%s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n%parity = llvm.and %i, %c1 : i32\n"
      "nvvm.mbarrier.try_wait.parity %bar, %parity, %c1000 : !llvm.ptr<3>, i32, i32\n"
      "%j = llvm.add %i, %c1 : i32\n%more = llvm.icmp \"ult\" %j, %c10 : i32\n"
      "llvm.cond_br %more, ^turn(%j : i32), ^go\n^go:\n");
}

}   // namespace tile::calibration

// SPDX-License-Identifier: MIT
// CTAs that work together: who they are, where they meet, each other's shared memory, copies to several.
#include "bench.h"
#include "kernel_text.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string pair = ", nvvm.cluster_dim = array<i32: 2, 1, 1>";
const std::string meet = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}\n";
const std::string who =
    "%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32\n%peer = llvm.xor %rank, %c1 : i32\n";
// Stores %x, one word for each thread of the grid.
const std::string store = "%cta = nvvm.read.ptx.sreg.ctaid.x : i32\n%n = nvvm.read.ptx.sreg.ntid.x : i32\n"
                          "%at0 = llvm.mul %cta, %n : i32\n%at1 = llvm.add %at0, %tid : i32\n" +
                          element("to", "%out", "%at1") + "llvm.store %x, %to : i32, !llvm.ptr<1>\n";

std::vector<std::uint32_t> words(const std::string &body, int ctas, Completion when = Completion::latest,
                                 const std::string &attributes = pair) {
  const auto program = compileForHost(HandWritten{
      moduleText({"%out: !llvm.ptr<1>, %data: !llvm.ptr<1>", body + "llvm.return", 32, 4096, attributes})});
  Bench bench({.completion = when});
  auto *out = bench.buffer<std::uint32_t>(32 * ctas, "out");
  std::vector<std::uint32_t> data(256);
  std::iota(data.begin(), data.end(), 100u);
  bench.run(*program, {out, bench.buffer(data, "data")}, {.x = ctas});
  return {out, out + 32 * ctas};
}

TEST(Clusters, KnowTheirPlaces) {
  const std::string body =
      "%id = nvvm.read.ptx.sreg.clusterid.x : i32\n%ids = nvvm.read.ptx.sreg.nclusterid.x : i32\n"
      "%place = nvvm.read.ptx.sreg.cluster.ctaid.x : i32\n%all = nvvm.read.ptx.sreg.cluster.nctarank : i32\n"
      "%a = llvm.mul %id, %c1000 : i32\n%b = llvm.mul %place, %c8 : i32\n%c = llvm.mul %ids, %c128 : i32\n"
      "%d = llvm.add %a, %b : i32\n%e = llvm.add %c, %all : i32\n%x = llvm.add %d, %e : i32\n" +
      store;
  const std::vector<std::uint32_t> result = words(body, 6);
  for (std::uint32_t i = 0; i < 6; ++i)
    EXPECT_EQ(result[32 * i], i / 2 * 1000 + i % 2 * 8 + 3 * 128 + 2) << i;
  EXPECT_THAT(complaint([&] { words(body, 5); }),
              HasSubstr("the grid has 5 programs along x, which is not a multiple of the cluster size 2"));
}

// Thread i writes word i of its own shared memory and reads the peer's.
std::string exchange(const std::string &between) {
  return who +
         "%mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
         "%v0 = llvm.mul %rank, %c1000 : i32\n%v = llvm.add %v0, %tid : i32\n"
         "llvm.store %v, %mine : i32, !llvm.ptr<3>\n" +
         between +
         "%theirs = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
         "%x = llvm.load %theirs : !llvm.ptr<7> -> i32\n" +
         store;
}
TEST(Clusters, ReadEachOthersMemoryAfterTheirBarrier) {
  const std::vector<std::uint32_t> result = words(exchange(meet) + meet, 2);
  for (std::uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(result[i], (i < 32) * 1000 + i % 32) << i;
  EXPECT_THAT(complaint([&] { words(exchange("nvvm.barrier0\n"), 2); }),
              HasSubstr("uses shared memory of CTA 1, which may not have begun yet"));
  EXPECT_THAT(complaint([&] {
                words(exchange("nvvm.cluster.arrive.relaxed {aligned}\nnvvm.cluster.wait {aligned}\n"), 2);
              }),
              AllOf(HasSubstr("a race"), HasSubstr("of CTA")));
  EXPECT_THAT(complaint([&] { words(exchange("nvvm.cluster.wait {aligned}\n"), 2); }),
              HasSubstr("without an arrival"));
  // Nobody waits for threads that have ended; but for those that wait elsewhere.
  const std::string first = "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n";
  EXPECT_EQ(complaint([&] { words(first + "llvm.return\n^b:\n" + meet, 2); }), "");
  EXPECT_THAT(complaint([&] { words(first + "nvvm.barrier0\nllvm.br ^b\n^b:\n" + meet, 2); }),
              AllOf(HasSubstr("deadlock"), HasSubstr("CTA 1, threads 1 to 31: at this cluster barrier")));
}

// A barrier at 1024 in each CTA, known to all.
std::string made(const std::string &count) {
  return at("bar", 1024) + who +
         "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^i, ^m\n^i:\n"
         "nvvm.mbarrier.init %bar, " +
         count +
         " : !llvm.ptr<3>, i32\nnvvm.fence.mbarrier.init\nllvm.br ^m\n^m:\n"
         "nvvm.cluster.arrive.relaxed {aligned}\nnvvm.cluster.wait {aligned}\n";
}
TEST(Clusters, ArriveAtEachOthersBarriers) {
  const std::string signal = "%far = nvvm.mapa %bar, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
                             "nvvm.mbarrier.arrive %far {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>\n"
                             "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n";
  const std::string body =
      made("%c32") +
      "%mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
      "llvm.store %rank, %mine : i32, !llvm.ptr<3>\n" +
      signal +
      "%theirs = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
      "%x = llvm.load %theirs : !llvm.ptr<7> -> i32\n" +
      store;
  const std::vector<std::uint32_t> result = words(body + meet, 4);
  for (std::uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(result[i], i / 32 % 2 == 0) << i;
}

std::string multicast(const std::string &mask, const std::string &bytes = "%c128") {
  return made("%c1") + "llvm.cond_br %is0, ^e, ^w\n^e:\nnvvm.mbarrier.arrive.expect_tx %bar, " + bytes +
         " : !llvm.ptr<3>, i32\n%is0th = llvm.icmp \"eq\" %rank, %c0 : i32\nllvm.cond_br %is0th, ^c, "
         "^w\n^c:\n"
         "%mask = llvm.mlir.constant(" +
         mask +
         " : i16) : i16\n%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
         "nvvm.cp.async.bulk.shared.cluster.global %to7, %data, %bar, %c128 multicast_mask = %mask : "
         "!llvm.ptr<7>, !llvm.ptr<1>\n"
         "llvm.br ^w\n^w:\nnvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n"
         "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
         "%x = llvm.load %p : !llvm.ptr<3> -> i32\n" +
         store;
}
TEST(Clusters, CopyToSeveral) {
  for (const Completion when : completions) {
    const std::vector<std::uint32_t> result = words(multicast("3"), 4, when);
    for (std::uint32_t i = 0; i < 128; ++i)
      EXPECT_EQ(result[i], 100 + i % 32) << i;
  }
  EXPECT_THAT(complaint([&] { words(multicast("1"), 2); }),
              AllOf(HasSubstr("deadlock"), HasSubstr("for 128 bytes")));
  EXPECT_THAT(complaint([&] { words(multicast("5"), 2); }), HasSubstr("has mask 0x5 in a cluster of 2 CTAs"));
}

TEST(Clusters, SendToEachOther) {
  const std::string body =
      made("%c1") +
      "%mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n%v0 = llvm.mul "
      "%rank, %c1000 : i32\n"
      "%v = llvm.add %v0, %tid : i32\nllvm.store %v, %mine : i32, !llvm.ptr<3>\n"
      "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}\n"
      "nvvm.bar.warp.sync %cm1 : i32\nllvm.cond_br %is0, ^e, ^w\n^e:\n"
      "nvvm.mbarrier.arrive.expect_tx %bar, %c128 : !llvm.ptr<3>, i32\n" +
      at("there", 2048) +
      "%far = nvvm.mapa %there, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n%farBar = nvvm.mapa %bar, %peer : "
      "!llvm.ptr<3> -> !llvm.ptr<7>\n"
      "%signal = llvm.addrspacecast %farBar : !llvm.ptr<7> to !llvm.ptr<3>\n"
      "nvvm.cp.async.bulk.shared.cluster.shared.cta %far, %smem, %signal, %c128 : !llvm.ptr<7>, "
      "!llvm.ptr<3>\n"
      "llvm.br ^w\n^w:\nnvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n"
      "%w = llvm.add %tid, %c512 : i32\n%p = llvm.getelementptr %smem[%w] : (!llvm.ptr<3>, i32) -> "
      "!llvm.ptr<3>, i32\n"
      "%x = llvm.load %p : !llvm.ptr<3> -> i32\n" +
      store;
  for (const Completion when : completions) {
    const std::vector<std::uint32_t> result = words(body, 2, when);
    for (std::uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(result[i], (i < 32) * 1000 + i % 32) << i;
  }
}

}   // namespace
}   // namespace tile::simulator

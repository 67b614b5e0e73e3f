// SPDX-License-Identifier: MIT
// What the simulator finds in whatever order threads go on: that another order would be wrong.
#include "bench.h"
#include "kernel_text.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// `%data` has 256 numbers.
std::string complaintOf(const std::string &body, int threads = 64, const std::string &attributes = "",
                        int ctas = 1, std::vector<std::uint32_t> *result = nullptr) {
  return complaint([&] {
    const auto program = compileForHost(
        HandWritten{moduleText({"%data: !llvm.ptr<1>", body + "llvm.return", threads, 4096, attributes})});
    Bench bench;
    std::vector<std::uint32_t> numbers(256);
    std::iota(numbers.begin(), numbers.end(), 100u);
    auto *data = bench.buffer(numbers, "data");
    bench.run(*program, {data}, {.x = ctas});
    if (result)
      *result = bench.read(data, numbers.size());
  });
}

const std::string warp = "%w = nvvm.read.ptx.sreg.warpid : i32\n";
// Runs `then` in the threads for which %c holds; %c and labels have names of `name`.
std::string where(const std::string &name, const std::string &condition, const std::string &then) {
  return "%" + name + " = " + condition + "\nllvm.cond_br %" + name + ", ^" + name + "t, ^" + name + "e\n^" +
         name + "t:\n" + then + "llvm.br ^" + name + "e\n^" + name + "e:\n";
}
const std::string isFirst = "llvm.icmp \"eq\" %tid, %c0 : i32";

// ---- barriers

TEST(Orders, TwoGroupsAtOneNamedBarrier) {
  const std::string meet = "nvvm.barrier id = %c1 number_of_threads = %c64\n";
  const std::string lower = "llvm.icmp \"ult\" %tid, %c64 : i32",
                    upper = "llvm.icmp \"uge\" %tid, %c64 : i32";
  EXPECT_THAT(complaintOf(where("a", lower, meet) + where("b", upper, meet), 128),
              AllOf(HasSubstr("barrier 1 is reached by a thread that may not know that the barrier's last "
                              "use is over: another schedule counts it there"),
                    HasSubstr("the last use was here")));
  EXPECT_EQ(complaintOf(where("a", lower, meet + meet), 128), "");
  EXPECT_EQ(complaintOf(where("a", lower, meet) + "nvvm.barrier0\n" + where("b", upper, meet), 128), "");
}

TEST(Orders, ArrivalsOfAPhaseThatNeedNotHaveBegun) {
  // Threads 0 and 32 arrive, and thread 0 again: it has met warp 2 meanwhile, and nobody of warp 1.
  const auto kernel = [](const std::string &between) {
    return at("bar", 1024) + warp +
           where("init", isFirst,
                 "nvvm.mbarrier.init %bar, %c2 : !llvm.ptr<3>, i32\nnvvm.fence.mbarrier.init\n") +
           "nvvm.barrier0\n" +
           where("first", "llvm.icmp \"eq\" %w, %c0 : i32",
                 where("one", isFirst, "%s1 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n") +
                     "nvvm.barrier id = %c2 number_of_threads = %c64\n" + between +
                     where("two", isFirst, "%s2 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n")) +
           where("second", "llvm.icmp \"eq\" %tid, %c32 : i32",
                 "%s3 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n") +
           where("third", "llvm.icmp \"eq\" %w, %c2 : i32",
                 "nvvm.barrier id = %c2 number_of_threads = %c64\n");
  };
  EXPECT_THAT(
      complaintOf(kernel(""), 96),
      AllOf(HasSubstr("reaches the mbarrier at byte 1024 of shared memory without knowing that phase 0 is "
                      "over: another schedule counts it in that phase"),
            HasSubstr("an arrival of that phase is here")));
  EXPECT_EQ(
      complaintOf(kernel("nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n"), 96),
      "");
}

// ---- clusters

const std::string pair = ", nvvm.cluster_dim = array<i32: 2, 1, 1>";
const std::string meetPair = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}\n";
const std::string peer =
    "%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32\n%peer = llvm.xor %rank, %c1 : i32\n"
    "%mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
    "%theirs = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n";
const std::string remoteStore = "llvm.store %tid, %theirs : i32, !llvm.ptr<7>\n";

TEST(Orders, AStoreToACtaThatNeedNotHaveBegun) {
  EXPECT_THAT(
      complaintOf(peer + remoteStore, 32, pair, 2),
      HasSubstr(
          "uses shared memory of CTA 1, which may not have begun yet; a barrier of the cluster is missing"));
  EXPECT_THAT(complaintOf(peer + remoteStore + meetPair, 32, pair, 2),
              HasSubstr("which may not have begun yet"));
  EXPECT_EQ(complaintOf(peer + meetPair + remoteStore + meetPair, 32, pair, 2), "");
  const std::string relaxed = "nvvm.cluster.arrive.relaxed {aligned}\nnvvm.cluster.wait {aligned}\n";
  EXPECT_EQ(complaintOf(peer + relaxed + remoteStore + meetPair, 32, pair, 2), "");
}
TEST(Orders, AStoreToACtaThatMayHaveEnded) {
  EXPECT_THAT(complaintOf(peer + meetPair + remoteStore, 32, pair, 2),
              AllOf(HasSubstr("uses shared memory of CTA 1"), HasSubstr("ended"),
                    HasSubstr("a barrier of the cluster is missing")));
}
TEST(Orders, AnArrivalOfAScopeThatIsTooSmall) {
  const auto kernel = [](const std::string &scope) {
    return at("bar", 1024) + peer +
           where("init", isFirst,
                 "nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32\nnvvm.fence.mbarrier.init\n") +
           meetPair +
           "%far = nvvm.mapa %bar, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\nnvvm.mbarrier.arrive %far " + scope +
           " : !llvm.ptr<7>\nnvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n" +
           meetPair;
  };
  EXPECT_EQ(complaintOf(kernel("{scope = #nvvm.mem_scope<cluster>}"), 32, pair, 2), "");
  EXPECT_THAT(
      complaintOf(kernel(""), 32, pair, 2),
      AllOf(
          HasSubstr("is one at the mbarrier at byte 1024 of shared memory of CTA "),
          HasSubstr("with the scope of its own CTA: earlier writes of the thread may not be visible there")));
}

// ---- global memory

const std::string own = element("to", "%data", "%tid");
const std::string next = "%n0 = llvm.xor %tid, %c32 : i32\n" + element("from", "%data", "%n0") +
                         "%x = llvm.load %from : !llvm.ptr<1> -> i32\n";

TEST(Orders, LanesThatExchangeThroughGlobalMemory) {
  const std::string store = own + "llvm.store %tid, %to : i32, !llvm.ptr<1>\n";
  const auto is =
      AllOf(HasSubstr("of `data`, which another lane of the program has stored without a barrier since"),
            HasSubstr("it was stored here"), HasSubstr("write barrier() between the two"));
  EXPECT_THAT(complaintOf(store + next), is);
  EXPECT_EQ(complaintOf(store + "nvvm.barrier0\n" + next), "");
  // Where parts of a program meet.
  const std::string part = "nvvm.barrier id = %c1 number_of_threads = %c64\n";
  EXPECT_THAT(complaintOf(part + store + next), is);
  EXPECT_EQ(complaintOf(part + store + part + next), "");
  // Its own, the thread may read.
  EXPECT_EQ(complaintOf(store + "%x = llvm.load %to : !llvm.ptr<1> -> i32\n"), "");
}

// Thread 0 stores word 0 and brings the first 128 bytes of the data to shared memory.
std::string copyOfOwn(const std::string &between) {
  return own + loaded(1024, 128,
                      "llvm.store %tid, %to : i32, !llvm.ptr<1>\n" + between +
                          "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
                          "nvvm.cp.async.bulk.shared.cluster.global %to7, %data, %bar, %c128 : !llvm.ptr<7>, "
                          "!llvm.ptr<1>\n");
}
TEST(Orders, ABulkCopyOfWhatWasStoredInTheOrdinaryWay) {
  EXPECT_THAT(
      complaintOf(copyOfOwn("")),
      AllOf(HasSubstr("which was written through the generic proxy, without a fence.proxy of async after it"),
            HasSubstr("it was stored here")));
  EXPECT_EQ(complaintOf(copyOfOwn("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}\n")), "");
  EXPECT_EQ(complaintOf(copyOfOwn("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}\n")), "");
  EXPECT_THAT(complaintOf(copyOfOwn("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = "
                                    "#nvvm.shared_space<cta>}\n")),
              HasSubstr("without a fence.proxy of async"));
}

const std::string bulkStore = "nvvm.cp.async.bulk.global.shared.cta %data, %smem, %c16 : !llvm.ptr<1>, "
                              "!llvm.ptr<3>\nnvvm.cp.async.bulk.commit.group\n";
std::string bulkStores(const std::string &then) {
  return "%mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
         "llvm.store %tid, %mine : i32, !llvm.ptr<3>\n"
         "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}\n"
         "nvvm.barrier0\n" +
         where("one", isFirst, bulkStore + then);
}
const std::string waitForAll = "nvvm.cp.async.bulk.wait_group 0\n";
TEST(Orders, TwoBulkStoresToTheSameBytes) {
  EXPECT_EQ(complaintOf(bulkStores(waitForAll)), "");
  EXPECT_EQ(complaintOf(bulkStores(waitForAll + bulkStore + waitForAll)), "");
  const auto is = AllOf(HasSubstr("of `data`, which another bulk copy may write at the same time"),
                        HasSubstr("that copy began here"));
  EXPECT_THAT(complaintOf(bulkStores(bulkStore + waitForAll)), is);
  EXPECT_THAT(complaintOf(bulkStores("nvvm.cp.async.bulk.wait_group 0 {read}\n" + bulkStore + waitForAll)),
              is);
  // Of two threads, with and without a barrier.
  const std::string other = where("two", "llvm.icmp \"eq\" %tid, %c32 : i32", bulkStore + waitForAll);
  EXPECT_THAT(complaintOf(bulkStores(waitForAll) + other), is);
  EXPECT_EQ(complaintOf(bulkStores(waitForAll) + "nvvm.barrier0\n" + other), "");
}
TEST(Orders, ALoadOfWhatABulkCopyStores) {
  const std::string load = "%x = llvm.load %data : !llvm.ptr<1> -> i32\n";
  EXPECT_EQ(complaintOf(bulkStores(waitForAll + load)), "");
  EXPECT_THAT(complaintOf(bulkStores(load + waitForAll)), HasSubstr("which a bulk copy may still write"));
  EXPECT_THAT(complaintOf(bulkStores(waitForAll) + load), HasSubstr("which a bulk copy may still write"));
  EXPECT_EQ(complaintOf(bulkStores(waitForAll) + "nvvm.barrier0\n" + load), "");
}

}   // namespace
}   // namespace tile::simulator

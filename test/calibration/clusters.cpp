// SPDX-License-Identifier: MIT
// CTAs of a cluster: where they meet, each other's shared memory and mbarriers, copies to several of them.
#include "test/calibration/micro_kernel.h"

#include <fmt/format.h>

namespace tile::calibration {
namespace {

const std::string pair = ", nvvm.cluster_dim = array<i32: 2, 1, 1>",
                  four = ", nvvm.cluster_dim = array<i32: 4, 1, 1>";
const std::string who = "%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32\n";
const std::string meet = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}\n";
const std::string meetRelaxed = "nvvm.cluster.arrive.relaxed {aligned}\nnvvm.cluster.wait {aligned}\n";
const std::string mine =
    "%mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n";
const std::string next =
    "%one = llvm.add %rank, %c1 : i32\n%ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32\n"
    "%peer = llvm.urem %one, %ranks : i32\n";

// The word of the thread with the same number in the CTA that comes `by` later in the cluster.
std::uint32_t ofPeer(const Words &in, unsigned i, unsigned size, unsigned by) {
  const unsigned cta = i / 32, rank = cta % size;
  return in[0][(cta - rank + (rank + by) % size) * 32 + i % 32];
}

// An mbarrier in each CTA, known to all.
std::string made(const std::string &count) {
  return at("bar", 8192) + who + next +
         "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^i, ^m\n^i:\nnvvm.mbarrier.init "
         "%bar, " +
         count + " : !llvm.ptr<3>, i32\nnvvm.fence.mbarrier.init\nllvm.br ^m\n^m:\n" + meetRelaxed;
}

void addExchanges(Suite &suite) {
  const auto add = [&](const std::string &operation, const std::string &variant, const std::string &body,
                       unsigned size, const std::string &attributes, unsigned by) {
    suite.push_back(perThread({.operation = operation,
                               .variant = variant,
                               .body = body,
                               .ctas = 2 * size,
                               .attributes = attributes},
                              [=](const Words &in, unsigned i) { return ofPeer(in, i, size, by); }));
  };
  const std::string write = mine + "llvm.store %a, %mine : i32, !llvm.ptr<3>\n";
  const std::string read = "%theirs = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
                           "%x = llvm.load %theirs : !llvm.ptr<7> -> i32\n";
  for (const auto &[size, attributes] : {std::pair{2u, pair}, std::pair{4u, four}}) {
    const std::string of = fmt::format("clusters of {}", size);
    add("nvvm.mapa", "loads, " + of, who + next + write + meet + read + meet, size, attributes, 1);
    add("nvvm.cluster.arrive", "aligned, " + of, who + next + write + meet + read + meet, size, attributes,
        1);
    add("nvvm.cluster.wait", "aligned, " + of, who + next + write + meet + read + meet, size, attributes, 1);
    // What is written there comes from the CTA before.
    add("nvvm.mapa", "stores, " + of,
        who + next + mine + meetRelaxed +
            "%theirs = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
            "llvm.store %a, %theirs : i32, !llvm.ptr<7>\n" +
            meet + "%x = llvm.load %mine : !llvm.ptr<3> -> i32\n",
        size, attributes, size - 1);
    // Thread by thread through the mbarrier of the next CTA. An arrival there has the scope of the cluster.
    add("nvvm.mbarrier.arrive", "at the next CTA, in its scope, " + of,
        made("%c32") + mine +
            "%theirs = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
            "llvm.store %a, %theirs : i32, !llvm.ptr<7>\n"
            "%far = nvvm.mapa %bar, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
            "nvvm.mbarrier.arrive %far {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>\n"
            "llvm.br ^poll\n^poll:\n"
            "%y = nvvm.mbarrier.try_wait %bar, %c0 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 "
            "-> i1\n"
            "llvm.cond_br %y, ^go, ^poll\n^go:\n%x = llvm.load %mine : !llvm.ptr<3> -> i32\n" +
            meet,
        size, attributes, size - 1);
    // Words from CTA to CTA, counted there.
    add("tile_gpu.ptx_store_async", "a word of each thread, " + of,
        made("%c1") + mine +
            "%theirs = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
            "%far = nvvm.mapa %bar, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
            "llvm.cond_br %is0, ^e, ^s\n^e:\n"
            "nvvm.mbarrier.arrive.expect_tx %bar, %c128 : !llvm.ptr<3>, i32\nllvm.br ^s\n^s:\n"
            "tile_gpu.ptx_store_async %theirs, %a completes %far : !llvm.ptr<7>, i32, !llvm.ptr<7>\n"
            "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n"
            "%x = llvm.load %mine : !llvm.ptr<3> -> i32\n",
        size, attributes, size - 1);
    // Bytes from CTA to CTA, announced there.
    add("nvvm.cp.async.bulk.shared.cluster.shared.cta", "128 bytes, " + of,
        made("%c1") + write +
            "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}\n"
            "nvvm.bar.warp.sync %cm1 : i32\nllvm.cond_br %is0, ^e, ^w\n^e:\n"
            "nvvm.mbarrier.arrive.expect_tx %bar, %c128 : !llvm.ptr<3>, i32\n" +
            at("there", 2048) +
            "%far = nvvm.mapa %there, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
            "%farBar = nvvm.mapa %bar, %peer : !llvm.ptr<3> -> !llvm.ptr<7>\n"
            "%signal = llvm.addrspacecast %farBar : !llvm.ptr<7> to !llvm.ptr<3>\n"
            "nvvm.cp.async.bulk.shared.cluster.shared.cta %far, %smem, %signal, %c128 : !llvm.ptr<7>, "
            "!llvm.ptr<3>\n"
            "llvm.br ^w\n^w:\nnvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n"
            "%w = llvm.add %tid, %c512 : i32\n"
            "%p = llvm.getelementptr %smem[%w] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
            "%x = llvm.load %p : !llvm.ptr<3> -> i32\n" +
            meet,
        size, attributes, size - 1);
  }
  add("nvvm.cluster.arrive", "not aligned",
      who + next + write + "nvvm.cluster.arrive\nnvvm.cluster.wait\n" + read +
          "nvvm.cluster.arrive\nnvvm.cluster.wait\n",
      2, pair, 1);
  add("nvvm.cluster.arrive.relaxed", "aligned", who + next + write + meetRelaxed + meet + read + meet, 2,
      pair, 1);
  add("nvvm.cluster.arrive.relaxed", "not aligned",
      who + next + write + "nvvm.cluster.arrive.relaxed\nnvvm.cluster.wait\n" + meet + read + meet, 2, pair,
      1);
}

// CTA 0 of each cluster brings 128 bytes to those of a mask, all of which announce them.
void addMulticast(Suite &suite) {
  for (const int mask : {1, 2, 5, 15}) {
    const std::string body =
        made("%c1") + mine + "llvm.store %c7, %mine : i32, !llvm.ptr<3>\n" +
        fmt::format(
            "nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}\n"
            "{0}%mask32 = llvm.mlir.constant({1} : i32) : i32\n%shifted = llvm.lshr %mask32, %rank : i32\n"
            "%bit = llvm.and %shifted, %c1 : i32\n%takes = llvm.icmp \"eq\" %bit, %c1 : i32\n"
            "%bytes = llvm.select %takes, %c128, %c0 : i1, i32\nllvm.cond_br %is0, ^e, ^w\n^e:\n"
            "nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32\n"
            "%is0th = llvm.icmp \"eq\" %rank, %c0 : i32\nllvm.cond_br %is0th, ^c, ^w\n^c:\n"
            "%mask = llvm.mlir.constant({1} : i16) : i16\n"
            "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n{2}",
            meet, mask, element("from", "%in", "%start")) +
        "nvvm.cp.async.bulk.shared.cluster.global %to7, %from, %bar, %c128 multicast_mask = %mask : "
        "!llvm.ptr<7>, "
        "!llvm.ptr<1>\nllvm.br ^w\n^w:\nnvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, "
        "i32\n"
        "%x = llvm.load %mine : !llvm.ptr<3> -> i32\n" +
        meet;
    suite.push_back(perThread({.operation = "nvvm.cp.async.bulk.shared.cluster.global",
                               .variant = fmt::format("multicast to {:#x} of 4", mask),
                               .body = body,
                               .ctas = 8,
                               .attributes = four},
                              [mask](const Words &in, unsigned i) -> std::uint32_t {
                                const unsigned rank = i / 32 % 4;
                                return mask >> rank & 1 ? in[0][i / 128 * 128 + i % 32] : 7;
                              }));
  }
}

// The same with a box of a tensor.
void addTensorMulticast(Suite &suite) {
  for (const int mask : {1, 2, 3}) {
    const Box box{{64, 32}, {32, 8}, {32, 8}, TensorSwizzle::bytes128};
    std::string body =
        made("%c1") +
        fmt::format(
            "%mask32 = llvm.mlir.constant({0} : i32) : i32\n%shifted = llvm.lshr %mask32, %rank : i32\n"
            "%bit = llvm.and %shifted, %c1 : i32\n%takes = llvm.icmp \"eq\" %bit, %c1 : i32\n"
            "%bytes = llvm.select %takes, %c1024, %c0 : i1, i32\nllvm.cond_br %is0, ^e, ^w\n^e:\n"
            "nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32\n"
            "%is0th = llvm.icmp \"eq\" %rank, %c0 : i32\nllvm.cond_br %is0th, ^c, ^w\n^c:\n"
            "%mask = llvm.mlir.constant({0} : i16) : i16\n"
            "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n",
            mask) +
        "nvvm.cp.async.bulk.tensor.shared.cluster.global %to7, %map, %bar, box[%c32, %c8] multicast_mask = "
        "%mask : "
        "!llvm.ptr<7>, !llvm.ptr\nllvm.br ^w\n^w:\n"
        "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n"
        "llvm.cond_br %takes, ^copy, ^end\n^copy:\n%half = llvm.mul %rank, %c256 : i32\n";
    for (int i = 0; i < 8; ++i)
      body +=
          fmt::format("%o{0} = llvm.mlir.constant({1} : i32) : i32\n%w{0} = llvm.add %tid, %o{0} : i32\n"
                      "%p{0} = llvm.getelementptr %smem[%w{0}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                      "%v{0} = llvm.load %p{0} : !llvm.ptr<3> -> i32\n%g{0} = llvm.add %half, %w{0} : i32\n"
                      "%q{0} = llvm.getelementptr %out[%g{0}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
                      "llvm.store %v{0}, %q{0} : i32, !llvm.ptr<1>\n",
                      i, 32 * i);
    body += "llvm.br ^end\n^end:\n" + meet + "llvm.return";
    Random random("multicast");
    const std::vector<std::uint32_t> in = random.words(box.words());
    std::vector<std::uint32_t> after(512, 0xA5A5A5A5);
    box.forEach([&](unsigned shared, long at) {
      for (unsigned rank = 0; rank < 2; ++rank)
        if (mask >> rank & 1)
          after[256 * rank + shared / 4] = in[static_cast<std::size_t>(at / 4)];
    });
    suite.push_back({.operation = "nvvm.cp.async.bulk.tensor.shared.cluster.global",
                     .variant = fmt::format("multicast to {:#x} of 2", mask),
                     .module = moduleText({"%map: !llvm.ptr, %out: !llvm.ptr<1>", body, 32, 16384, pair}),
                     .grid = {2},
                     .maps = {{0, box}},
                     .memories = {{"tensor", bytesOf(in), {}},
                                  {"out", std::vector<std::byte>(2048, std::byte{0xA5}), bytesOf(after)}}});
  }
}

}   // namespace

void addClusters(Suite &suite) {
  addExchanges(suite);
  addMulticast(suite);
  addTensorMulticast(suite);
}

}   // namespace tile::calibration

// SPDX-License-Identifier: MIT
// Copies that go on by themselves: of a thread's few bytes, and in bulk.
#include "test/calibration/micro_kernel.h"

#include <fmt/format.h>

namespace tile::calibration {
namespace {

// What every kernel here has: %in is copied to shared memory, in some way, and from there to %out.
const std::string arguments = "%in: !llvm.ptr<1>, %out: !llvm.ptr<1>";

void add(Suite &suite, const std::string &operation, const std::string &variant, const std::string &body,
         const std::vector<std::byte> &in, const std::vector<std::byte> &after, int threads = 32,
         int sharedBytes = 8192, const std::string &needs = "") {
  suite.push_back(
      {.operation = operation,
       .variant = variant,
       .module = moduleText({arguments, body + "llvm.return", threads, sharedBytes}),
       .maps = {},
       .memories = {{"in", in, {}}, {"out", std::vector<std::byte>(after.size(), std::byte{0xA5}), after, 4}},
       .needs = needs});
}

// Thread i's words of shared memory, `size` bytes from byte `size` * i on, to the same place of %out.
std::string storeOwn(int size) {
  std::string text;
  for (int word = 0; word < size / 4; ++word)
    text += fmt::format("%so{0} = llvm.getelementptr %s[{1}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
                        "%sv{0} = llvm.load %so{0} : !llvm.ptr<3> -> i32\n"
                        "%to{0} = llvm.getelementptr %t[{1}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
                        "llvm.store %sv{0}, %to{0} : i32, !llvm.ptr<1>\n",
                        word, 4 * word);
  return text;
}
std::string ownPlaces(int size) {
  return fmt::format("%size = llvm.mlir.constant({} : i32) : i32\n%at = llvm.mul %tid, %size : i32\n"
                     "%f = llvm.getelementptr %in[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
                     "%t = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
                     "%s = llvm.getelementptr %smem[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n",
                     size);
}

void addOrdinary(Suite &suite) {
  const std::string operation = "nvvm.cp.async.shared.global";
  for (const auto &[size, cache] :
       {std::pair{4, "ca"}, std::pair{8, "ca"}, std::pair{16, "ca"}, std::pair{16, "cg"}})
    for (const int mode : {0, 1, 2}) {   // all bytes; a number of them; thread by thread another number
      Random random(fmt::format("{}{}{}", size, cache, mode));
      const std::vector<std::byte> in = bytesOf(random.words(static_cast<std::size_t>(8 * size)));
      std::vector<std::byte> after = in;
      const auto copied = [&](int thread) {
        return mode == 0 ? size : mode == 1 ? size / 2 : thread % (size + 1);
      };
      for (int i = 0; i < 32 * size; ++i)
        if (i % size >= copied(i / size))
          after[static_cast<std::size_t>(i)] = std::byte{0};
      std::string count;
      if (mode == 1)
        count = fmt::format("%n = llvm.mlir.constant({} : i32) : i32\n", size / 2);
      else if (mode == 2)
        count =
            fmt::format("%m = llvm.mlir.constant({} : i32) : i32\n%n = llvm.urem %tid, %m : i32\n", size + 1);
      add(suite, operation,
          fmt::format("{} bytes, {}{}", size, cache,
                      mode == 0   ? ""
                      : mode == 1 ? ", half of them"
                                  : ", 0 to all of them"),
          ownPlaces(size) + count +
              fmt::format(
                  "nvvm.cp.async.shared.global %s, %f, {}, cache = {}{} : !llvm.ptr<3>, !llvm.ptr<1>{}\n"
                  "nvvm.cp.async.commit.group\nnvvm.cp.async.wait.group 0\n",
                  size, cache, mode ? ", %n" : "", mode ? ", i32" : "") +
              storeOwn(size),
          in, after);
    }
  // Three groups, of which the wait leaves some on their way: the older ones are there.
  for (const int pending : {0, 1, 2}) {
    Random random(fmt::format("groups {}", pending));
    const std::vector<std::byte> in = bytesOf(random.words(32 * 12));
    std::string body = ownPlaces(48);
    for (int group = 0; group < 3; ++group)
      body += fmt::format(
          "%gs{0} = llvm.getelementptr %s[{1}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
          "%gf{0} = llvm.getelementptr %f[{1}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
          "nvvm.cp.async.shared.global %gs{0}, %gf{0}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>\n"
          "nvvm.cp.async.commit.group\n",
          group, 16 * group);
    const int there = 16 * (3 - pending);
    std::vector<std::byte> after(in.size(), std::byte{0xA5});
    for (std::size_t i = 0; i < in.size(); ++i)
      if (i % 48 < static_cast<std::size_t>(there))
        after[i] = in[i];
    for (const char *op : {"nvvm.cp.async.wait.group", "nvvm.cp.async.commit.group"})
      add(suite, op, fmt::format("{} of 3 groups pending", pending),
          body + fmt::format("nvvm.cp.async.wait.group {}\n", pending) + storeOwn(there) +
              "nvvm.cp.async.wait.group 0\n",
          in, after);
  }
  for (const char *noinc : {"", " {noinc = true}"}) {
    Random random("arrive");
    const std::vector<std::uint32_t> in = random.words(64);
    std::vector<std::uint32_t> after(64);
    for (unsigned i = 0; i < 64; ++i)
      after[i] = in[i ^ 33];
    add(suite, "nvvm.cp.async.mbarrier.arrive", *noinc ? "noinc" : "inc",
        at("bar", 4096) +
            "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^i, ^m\n^i:\n"
            "nvvm.mbarrier.init %bar, %c64 : !llvm.ptr<3>, i32\nnvvm.fence.mbarrier.init\nllvm.br ^m\n^m:\n"
            "nvvm.barrier0\n" +
            ownPlaces(4) +
            "nvvm.cp.async.shared.global %s, %f, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>\n"
            "nvvm.cp.async.mbarrier.arrive %bar" +
            noinc + " : !llvm.ptr<3>\n" +
            (*noinc ? "" : "%st = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n") +
            "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n"
            "%c33 = llvm.mlir.constant(33 : i32) : i32\n%o = llvm.xor %tid, %c33 : i32\n"
            "%r = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
            "%x = llvm.load %r : !llvm.ptr<3> -> i32\nllvm.store %x, %t : i32, !llvm.ptr<1>\n",
        bytesOf(in), bytesOf(after), 64);
  }
}

const std::string load = "nvvm.cp.async.bulk.shared.cluster.global %to7, %in, %bar, %bytes : !llvm.ptr<7>, "
                         "!llvm.ptr<1>\n";
// Brings `bytes` to shared memory, at byte `place`, as %data.
std::string brought(int bytes, int place = 0) {
  return at("data", place) + fmt::format("%bytes = llvm.mlir.constant({} : i32) : i32\n", bytes) +
         loaded(32768, bytes, "%to7 = llvm.addrspacecast %data : !llvm.ptr<3> to !llvm.ptr<7>\n" + load);
}
// Thread 0 stores them in bulk and waits.
std::string sent(const std::string &operation,
                 const std::string &wait = "nvvm.cp.async.bulk.wait_group 0\n") {
  return "llvm.cond_br %is0, ^s, ^e\n^s:\n" + operation + "nvvm.cp.async.bulk.commit.group\n" + wait +
         "llvm.br ^e\n^e:\n";
}
const std::string store =
    "nvvm.cp.async.bulk.global.shared.cta %out, %data, %bytes : !llvm.ptr<1>, !llvm.ptr<3>\n";

void addBulk(Suite &suite) {
  const auto input = [](int bytes) {
    return bytesOf(Random(fmt::format("bulk {}", bytes)).words(std::size_t(bytes / 4)));
  };
  for (const int bytes : {16, 48, 1024, 16384})
    for (const int place : {0, 16}) {
      // What has landed goes out word by word.
      const std::string copy = fmt::format(
          "%words = llvm.mlir.constant({} : i32) : i32\nllvm.br ^loop(%tid : i32)\n^loop(%i: i32):\n"
          "%go = llvm.icmp \"ult\" %i, %words : i32\nllvm.cond_br %go, ^one, ^after\n^one:\n"
          "%ps = llvm.getelementptr %data[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
          "%pg = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
          "%v = llvm.load %ps : !llvm.ptr<3> -> i32\nllvm.store %v, %pg : i32, !llvm.ptr<1>\n"
          "%next = llvm.add %i, %c32 : i32\nllvm.br ^loop(%next : i32)\n^after:\n",
          bytes / 4);
      add(suite, "nvvm.cp.async.bulk.shared.cluster.global", fmt::format("{} bytes to byte {}", bytes, place),
          brought(bytes, place) + copy, input(bytes), input(bytes), 32, 32832);
      add(suite, "nvvm.cp.async.bulk.global.shared.cta", fmt::format("{} bytes from byte {}", bytes, place),
          brought(bytes, place) + sent(store), input(bytes), input(bytes), 32, 32832);
    }
  const std::vector<std::byte> in = input(1024);
  for (const char *op : {"nvvm.cp.async.bulk.commit.group", "nvvm.cp.async.bulk.wait_group"}) {
    add(suite, op, "all", brought(1024) + sent(store), in, in, 32, 32832);
    // The words are read when the wait is over: what is written over them does not go out.
    add(suite, op, "read",
        brought(1024) +
            sent(store, "nvvm.cp.async.bulk.wait_group 0 {read}\nllvm.store %c7, %data : i32, !llvm.ptr<3>\n"
                        "nvvm.cp.async.bulk.wait_group 0\n"),
        in, in, 32, 32832);
    add(suite, op, "1 of 2 groups pending",
        brought(1024) +
            sent("nvvm.cp.async.bulk.global.shared.cta %out, %data, %c512 : !llvm.ptr<1>, !llvm.ptr<3>\n"
                 "nvvm.cp.async.bulk.commit.group\n"
                 "%half = llvm.getelementptr %data[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
                 "%outHalf = llvm.getelementptr %out[512] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
                 "nvvm.cp.async.bulk.global.shared.cta %outHalf, %half, %c512 : !llvm.ptr<1>, !llvm.ptr<3>\n",
                 "nvvm.cp.async.bulk.wait_group 1\nnvvm.cp.async.bulk.wait_group 0\n"),
        in, in, 32, 32832);
  }
  std::vector<std::byte> masked(1024, std::byte{0xA5});
  for (std::size_t i = 0; i < masked.size(); ++i)
    if (i % 16 < 8)
      masked[i] = in[i];
  add(suite, "nvvm.cp.async.bulk.global.shared.cta", "with a mask of bytes",
      brought(1024) + "%mask = llvm.mlir.constant(255 : i16) : i16\n" +
          sent("nvvm.cp.async.bulk.global.shared.cta %out, %data, %bytes byte_mask = %mask : !llvm.ptr<1>, "
               "!llvm.ptr<3>\n"),
      in, masked, 32, 32832, "sm_100");
  // They change nothing that a program sees.
  add(suite, "nvvm.cp.async.bulk.prefetch", "1024 bytes",
      "nvvm.cp.async.bulk.prefetch %in, %c1024 : !llvm.ptr<1>\n" + brought(1024) + sent(store), in, in, 32,
      32832);
  for (const char *level : {"L1", "L2"})
    add(suite, "nvvm.prefetch", level,
        fmt::format("nvvm.prefetch level = {}, %in : !llvm.ptr<1>\n", level) + brought(1024) + sent(store),
        in, in, 32, 32832);
}

}   // namespace

void addCopies(Suite &suite) {
  addOrdinary(suite);
  addBulk(suite);
}

}   // namespace tile::calibration

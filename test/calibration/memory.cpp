// SPDX-License-Identifier: MIT
// Accesses of one thread to global and shared memory, addresses, constants, and what a kernel says.
#include "test/calibration/micro_kernel.h"

#include <algorithm>
#include <fmt/format.h>

namespace tile::calibration {
namespace {

std::string bits(unsigned bytes) { return fmt::format("i{}", 8 * bytes); }
std::string list(unsigned count, const std::string &what) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + fmt::format(fmt::runtime(what), i);
  return text;
}

// Each of 32 threads copies `count` words of `bytes` from one buffer to the other; with a predicate only the
// odd threads read, or write.
struct Access {
  unsigned count = 1, bytes = 4;
  std::string hints = "", variant = "";
  bool loadIf = false, storeIf = false;
};
void addAccess(Suite &suite, const Access &a, bool isLoad) {
  const unsigned size = a.count * a.bytes;
  std::string body =
      fmt::format("%size = llvm.mlir.constant({} : i32) : i32\n%at = llvm.mul %tid, %size : i32\n"
                  "%bit = llvm.and %tid, %c1 : i32\n%p = llvm.icmp \"eq\" %bit, %c1 : i32\n"
                  "%from = llvm.getelementptr %in[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
                  "%to = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
                  "%other = llvm.mlir.constant(17 : {}) : {}\n",
                  size, bits(a.bytes), bits(a.bytes));
  const std::string types = list(a.count, bits(a.bytes)), others = list(a.count, "%other");
  body += fmt::format("%w{} = tile_gpu.ptx_load %from{}{} : (!llvm.ptr<1>) -> ({})\n",
                      a.count > 1 ? fmt::format(":{}", a.count) : "",
                      a.loadIf ? fmt::format(" if %p else {} : {}", others, types) : "",
                      isLoad ? a.hints : "", types);
  body += fmt::format("tile_gpu.ptx_store %to, {}{}{} : !llvm.ptr<1>, {}\nllvm.return",
                      a.count > 1 ? list(a.count, "%w#{}") : "%w", a.storeIf ? " if %p" : "",
                      isLoad ? "" : a.hints, types);
  Random random(a.variant + bits(size));
  const std::vector<std::byte> in = bytesOf(random.words(8 * size));
  std::vector<std::byte> out(32 * size, std::byte{0xA5}), after = out;
  for (unsigned i = 0; i < 32 * size; ++i) {
    const bool isOdd = i / size % 2;
    if (!a.storeIf || isOdd)
      after[i] = !a.loadIf || isOdd ? in[i] : std::byte(i % a.bytes ? 0 : 17);
  }
  suite.push_back({.operation = isLoad ? "tile_gpu.ptx_load" : "tile_gpu.ptx_store",
                   .variant = fmt::format("{} x {}{}", a.count, bits(a.bytes), a.variant),
                   .module = moduleText({"%in: !llvm.ptr<1>, %out: !llvm.ptr<1>", body, 32, 0}),
                   .maps = {},
                   .memories = {{"in", in, {}}, {"out", out, after, a.bytes}}});
}

void addAccesses(Suite &suite) {
  for (const auto &[count, bytes] :
       {std::pair{1u, 1u}, {1u, 2u}, {1u, 4u}, {2u, 4u}, {4u, 4u}, {1u, 8u}, {2u, 8u}, {4u, 2u}})
    for (const bool isLoad : {true, false}) {
      addAccess(suite, {count, bytes}, isLoad);
      addAccess(suite, {count, bytes, "", ", odd threads", isLoad, !isLoad}, isLoad);
    }
  for (const char *cache : {"ca", "cg", "cv", "cs"})
    addAccess(suite, {4, 4, fmt::format(" {{cache = #tile.cache<{}>}}", cache), fmt::format(", {}", cache)},
              true);
  for (const char *cache : {"wb", "cg", "cs", "wt"})
    addAccess(suite, {4, 4, fmt::format(" {{cache = #tile.cache<{}>}}", cache), fmt::format(", {}", cache)},
              false);
  for (const bool isLoad : {true, false}) {
    for (const char *evict : {"first", "last"})
      addAccess(suite,
                {4, 4, fmt::format(" {{evict = #tile.evict<{}>}}", evict), fmt::format(", evict {}", evict)},
                isLoad);
    addAccess(suite, {1, 4, " {is_volatile}", ", volatile"}, isLoad);
  }
}

void addPlain(Suite &suite) {
  // Vectors and scalars of LLVM's own loads and stores, by way of shared memory.
  struct Type {
    const char *name;
    unsigned bytes;
  };
  for (const Type &type : {Type{"i8", 1}, Type{"i16", 2}, Type{"f16", 2}, Type{"i32", 4}, Type{"f32", 4},
                           Type{"i64", 8}, Type{"vector<2xi32>", 8}, Type{"vector<4xf32>", 16}}) {
    const std::string body = fmt::format(
        "%size = llvm.mlir.constant({0} : i32) : i32\n%at = llvm.mul %tid, %size : i32\n"
        "%o = llvm.xor %tid, %c31 : i32\n%peer = llvm.mul %o, %size : i32\n"
        "%from = llvm.getelementptr %in[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
        "%to = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
        "%s = llvm.getelementptr %smem[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
        "%t = llvm.getelementptr %smem[%peer] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
        "%v = llvm.load %from : !llvm.ptr<1> -> {1}\nllvm.store %v, %s : {1}, !llvm.ptr<3>\nnvvm.barrier0\n"
        "%w = llvm.load %t : !llvm.ptr<3> -> {1}\nllvm.store %w, %to : {1}, !llvm.ptr<1>\nllvm.return",
        type.bytes, type.name);
    Random random(type.name);
    const std::vector<std::byte> in = bytesOf(random.words(8 * type.bytes));
    std::vector<std::byte> after;
    for (unsigned i = 0; i < 32; ++i)
      after.insert(after.end(), in.begin() + (31 - i) * type.bytes, in.begin() + (32 - i) * type.bytes);
    for (const char *operation : {"llvm.load", "llvm.store"})
      suite.push_back(
          {.operation = operation,
           .variant = fmt::format("{}, global and shared", type.name),
           .module = moduleText({"%in: !llvm.ptr<1>, %out: !llvm.ptr<1>", body, 32, 1024}),
           .maps = {},
           .memories = {{"in", in, {}},
                        {"out", std::vector<std::byte>(after.size()), after, std::min(type.bytes, 8u)}}});
  }
}

// Shifts by any number of bits: what is out goes away, or leaves the sign.
void addShifts(Suite &suite) {
  struct Shift {
    const char *name, *text;
    std::uint64_t (*of)(std::uint64_t, unsigned);
  };
  constexpr Shift shifts[] = {
      {"tile_gpu.ptx_shift_left", "%x = tile_gpu.ptx_shift_left %w, %c : i64, i32\n",
       [](std::uint64_t x, unsigned n) { return n < 64 ? x << n : 0; }},
      {"tile_gpu.ptx_shift_right", "%x = tile_gpu.ptx_shift_right %w, %c : i64, i32\n",
       [](std::uint64_t x, unsigned n) { return n < 64 ? x >> n : 0; }},
      {"tile_gpu.ptx_shift_right", "%x = tile_gpu.ptx_shift_right %w, %c {is_signed} : i64, i32\n",
       [](std::uint64_t x, unsigned n) {
         return static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> std::min(n, 63u));
       }}};
  for (const Shift &shift : shifts)
    for (const bool isFar : {false, true})
      suite.push_back(perThread(
          {.operation = shift.name,
           .variant = fmt::format(
               "{}{}", std::string(shift.text).find("signed") != std::string::npos ? "signed, " : "",
               isFar ? "by all numbers" : "by 0 to 70"),
           .body = "%lo = llvm.zext %a : i32 to i64\n%hi0 = llvm.zext %b : i32 to i64\n"
                   "%s = llvm.mlir.constant(32 : i64) : i64\n%hi = llvm.shl %hi0, %s : i64\n"
                   "%w = llvm.or %lo, %hi : i64\n" +
                   std::string(shift.text),
           .threads = 128,
           .inputs = 3,
           .type = "i64",
           .draw = [=](Random &r, unsigned column) { return column < 2 || isFar ? r.next() : r.below(71); }},
          [&](const Words &in, unsigned i) {
            return shift.of(in[0][i] | std::uint64_t{in[1][i]} << 32, in[2][i]);
          }));
}

void addAddresses(Suite &suite) {
  suite.push_back(perThread(
      {.operation = "llvm.ptrtoint",
       .variant = "global: distances",
       .body = element("p", "%in", "%tid") +
               "%q = llvm.ptrtoint %p : !llvm.ptr<1> to i64\n%r = llvm.ptrtoint %in : !llvm.ptr<1> to i64\n"
               "%x = llvm.sub %q, %r : i64\n",
       .type = "i64"},
      [](const Words &, unsigned i) { return 4 * i; }));
  suite.push_back(perThread(
      {.operation = "llvm.ptrtoint",
       .variant = "shared: distances",
       .body = "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
               "%q = llvm.ptrtoint %p : !llvm.ptr<3> to i32\n%r = llvm.ptrtoint %smem : !llvm.ptr<3> to i32\n"
               "%x = llvm.sub %q, %r : i32\n"},
      [](const Words &, unsigned i) { return 4 * i; }));
  suite.push_back(perThread(
      {.operation = "llvm.inttoptr",
       .variant = "global",
       .body = "%o = llvm.xor %tid, %c31 : i32\n" + element("p", "%in", "%o") +
               "%q = llvm.ptrtoint %p : !llvm.ptr<1> to i64\n%r = llvm.inttoptr %q : i64 to !llvm.ptr<1>\n"
               "%x = llvm.load %r : !llvm.ptr<1> -> i32\n"},
      [](const Words &in, unsigned i) { return in[0][i ^ 31]; }));
  suite.push_back(perThread(
      {.operation = "llvm.inttoptr",
       .variant = "shared",
       .body = "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
               "llvm.store %a, %p : i32, !llvm.ptr<3>\nnvvm.barrier0\n%o = llvm.xor %tid, %c31 : i32\n"
               "%s = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
               "%q = llvm.ptrtoint %s : !llvm.ptr<3> to i32\n%r = llvm.inttoptr %q : i32 to !llvm.ptr<3>\n"
               "%x = llvm.load %r : !llvm.ptr<3> -> i32\n"},
      [](const Words &in, unsigned i) { return in[0][i ^ 31]; }));
  suite.push_back(perThread(
      {.operation = "llvm.addrspacecast",
       .variant = "the own shared memory as the cluster's",
       .body =
           "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
           "%q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>\n"
           "llvm.store %a, %q : i32, !llvm.ptr<7>\nnvvm.barrier0\n%x = llvm.load %p : !llvm.ptr<3> -> i32\n"},
      [](const Words &in, unsigned i) { return in[0][i]; }));
  suite.push_back(perThread(
      {.operation = "llvm.mlir.addressof",
       .variant = "a table of constants",
       .body = "%i = llvm.and %a, %c7 : i32\n%table = llvm.mlir.addressof @table : !llvm.ptr<1>\n"
               "%p = llvm.getelementptr %table[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
               "%x = llvm.load %p : !llvm.ptr<1> -> i32\n",
       .globals =
           "llvm.mlir.global internal constant @table(dense<[3, 1, 4, 1, 5, 9, 2, 6]> : tensor<8xi32>) "
           "{addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<8 x i32>\n"},
      [](const Words &in, unsigned i) { return "\3\1\4\1\5\11\2\6"[in[0][i] & 7]; }));
  suite.push_back(
      perThread({.operation = "llvm.mlir.addressof",
                 .variant = "the record of failed checks",
                 .body = "%record = llvm.mlir.addressof @tile_fault : !llvm.ptr<1>\n"
                         "%v = llvm.load %record : !llvm.ptr<1> -> i32\n%x = llvm.add %v, %a : i32\n",
                 .globals = "llvm.mlir.global external @tile_fault(dense<0> : tensor<6xi32>) "
                            "{addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<6 x i32>\n"},
                [](const Words &in, unsigned i) { return in[0][i]; }));
}

void addSayings(Suite &suite) {
  const auto same = [](const Words &in, unsigned i) { return in[0][i]; };
  suite.push_back(perThread(
      {.operation = "llvm.call",
       .variant = "vprintf of a number",
       .body = "%slot = llvm.alloca %c1 x !llvm.struct<(i32)> {alignment = 8 : i64} : (i32) -> !llvm.ptr\n"
               "%isOne = llvm.icmp \"eq\" %tid, %c3 : i32\nllvm.cond_br %isOne, ^say, ^go\n^say:\n"
               "llvm.store %tid, %slot : i32, !llvm.ptr\n%format = llvm.mlir.addressof @format : !llvm.ptr\n"
               "%n = llvm.call @vprintf(%format, %slot) : (!llvm.ptr, !llvm.ptr) -> i32\nllvm.br ^go\n^go:\n"
               "%x = llvm.add %a, %c0 : i32\n",
       .globals =
           "llvm.mlir.global internal constant @format(\"thread %d says so\\0A\\00\") {addr_space = 0 : i32, "
           "alignment = 16 : i64} : !llvm.array<19 x i8>\nllvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32\n"},
      same));
  suite.push_back(
      perThread({.operation = "llvm.intr.trap",
                 .variant = "that is not reached",
                 .body = "%no = llvm.icmp \"ugt\" %tid, %c1000 : i32\nllvm.cond_br %no, ^trap, ^go\n^trap:\n"
                         "\"llvm.intr.trap\"() : () -> ()\nllvm.br ^go\n^go:\n"
                         "%x = llvm.add %a, %c0 : i32\n"},
                same));
  suite.push_back(
      perThread({.operation = "llvm.intr.assume",
                 .variant = "that holds",
                 .body = "%yes = llvm.icmp \"ult\" %tid, %c1000 : i32\nllvm.intr.assume %yes : i1\n"
                         "%x = llvm.add %a, %c0 : i32\n"},
                same));
}

}   // namespace

void addMemory(Suite &suite) {
  addAccesses(suite);
  addPlain(suite);
  addShifts(suite);
  addAddresses(suite);
  addSayings(suite);
}

}   // namespace tile::calibration

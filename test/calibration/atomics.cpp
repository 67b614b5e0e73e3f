// SPDX-License-Identifier: MIT
// Atomics of global and shared memory. Several threads update each cell; where the order shows, in what they
// get back, one thread does.
#include "test/calibration/micro_kernel.h"

#include <tile/numeric_float.h>

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace tile::calibration {
namespace {

struct Update {
  const char *name, *element;
  unsigned bytes;
};
constexpr Update updates[] = {{"add", "i32", 4},  {"add", "i64", 8},  {"smax", "i32", 4}, {"smax", "i64", 8},
                              {"smin", "i32", 4}, {"smin", "i64", 8}, {"umax", "i32", 4}, {"umax", "i64", 8},
                              {"umin", "i32", 4}, {"umin", "i64", 8}, {"and", "i32", 4},  {"and", "i64", 8},
                              {"or", "i32", 4},   {"or", "i64", 8},   {"xor", "i32", 4},  {"xor", "i64", 8},
                              {"xchg", "i32", 4}, {"xchg", "i64", 8}, {"fadd", "f16", 2}, {"fadd", "bf16", 2},
                              {"fadd", "f32", 4}, {"fadd", "f64", 8}, {"fmax", "f32", 4}, {"fmin", "f32", 4},
                              {"fmax", "f64", 8}, {"fmin", "f64", 8}};

double floatOf(const Update &u, std::uint64_t bits) {
  const std::string type = u.element;
  return type == "f16"    ? numeric::decode<f16>(static_cast<std::uint16_t>(bits))
         : type == "bf16" ? numeric::decode<bf16>(static_cast<std::uint16_t>(bits))
         : type == "f32"  ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                          : std::bit_cast<double>(bits);
}
std::uint64_t bitsOf(const Update &u, double x) {
  const std::string type = u.element;
  const auto narrow = static_cast<float>(x);
  return type == "f16"    ? numeric::encode<f16>(narrow)
         : type == "bf16" ? numeric::encode<bf16>(narrow)
         : type == "f32"  ? std::bit_cast<std::uint32_t>(narrow)
                          : std::bit_cast<std::uint64_t>(x);
}
std::uint64_t combined(const Update &u, std::uint64_t a, std::uint64_t b) {
  const std::string name = u.name;
  const std::uint64_t mask = u.bytes == 8 ? ~0ull : (1ull << 8 * u.bytes) - 1;
  const auto isSigned = [&](std::uint64_t x) {
    return u.bytes == 8 ? static_cast<std::int64_t>(x) : static_cast<std::int32_t>(x);
  };
  if (name == "add")
    return (a + b) & mask;
  if (name == "smax" || name == "smin")
    return (isSigned(a) < isSigned(b)) == (name == "smax") ? b : a;
  if (name == "umax" || name == "umin")
    return (a < b) == (name == "umax") ? b : a;
  if (name == "and" || name == "or" || name == "xor")
    return name == "and" ? a & b : name == "or" ? a | b : a ^ b;
  if (name == "xchg")
    return b;
  const double x = floatOf(u, a), y = floatOf(u, b);
  return bitsOf(u, name == "fadd" ? x + y : name == "fmax" ? std::fmax(x, y) : std::fmin(x, y));
}

// Numbers whose sums, of a few, are exact in every type.
std::uint64_t drawn(const Update &u, Random &r) {
  if (u.element[0] != 'f' && u.element[0] != 'b')
    return u.bytes == 8 ? r.next() | std::uint64_t{r.next()} << 32 : r.next();
  return bitsOf(u, static_cast<double>(r.below(15)) - 7);
}

std::vector<std::byte> bytes(const std::vector<std::uint64_t> &values, unsigned size) {
  std::vector<std::byte> all(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(all.data() + i * size, &values[i], size);
  return all;
}
std::string address(const std::string &name, const std::string &base, const std::string &index,
                    unsigned size) {
  return fmt::format("%{} = llvm.getelementptr {}[{}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i{}\n", name,
                     base, index, 8 * size);
}

// 64 threads update 8 cells; with `alone` each has its own and stores what it got back.
void add(Suite &suite, const Update &u, bool alone, const std::string &ordering, const std::string &scope,
         bool hasPredicate) {
  const bool isExchange = std::string(u.name) == "xchg";
  if (isExchange && !alone)
    return;   // the last one wins, whoever that is
  const unsigned cells = alone ? 64 : 8;
  const std::string type = fmt::format("i{}", 8 * u.bytes);
  std::string body =
      fmt::format("%mask = llvm.mlir.constant({} : i32) : i32\n%cell = llvm.and %tid, %mask : i32\n"
                  "%bit = llvm.and %tid, %c1 : i32\n%p = llvm.icmp \"eq\" %bit, %c1 : i32\n",
                  cells - 1);
  body += address("from", "%in", "%tid", u.bytes) + address("to", "%cells", "%cell", u.bytes) +
          address("got", "%old", "%tid", u.bytes);
  body += fmt::format(
      "%v = llvm.load %from : !llvm.ptr<1> -> {0}\n"
      "%o = tile_gpu.ptx_atomic <{1}> %to, %v of {2}{3} ordering <{4}> scope <{5}> : !llvm.ptr<1>, {0}\n",
      type, u.name, u.element, hasPredicate ? " if %p" : "", ordering, scope);
  body += fmt::format("llvm.store %o, %got : {}, !llvm.ptr<1>\nllvm.return", type);
  Random random(std::string(u.name) + u.element + ordering);
  std::vector<std::uint64_t> in(64), before(cells), old(64, 0);
  for (std::uint64_t &x : in)
    x = drawn(u, random);
  for (std::uint64_t &x : before)
    x = drawn(u, random);
  std::vector<std::uint64_t> after = before;
  for (unsigned i = 0; i < 64; ++i)
    if (!hasPredicate || i % 2) {
      old[i] = after[i % cells];
      after[i % cells] = combined(u, after[i % cells], in[i]);
    }
  const std::vector<std::byte> nothing(64 * u.bytes, std::byte{0xA5});
  suite.push_back(
      {.operation = "tile_gpu.ptx_atomic",
       .variant = fmt::format("{} {}{}, {} {}{}", u.name, u.element, alone ? "" : ", 8 threads a cell",
                              ordering, scope, hasPredicate ? ", odd threads" : ""),
       .module = moduleText({"%in: !llvm.ptr<1>, %cells: !llvm.ptr<1>, %old: !llvm.ptr<1>", body, 64, 0}),
       .maps = {},
       .memories = {{"in", bytes(in, u.bytes), {}},
                    {"cells", bytes(before, u.bytes), bytes(after, u.bytes), u.bytes},
                    {"old", nothing, alone ? bytes(old, u.bytes) : std::vector<std::byte>(), u.bytes}}});
}

// 64 threads add to 8 vectors of this many words.
void addSideBySide(Suite &suite, const Update &u, unsigned words, bool hasPredicate) {
  constexpr unsigned threads = 64, cells = 8;
  const unsigned elements = words * 4 / u.bytes;
  std::string body =
      fmt::format("%mask = llvm.mlir.constant({} : i32) : i32\n%cell = llvm.and %tid, %mask : i32\n"
                  "%bit = llvm.and %tid, %c1 : i32\n%p = llvm.icmp \"eq\" %bit, %c1 : i32\n"
                  "%words = llvm.mlir.constant({} : i32) : i32\n%first = llvm.mul %tid, %words : i32\n"
                  "%there = llvm.mul %cell, %words : i32\n",
                  cells - 1, words);
  body += address("from", "%in", "%first", 4) + address("to", "%cells", "%there", 4);
  std::string values, types;
  for (unsigned i = 0; i < words; ++i) {
    body += fmt::format("%f{0} = llvm.getelementptr %from[{0}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n"
                        "%v{0} = llvm.load %f{0} : !llvm.ptr<1> -> i32\n",
                        i);
    values += fmt::format(", %v{}", i);
    types += ", i32";
  }
  body += fmt::format("tile_gpu.ptx_add %to{} of {}{} scope <gpu> : !llvm.ptr<1>{}\nllvm.return", values,
                      u.element, hasPredicate ? " if %p" : "", types);
  Random random(std::string(u.element) + std::to_string(words));
  std::vector<std::uint64_t> in(static_cast<std::size_t>(threads) * elements),
      before(static_cast<std::size_t>(cells) * elements);
  for (std::uint64_t &x : in)
    x = drawn(u, random);
  for (std::uint64_t &x : before)
    x = drawn(u, random);
  std::vector<std::uint64_t> after = before;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (const std::size_t thread = i / elements; !hasPredicate || thread % 2) {
      std::uint64_t &cell = after[thread % cells * elements + i % elements];
      cell = combined(u, cell, in[i]);
    }
  suite.push_back(
      {.operation = "tile_gpu.ptx_add",
       .variant = fmt::format("{} {}{}", elements, u.element, hasPredicate ? ", odd threads" : ""),
       .module = moduleText({"%in: !llvm.ptr<1>, %cells: !llvm.ptr<1>", body, threads, 0}),
       .maps = {},
       .memories = {{"in", bytes(in, u.bytes), {}},
                    {"cells", bytes(before, u.bytes), bytes(after, u.bytes), u.bytes}}});
}

// Half of the threads expect what is there.
void addSwap(Suite &suite, unsigned size, const std::string &ordering, bool hasPredicate) {
  const std::string type = fmt::format("i{}", 8 * size);
  std::string body = "%bit = llvm.and %tid, %c2 : i32\n%p = llvm.icmp \"eq\" %bit, %c2 : i32\n";
  body += address("f0", "%expected", "%tid", size) + address("f1", "%desired", "%tid", size) +
          address("to", "%cells", "%tid", size) + address("got", "%old", "%tid", size);
  body += fmt::format("%e = llvm.load %f0 : !llvm.ptr<1> -> {0}\n%d = llvm.load %f1 : !llvm.ptr<1> -> {0}\n"
                      "%o = tile_gpu.ptx_swap %to, %e, %d{1} ordering <{2}> scope <gpu> : !llvm.ptr<1>, {0}\n"
                      "llvm.store %o, %got : {0}, !llvm.ptr<1>\nllvm.return",
                      type, hasPredicate ? " if %p" : "", ordering);
  Random random(type + ordering);
  std::vector<std::uint64_t> expected, desired, before, after, old;
  for (unsigned i = 0; i < 64; ++i) {
    before.push_back(random.next());
    desired.push_back(random.next());
    expected.push_back(before[i] ^ i % 2);
    const bool takesPart = !hasPredicate || i & 2;
    old.push_back(takesPart ? before[i] : 0);
    after.push_back(takesPart && i % 2 == 0 ? desired[i] : before[i]);
  }
  suite.push_back(
      {.operation = "tile_gpu.ptx_swap",
       .variant = fmt::format("{}, {}{}", type, ordering, hasPredicate ? ", some threads" : ""),
       .module = moduleText({"%expected: !llvm.ptr<1>, %desired: !llvm.ptr<1>, %cells: !llvm.ptr<1>, "
                             "%old: !llvm.ptr<1>",
                             body, 64, 0}),
       .maps = {},
       .memories = {{"expected", bytes(expected, size), {}},
                    {"desired", bytes(desired, size), {}},
                    {"cells", bytes(before, size), bytes(after, size), size},
                    {"old", bytes(std::vector<std::uint64_t>(64, 1), size), bytes(old, size), size}}});
}

}   // namespace

void addAtomics(Suite &suite) {
  for (const Update &update : updates)
    for (const bool alone : {true, false})
      add(suite, update, alone, "relaxed", "gpu", alone);
  for (const Update &update : updates)
    if (update.name == std::string("fadd") && update.bytes < 8)
      for (const unsigned words : {1u, 2u, 4u})
        addSideBySide(suite, update, words, words != 2);
  for (const char *ordering : {"acquire", "release", "acq_rel"})
    add(suite, updates[0], false, ordering, "gpu", false);
  for (const char *scope : {"cta", "sys"})
    add(suite, updates[0], false, "relaxed", scope, false);
  for (const unsigned size : {2u, 4u, 8u})
    for (const bool hasPredicate : {false, true})
      addSwap(suite, size, "acq_rel", hasPredicate);
  for (const char *ordering : {"relaxed", "acquire", "release"})
    addSwap(suite, 4, ordering, false);
  // Four threads to a word of shared memory.
  suite.push_back(
      perThread({.operation = "llvm.atomicrmw",
                 .variant = "add i32 in shared memory",
                 .body = "%m = llvm.and %tid, %c31 : i32\n"
                         "%p = llvm.getelementptr %smem[%m] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                         "llvm.store %c7, %p : i32, !llvm.ptr<3>\nnvvm.barrier0\n"
                         "%o = llvm.atomicrmw add %p, %a monotonic : !llvm.ptr<3>, i32\nnvvm.barrier0\n"
                         "%x = llvm.load %p : !llvm.ptr<3> -> i32\n",
                 .threads = 128},
                [](const Words &in, unsigned i) {
                  return std::uint32_t{7 + in[0][i % 32] + in[0][i % 32 + 32] + in[0][i % 32 + 64] +
                                       in[0][i % 32 + 96]};
                }));
}

}   // namespace tile::calibration

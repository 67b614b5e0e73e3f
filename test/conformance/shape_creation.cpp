// SPDX-License-Identifier: MIT
// SH1 and SH2: tiles out of nothing, out of a scalar, and out of a row and a column.
#include "context.h"
#include "families.h"
#include "types.h"

namespace tile::conformance {

namespace {

enum class Source { zeros, literal, scalar, rank0 };
struct CreateConfig {
  Source source = Source::zeros;
  int rows = 0, columns = 128;   // rows 0: rank 1
};

template <class T> void create(Ptr<const T> x, Ptr<T> z, const CreateConfig &cfg) {
  const Shape shape = cfg.rows ? Shape{cfg.rows, cfg.columns} : Shape{cfg.columns};
  const int total = cfg.columns * (cfg.rows ? cfg.rows : 1);
  const Ptr<T> out = z + reshape(arange(0, total), shape);
  switch (cfg.source) {
  case Source::zeros:
    return store(out, zeros<T>(shape));
  case Source::literal:
    if constexpr (is_bool<T>)
      return store(out, full<T>(shape, true));
    else
      return store(out, full<T>(shape, 3));
  case Source::scalar:
    return store(out, full<T>(shape, load(x)));
  case Source::rank0:
    return store(z, load(x));
  }
}

template <class T> void check_create(Context &t, Source source, int rows, int columns) {
  constexpr ElementType type = element_type<T>;
  const std::size_t n = source == Source::rank0 ? 1 : static_cast<std::size_t>(columns) * (rows ? rows : 1);
  Array x = t.numbers(type, 1, Inputs::uniform), expected(type, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (source == Source::literal)
      expected.set_integer(i, 3);
    else if (source != Source::zeros)
      expected.set_bits(i, x.bits(0));
  }
  Memory &in = t.input(x), &out = t.output(type, n);
  t.run<&create<T>>({source, rows, columns}, {1}, {in, out});
  t.exact(out, expected);
}

template <class T> void check_creation(Context &t) {
  for (Source source : {Source::zeros, Source::literal, Source::scalar})
    for (int columns : {1, 2, 96, 128, 144, 192, 208, 1024}) {
      t.section("columns=" + std::to_string(columns));
      check_create<T>(t, source, 0, columns);
    }
  for (Source source : {Source::zeros, Source::literal, Source::scalar}) {
    t.section("rank 2");
    check_create<T>(t, source, 8, 48);
  }
  t.section("rank 0");
  check_create<T>(t, Source::rank0, 0, 1);
}

struct RangeConfig {
  int low = 0, high = 128;
};
void fill_range(Ptr<i32> z, const RangeConfig &cfg) {
  store(z + arange(0, cfg.high - cfg.low), arange(cfg.low, cfg.high));
}

void check_range(Context &t, int low, int length) {
  Array expected(element_type<i32>, static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i)
    expected.set_integer(static_cast<std::size_t>(i), low + i);
  Memory &out = t.output<i32>(static_cast<std::size_t>(length));
  t.run<&fill_range>({low, low + length}, {1}, {out});
  t.exact(out, expected);
}

// Lengths that are not r * 2^k with an odd r up to 31 are refused where they are written.
void check_illegal_lengths(Context &t) {
  for (int length : {37, 74, 66, 1050, 0}) {
    t.section("length " + std::to_string(length));
    bool refused = false;
    try {
      Context::trace<&fill_range>({0, length}, {Value::address(0)});
    } catch (const Error &error) {
      refused = error.where().known();
    }
    t.require(refused, "arange of an illegal length was accepted, or refused without a place");
  }
}

struct BroadcastConfig {
  int rows = 32, columns = 64;
};
template <class T> void broadcast_add(Ptr<const T> x, Ptr<const T> y, Ptr<T> z, const BroadcastConfig &cfg) {
  const Int row = arange(0, cfg.rows), column = arange(0, cfg.columns);
  const Tensor<T> a = load(x + column)(none, all), b = load(y + row)(all, none);
  store(z + (row(all, none) * cfg.columns + column(none, all)), a + b);
}

template <class T> void check_broadcast(Context &t) {
  constexpr ElementType type = element_type<T>;
  const Array x = t.numbers(type, 64, Inputs::integers), y = t.numbers(type, 32, Inputs::integers);
  Array expected(type, 32 * 64);
  for (std::size_t i = 0; i < 32 * 64; ++i) {
    if (type.is_float())
      expected.set_real(i, x.real(i % 64) + y.real(i / 64));
    else
      expected.set_integer(i, x.integer(i % 64) + y.integer(i / 64));
  }
  Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output(type, 32 * 64);
  t.run<&broadcast_add<T>>({}, {1}, {in_x, in_y, out});
  t.exact(out, expected);
}

struct GridConfig {
  int block = 16;
};
void write_program(Ptr<i32> z, const GridConfig &cfg) {
  const Int i = arange(0, cfg.block);
  const Int program = (program_id(2) * num_programs(1) + program_id(1)) * num_programs(0) + program_id(0);
  store(z + (program * cfg.block + i), (program_id(0) + program_id(1) * 100 + program_id(2) * 10000) + i * 0);
}

}   // namespace

void add_creation_cases(Suite &suite) {
  each(Everything{}, [&]<class T>() { suite.add("SH1/fill/" + type_name<T>(), check_creation<T>); });
  for (int length : {1, 2, 3, 8, 31, 32, 96, 128, 144, 192, 200, 208, 512, 1024})
    for (int low : {0, 5, -7})
      suite.add("SH1/arange/" + std::to_string(length) + "_from_" + std::to_string(low),
                [=](Context &t) { check_range(t, low, length); });
  suite.add("SH1/arange/illegal", check_illegal_lengths);
  suite.add("SH1/program_ids", [](Context &t) {
    Array expected(element_type<i32>, 16 * 5 * 3 * 2);
    for (std::size_t p = 0; p < 5 * 3 * 2; ++p)
      for (std::size_t i = 0; i < 16; ++i)
        expected.set_integer(p * 16 + i, static_cast<Wide>(p % 5 + p / 5 % 3 * 100 + p / 15 * 10000));
    Memory &out = t.output<i32>(expected.size());
    t.run<&write_program>({}, {5, 3, 2}, {out});
    t.exact(out, expected);
    t.section("an empty grid");
    Memory &untouched = t.output<i32>(16);
    t.run<&write_program>({}, {4, 0, 1}, {untouched});
    t.exact(untouched, poisoned(element_type<i32>, 16));
  });
  each(Numbers{}, [&]<class T>() { suite.add("SH2/broadcast/" + type_name<T>(), check_broadcast<T>); });
}

}   // namespace tile::conformance

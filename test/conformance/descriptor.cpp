// SPDX-License-Identifier: MIT
// DE1, DE2, DE4 and the part of DE3 that shows at creation: blocks of described tensors, inside
// and across every edge.
#include "context.h"
#include "families.h"
#include "product.h"
#include "types.h"

#include <limits>

namespace tile::conformance {

namespace {

struct BlockConfig {
  int rank = 2;
  int block0 = 8, block1 = 16, block2 = 1, block3 = 1, block4 = 1;
  Padding padding = Padding::zero;
};

std::vector<int> block_of(const BlockConfig &cfg) {
  const std::vector<int> block{cfg.block0, cfg.block1, cfg.block2, cfg.block3, cfg.block4};
  return {block.begin(), block.begin() + cfg.rank};
}
std::size_t elements_of(const std::vector<int> &shape) {
  std::size_t n = 1;
  for (int extent : shape)
    n *= static_cast<std::size_t>(extent);
  return n;
}

using Scalars = std::array<Int, 5>;
Scalars load_five(const Ptr<const i32> &p) {
  return {load(p), load(p + 1), load(p + 2), load(p + 3), load(p + 4)};
}

// Extents e and strides s of the first `rank` axes; the last stride is the literal 1.
template <class T> auto describe(const Ptr<T> &p, const Scalars &e, const Scalars &s, const BlockConfig &c) {
  switch (c.rank) {
  case 1:
    return descriptor(p, {e[0]}, {1}, {c.block0}, c.padding);
  case 2:
    return descriptor(p, {e[0], e[1]}, {s[0], 1}, {c.block0, c.block1}, c.padding);
  case 3:
    return descriptor(p, {e[0], e[1], e[2]}, {s[0], s[1], 1}, {c.block0, c.block1, c.block2}, c.padding);
  case 4:
    return descriptor(p, {e[0], e[1], e[2], e[3]}, {s[0], s[1], s[2], 1},
                      {c.block0, c.block1, c.block2, c.block3}, c.padding);
  default:
    return descriptor(p, {e[0], e[1], e[2], e[3], e[4]}, {s[0], s[1], s[2], s[3], 1},
                      {c.block0, c.block1, c.block2, c.block3, c.block4}, c.padding);
  }
}

// Calls f with the coordinates as a braced list would give them.
template <class F> auto at(const Scalars &i, int rank, F &&f) {
  switch (rank) {
  case 1:
    return f({i[0]});
  case 2:
    return f({i[0], i[1]});
  case 3:
    return f({i[0], i[1], i[2]});
  case 4:
    return f({i[0], i[1], i[2], i[3]});
  default:
    return f({i[0], i[1], i[2], i[3], i[4]});
  }
}

// The block at the coordinates goes, dense, to `block`, and to the same place of `copy`.
// `geometry` holds five extents, five strides, five coordinates.
template <class T> void copy_block(Ptr<const T> x, Ptr<T> block, Ptr<T> copy, Ptr<const i32> geometry,
                                   const BlockConfig &cfg) {
  const Scalars extents = load_five(geometry), strides = load_five(geometry + 5),
                place = load_five(geometry + 10);
  const auto source = describe(x, extents, strides, cfg);
  const auto target = describe(copy, extents, strides, cfg);
  const std::vector<int> extents_of_block = block_of(cfg);
  const Tensor<T> value = at(place, cfg.rank, [&](Indices i) { return source.load(i); });
  at(place, cfg.rank, [&](Indices i) { target.store(i, value); });
  const Int flat = arange(0, static_cast<int>(elements_of(extents_of_block)));
  store(block + flat, ravel(value));
}

// A tensor whose rows are padded to 16 bytes, and a block of it.
struct Geometry {
  std::vector<int> extents, strides, block, place;
  std::size_t elements() const {
    return static_cast<std::size_t>(extents[0]) * static_cast<std::size_t>(strides[0]);
  }
  Array scalars() const {
    Array values(element_type<i32>, 15);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      values.set_integer(axis, extents[axis]);
      values.set_integer(5 + axis, strides[axis]);
      values.set_integer(10 + axis, place[axis]);
    }
    return values;
  }
  // Walks the block: f(index in the block, index in memory or -1 when outside).
  template <class F> void walk(F f) const {
    for (std::size_t flat = 0; flat < elements_of(block); ++flat) {
      std::size_t rest = flat;
      std::int64_t address = 0;
      bool inside = true;
      for (std::size_t axis = block.size(); axis-- > 0;) {
        const auto extent = static_cast<std::size_t>(block[axis]);
        const std::int64_t index = place[axis] + static_cast<std::int64_t>(rest % extent);
        inside = inside && index >= 0 && index < extents[axis];
        address += index * strides[axis];
        rest /= extent;
      }
      f(flat, inside ? address : -1);
    }
  }
};

Geometry geometry(ElementType type, std::vector<int> extents, std::vector<int> block,
                  std::vector<int> place) {
  Geometry g{std::move(extents), std::vector<int>(block.size(), 1), std::move(block), std::move(place)};
  const int unit = static_cast<int>(16 / type.bytes());
  for (std::size_t axis = g.extents.size(); axis-- > 1;)
    g.strides[axis - 1] = cdiv(g.extents[axis] * g.strides[axis], unit) * unit;
  if (g.extents.size() == 1)
    g.strides[0] = 1;
  return g;
}

BlockConfig config_of(const Geometry &g, Padding padding) {
  BlockConfig cfg{.rank = static_cast<int>(g.block.size()), .padding = padding};
  int *const fields[] = {&cfg.block0, &cfg.block1, &cfg.block2, &cfg.block3, &cfg.block4};
  for (std::size_t axis = 0; axis < g.block.size(); ++axis)
    *fields[axis] = g.block[axis];
  return cfg;
}

template <class T> void check_copy(Context &t, const Geometry &g, Padding padding) {
  constexpr ElementType type = element_type<T>;
  const Array x = t.numbers(type, g.elements(), Inputs::uniform), scalars = g.scalars();
  Array block(type, elements_of(g.block)), copy = poisoned(type, x.size());
  g.walk([&](std::size_t i, std::int64_t address) {
    if (address >= 0) {
      block.set_bits(i, x.bits(static_cast<std::size_t>(address)));
      copy.set_bits(static_cast<std::size_t>(address), block.bits(i));
    } else if (padding == Padding::nan) {
      block.set_real(i, std::numeric_limits<long double>::quiet_NaN());
    }
  });
  Memory &in = t.input(x), &out_block = t.output(type, block.size()), &out_copy = t.output(type, x.size());
  Memory &in_geometry = t.input(scalars);
  t.run<&copy_block<T>>(config_of(g, padding), {1}, {in, out_block, out_copy, in_geometry});
  t.exact(out_block, block);
  t.require(out_copy.read().bytes() == copy.bytes(),
            "a descriptor store wrote outside its tensor or block, or not all of it");
}

// Inside, over each edge, over all of them, wholly outside.
std::vector<std::vector<int>> places(const std::vector<int> &extents, const std::vector<int> &block) {
  const std::size_t rank = extents.size();
  std::vector<std::vector<int>> result{std::vector<int>(rank, 0), std::vector<int>(rank, -1)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    std::vector<int> low(rank, 0), high(rank, 0), far(rank, 0);
    low[axis] = -(block[axis] + 1) / 2;
    high[axis] = extents[axis] - (block[axis] + 1) / 2;
    far[axis] = extents[axis] + 3;
    result.insert(result.end(), {low, high, far});
  }
  result.push_back(std::vector<int>(rank, -1000));
  return result;
}

template <class T> void check_blocks(Context &t, const std::vector<int> &extents,
                                     const std::vector<int> &block) {
  for (const std::vector<int> &place : places(extents, block))
    for (Padding padding : {Padding::zero, Padding::nan}) {
      if (padding == Padding::nan && !is_float<T>)
        continue;
      std::string label = padding == Padding::nan ? "nan at" : "zero at";
      for (int coordinate : place)
        label += " " + std::to_string(coordinate);
      t.section(label);
      check_copy<T>(t, geometry(element_type<T>, extents, block, place), padding);
    }
}

enum class Update { add, min, max, bit_and, bit_or, bit_xor };
const char *name_of(Update update) {
  static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
  return names[static_cast<int>(update)];
}
struct UpdateConfig {
  Update update = Update::add;
  int rows = 8, columns = 32;
  bool from_host = true;   // extents and strides are literals, so that the host can encode the map
};

template <class T> void reduce_block(Ptr<const T> values, Ptr<T> z, Int i, Int j, Int rows, Int columns,
                                     Int stride, const UpdateConfig &cfg) {
  const Tensor<T> value = load(values + reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns}));
  const auto target = cfg.from_host ? descriptor(z, {40, 50}, {64, 1}, {cfg.rows, cfg.columns})
                                    : descriptor(z, {rows, columns}, {stride, 1}, {cfg.rows, cfg.columns});
  switch (cfg.update) {
  case Update::add:
    return target.add({i, j}, value);
  case Update::min:
    if constexpr (!std::is_same_v<T, f32>)
      target.min({i, j}, value);
    return;
  case Update::max:
    if constexpr (!std::is_same_v<T, f32>)
      target.max({i, j}, value);
    return;
  default:
    break;
  }
  if constexpr (is_integer<T>) {
    switch (cfg.update) {
    case Update::bit_and:
      return target.bit_and({i, j}, value);
    case Update::bit_or:
      return target.bit_or({i, j}, value);
    default:
      return target.bit_xor({i, j}, value);
    }
  }
}

void apply(Update update, Array &cell, std::size_t i, const Array &value, std::size_t j) {
  const long double a = cell.real(i), b = value.real(j);
  switch (update) {
  case Update::add:
    return cell.type().is_float() ? cell.set_real(i, a + b)
                                  : cell.set_integer(i, cell.integer(i) + value.integer(j));
  case Update::min:
    return cell.set_bits(i, b < a ? value.bits(j) : cell.bits(i));
  case Update::max:
    return cell.set_bits(i, b > a ? value.bits(j) : cell.bits(i));
  case Update::bit_and:
    return cell.set_bits(i, cell.bits(i) & value.bits(j));
  case Update::bit_or:
    return cell.set_bits(i, cell.bits(i) | value.bits(j));
  case Update::bit_xor:
    return cell.set_bits(i, cell.bits(i) ^ value.bits(j));
  }
}

template <class T> void check_update(Context &t, Update update, bool from_host) {
  for (auto [rows, columns] : {std::pair{2, 16}, {8, 32}, {64, 64}})
    for (auto [i, j] : {std::pair{0, 0}, {-1, -8}, {36, 40}, {100, 100}}) {
      t.section(std::to_string(rows) + "x" + std::to_string(columns) + " at " + std::to_string(i) + ", " +
                std::to_string(j));
      Geometry g{{40, 50}, {64, 1}, {rows, columns}, {i, j}};
      const Array values = t.numbers<T>(elements_of(g.block), Inputs::integers);
      const Array cells = t.numbers<T>(g.elements(), Inputs::integers);
      Array expected = cells;
      g.walk([&](std::size_t from, std::int64_t to) {
        if (to >= 0)
          apply(update, expected, static_cast<std::size_t>(to), values, from);
      });
      Memory &in = t.input(values), &out = t.in_out(cells);
      t.run<&reduce_block<T>>({update, rows, columns, from_host}, {1}, {in, out, i, j, 40, 50, 64});
      t.exact(out, expected);
    }
}

template <class D> auto load_through_function(const D &d, const Int &i, const Int &j) {
  return d.load({i, j});
}

// Passed to a function and chosen by a loop.
template <class T> void passed_around(Ptr<const T> x, Ptr<T> z, const BlockConfig &) {
  auto d = descriptor(x, {32, 32}, {32, 1}, {8, 32});
  const auto later = descriptor(x, {16, 32}, {32, 1}, {8, 32});   // of half of the tensor
  Tensor<T> acc = zeros<T>({8, 32});
  for (auto k : range(0, 4)) {
    acc += load_through_function(d, k * 8, constant<i32>(0));
    d = later;
  }
  store(z + reshape(arange(0, 256), {8, 32}), acc);
}

// Planes of a rank-3 tensor as matrices; a rank-4 block reshaped into a factor.
template <class T> void plane_products(Ptr<const T> a, Ptr<const T> b, Ptr<f32> z, const BlockConfig &) {
  const auto planes = descriptor(a, {3, 32, 32}, {1024, 32, 1}, {1, 32, 32});
  const auto folded = descriptor(b, {3, 2, 16, 32}, {1024, 512, 32, 1}, {1, 2, 16, 32});
  for (auto p : range(0, 3)) {
    const Tensor<T> x = planes.load_reduced({p, 0, 0}), y = reshape(folded.load({p, 0, 0, 0}), {32, 32});
    store(z + (p * 1024 + reshape(arange(0, 1024), {32, 32})), dot(x, y));
  }
}

template <class T> void check_passed_around(Context &t) {
  const Array x = t.numbers<T>(1024, Inputs::integers);
  Array expected(element_type<T>, 256);
  for (std::size_t i = 0; i < 256; ++i)   // blocks 0, 1 and then two beyond the half
    expected.set_real(i, x.real(i) + x.real(256 + i));
  Memory &in = t.input(x), &out = t.output<T>(256);
  t.run<&passed_around<T>>({}, {1}, {in, out});
  t.exact(out, expected);
}

template <class T> void check_plane_products(Context &t) {
  const Array a = t.numbers<T>(3072, Inputs::integers), b = t.numbers<T>(3072, Inputs::integers);
  std::vector<double> expected;
  for (std::size_t p = 0; p < 3; ++p) {
    const std::vector<double> c = multiply({&a, 32, 1, p * 1024}, {&b, 32, 1, p * 1024}, nullptr, 32, 32, 32);
    expected.insert(expected.end(), c.begin(), c.end());
  }
  Memory &in_a = t.input(a), &in_b = t.input(b), &out = t.output<f32>(3072);
  t.run<&plane_products<T>>({}, {1}, {in_a, in_b, out});
  t.close(out, expected, {});
}

// What only shows when the kernel runs: sizes and addresses that no copy engine takes.
void described(Ptr<const f32> x, Ptr<f32> z, Int rows, Int columns, Int stride, const BlockConfig &) {
  const auto d = descriptor(x, {rows, columns}, {stride, 1}, {8, 16});
  store(z + reshape(arange(0, 128), {8, 16}), d.load({0, 0}));
}

void check_creation_errors(Context &t) {
  struct Wrong {
    const char *what;
    int offset, rows, columns, stride;
  };
  for (const Wrong &wrong : {Wrong{"nothing", 0, 8, 16, 16},
                             {"a base at 4 bytes", 1, 8, 16, 16},
                             {"a stride of 18 elements", 0, 8, 16, 18},
                             {"a negative extent", 0, -8, 16, 16}}) {
    t.section(wrong.what);
    Memory &in = t.input(t.numbers<f32>(256, Inputs::uniform)), &out = t.output<f32>(128);
    bool refused = false;
    try {
      t.run<&described>({}, {1},
                        {Value::address(in.address() + static_cast<std::uint64_t>(4 * wrong.offset)), out,
                         wrong.rows, wrong.columns, wrong.stride});
    } catch (const Error &error) {
      refused = error.where().known();
    }
    t.require(refused == (std::string(wrong.what) != "nothing"), "a descriptor with " +
                                                                     std::string(wrong.what) + " wrong was " +
                                                                     (refused ? "refused" : "accepted"));
  }
}

}   // namespace

void add_descriptor_cases(Suite &suite) {
  each(Types<i8, i16, i32, u8, u16, u32, f16, bf16, f32>{}, [&]<class T>() {
    for (auto [rows, columns] : {std::pair{2, 16}, {8, 16}, {8, 32}, {8, 128}, {512, 32}, {1, 1024}})
      suite.add("DE1/" + type_name<T>() + "/" + std::to_string(rows) + "x" + std::to_string(columns),
                [=, rows = rows, columns = columns](Context &t) {
                  for (const std::vector<int> &extents :
                       {std::vector<int>{rows * 2 + 3, columns + 5}, {5, 11}})
                    check_blocks<T>(t, extents, {rows, columns});
                });
    for (int inner : {16, 32, 64, 128})
      suite.add("DE1/" + type_name<T>() + "/ranks/inner_" + std::to_string(inner), [=](Context &t) {
        check_blocks<T>(t, {inner + 9}, {inner});
        check_blocks<T>(t, {3, inner + 9}, {2, inner});
        check_blocks<T>(t, {3, 3, inner + 9}, {2, 2, inner});
        check_blocks<T>(t, {3, 2, 3, inner + 9}, {2, 1, 2, inner});
        check_blocks<T>(t, {2, 3, 2, 3, inner + 9}, {1, 2, 1, 2, inner});
      });
  });
  each(Types<f16, bf16, f32>{}, [&]<class T>() {
    suite.add("DE2/passed_around/" + type_name<T>(), check_passed_around<T>);
    suite.add("DE2/plane_products/" + type_name<T>(), check_plane_products<T>);
  });
  suite.add("DE3/creation", check_creation_errors);
  each(Types<i32, u32, f16, bf16, f32>{}, [&]<class T>() {
    for (Update update :
         {Update::add, Update::min, Update::max, Update::bit_and, Update::bit_or, Update::bit_xor}) {
      const bool bits = update >= Update::bit_and, extremum = update == Update::min || update == Update::max;
      if ((bits && !is_integer<T>) || (extremum && std::is_same_v<T, f32>))
        continue;
      for (bool from_host : {true, false})
        suite.add("DE4/" + std::string(name_of(update)) + "/" + type_name<T>() +
                      (from_host ? "/host" : "/device"),
                  [=](Context &t) { check_update<T>(t, update, from_host); });
    }
  });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// SH3 and SH4: elements that change their places and nothing else.
#include "context.h"
#include "families.h"
#include "types.h"

#include <algorithm>
#include <numeric>

namespace tile::conformance {

namespace {

// Four axes; those in front are 1 for smaller ranks.
struct MoveConfig {
  int rank = 2;
  int extent0 = 1, extent1 = 1, extent2 = 2, extent3 = 4;
  int order0 = 0, order1 = 1, order2 = 3, order3 = 2;
};

std::vector<int> extents_of(const MoveConfig &cfg) {
  const std::vector<int> all_four{cfg.extent0, cfg.extent1, cfg.extent2, cfg.extent3};
  return {all_four.end() - cfg.rank, all_four.end()};
}
std::vector<int> order_of(const MoveConfig &cfg) {
  std::vector<int> order{cfg.order0, cfg.order1, cfg.order2, cfg.order3};
  order.erase(order.begin(), order.end() - cfg.rank);
  for (int &axis : order)
    axis -= 4 - cfg.rank;
  return order;
}

// The tile is stored through pointers of its own shape, so the lowering has to move data.
template <class T> void move(Ptr<const T> x, Ptr<T> z, const MoveConfig &cfg) {
  Shape before, after;
  int total = 1;
  const std::vector<int> extents = extents_of(cfg), order = order_of(cfg);
  for (int axis = 0; axis < cfg.rank; ++axis) {
    total *= extents[static_cast<std::size_t>(axis)];
    before.push_back(extents[static_cast<std::size_t>(axis)]);
    after.push_back(extents[static_cast<std::size_t>(order[static_cast<std::size_t>(axis)])]);
  }
  const Tensor<T> value = load(x + reshape(arange(0, total), before));
  store(z + reshape(arange(0, total), after), permute(value, order));
}

template <class T> void transpose(Ptr<const T> x, Ptr<T> z, const MoveConfig &cfg) {
  const Int row = arange(0, cfg.extent2), column = arange(0, cfg.extent3);
  const Tensor<T> value = load(x + (row(all, none) * cfg.extent3 + column(none, all)));
  store(z + (column(all, none) * cfg.extent2 + row(none, all)), trans(value));
}

Array permuted(const Array &x, const std::vector<int> &extents, const std::vector<int> &order) {
  const std::size_t rank = extents.size();
  Array result(x.type(), x.size());
  std::vector<std::size_t> stride(rank, 1);
  for (std::size_t axis = rank; axis-- > 1;)
    stride[axis - 1] = stride[axis] * static_cast<std::size_t>(extents[axis]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t rest = i, from = 0;
    for (std::size_t axis = rank; axis-- > 0;) {
      const auto source_axis = static_cast<std::size_t>(order[axis]);
      const auto extent = static_cast<std::size_t>(extents[source_axis]);
      from += rest % extent * stride[source_axis];
      rest /= extent;
    }
    result.set_bits(i, x.bits(from));
  }
  return result;
}

template <class T> void check_move(Context &t, MoveConfig cfg) {
  const std::vector<int> extents = extents_of(cfg);
  std::size_t total = 1;
  for (int extent : extents)
    total *= static_cast<std::size_t>(extent);
  const Array x = t.numbers<T>(total, Inputs::uniform);
  Memory &in = t.input(x), &out = t.output<T>(total);
  t.run<&move<T>>(cfg, {1}, {in, out});
  t.exact(out, permuted(x, extents, order_of(cfg)));
}

template <class T> void check_transpose(Context &t, int rows, int columns) {
  const Array x = t.numbers<T>(static_cast<std::size_t>(rows * columns), Inputs::uniform);
  Memory &in = t.input(x), &out = t.output<T>(x.size());
  t.run<&transpose<T>>({.extent2 = rows, .extent3 = columns}, {1}, {in, out});
  t.exact(out, permuted(x, {rows, columns}, {1, 0}));
}

struct ReshapeConfig {
  int rows = 2, columns = 4, new_rows = 4, new_columns = 2;
};
template <class T> void change_shape(Ptr<const T> x, Ptr<T> z, Ptr<T> w, const ReshapeConfig &cfg) {
  const Int row = arange(0, cfg.rows), column = arange(0, cfg.columns);
  const Tensor<T> value = load(x + (row(all, none) * cfg.columns + column(none, all)));
  const Int new_row = arange(0, cfg.new_rows), new_column = arange(0, cfg.new_columns);
  store(z + (new_row(all, none) * cfg.new_columns + new_column(none, all)),
        reshape(value, {cfg.new_rows, cfg.new_columns}));
  const Tensor<T> cube = expand_dims(value, 1);
  store(w + arange(0, cfg.rows * cfg.columns), ravel(squeeze(cube, 1)));
}

template <class T> void check_reshape(Context &t, const ReshapeConfig &cfg) {
  const Array x = t.numbers<T>(static_cast<std::size_t>(cfg.rows * cfg.columns), Inputs::uniform);
  Memory &in = t.input(x), &out = t.output<T>(x.size()), &flat = t.output<T>(x.size());
  t.run<&change_shape<T>>(cfg, {1}, {in, out, flat});
  t.exact(out, x);
  t.exact(flat, x);
}

enum class Pairing { join, join_split, interleave, flip, flip_rows };
struct PairConfig {
  Pairing op = Pairing::join;
};

// Two tiles of 8 x 16 in, one of 16 x 16 (or 8 x 32) out.
template <class T> void pair_up(Ptr<const T> x, Ptr<const T> y, Ptr<T> z, const PairConfig &cfg) {
  const Int i = reshape(arange(0, 128), {8, 16}), i2 = reshape(arange(0, 256), {8, 32});
  const Tensor<T> a = load(x + i), b = load(y + i);
  switch (cfg.op) {
  case Pairing::join:
    return store(z + reshape(arange(0, 256), {8, 16, 2}), join(a, b));
  case Pairing::join_split: {
    auto [first, second] = split(join(a, b));
    store(z + i, second);
    return store(z + (i + 128), first);
  }
  case Pairing::interleave:
    return store(z + i2, interleave(a, b));
  case Pairing::flip:
    store(z + i, flip(a));
    return store(z + (i + 128), flip(b, 1));
  case Pairing::flip_rows:
    store(z + i, flip(a, 0));
    return store(z + (i + 128), flip(b, -2));
  }
}

template <class T> void check_pair(Context &t, Pairing op) {
  const Array x = t.numbers<T>(128, Inputs::uniform), y = t.numbers<T>(128, Inputs::uniform);
  Array expected(element_type<T>, 256);
  for (std::size_t i = 0; i < 128; ++i) {
    const std::size_t mirrored =
        op == Pairing::flip ? i / 16 * 16 + (15 - i % 16) : (7 - i / 16) * 16 + i % 16;
    switch (op) {
    case Pairing::join:
    case Pairing::interleave:
      expected.set_bits(2 * i, x.bits(i));
      expected.set_bits(2 * i + 1, y.bits(i));
      break;
    case Pairing::join_split:
      expected.set_bits(i, y.bits(i));
      expected.set_bits(128 + i, x.bits(i));
      break;
    default:
      expected.set_bits(i, x.bits(mirrored));
      expected.set_bits(128 + i, y.bits(mirrored));
      break;
    }
  }
  Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output<T>(256);
  t.run<&pair_up<T>>({op}, {1}, {in_x, in_y, out});
  t.exact(out, expected);
}

// (32,16) twice -> (32,16,2) -> (32,32) -> dot.
template <class T> void join_then_dot(Ptr<const T> x, Ptr<const T> y, Ptr<const T> w, Ptr<f32> z,
                                      const PairConfig &) {
  const Int half = reshape(arange(0, 512), {32, 16}), whole = reshape(arange(0, 1024), {32, 32});
  const Tensor<T> a = reshape(join(load(x + half), load(y + half)), {32, 32});
  store(z + whole, dot(a, load(w + whole)));
}

template <class T> void check_join_then_dot(Context &t) {
  const Array x = t.numbers<T>(512, Inputs::integers), y = t.numbers<T>(512, Inputs::integers);
  const Array w = t.numbers<T>(1024, Inputs::integers);
  Array expected(element_type<f32>, 1024);
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 32; ++j) {
      long double sum = 0;
      for (std::size_t k = 0; k < 32; ++k)
        sum += (k % 2 ? y : x).real(i * 16 + k / 2) * w.real(k * 32 + j);
      expected.set_real(i * 32 + j, sum);
    }
  Memory &in_x = t.input(x), &in_y = t.input(y), &in_w = t.input(w), &out = t.output<f32>(1024);
  t.run<&join_then_dot<T>>({}, {1}, {in_x, in_y, in_w, out});
  t.exact(out, expected);
}

template <class T> void add_moves(Suite &suite) {
  for (auto [rows, columns] : {std::pair{2, 4}, {16, 16}, {4, 96}})
    suite.add("SH3/trans/" + type_name<T>() + "/" + std::to_string(rows) + "x" + std::to_string(columns),
              [=](Context &t) { check_transpose<T>(t, rows, columns); });
  for (int shape = 0; shape < 2; ++shape) {
    std::vector<int> order{0, 1, 2, 3};
    do {
      MoveConfig cfg = shape ? MoveConfig{4, 4, 4, 4, 16} : MoveConfig{4, 2, 2, 8, 64};
      cfg.order0 = order[0], cfg.order1 = order[1], cfg.order2 = order[2], cfg.order3 = order[3];
      std::string name = "SH3/permute/" + type_name<T>() + (shape ? "/4x4x4x16/" : "/2x2x8x64/");
      for (int axis : order)
        name += std::to_string(axis);
      suite.add(name, [=](Context &t) { check_move<T>(t, cfg); });
    } while (std::next_permutation(order.begin(), order.end()));
  }
  suite.add("SH3/reshape/" + type_name<T>(), [](Context &t) {
    for (const ReshapeConfig &cfg :
         {ReshapeConfig{2, 4, 4, 2}, {16, 16, 8, 32}, {96, 2, 6, 32}, {1, 64, 64, 1}}) {
      t.section(std::to_string(cfg.rows) + "x" + std::to_string(cfg.columns));
      check_reshape<T>(t, cfg);
    }
  });
}

struct SwizzleConfig {
  int group = 4;
};
void swizzle(Ptr<i32> z, Int rows, Int columns, const SwizzleConfig &cfg) {
  auto [i, j] = swizzle2d(program_id(0), program_id(1), rows, columns, cfg.group);
  store(z + (program_id(0) * columns + program_id(1)), i * columns + j);
}

// Programs are counted in plain order and dealt out in bands of `group` rows, column by column.
void check_swizzle(Context &t) {
  for (auto [rows, columns, group] : {std::array{8, 5, 4}, {7, 3, 4}, {5, 6, 1}, {3, 4, 8}}) {
    t.section(std::to_string(rows) + "x" + std::to_string(columns) + " in groups of " +
              std::to_string(group));
    Array expected(element_type<i32>, static_cast<std::size_t>(rows * columns));
    std::size_t next = 0;
    for (int band = 0; band < rows; band += group)
      for (int column = 0; column < columns; ++column)
        for (int row = band; row < std::min(band + group, rows); ++row)
          expected.set_integer(next++, row * columns + column);
    Memory &out = t.output<i32>(expected.size());
    t.run<&swizzle>({group}, {rows, columns}, {out, rows, columns});
    t.exact(out, expected);
  }
}

}   // namespace

void add_movement_cases(Suite &suite) {
  each(Types<i32, i8>{}, [&]<class T>() { add_moves<T>(suite); });
  suite.add("SH3/swizzle2d", check_swizzle);
  each(Types<i32, f16, f32>{}, [&]<class T>() {
    suite.add("SH4/join/" + type_name<T>(), [](Context &t) { check_pair<T>(t, Pairing::join); });
    suite.add("SH4/split/" + type_name<T>(), [](Context &t) { check_pair<T>(t, Pairing::join_split); });
    suite.add("SH4/interleave/" + type_name<T>(), [](Context &t) { check_pair<T>(t, Pairing::interleave); });
    suite.add("SH4/flip/" + type_name<T>(), [](Context &t) { check_pair<T>(t, Pairing::flip); });
    suite.add("SH4/flip_rows/" + type_name<T>(), [](Context &t) { check_pair<T>(t, Pairing::flip_rows); });
  });
  each(Types<f16, f32>{},
       [&]<class T>() { suite.add("SH4/join_then_dot/" + type_name<T>(), check_join_then_dot<T>); });
}

}   // namespace tile::conformance

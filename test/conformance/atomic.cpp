// SPDX-License-Identifier: MIT
// AT1-AT5: atomic updates of one cell by many programs, of tiles, of overlapping places.
#include "context.h"
#include "families.h"
#include "types.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace tile::conformance {

namespace {

enum class Atomic { add, max, min, bit_and, bit_or, bit_xor, exchange };
const char *name_of(Atomic op) {
  static const char *const names[] = {"add", "max", "min", "and", "or", "xor", "xchg"};
  return names[static_cast<int>(op)];
}
const char *name_of(Order order) {
  static const char *const names[] = {"relaxed", "acquire", "release", "acq_rel"};
  return names[static_cast<int>(order)];
}

struct AtomicConfig {
  Atomic op = Atomic::add;
  Order order = Order::acq_rel;
  int elements = 0;   // 0: a scalar
  int columns = 0;    // of a tile of two dimensions
};

template <class T> inline constexpr bool has_extrema = !std::is_same_v<T, f16> && !std::is_same_v<T, bf16>;
template <class T> inline constexpr bool has_bits = is_integer<T>;

template <class T> Tensor<T> update(const Ptr<T> &p, const Tensor<T> &v, Atomic op, Order order) {
  if (op == Atomic::add)
    return atomic_add(p, v, order);
  if constexpr (has_extrema<T>) {
    if (op == Atomic::max)
      return atomic_max(p, v, order);
    if (op == Atomic::min)
      return atomic_min(p, v, order);
    if (op == Atomic::exchange)
      return atomic_xchg(p, v, order);
  }
  if constexpr (has_bits<T>) {
    if (op == Atomic::bit_and)
      return atomic_and(p, v, order);
    if (op == Atomic::bit_or)
      return atomic_or(p, v, order);
    if (op == Atomic::bit_xor)
      return atomic_xor(p, v, order);
  }
  throw std::logic_error("this type has no such atomic");
}

// Program p applies the p-th value (tile) to the one cell (tile) and keeps what it saw.
template <class T> void contend(Ptr<T> cell, Ptr<const T> values, Ptr<T> seen, const AtomicConfig &cfg) {
  const Int pid = program_id(0);
  if (cfg.elements == 0)
    return store(seen + pid, update<T>(cell, load(values + pid), cfg.op, cfg.order));
  const Int flat = arange(0, cfg.elements);
  const Int i = cfg.columns ? reshape(flat, {cfg.elements / cfg.columns, cfg.columns}) : flat;
  const Int at = pid * cfg.elements + i;
  store(seen + at, update<T>(cell + i, load(values + at), cfg.op, cfg.order));
}

// Numbers in the order -NaN < -inf < .. < -0 < +0 < .. < +inf < +NaN, as integers.
Wide ordered_bits(const Array &x, std::size_t i) {
  const Wide sign = Wide{1} << (x.type().bits() - 1), bits = static_cast<Wide>(x.bits(i));
  return bits & sign ? -(bits - sign) - 1 : bits;
}

// cell[i] = cell[i] op value[j]
void apply(Atomic op, Array &cell, std::size_t i, const Array &value, std::size_t j) {
  const bool is_float = cell.type().is_float();
  switch (op) {
  case Atomic::add:
    if (is_float)
      return cell.set_real(i, static_cast<double>(cell.real(i)) + static_cast<double>(value.real(j)));
    return cell.set_integer(i, cell.integer(i) + value.integer(j));
  case Atomic::max:
  case Atomic::min: {
    const Wide a = is_float ? ordered_bits(cell, i) : cell.integer(i);
    const Wide b = is_float ? ordered_bits(value, j) : value.integer(j);
    if ((op == Atomic::max) == (b > a) && a != b)
      cell.set_bits(i, value.bits(j));
    return;
  }
  case Atomic::bit_and:
    return cell.set_bits(i, cell.bits(i) & value.bits(j));
  case Atomic::bit_or:
    return cell.set_bits(i, cell.bits(i) | value.bits(j));
  case Atomic::bit_xor:
    return cell.set_bits(i, cell.bits(i) ^ value.bits(j));
  case Atomic::exchange:
    return cell.set_bits(i, value.bits(j));
  }
}

constexpr std::size_t programs = 5;

// Whether some order of the programs explains every old value and the final one.
bool is_history(Atomic op, const Array &initial, std::size_t cell, const Array &values, const Array &seen,
                const Array &final, std::size_t stride) {
  std::array<std::size_t, programs> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    Array state(initial.type(), 1);
    state.set_bits(0, initial.bits(cell));
    bool fits = true;
    for (std::size_t p : order) {
      fits = fits && seen.bits(p * stride + cell) == state.bits(0);
      if (!fits)
        break;
      apply(op, state, 0, values, p * stride + cell);
    }
    if (fits && state.bits(0) == final.bits(cell))
      return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

template <class T> void check_contention(Context &t, const AtomicConfig &cfg, const Array &initial,
                                         const Array &values) {
  const std::size_t stride = std::max<std::size_t>(1, static_cast<std::size_t>(cfg.elements));
  Memory &cell = t.in_out(initial), &in = t.input(values), &seen = t.output<T>(programs * stride);
  t.run<&contend<T>>(cfg, {programs}, {cell, in, seen});
  const Array final = cell.read(), old = seen.read();
  for (std::size_t i = 0; i < stride; ++i)
    t.require(is_history(cfg.op, initial, i, values, old, final, stride),
              "element " + std::to_string(i) +
                  ": no order of the programs gives the old values and the final " + final.text(i));
}

template <class T> void check_cell(Context &t, Atomic op) {
  constexpr ElementType type = element_type<T>;
  for (Order order : {Order::acq_rel, Order::relaxed, Order::acquire, Order::release})
    for (int sign : {-1, 1, 0})          // all negative, all positive, mixed
      for (int extreme : {0, -1, 1}) {   // one extreme negative, one extreme positive
        t.section(std::string("order=") + name_of(order));
        Array initial(type, 1), values(type, programs);
        initial.set_integer(0, sign < 0 ? -1 : 1);
        for (std::size_t p = 0; p < programs; ++p)
          values.set_integer(p, sign < 0   ? t.between(-100, -1)
                                : sign > 0 ? t.between(1, 100)
                                           : t.between(-50, 50));
        if (extreme && !type.is_float())
          values.set_integer(2, extreme < 0 ? smallest(type) : largest(type));
        else if (extreme)
          values.set_real(2, extreme * 60000);
        check_contention<T>(t, {op, order}, initial, values);
      }
}

template <class T> void check_bits(Context &t, Atomic op) {
  for (auto [elements, columns] : {std::pair{0, 0}, {1, 0}, {32, 0}, {128, 16}}) {
    t.section("elements=" + std::to_string(elements));
    const std::size_t n = std::max<std::size_t>(1, static_cast<std::size_t>(elements));
    const Array initial = t.numbers<T>(n, Inputs::uniform),
                values = t.numbers<T>(programs * n, Inputs::uniform);
    check_contention<T>(t, {.op = op, .elements = elements, .columns = columns}, initial, values);
  }
}

struct TileConfig {
  int rows = 2, columns = 2, axis = 0;
};

// The tile summed along an axis, added; what was there before is an index into a table.
template <class T>
void reduce_and_add(Ptr<const T> x, Ptr<T> cells, Ptr<const T> table, Ptr<T> looked_up,
                    const TileConfig &cfg) {
  const Int row = arange(0, cfg.rows), column = arange(0, cfg.columns);
  const Tensor<T> value = load(x + (row(all, none) * cfg.columns + column(none, all)));
  const Int i = arange(0, cfg.axis == 0 ? cfg.columns : cfg.rows);
  const Tensor<T> old = atomic_add(cells + i, sum(value, cfg.axis));
  store(looked_up + i, load(table + cast<i32>(old)));
}

template <class T> void check_tile(Context &t, int rows, int columns, int axis) {
  constexpr ElementType type = element_type<T>;
  const auto R = static_cast<std::size_t>(rows), C = static_cast<std::size_t>(columns);
  const std::size_t n = axis == 0 ? C : R;
  const Array x = t.numbers(type, R * C, Inputs::integers), table = t.numbers(type, 16, Inputs::integers);
  Array cells(type, n), expected(type, n), looked_up(type, n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t start = t.between(0, 15);
    cells.set_integer(i, start);
    looked_up.set_bits(i, table.bits(static_cast<std::size_t>(start)));
    long double total = start;
    for (std::size_t k = 0; k < (axis == 0 ? R : C); ++k)
      total += x.real(axis == 0 ? k * C + i : i * C + k);
    expected.set_integer(i, static_cast<Wide>(total));
  }
  Memory &in = t.input(x), &memory = t.in_out(cells), &in_table = t.input(table), &out = t.output(type, n);
  t.run<&reduce_and_add<T>>({rows, columns, axis}, {1}, {in, memory, in_table, out});
  t.exact(memory, expected);
  t.exact(out, looked_up);
}

enum class Places { rising, falling, random, duplicates };
struct PlacesConfig {
  int rows = 4, mask_step = 1;
};
template <class T> void scatter_add(Ptr<T> cells, Ptr<const i32> places, Ptr<const T> x, Ptr<T> seen,
                                    const PlacesConfig &cfg) {
  const Int row = arange(0, cfg.rows), column = arange(0, cfg.rows);
  const Int i = row(all, none) * cfg.rows + column(none, all);
  store(seen + i, atomic_add(cells + load(places + i), load(x + i), i % cfg.mask_step == 0));
}

template <class T> void check_places(Context &t, int rows, Places places) {
  constexpr ElementType type = element_type<T>;
  const auto n = static_cast<std::size_t>(rows * rows);
  for (int step : {1, 2, 3, 4}) {
    t.section("mask step " + std::to_string(step));
    Array at(element_type<i32>, n), x = t.numbers(type, n, Inputs::integers),
                                    cells = t.numbers(type, n, Inputs::integers);
    std::vector<std::size_t> shuffled(n);
    std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
    std::shuffle(shuffled.begin(), shuffled.end(), t.random());
    Array expected = cells;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = places == Places::rising    ? i
                                : places == Places::falling ? n - 1 - i
                                : places == Places::random  ? shuffled[i]
                                                            : shuffled[i] % 3;
      at.set_integer(i, static_cast<Wide>(place));
      if (i % static_cast<std::size_t>(step) == 0)   // small integers: exact in any order
        apply(Atomic::add, expected, place, x, i);
    }
    Memory &memory = t.in_out(cells), &in_at = t.input(at), &in = t.input(x), &seen = t.output(type, n);
    t.run<&scatter_add<T>>({rows, step}, {1}, {memory, in_at, in, seen});
    t.exact(memory, expected);
    const Array old = seen.read();
    for (std::size_t i = 0; i < n; ++i)
      if (i % static_cast<std::size_t>(step) != 0)
        t.require(old.bits(i) == 0, "a masked-off lane of an atomic returned " + old.text(i) + " and not 0");
  }
}

struct BesideConfig {
  int rows = 16, width = 64, shift = 0;
};
// Each program adds to all rows, to the first columns of each.
template <class T> void add_beside(Ptr<T> cells, Ptr<const T> x, const BesideConfig &cfg) {
  constexpr int columns = 64;
  const Int row = arange(0, cfg.rows), column = arange(0, columns);
  const Int i = row(all, none) * columns + column(none, all);
  auto value = load(x + program_id(0) * (cfg.rows * columns) + i);
  atomic_add(cells + cfg.shift + i, value, (row < cfg.rows)(all, none) & (column < cfg.width)(none, all),
             Order::relaxed);
}

template <class T> void check_beside(Context &t, int width, int shift) {
  constexpr ElementType type = element_type<T>;
  constexpr std::size_t rows = 16, columns = 64, n = rows * columns;
  Array cells(type, n + columns), x(type, programs * n);
  for (std::size_t i = 0; i < x.size(); ++i)   // sums are exact in any order
    x.set_real(i, static_cast<long double>(t.between(-8, 8)));
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells.set_real(i, static_cast<long double>(t.between(-8, 8)));
  Array expected = cells;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i % columns < static_cast<std::size_t>(width))
      apply(Atomic::add, expected, static_cast<std::size_t>(shift) + i % n, x, i);
  Memory &memory = t.in_out(cells), &in = t.input(x);
  t.run<&add_beside<T>>({.width = width, .shift = shift}, {programs}, {memory, in});
  t.exact(memory, expected);
}

template <class T> void check_total_order(Context &t, Atomic op) {
  constexpr ElementType type = element_type<T>;
  Array specials = t.numbers(type, 64, Inputs::specials);
  Array negative_nan(type, 1);
  negative_nan.set_real(0, std::numeric_limits<long double>::quiet_NaN());
  specials.set_bits(5, negative_nan.bits(0) | std::uint64_t{1} << (type.bits() - 1));
  for (std::size_t round = 0; round < 12; ++round) {
    t.section("round " + std::to_string(round));
    Array initial(type, 64), values(type, 64 * programs), expected(type, 64);
    for (std::size_t i = 0; i < 64; ++i) {
      initial.set_bits(i, specials.bits((i + round * 7) % 64));
      expected.set_bits(i, initial.bits(i));
      for (std::size_t p = 0; p < programs; ++p) {
        values.set_bits(p * 64 + i, specials.bits(t.random()() % 64));
        apply(op, expected, i, values, p * 64 + i);
      }
    }
    Memory &cells = t.in_out(initial), &in = t.input(values), &seen = t.output(type, 64 * programs);
    t.run<&contend<T>>({.op = op, .elements = 64}, {programs}, {cells, in, seen});
    t.require(cells.read().bytes() == expected.bytes(), "the total order of floats is not kept");
  }
}

}   // namespace

void add_atomic_cases(Suite &suite) {
  each(Types<i32, u32, i64, u64, f16, bf16, f32, f64>{}, [&]<class T>() {
    suite.add("AT1/add/" + type_name<T>(), [](Context &t) { check_cell<T>(t, Atomic::add); });
    if constexpr (has_extrema<T>)
      for (Atomic op : {Atomic::max, Atomic::min})
        suite.add("AT1/" + std::string(name_of(op)) + "/" + type_name<T>(),
                  [=](Context &t) { check_cell<T>(t, op); });
  });
  each(Types<i32, u32, i64>{}, [&]<class T>() {
    for (Atomic op : {Atomic::bit_and, Atomic::bit_or, Atomic::bit_xor, Atomic::exchange})
      suite.add("AT2/" + std::string(name_of(op)) + "/" + type_name<T>(),
                [=](Context &t) { check_bits<T>(t, op); });
  });
  each(Types<f16, bf16, f32, f64, i64, u64>{}, [&]<class T>() {
    for (auto [rows, columns] : {std::pair{2, 2}, {2, 8}, {8, 2}, {8, 8}, {32, 32}, {64, 64}, {128, 128}})
      for (int axis : {0, 1})
        suite.add("AT3/" + type_name<T>() + "/" + std::to_string(rows) + "x" + std::to_string(columns) +
                      "/axis_" + std::to_string(axis),
                  [=, rows = rows, columns = columns](Context &t) { check_tile<T>(t, rows, columns, axis); });
  });
  each(Types<f16, bf16, f32>{}, [&]<class T>() {
    for (auto [places, name] : {std::pair{Places::rising, "rising"},
                                {Places::falling, "falling"},
                                {Places::random, "random"},
                                {Places::duplicates, "duplicates"}})
      suite.add("AT4/" + type_name<T>() + "/" + name, [=, places = places](Context &t) {
        for (int rows : {2, 4, 5, 6, 8})
          check_places<T>(t, rows, places);
      });
  });
  each(Types<f16, bf16, f32, f64>{}, [&]<class T>() {
    for (auto [width, shift] : {std::pair{64, 0}, {48, 0}, {61, 0}, {64, 1}, {64, 2}, {62, 4}})
      suite.add("AT9/" + type_name<T>() + "/width_" + std::to_string(width) + "/from_" +
                    std::to_string(shift),
                [=, width = width, shift = shift](Context &t) { check_beside<T>(t, width, shift); });
  });
  each(Types<f32, f64>{}, [&]<class T>() {
    suite.add("AT5/max/" + type_name<T>(), [](Context &t) { check_total_order<T>(t, Atomic::max); });
    suite.add("AT5/min/" + type_name<T>(), [](Context &t) { check_total_order<T>(t, Atomic::min); });
  });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// SC2-SC5: histograms, gathering within a tile, sorting.
#include "context.h"
#include "families.h"
#include "types.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tile::conformance {

namespace {

struct HistogramConfig {
  int elements = 2048, bins = 2;
  bool masked = false;
};
void count(Ptr<const i32> x, Ptr<const i1> m, Ptr<i32> z, const HistogramConfig &cfg) {
  const Int i = arange(0, cfg.elements);
  const Int value = load(x + i);
  store(z + arange(0, cfg.bins),
        cfg.masked ? histogram(value, cfg.bins, load(m + i)) : histogram(value, cfg.bins));
}

void check_histogram(Context &t, HistogramConfig cfg) {
  const auto n = static_cast<std::size_t>(cfg.elements);
  Array x(element_type<i32>, n), expected(element_type<i32>, static_cast<std::size_t>(cfg.bins));
  const Array mask = t.numbers<i1>(n, Inputs::uniform);
  for (std::size_t i = 0; i < n; ++i) {
    // Some below, some at the number of bins, some far out.
    const std::int64_t draw = t.between(0, 19);
    const Wide value = draw == 0   ? -1
                       : draw == 1 ? cfg.bins
                       : draw == 2 ? largest(element_type<i32>)
                                   : t.between(0, cfg.bins - 1);
    x.set_integer(i, value);
    if (value >= 0 && value < cfg.bins && (!cfg.masked || mask.bits(i))) {
      const auto bin = static_cast<std::size_t>(value);
      expected.set_integer(bin, expected.integer(bin) + 1);
    }
  }
  Memory &in = t.input(x), &in_mask = t.input(mask), &out = t.output<i32>(expected.size());
  t.run<&count>(cfg, {1}, {in, in_mask, out});
  t.exact(out, expected);
}

struct GatherConfig {
  int source_rows = 4, source_columns = 4, rows = 8, columns = 4, axis = 0;   // columns 0: rank 1
};
template <class T> void gather_tile(Ptr<const T> x, Ptr<const i32> indices, Ptr<T> z,
                                    const GatherConfig &cfg) {
  const Shape source = cfg.columns ? Shape{cfg.source_rows, cfg.source_columns} : Shape{cfg.source_rows};
  const Shape shape = cfg.columns ? Shape{cfg.rows, cfg.columns} : Shape{cfg.rows};
  const int source_elements = cfg.source_rows * (cfg.columns ? cfg.source_columns : 1);
  const int elements = cfg.rows * (cfg.columns ? cfg.columns : 1);
  const Tensor<T> value = load(x + reshape(arange(0, source_elements), source));
  const Int i = reshape(arange(0, elements), shape);
  store(z + i, gather(value, load(indices + i), cfg.axis));
}

template <class T> void check_gather(Context &t, const GatherConfig &cfg) {
  const auto source_columns = static_cast<std::size_t>(cfg.columns ? cfg.source_columns : 1);
  const auto columns = static_cast<std::size_t>(cfg.columns ? cfg.columns : 1),
             rows = static_cast<std::size_t>(cfg.rows);
  const Array x = t.numbers<T>(static_cast<std::size_t>(cfg.source_rows) * source_columns, Inputs::uniform);
  Array indices(element_type<i32>, rows * columns), expected(element_type<T>, rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const auto index =
          static_cast<std::size_t>(t.between(0, (cfg.axis == 0 ? cfg.source_rows : cfg.source_columns) - 1));
      indices.set_integer(i * columns + j, static_cast<Wide>(index));
      expected.set_bits(i * columns + j,
                        x.bits(cfg.axis == 0 ? index * source_columns + j : i * source_columns + index));
    }
  Memory &in = t.input(x), &in_indices = t.input(indices), &out = t.output<T>(expected.size());
  t.run<&gather_tile<T>>(cfg, {1}, {in, in_indices, out});
  t.exact(out, expected);
}

enum class Sorting { ascending, descending, top };
struct SortConfig {
  Sorting sorting = Sorting::ascending;
  int rows = 8, columns = 64, k = 8;
};
template <class T> void sort_tile(Ptr<const T> x, Ptr<T> z, const SortConfig &cfg) {
  const Int i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  const Tensor<T> value = load(x + i);
  switch (cfg.sorting) {
  case Sorting::ascending:
    return store(z + i, sort(value));
  case Sorting::descending:
    return store(z + i, sort(value, Descending::yes));
  case Sorting::top:
    return store(z + reshape(arange(0, cfg.rows * cfg.k), {cfg.rows, cfg.k}), topk(value, cfg.k));
  }
}

template <class T> void check_sort(Context &t, SortConfig cfg) {
  const auto rows = static_cast<std::size_t>(cfg.rows), columns = static_cast<std::size_t>(cfg.columns);
  const std::size_t kept = cfg.sorting == Sorting::top ? static_cast<std::size_t>(cfg.k) : columns;
  for (Inputs kind : {Inputs::integers, Inputs::uniform}) {   // integers: many duplicates
    t.section(std::string("inputs=") + name_of(kind));
    const Array x = t.numbers<T>(rows * columns, kind);
    Array expected(element_type<T>, rows * kept);
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::size_t> order(columns);
      std::iota(order.begin(), order.end(), row * columns);
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return cfg.sorting == Sorting::ascending ? x.real(a) < x.real(b) : x.real(a) > x.real(b);
      });
      for (std::size_t i = 0; i < kept; ++i)
        expected.set_bits(row * kept + i, x.bits(order[i]));
    }
    Memory &in = t.input(x), &out = t.output<T>(expected.size());
    t.run<&sort_tile<T>>(cfg, {1}, {in, out});
    t.exact(out, expected);
  }
}

// With indices, and with two tiles that go along: of equal elements the earlier comes first, NaNs last
// upwards.
template <class T>
void sort_together(Ptr<const T> x, Ptr<const f16> payload, Ptr<T> sorted, Ptr<T> keys, Ptr<i32> index,
                   Ptr<f16> moved, Ptr<i64> lanes, const SortConfig &cfg) {
  const Int i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  const int kept = cfg.sorting == Sorting::top ? cfg.k : cfg.columns;
  const Int to = reshape(arange(0, cfg.rows * kept), {cfg.rows, kept});
  const Tensor<T> value = load(x + i);
  const Tensor<f16> other = load(payload + i);
  const Descending how = cfg.sorting == Sorting::ascending ? Descending::no : Descending::yes;
  const auto [v, at] =
      cfg.sorting == Sorting::top ? topk_with_index(value, cfg.k) : sort_with_index(value, how);
  const std::tuple all{value, other, cast<i64>(i)};
  const auto [key, with, lane] = cfg.sorting == Sorting::top ? topk(all, cfg.k) : sort(all, how);
  store(sorted + to, v);
  store(keys + to, key);
  store(index + to, at);
  store(moved + to, with);
  store(lanes + to, lane);
}

template <class T> void check_sort_together(Context &t, SortConfig cfg) {
  const auto rows = static_cast<std::size_t>(cfg.rows), columns = static_cast<std::size_t>(cfg.columns);
  const std::size_t kept = cfg.sorting == Sorting::top ? static_cast<std::size_t>(cfg.k) : columns;
  for (Inputs kind : all_inputs) {
    t.section(std::string("inputs=") + name_of(kind));
    const Array x = t.numbers<T>(rows * columns, kind),
                payload = t.numbers<f16>(rows * columns, Inputs::integers);
    Array sorted(element_type<T>, rows * kept), index(element_type<i32>, rows * kept),
        moved(element_type<f16>, rows * kept), lanes(element_type<i64>, rows * kept);
    auto before = [&](std::size_t a, std::size_t b) {   // the total order of sort: -0 below +0, NaN on top
      const long double p = x.real(a), q = x.real(b);
      if (std::isnan(p) || std::isnan(q))
        return !std::isnan(p) && std::isnan(q);
      return p < q || (p == q && std::signbit(p) && !std::signbit(q));
    };
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::size_t> order(columns);
      std::iota(order.begin(), order.end(), row * columns);
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const bool up = cfg.sorting == Sorting::ascending;
        const bool earlier = up ? before(a, b) : before(b, a), later = up ? before(b, a) : before(a, b);
        return earlier || (!later && a < b);
      });
      for (std::size_t i = 0; i < kept; ++i) {
        sorted.set_bits(row * kept + i, x.bits(order[i]));
        index.set_integer(row * kept + i, static_cast<Wide>(order[i] - row * columns));
        moved.set_bits(row * kept + i, payload.bits(order[i]));
        lanes.set_integer(row * kept + i, static_cast<Wide>(order[i]));
      }
    }
    Memory &in = t.input(x), &with = t.input(payload), &out = t.output<T>(rows * kept),
           &keys = t.output<T>(rows * kept), &at = t.output<i32>(rows * kept),
           &out_with = t.output<f16>(rows * kept), &out_lanes = t.output<i64>(rows * kept);
    t.run<&sort_together<T>>(cfg, {1}, {in, with, out, keys, at, out_with, out_lanes});
    t.exact(out, sorted);
    t.exact(keys, sorted);
    t.exact(at, index);
    t.exact(out_with, moved);
    t.exact(out_lanes, lanes);
  }
}

}   // namespace

void add_sorting_cases(Suite &suite) {
  for (auto [elements, bins] :
       {std::pair{2048, 2}, {1024, 8}, {1024, 128}, {256, 512}, {32, 512}, {8, 512}, {8, 2}})
    for (bool masked : {false, true})
      suite.add("SC2/histogram/" + std::to_string(elements) + "_into_" + std::to_string(bins) +
                    (masked ? "/masked" : "/all"),
                [=, elements = elements, bins = bins](Context &t) {
                  check_histogram(t, {elements, bins, masked});
                });
  const std::pair<const char *, GatherConfig> gathers[] = {{"32_by_64", {32, 1, 64, 0, 0}},
                                                           {"4x4_by_8x4", {4, 4, 8, 4, 0}},
                                                           {"4x4_by_4096x4", {4, 4, 4096, 4, 0}},
                                                           {"128x64_by_256x64", {128, 64, 256, 64, 0}},
                                                           {"128x64_by_128x128", {128, 64, 128, 128, 1}}};
  each(Types<i32, f32>{}, [&]<class T>() {
    for (const auto &[name, cfg] : gathers)
      suite.add("SC3/gather/" + type_name<T>() + "/" + name,
                [cfg = cfg](Context &t) { check_gather<T>(t, cfg); });
  });
  each(Types<i32, f32, f64, u8>{}, [&]<class T>() {
    for (auto [rows, columns] : {std::pair{1, 1}, {4, 64}, {64, 8}})
      for (auto [name, sorting] : {std::pair{"ascending", Sorting::ascending},
                                   {"descending", Sorting::descending},
                                   {"top", Sorting::top}}) {
        const SortConfig cfg{sorting, rows, columns, std::min(columns, 4)};
        suite.add("SC5/" + std::string(name) + "/" + type_name<T>() + "/" + std::to_string(rows) + "x" +
                      std::to_string(columns),
                  [=](Context &t) { check_sort_together<T>(t, cfg); });
      }
  });
  each(Types<i32, f16, f32, bf16>{}, [&]<class T>() {
    for (auto [rows, columns] : {std::pair{1, 1}, {1, 512}, {8, 64}, {256, 16}, {512, 8}}) {
      const std::string shape = type_name<T>() + "/" + std::to_string(rows) + "x" + std::to_string(columns);
      // The sorting network of the larger shapes is long: one type suffices in the fast suite.
      const Tier tier = rows * columns > 512 && !std::is_same_v<T, i32> ? Tier::nightly : Tier::fast;
      auto add = [&, rows = rows, columns = columns](const std::string &name, Sorting sorting, int k) {
        suite.add("SC4/" + name + "/" + shape, tier,
                  [=](Context &t) { check_sort<T>(t, {sorting, rows, columns, k}); });
      };
      add("sort", Sorting::ascending, 0);
      add("sort_descending", Sorting::descending, 0);
      add("top1", Sorting::top, 1);
      if (columns >= 8)
        add("top8", Sorting::top, 8);
    }
  });
  suite.add("SC4/illegal_k", [](Context &t) {
    bool refused = false;
    try {
      Context::trace<&sort_tile<i32>>({Sorting::top, 8, 64, 6}, {Value::address(0), Value::address(0)});
    } catch (const Error &error) {
      refused = error.where().known();
    }
    t.require(refused, "topk took a k that is not a power of two");
  });
}

}   // namespace tile::conformance

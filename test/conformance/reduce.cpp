// SPDX-License-Identifier: MIT
// RE1, RE2: sums, extrema and their places, along one axis or all.
#include "context.h"
#include "families.h"
#include "types.h"

#include <cmath>
#include <limits>

namespace tile::conformance {

namespace {

enum class Fold { sum, max, min, argmax, argmin, max_with_index, min_with_index };
constexpr Fold folds[] = {
    Fold::sum, Fold::max, Fold::min, Fold::argmax, Fold::argmin, Fold::max_with_index, Fold::min_with_index};
const char *name_of(Fold fold) {
  static const char *const names[] = {"sum",           "max", "min", "argmax", "argmin", "max_with_index",
                                      "min_with_index"};
  return names[static_cast<int>(fold)];
}

// Sums of narrow integers are formed in 32 bits; all else keeps its type.
template <class T>
using SumOf =
    std::conditional_t<is_integer<T> && sizeof(T) < 4, std::conditional_t<is_signed<T>, i32, u32>, T>;

struct FoldConfig {
  Fold fold = Fold::sum;
  int extent0 = 1, extent1 = 1, extent2 = 128, rank = 1;
  int axis = 0;
  bool every_axis = false, keep_dims = false, propagate = false;
};

Shape shape_of(const FoldConfig &cfg) {
  const Shape full{cfg.extent0, cfg.extent1, cfg.extent2};
  return {full.end() - cfg.rank, full.end()};
}

// Values of the elements go to z (or sums to s), indices to w.
template <class T>
void fold_axis(Ptr<const T> x, Ptr<T> z, Ptr<SumOf<T>> s, Ptr<i32> w, const FoldConfig &cfg) {
  const Shape shape = shape_of(cfg);
  const int total = cfg.extent0 * cfg.extent1 * cfg.extent2;
  const Tensor<T> value = load(x + reshape(arange(0, total), shape));
  const KeepDims keep = cfg.keep_dims ? KeepDims::yes : KeepDims::no;
  const Nan nan = cfg.propagate ? Nan::propagate : Nan::ignore;
  auto put = [](const auto &pointer, const auto &result) {
    if (result.rank() == 0)
      return store(pointer, result);
    std::int64_t elements = 1;
    for (std::int64_t extent : result.shape())
      elements *= extent;
    store(pointer + reshape(arange(0, static_cast<int>(elements)), result.shape()), result);
  };
  auto along = [&](auto axis) {
    switch (cfg.fold) {
    case Fold::sum:
      return put(s, sum(value, axis, keep));
    case Fold::max:
      return put(z, max(value, axis, nan, keep));
    case Fold::min:
      return put(z, min(value, axis, nan, keep));
    case Fold::argmax:
      return put(w, argmax(value, axis, nan, keep));
    case Fold::argmin:
      return put(w, argmin(value, axis, nan, keep));
    case Fold::max_with_index: {
      auto [extreme, index] = max_with_index(value, axis, nan, keep);
      put(z, extreme);
      return put(w, index);
    }
    case Fold::min_with_index: {
      auto [extreme, index] = min_with_index(value, axis, nan, keep);
      put(z, extreme);
      return put(w, index);
    }
    }
  };
  if (cfg.every_axis)
    along(all_axes);
  else
    along(cfg.axis);
}

struct Expected {
  std::vector<double> sums, magnitudes;   // magnitudes: the sum of |x|, what errors are measured by
  Array exact_sums, extremes, indices;
};

// The tile as [outer][extent][inner] around the reduced axis.
template <class T> Expected reference(const Array &x, const FoldConfig &cfg) {
  const Shape shape = shape_of(cfg);
  std::size_t outer = 1, extent = x.size(), inner = 1;
  if (!cfg.every_axis) {
    const auto axis = static_cast<std::size_t>(cfg.axis < 0 ? cfg.axis + cfg.rank : cfg.axis);
    extent = static_cast<std::size_t>(shape[axis]);
    for (std::size_t i = 0; i < axis; ++i)
      outer *= static_cast<std::size_t>(shape[i]);
    inner = x.size() / extent / outer;
  }
  const std::size_t n = outer * inner;
  Expected e{std::vector<double>(n), std::vector<double>(n), Array(element_type<SumOf<T>>, n),
             Array(x.type(), n), Array(element_type<i32>, n)};
  const bool maximum = cfg.fold == Fold::max || cfg.fold == Fold::argmax || cfg.fold == Fold::max_with_index;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      const std::size_t at = o * inner + i;
      long double total = 0, magnitude = 0;
      Wide whole = 0;
      std::size_t best = 0;   // of equals the first; NaN never wins, or the first one does; all NaN: index 0
      bool found = false;
      for (std::size_t k = 0; k < extent; ++k) {
        const std::size_t from = (o * extent + k) * inner + i;
        if (x.type().is_float()) {
          total += x.real(from);
          magnitude += std::fabs(x.real(from));
        } else {
          whole += x.integer(from);
        }
        const long double value = x.real(from);
        if (std::isnan(value) && !cfg.propagate)
          continue;
        if (std::isnan(value)) {
          best = k;
          break;   // no sum is looked at under this rule
        }
        const long double champion = x.real((o * extent + best) * inner + i);
        // Extrema order the zeros, -0 < +0; for an index they are equal, and the first one counts.
        const bool orders_zeros = cfg.fold == Fold::max || cfg.fold == Fold::min;
        const bool other_zero =
            orders_zeros && value == champion && std::signbit(value) != std::signbit(champion);
        const bool beats = other_zero ? std::signbit(champion) == maximum
                           : maximum  ? value > champion
                                      : value < champion;
        if (!found || beats)
          best = k;
        found = true;
      }
      e.sums[at] = static_cast<double>(total);
      e.magnitudes[at] = static_cast<double>(magnitude);
      if (!x.type().is_float())
        e.exact_sums.set_integer(at, whole);
      e.extremes.set_bits(at, x.bits((o * extent + best) * inner + i));
      e.indices.set_integer(at, static_cast<Wide>(best));
    }
  return e;
}

template <class T> void check_fold(Context &t, const Array &x, const FoldConfig &cfg) {
  const Expected expected = reference<T>(x, cfg);
  const std::size_t n = expected.sums.size();
  Memory &in = t.input(x), &out = t.output<T>(n), &sums = t.output<SumOf<T>>(n), &indices = t.output<i32>(n);
  t.run<&fold_axis<T>>(cfg, {1}, {in, out, sums, indices});
  if (cfg.fold == Fold::sum && !is_float<T>)
    return t.exact(sums, expected.exact_sums);
  if (cfg.fold == Fold::sum) {
    // f32 sums in any order; 16-bit types are summed in f32 and rounded once.
    const double rounding = std::is_same_v<T, f16> ? 0x1p-11 : std::is_same_v<T, bf16> ? 0x1p-8 : 0;
    const Array got = sums.read();
    for (std::size_t i = 0; i < n; ++i) {
      const double wanted = expected.sums[i], seen = static_cast<double>(got.real(i));
      const double allowed = 1e-6 * expected.magnitudes[i] + rounding * std::fabs(wanted) + 1e-30;
      const bool fits =
          std::isnan(wanted) ? std::isnan(seen) : wanted == seen || std::fabs(seen - wanted) <= allowed;
      t.require(fits, "element " + std::to_string(i) + ": the sum is " + got.text(i) + ", expected " +
                          std::to_string(wanted));
    }
    return;
  }
  if (cfg.fold != Fold::argmax && cfg.fold != Fold::argmin)
    t.exact(out, expected.extremes);
  if (cfg.fold != Fold::max && cfg.fold != Fold::min)
    t.exact(indices, expected.indices);
}

// Small integers with many equals, and NaN in every place it may matter.
std::vector<Array> reduction_inputs(Context &t, ElementType type, std::size_t n) {
  Array small(type, n), equal(type, n);
  for (std::size_t i = 0; i < n; ++i) {
    small.set_integer(i, t.between(type.is_unsigned() ? 0 : -10, 10));
    equal.set_integer(i, i % 7 == 3 ? 5 : 1);
  }
  std::vector<Array> inputs{small, equal, t.numbers(type, n, Inputs::uniform)};
  if (!type.is_float())
    return inputs;
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
    Array with_nan = small;
    with_nan.set_real(place, nan);
    inputs.push_back(with_nan);
  }
  Array only_nan(type, n), zeros_and_nan(type, n);
  for (std::size_t i = 0; i < n; ++i) {
    only_nan.set_real(i, nan);
    zeros_and_nan.set_real(i, i % 3 == 0 ? nan : i % 3 == 1 ? -0.0L : 0.0L);
  }
  inputs.push_back(only_nan);
  inputs.push_back(zeros_and_nan);
  return inputs;
}

template <class T> void check_whole_row(Context &t, Fold fold, bool propagate) {
  for (std::size_t n : {32, 64, 128, 512, 96})
    for (const Array &x : reduction_inputs(t, element_type<T>, n)) {
      t.section("n=" + std::to_string(n));
      check_fold<T>(t, x, {.fold = fold, .extent2 = static_cast<int>(n), .propagate = propagate});
    }
}

template <class T> void check_shape(Context &t, FoldConfig cfg) {
  for (Fold fold : folds)
    for (bool keep_dims : {false, true}) {
      cfg.fold = fold;
      cfg.keep_dims = keep_dims;
      t.section(std::string(name_of(fold)) + (keep_dims ? " keeping dimensions" : ""));
      const auto n = static_cast<std::size_t>(cfg.extent0 * cfg.extent1 * cfg.extent2);
      Array x(element_type<T>, n);
      for (std::size_t i = 0; i < n; ++i)
        x.set_integer(i, t.between(is_signed<T> ? -10 : 0, 10));
      check_fold<T>(t, x, cfg);
    }
}

template <class T> void add_shapes(Suite &suite) {
  const std::pair<int, int> shapes[] = {{2, 32}, {4, 32}, {4, 128}, {1, 1024}, {16, 32}, {32, 32}};
  for (auto [rows, columns] : shapes)
    for (int axis : {0, 1, -1, -2, 99}) {
      FoldConfig cfg{.extent1 = rows, .extent2 = columns, .rank = 2, .axis = axis, .every_axis = axis == 99};
      suite.add("RE2/" + type_name<T>() + "/" + std::to_string(rows) + "x" + std::to_string(columns) +
                    "/axis_" + (axis == 99 ? "all" : std::to_string(axis)),
                [=](Context &t) { check_shape<T>(t, cfg); });
    }
  for (auto [a, b, c] : {std::array{2, 32, 16}, {32, 2, 16}, {32, 16, 2}})
    for (int axis : {0, 1, 2, -1, 99}) {
      FoldConfig cfg{
          .extent0 = a, .extent1 = b, .extent2 = c, .rank = 3, .axis = axis, .every_axis = axis == 99};
      suite.add("RE2/" + type_name<T>() + "/" + std::to_string(a) + "x" + std::to_string(b) + "x" +
                    std::to_string(c) + "/axis_" + (axis == 99 ? "all" : std::to_string(axis)),
                [=](Context &t) { check_shape<T>(t, cfg); });
    }
}

}   // namespace

void add_reduction_cases(Suite &suite) {
  each(Numbers{}, [&]<class T>() {
    for (Fold fold : folds)
      for (bool propagate : {false, true}) {
        if (propagate && (fold == Fold::sum || !is_float<T>))
          continue;
        suite.add("RE1/" + std::string(name_of(fold)) + "/" + type_name<T>() +
                      (propagate ? "/propagate" : ""),
                  [=](Context &t) { check_whole_row<T>(t, fold, propagate); });
      }
    if constexpr (!std::is_same_v<T, f32> && !std::is_same_v<T, i32>)
      suite.add("RE2/" + type_name<T>() + "/1x1024/axis_1",
                [](Context &t) { check_shape<T>(t, {.extent1 = 1, .extent2 = 1024, .rank = 2, .axis = 1}); });
  });
  suite.add("RE1/nan_6_8", [](Context &t) {
    const Array x = Array::of<f32>({std::numeric_limits<double>::quiet_NaN(), 6, 8});
    for (Fold fold : {Fold::max_with_index, Fold::min_with_index}) {
      t.section(name_of(fold));
      check_fold<f32>(t, x, {.fold = fold, .extent2 = 3});
    }
  });
  each(Types<f32, i32>{}, [&]<class T>() { add_shapes<T>(suite); });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
#include "compiler/interpreter/movement.h"

#include "compiler/interpreter/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tile::interpreter {
namespace {

template <class T> void splat(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  std::fill(r, r + i.lanes, m.scalar<T>(i.a));
}

template <class T> void copyLanes(const Instruction &i, Machine &m) {
  std::memmove(m.at<T>(i.result), m.at<T>(i.a), i.lanes * sizeof(T));
}

template <class T> void lastAxis(T *to, const T *from, std::size_t lanes, std::int64_t step) {
  if (step == 1)
    std::memcpy(to, from, lanes * sizeof(T));
  else if (step == 0)
    std::fill(to, to + lanes, *from);
  else
    for (std::size_t n = 0; n < lanes; ++n)
      to[n] = from[static_cast<std::int64_t>(n) * step];
}

// The last axis runs across rows of the source, the one before it along them: block by block, so
// that each line of the cache is used whole while it is there.
template <class T>
void transposed(T *to, const T *from, std::size_t rows, std::size_t columns, std::int64_t rowStep,
                std::int64_t columnStep) {
  constexpr std::size_t block = 32;
  for (std::size_t r0 = 0; r0 < rows; r0 += block)
    for (std::size_t c0 = 0; c0 < columns; c0 += block)
      for (std::size_t r = r0; r < std::min(r0 + block, rows); ++r)
        for (std::size_t c = c0; c < std::min(c0 + block, columns); ++c)
          to[r * columns + c] =
              from[static_cast<std::int64_t>(r) * rowStep + static_cast<std::int64_t>(c) * columnStep];
}

template <class T> T *moveAxes(const Strided &d, std::size_t axis, T *to, const T *from) {
  const auto extent = static_cast<std::size_t>(d.extents[axis]);
  if (axis + 1 == d.extents.size()) {
    lastAxis(to, from, extent, d.steps[axis]);
    return to + extent;
  }
  if (axis + 2 == d.extents.size() && d.steps[axis] == 1 && d.steps[axis + 1] > 1) {
    const auto columns = static_cast<std::size_t>(d.extents[axis + 1]);
    transposed(to, from, extent, columns, d.steps[axis], d.steps[axis + 1]);
    return to + extent * columns;
  }
  T *const first = to;
  for (std::size_t n = 0; n < extent; ++n) {
    if (n > 0 && d.steps[axis] == 0) {   // the same lanes again
      const std::size_t lanes = static_cast<std::size_t>(to - first) / n;
      std::memcpy(to, first, lanes * sizeof(T));
      to += lanes;
      continue;
    }
    to = moveAxes(d, axis + 1, to, from + static_cast<std::int64_t>(n) * d.steps[axis]);
  }
  return to;
}
template <class T> void moveStrided(const Instruction &i, Machine &m) {
  moveAxes(i.as<Strided>(), 0, m.at<T>(i.result), m.at<T>(i.a));
}

template <class T> void join(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b);
  for (std::size_t n = 0; n < i.lanes / 2; ++n) {
    r[2 * n] = a[n];
    r[2 * n + 1] = b[n];
  }
}
template <class T> void split(const Instruction &i, Machine &m) {
  T *even = m.at<T>(i.result), *odd = m.at<T>(i.c);
  const T *a = m.at<T>(i.a);
  for (std::size_t n = 0; n < i.lanes; ++n) {
    even[n] = a[2 * n];
    odd[n] = a[2 * n + 1];
  }
}

void arange(const Instruction &i, Machine &m) {
  std::int32_t *r = m.at<std::int32_t>(i.result);
  const auto start = static_cast<std::uint32_t>(i.as<Arange>().start);
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = static_cast<std::int32_t>(start + static_cast<std::uint32_t>(n));
}

template <class T> void gather(const Instruction &i, Machine &m) {
  const Gather &d = i.as<Gather>();
  T *r = m.at<T>(i.result);
  const T *source = m.at<T>(i.a);
  // Both tiles as [outer, axis, inner]; the outer and inner extents agree.
  std::size_t inner = 1;
  for (std::size_t axis = d.axis + 1; axis < d.result.size(); ++axis)
    inner *= static_cast<std::size_t>(d.result[axis]);
  const auto length = static_cast<std::size_t>(d.result[d.axis]);
  const std::int64_t limit = d.source[d.axis];
  for (std::size_t n = 0; n < i.lanes; ++n) {
    const std::int64_t index = d.wide ? m.at<std::int64_t>(i.b)[n] : m.at<std::int32_t>(i.b)[n];
    if (index < 0 || index >= limit) {
      // Unspecified by the language, so any value will do when nobody wants to know.
      if (m.checks().bounds)
        fail(i, m,
             {fmt::format("gather: index {} is outside 0 .. {}, the extent of axis {}", grouped(index),
                          grouped(limit - 1), d.axis),
              &d.result,
              n,
              "",
              {},
              ""});
      r[n] = T{};
      continue;
    }
    const std::size_t outer = n / (length * inner);
    r[n] = source[(outer * static_cast<std::size_t>(limit) + static_cast<std::size_t>(index)) * inner +
                  n % inner];
  }
}

}   // namespace

Strided strided(const Extents &extents, const std::vector<std::int64_t> &steps) {
  Strided result;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 1)
      continue;
    // [4, 8] with steps [8, 1] is [32] with step [1].
    if (!result.extents.empty() && result.steps.back() == steps[axis] * extents[axis]) {
      result.extents.back() *= extents[axis];
      result.steps.back() = steps[axis];
      continue;
    }
    result.extents.push_back(extents[axis]);
    result.steps.push_back(steps[axis]);
  }
  if (result.extents.empty()) {
    result.extents.push_back(1);
    result.steps.push_back(1);
  }
  return result;
}

#define TILE_BY_BYTES(name, function)                                                                        \
  Handler name(std::size_t bytes) {                                                                          \
    return forBytes(bytes, []<class T>(T) -> Handler { return function<T>; });                               \
  }
TILE_BY_BYTES(splatHandler, splat)
TILE_BY_BYTES(stridedHandler, moveStrided)
TILE_BY_BYTES(joinHandler, join)
TILE_BY_BYTES(splitHandler, split)
TILE_BY_BYTES(copyHandler, copyLanes)
TILE_BY_BYTES(gatherHandler, gather)
#undef TILE_BY_BYTES
Handler arangeHandler() { return arange; }

}   // namespace tile::interpreter

// SPDX-License-Identifier: MIT
// What is refused when a view is made, in words.
#include "runtime/tensor_view.h"

#include "runtime/error.h"

#include <algorithm>
#include <string>

namespace tile::detail {
namespace {

std::string list(std::span<const std::int64_t> numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

// Products of two 64-bit numbers, and sums of a few of them, fit.
__extension__ using Wide = __int128;

// Where the elements of a view that has some are, of its element 0.
struct Reach {
  Wide lowest = 0, highest = 0;
};
Reach reach_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
  Reach reach;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const Wide last = static_cast<Wide>(extents[axis] - 1) * strides[axis];
    (last < 0 ? reach.lowest : reach.highest) += last;
  }
  return reach;
}

bool is_empty(std::span<const std::int64_t> extents) {
  return std::ranges::find(extents, 0) != extents.end();
}

}   // namespace

void check_extents(std::span<const std::int64_t> extents, const std::source_location &where) {
  for (std::int64_t extent : extents)
    if (extent < 0)
      throw Error("a view of shape " + list(extents) + ": an extent cannot be negative", where);
}

void check_view(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides,
                std::size_t size, const std::source_location &where) {
  if (is_empty(extents))
    return;   // no element, none outside
  const auto [lowest, highest] = reach_of(extents, strides);
  const auto view = [&] {   // made only when it is needed
    return "a view of shape " + list(extents) + " and strides " + list(strides);
  };
  if (lowest < 0)
    throw Error(view() + " begins before its buffer", where)
        .add_help("with negative strides, start the view at a pointer to its element 0");
  if (highest >= static_cast<Wide>(size)) {
    constexpr Wide printable = static_cast<Wide>(1) << 62;
    throw Error(view() + " needs " +
                    (highest < printable ? std::to_string(static_cast<std::int64_t>(highest + 1))
                                         : std::string("more than 2^62")) +
                    " elements, the buffer has " + std::to_string(size),
                where);
  }
}

MemoryExtent memory_of(const void *data, std::span<const std::int64_t> extents,
                       std::span<const std::int64_t> strides, std::size_t element_bytes) {
  auto *const at = static_cast<std::byte *>(const_cast<void *>(data));
  if (!at || is_empty(extents))
    return {at, 0};
  const auto [lowest, highest] = reach_of(extents, strides);
  const auto bytes = static_cast<Wide>(element_bytes);
  return {at + static_cast<std::ptrdiff_t>(lowest * bytes),
          static_cast<std::size_t>((highest - lowest + 1) * bytes)};
}

void check_block(std::span<const std::int64_t> extents, std::span<const std::int64_t> from,
                 std::span<const std::int64_t> count, const std::source_location &where) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (from[axis] < 0 || count[axis] < 0 || from[axis] > extents[axis] ||
        count[axis] > extents[axis] - from[axis])
      throw Error("a block of shape " + list(count) + " at " + list(from) +
                      " is not inside a view of shape " + list(extents),
                  where);
}

}   // namespace tile::detail

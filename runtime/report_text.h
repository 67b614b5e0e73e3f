// SPDX-License-Identifier: MIT
// Numbers and places as reports of mistakes write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tile {

// "4,098"
std::string grouped(std::int64_t number);
std::string grouped(std::uint64_t number);

// The index of an element of a tile, which is the `element`th in row-major order: "[63, 7]".
std::string index_text(std::span<const std::int64_t> extents, std::size_t element);

// What a promise about a number comes to that does not hold. `number`: "1,003", or how else it is to be
// called.
std::string no_multiple_text(const std::string &number, std::int64_t of);
std::string outside_range_text(std::int64_t number, std::int64_t low, std::int64_t high);
std::string same_buffer_text(std::string_view buffer);

// Of a loop whose step turns out not to be positive.
std::string loop_step_text(std::int64_t step);

// Text in a page of HTML or a picture of SVG.
std::string escaped(std::string_view text);

}   // namespace tile

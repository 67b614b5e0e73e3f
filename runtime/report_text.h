// SPDX-License-Identifier: MIT
// Numbers and places as reports of mistakes write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tile {

// "4,098"
std::string grouped(std::int64_t number);
std::string grouped(std::uint64_t number);

// The index of an element of a tile, which is the `element`th in row-major order: "[63, 7]".
std::string index_text(std::span<const std::int64_t> extents, std::size_t element);

}   // namespace tile

// SPDX-License-Identifier: MIT
// What somebody meant who mistyped a name: of a variable, an option, a kernel.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tile {

// The candidate that differs least, if it can pass for a typing mistake; the first of several.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates);

}   // namespace tile

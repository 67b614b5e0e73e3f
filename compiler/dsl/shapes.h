// SPDX-License-Identifier: MIT
// The rules on shapes, and the sentences a user reads when one is broken.
#pragma once

#include "compiler/dsl/trace.h"

namespace tile::detail {

std::string text(const Shape &s);   // "[128, 64]", "[] (a scalar)"
std::int64_t element_count(const Shape &s);

// Extents are r * 2^k with an odd r <= 31, at most 2^20 elements. `what` opens the message.
void check_shape(const std::string &what, const Shape &s, Loc l);

// The shape in which operands meet: extents of 1 stretch, scalars fit everything, other
// differences of rank or extent are errors.
Shape common_shape(const std::string &what, const Use &a, const Use &b);

// `u` in the shape `s`, which it is known to fit.
Use broadcast(const Use &u, const Shape &s);
// `u` in the shape of the tile that it goes with; it may not be larger.
Use fit(const std::string &what, const Use &u, const Shape &s, const std::string &of);

// An axis counted from the front, or from the back when negative.
int axis_of(const std::string &what, std::int64_t axis, const Use &u);

void need_scalar(const std::string &what, const Use &u, const std::string &instead = "");

}   // namespace tile::detail

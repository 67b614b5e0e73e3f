// SPDX-License-Identifier: MIT
#include "tools/reference/placed.h"

namespace tile::reference {

template class Placed<f16>;
template class Placed<bf16>;
template class Placed<f32>;
template class Placed<f64>;
template class Placed<e4m3>;
template class Placed<e5m2>;
template class Placed<i8>;
template class Placed<i32>;
template class Placed<i64>;

}   // namespace tile::reference

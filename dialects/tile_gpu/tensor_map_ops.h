// SPDX-License-Identifier: MIT
// The ops of the `tile_gpu` dialect that change tensor maps.
#pragma once

#include "dialects/tile_gpu/dialect.h"

#define GET_OP_CLASSES
#include "dialects/tile_gpu/tensor_map_ops.h.inc"

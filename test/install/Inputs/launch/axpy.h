// SPDX-License-Identifier: MIT
#pragma once

#include <tile/device.h>

// y = 2 x + y for n elements of device memory. Throws tile::Error.
void axpy_on(tile::Device &device, const float *x, float *y, int n);

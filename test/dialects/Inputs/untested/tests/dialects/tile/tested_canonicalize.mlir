// SPDX-License-Identifier: MIT
// CHECK: tile.tested

// SPDX-License-Identifier: MIT
// CHECK: tile.tested
// tile.lonely is named here, but not checked.

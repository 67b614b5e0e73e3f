// SPDX-License-Identifier: MIT
// A library of the right name with nothing in it.
extern "C" __attribute__((visibility("default"))) int tile_nothing() { return 0; }

// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-named

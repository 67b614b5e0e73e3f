// SPDX-License-Identifier: MIT
// expected-error {{somebody expects this}}
tile.tested

// SPDX-License-Identifier: MIT
// Runs no pass at all.

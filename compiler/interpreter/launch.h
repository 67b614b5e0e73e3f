// SPDX-License-Identifier: MIT
// Runs all programs of a grid.
#pragma once

#include "compiler/interpreter/machine.h"
#include "compiler/kernel_ir.h"
#include "runtime/host/workers.h"

#include <span>

namespace tile::interpreter {

// What launches of one device have in common.
struct Engine {
  explicit Engine(unsigned threads, host::Allocations::Track track) : allocations(track), workers(threads) {}
  host::Allocations allocations;
  host::Workers workers;
  Checks checks;
  std::function<void(std::string_view)> print;
  std::mutex launching;   // one launch at a time: it has all threads
  std::mutex printing;
};

// `machines` are those of earlier launches of the program, to be used again. Throws the error of
// the first program, in the order of their indices, that failed.
void runGrid(Engine &engine, const Program &program, std::vector<std::unique_ptr<Machine>> &machines,
             const Grid &grid, std::span<const Argument> arguments, std::span<const Parameter> parameters);

}   // namespace tile::interpreter

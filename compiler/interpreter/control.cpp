// SPDX-License-Identifier: MIT
#include "compiler/interpreter/control.h"

#include "compiler/interpreter/faults.h"
#include "compiler/interpreter/wrapped.h"

#include <cstring>
#include <thread>

namespace tile::interpreter {
namespace {

void moveAll(const Moves &moves, Machine &m) {
  for (const Move &move : moves) {
    if (move.to != move.from)
      std::memmove(m.at<std::byte>(move.to), m.at<std::byte>(move.from), move.bytes);
    if (move.wrappedTo)
      moveWrapped(m, *move.wrappedTo, move.wrappedFrom, move.lanes);
  }
}

// The number of trips is exact for any bounds: the distance fits the unsigned type, and the
// induction variable is computed from the trip's number, so that it cannot run past the type.
template <class T> void countedLoop(const Instruction &i, Machine &m) {
  const ForLoop &loop = i.as<ForLoop>();
  using U = std::make_unsigned_t<T>;
  const T lower = m.scalar<T>(loop.lower), upper = m.scalar<T>(loop.upper), step = m.scalar<T>(loop.step);
  const bool forward = loop.isUnsigned ? U(step) > 0 : step > 0;
  if (!forward)
    fail(i, m,
         {"the step of this range is " + grouped(static_cast<std::int64_t>(step)) +
              "; a step that is known only when the kernel runs must be positive",
          nullptr,
          0,
          "",
          {},
          ""});
  const bool empty = loop.isUnsigned ? U(lower) >= U(upper) : lower >= upper;
  const U distance = static_cast<U>(U(upper) - U(lower));
  const std::uint64_t trips = empty ? 0 : std::uint64_t(distance - 1) / U(step) + 1;
  moveAll(loop.enter, m);
  U induction = U(lower);
  for (std::uint64_t trip = 0; trip < trips; ++trip, induction = static_cast<U>(induction + U(step))) {
    m.checkpoint();
    *m.at<U>(loop.induction) = induction;
    m.run(loop.body);
    moveAll(loop.back, m);
  }
}

void runFor(const Instruction &i, Machine &m) {
  switch (i.as<ForLoop>().lane) {
  case Lane::I8:
    return countedLoop<std::int8_t>(i, m);
  case Lane::I16:
    return countedLoop<std::int16_t>(i, m);
  case Lane::I32:
    return countedLoop<std::int32_t>(i, m);
  default:
    return countedLoop<std::int64_t>(i, m);
  }
}

void runWhile(const Instruction &i, Machine &m) {
  const WhileLoop &loop = i.as<WhileLoop>();
  moveAll(loop.enter, m);
  for (std::uint32_t trip = 1;; ++trip) {
    m.checkpoint();
    if (trip % 64 == 0)   // perhaps it waits for a program on another thread
      std::this_thread::yield();
    m.run(loop.before);
    const bool again = m.scalar<std::uint8_t>(loop.condition) != 0;
    moveAll(loop.onward, m);
    if (!again)
      return;
    m.run(loop.after);
    moveAll(loop.back, m);
  }
}

void runIf(const Instruction &i, Machine &m) {
  const Branch &branch = i.as<Branch>();
  if (m.scalar<std::uint8_t>(i.a)) {
    m.run(branch.then);
    moveAll(branch.thenResults, m);
  } else if (branch.otherwise) {
    m.run(*branch.otherwise);
    moveAll(branch.otherwiseResults, m);
  }
}

}   // namespace

Handler forHandler() { return runFor; }
Handler whileHandler() { return runWhile; }
Handler ifHandler() { return runIf; }

}   // namespace tile::interpreter

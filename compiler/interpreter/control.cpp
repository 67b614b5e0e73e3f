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
// Goes round until `iteration(number)` says that it was the last time; numbers begin with 0.
template <class Iteration> void goRound(const Instruction &i, Machine &m, Iteration iteration) {
  std::uint64_t number = 0;
  try {
    do
      m.checkpoint();
    while (iteration(number++));
  } catch (Machine::TimeIsUp &up) {
    up.loops.push_back({i.where, number});
    throw;
  }
}

template <class T> void countedLoop(const Instruction &i, Machine &m) {
  const ForLoop &loop = i.as<ForLoop>();
  using U = std::make_unsigned_t<T>;
  const T lower = m.scalar<T>(loop.lower), upper = m.scalar<T>(loop.upper), step = m.scalar<T>(loop.step);
  const bool forward = loop.isUnsigned ? U(step) > 0 : step > 0;
  if (!forward)
    fail(i, m, {loop_step_text(static_cast<std::int64_t>(step)), nullptr, 0, "", {}, ""});
  const bool empty = loop.isUnsigned ? U(lower) >= U(upper) : lower >= upper;
  const U distance = static_cast<U>(U(upper) - U(lower));
  const std::uint64_t trips = empty ? 0 : std::uint64_t(distance - 1) / U(step) + 1;
  moveAll(loop.enter, m);
  U induction = U(lower);
  if (trips == 0)
    return;
  goRound(i, m, [&](std::uint64_t trip) {
    *m.at<U>(loop.induction) = induction;
    m.run(loop.body);
    moveAll(loop.back, m);
    induction = static_cast<U>(induction + U(step));
    return trip + 1 < trips;
  });
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
  goRound(i, m, [&](std::uint64_t trip) {
    if (trip % 64 == 63)   // perhaps it waits for a program on another thread
      std::this_thread::yield();
    m.run(loop.before);
    const bool again = m.scalar<std::uint8_t>(loop.condition) != 0;
    moveAll(loop.onward, m);
    if (!again)
      return false;
    m.run(loop.after);
    moveAll(loop.back, m);
    return true;
  });
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

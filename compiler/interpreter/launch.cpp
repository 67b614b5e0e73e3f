// SPDX-License-Identifier: MIT
// Programs are handed out in the order of their indices, a few at a time, so that a program which
// waits for an earlier one (a lock, a counter) always finds it running or done.
#include "compiler/interpreter/launch.h"

#include "compiler/interpreter/faults.h"

#include <exception>
#include <limits>

namespace tile::interpreter {
namespace {

void checkGrid(const Program &program, const Grid &grid) {
  const auto check = [&](const char *axis, std::int64_t extent, std::int64_t limit) {
    if (extent >= 0 && extent <= limit)
      return;
    Error error(std::string("the grid has ") + host::grouped(extent) + " programs along " + axis +
                    (extent < 0 ? "; a grid has none or more" : "; the limit is " + host::grouped(limit)),
                {});
    error.add_context("kernel " + program.kernel);
    throw error;
  };
  check("x", grid.x, std::numeric_limits<std::int32_t>::max());
  check("y", grid.y, 65535);
  check("z", grid.z, 65535);
}

// Programs that one thread takes at a time. A waiting program must not hold back later ones that
// nobody runs, so a thread takes few.
std::int64_t portion(std::int64_t programs, unsigned threads) {
  return std::clamp<std::int64_t>(programs / (std::int64_t{threads} * 64), 1, 64);
}

struct Failures {
  std::mutex mutex;
  std::exception_ptr first;
  std::int64_t index = std::numeric_limits<std::int64_t>::max();

  void add(Launched &launched, std::int64_t at, std::exception_ptr error) {
    const std::lock_guard lock(mutex);
    if (at >= index)
      return;
    index = at;
    first = std::move(error);
    launched.failedAt.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                            std::memory_order_relaxed);
    launched.failed.store(at, std::memory_order_release);
  }
};

}   // namespace

void runGrid(Engine &engine, const Program &program, std::vector<std::unique_ptr<Machine>> &machines,
             const Grid &grid, std::span<const Argument> arguments, std::span<const Parameter> parameters) {
  checkGrid(program, grid);
  if (arguments.size() != parameters.size())
    throw Error("kernel " + program.kernel + " takes " + std::to_string(parameters.size()) +
                    " arguments, not " + std::to_string(arguments.size()),
                {});
  std::vector<host::Allocations::Adopted> adopted;
  std::vector<std::uint64_t> values;
  for (const ParameterSlot &slot : program.parameters) {
    const Argument &argument = arguments[slot.argument];
    const Parameter &parameter = parameters[slot.argument];
    if (argument.type.is_pointer() != parameter.type.is_pointer())
      throw Error("argument `" + parameter.name + "` of kernel " + program.kernel + " is " +
                      (parameter.type.is_pointer() ? "an address" : "a number") + ", not " +
                      argument.type.name(),
                  {});
    if (slot.lane != Lane::Pointer) {
      values.push_back(argument.bits);
      continue;
    }
    std::uint16_t buffer = 0;
    if (engine.checks.bounds) {
      if (argument.is_host) {
        adopted.push_back(engine.allocations.adopt(reinterpret_cast<void *>(argument.bits),
                                                   argument.host_bytes, parameter.name));
        buffer = adopted.back().range().tag;
      } else if (const host::Range *range = engine.allocations.owner(argument.bits)) {
        buffer = range->tag;
      }
    }
    values.push_back(buffer ? host::pointer_to(argument.bits, buffer) : host::untagged(argument.bits));
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (grid.x * grid.y > most / grid.z)
    throw Error("the grid has more than 2^63 programs", {});
  const std::int64_t programs = grid.x * grid.y * grid.z;

  const std::lock_guard lock(engine.launching);
  Launched launched{grid, values, engine.allocations, engine.checks, engine.print, engine.printing};
  Failures failures;
  std::atomic<std::int64_t> next{0};
  const unsigned threads = static_cast<unsigned>(
      std::min<std::int64_t>(programs, static_cast<std::int64_t>(engine.workers.threads())));
  const std::int64_t some = portion(programs, threads);
  while (machines.size() < threads)
    machines.push_back(std::make_unique<Machine>(program));

  engine.workers.run(threads, [&](unsigned number) {
    Machine &machine = *machines[number];
    for (;;) {
      const std::int64_t begin = next.fetch_add(some, std::memory_order_relaxed);
      const std::int64_t end = std::min(begin + some, programs);
      for (std::int64_t index = begin; index < end; ++index) {
        if (launched.failed.load(std::memory_order_relaxed) < index)
          return;
        try {
          machine.runProgram(launched, index);
        } catch (const Abandoned &) {
          return;
        } catch (...) {
          failures.add(launched, index, std::current_exception());
          return;
        }
      }
      if (end >= programs)
        return;
    }
  });
  if (failures.first)
    std::rethrow_exception(failures.first);
}

}   // namespace tile::interpreter

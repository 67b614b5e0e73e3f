// SPDX-License-Identifier: MIT
// Programs are handed out one by one in the order of their indices, so that a program which waits for an
// earlier one (a lock, a counter) always finds it running or done.
#include "runtime/simulator/launch.h"

#include "runtime/host/pointers.h"
#include "runtime/host/report_text.h"

#include <exception>
#include <limits>
#include <utility>

namespace tile::simulator {
namespace {

void checkGrid(const Program &program, const Grid &grid) {
  const auto check = [&](const char *axis, std::int64_t extent, std::int64_t limit) {
    if (extent >= 0 && extent <= limit)
      return;
    throw Error(std::string("the grid has ") + host::grouped(extent) + " programs along " + axis +
                    (extent < 0 ? "; a grid has none or more" : "; the limit is " + host::grouped(limit)),
                {})
        .add_context(program.title());
  };
  check("x", grid.x, std::numeric_limits<std::int32_t>::max());
  check("y", grid.y, 65535);
  check("z", grid.z, 65535);
  const std::int64_t extents[] = {grid.x, grid.y, grid.z};
  for (std::size_t i = 0; i < 3; ++i)
    if (extents[i] % program.cluster[i] != 0)
      throw Error(std::string("the grid has ") + host::grouped(extents[i]) + " programs along " + "xyz"[i] +
                      ", which clusters of " + std::to_string(program.cluster[i]) + " do not divide",
                  {})
          .add_context(program.title());
}

// What the code takes, with the buffers of its pointers.
class Values {
 public:
  Values(Engine &engine, const Program &program, std::span<const Argument> arguments,
         std::span<const Parameter> parameters) {
    if (arguments.size() != parameters.size())
      throw Error("kernel " + program.kernel + " takes " + std::to_string(parameters.size()) +
                      " arguments, not " + std::to_string(arguments.size()),
                  {})
          .add_context(program.title());
    for (unsigned position : program.parameters) {
      const Argument &argument = arguments[position];
      const Parameter &parameter = parameters[position];
      if (argument.type.is_pointer() != parameter.type.is_pointer())
        throw Error("argument `" + parameter.name + "` of kernel " + program.kernel + " is " +
                        (parameter.type.is_pointer() ? "an address" : "a number") + ", not " +
                        argument.type.name(),
                    {})
            .add_context(program.title());
      values_.push_back(parameter.type.is_pointer() ? pointer(engine, argument, parameter) : argument.bits);
    }
  }
  std::span<const std::uint64_t> values() const { return values_; }

 private:
  std::uint64_t pointer(Engine &engine, const Argument &argument, const Parameter &parameter) {
    std::uint16_t buffer = 0;
    if (engine.options.checkBounds) {
      if (argument.is_host) {
        adopted_.push_back(engine.allocations.adopt(reinterpret_cast<void *>(argument.bits),
                                                    argument.host_bytes, parameter.name));
        buffer = adopted_.back().range().tag;
      } else if (const host::Range *range = engine.allocations.owner(argument.bits)) {
        buffer = range->tag;
      }
    }
    return buffer ? host::pointer_to(argument.bits, buffer) : host::untagged(argument.bits);
  }
  std::vector<host::Allocations::Adopted> adopted_;
  std::vector<std::uint64_t> values_;
};

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

void Counters::add(const Counters &other) {
  for (auto field : {&Counters::matrixOps, &Counters::matrixReads, &Counters::shuffles, &Counters::barriers,
                     &Counters::copies, &Counters::atomics, &Counters::globalReads, &Counters::globalWrites,
                     &Counters::bytesRead, &Counters::bytesWritten, &Counters::bytesCopied,
                     &Counters::sharedReads, &Counters::sharedWrites, &Counters::warpgroupOps,
                     &Counters::bulkCopies, &Counters::bulkBytes, &Counters::registerChanges})
    this->*field += other.*field;
}

void runGrid(Engine &engine, const Program &program, std::vector<std::unique_ptr<Cluster>> &clusters,
             const Grid &grid, std::span<const Argument> arguments, std::span<const Parameter> parameters) {
  checkGrid(program, grid);
  const Values values(engine, program, arguments, parameters);
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return;
  if (grid.x * grid.y > std::numeric_limits<std::int64_t>::max() / grid.z)
    throw Error("the grid has more than 2^63 programs", {}).add_context(program.title());
  const std::int64_t programs = grid.x * grid.y * grid.z / program.ctas();

  const std::lock_guard lock(engine.launching);
  engine.launched.insert(program.title());
  Launched launched{grid, values.values(), engine.allocations, engine.options, engine.print, engine.printing};
  Failures failures;
  std::atomic<std::int64_t> next{0};
  const unsigned threads = static_cast<unsigned>(
      std::min<std::int64_t>(programs, static_cast<std::int64_t>(engine.workers.threads())));
  try {
    while (clusters.size() < threads)
      clusters.push_back(std::make_unique<Cluster>(program));
  } catch (Error &error) {
    throw error.add_context(program.title());
  }

  engine.workers.run(threads, [&](unsigned number) {
    Cluster &cluster = *clusters[number];
    for (;;) {
      const std::int64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= programs || launched.failed.load(std::memory_order_relaxed) < index)
        return;
      try {
        cluster.run(launched, index);
      } catch (const Abandoned &) {
        return;
      } catch (...) {
        failures.add(launched, index, std::current_exception());
        return;
      }
    }
  });
  for (const std::unique_ptr<Cluster> &cluster : clusters)
    engine.counters.add(cluster->takeCounters());
  for (const std::unique_ptr<Cluster> &cluster : clusters)
    for (const std::unique_ptr<Cta> &cta : cluster->ctas)
      if (cta->accesses)
        cta->accesses->take([&](unsigned site, AccessKind kind, const AccessCounts &counts) {
          engine.accesses.add(program.sites[site], kind, counts);
        });
  if (failures.first)
    std::rethrow_exception(failures.first);
}

}   // namespace tile::simulator

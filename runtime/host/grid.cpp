// SPDX-License-Identifier: MIT
// Programs are handed out in the order of their indices, a few at a time, so that a program which waits for
// an earlier one (a lock, a counter) always finds it running or done.
#include "runtime/host/grid.h"

#include "runtime/host/pointers.h"
#include "runtime/report_text.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tile::host {
namespace {

void check_grid(const Grid &grid) {
  const std::int64_t extents[] = {grid.x, grid.y, grid.z};
  const std::int64_t limits[] = {std::numeric_limits<std::int32_t>::max(), 65535, 65535};
  const auto programs = [&](std::size_t axis) {
    return "the grid has " + grouped(extents[axis]) + " programs along " + "xyz"[axis];
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (extents[axis] < 0)
      throw Error(programs(axis) + "; a grid has none or more", {});
    if (extents[axis] > limits[axis])
      throw Error(programs(axis) + "; the limit is " + grouped(limits[axis]), {});
  }
}

// What the code takes.
class Values {
 public:
  Values(Engine &engine, const KernelSignature &kernel, std::span<const Argument> arguments)
      : engine_(engine) {
    for (const CodeParameter &parameter : kernel.parameters) {
      const Argument &argument = arguments[parameter.argument];
      values_.push_back(argument.type.is_pointer() ? pointer(argument, kernel.arguments[parameter.argument])
                                                   : argument.bits);
    }
  }
  std::span<const std::uint64_t> get() const { return values_; }

 private:
  Pointer pointer(const Argument &argument, const LaunchArgument &taken) {
    std::uint16_t buffer = 0;
    if (engine_.checks_bounds) {
      if (argument.is_host) {
        adopted_.push_back(engine_.allocations.adopt(reinterpret_cast<void *>(argument.bits),
                                                     argument.host_bytes, taken.name));
        buffer = adopted_.back().range().tag;
      } else if (const Range *range = engine_.allocations.owner(argument.bits)) {
        buffer = range->tag;
      }
    }
    return buffer ? pointer_to(argument.bits, buffer) : untagged(argument.bits);
  }

  Engine &engine_;
  std::vector<Allocations::Adopted> adopted_;
  std::vector<std::uint64_t> values_;
};

// How many programs, or clusters of them.
std::int64_t count(const KernelSignature &kernel, const Grid &grid) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return 0;
  if (grid.x * grid.y > std::numeric_limits<std::int64_t>::max() / grid.z)
    throw Error("the grid has more than 2^63 programs", {});
  return grid.x * grid.y * grid.z / kernel.ctas();
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

class GridExecutable final : public Executable {
 public:
  GridExecutable(Engine &engine, std::shared_ptr<const KernelSignature> kernel, MakeRunner make,
                 std::int64_t portion)
      : engine_(engine), kernel_(std::move(kernel)), make_(std::move(make)), portion_(portion) {}

  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    const std::string title = kernel_->title();
    std::optional<Values> values;
    std::int64_t programs = 0;
    const auto explained = [&](auto &&step) {
      try {
        step();
      } catch (Error &error) {
        error.add_context(title);
        throw;
      }
    };
    explained([&] { check_grid(grid); });
    kernel_->check(grid, arguments);
    explained([&] {
      values.emplace(engine_, *kernel_, arguments);
      programs = count(*kernel_, grid);
    });
    if (programs == 0)
      return;
    const std::lock_guard lock(engine_.launching);
    engine_.launched.insert(title);
    const auto threads = static_cast<unsigned>(std::min<std::int64_t>(programs, engine_.workers.threads()));
    explained([&] {
      if (engine_.owner != number_) {
        engine_.runners.clear();
        engine_.owner = number_;
      }
      while (engine_.runners.size() < threads)
        engine_.runners.push_back(make_(static_cast<unsigned>(engine_.runners.size())));
    });
    Launched launched{grid,
                      values->get(),
                      engine_,
                      {},
                      {engine_.limit_seconds, programs, kernel_->name, engine_.shows_progress}};
    run(launched, programs, threads);
    for (const std::unique_ptr<Runner> &runner : engine_.runners)
      runner->finish();
    launched.failure.rethrow();
  }

 private:
  bool in_time(Launched &launched, std::int64_t program) const {
    try {
      launched.limit.check_pace();
      return true;
    } catch (Error &error) {
      error.add_context(kernel_->title());
      launched.failure.add(program, std::current_exception());
      return false;
    }
  }
  void run(Launched &launched, std::int64_t programs, unsigned threads) {
    // A waiting program must not hold back later ones that nobody runs, so a thread takes few.
    const std::int64_t some = std::clamp<std::int64_t>(programs / (std::int64_t{threads} * 64), 1, portion_);
    std::atomic<std::int64_t> next{0};
    engine_.workers.run(threads, [&](unsigned number) {
      Runner &runner = *engine_.runners[number];
      for (;;) {
        const std::int64_t begin = next.fetch_add(some, std::memory_order_relaxed);
        const std::int64_t end = std::min(begin + some, programs);
        if (!in_time(launched, begin))
          return;
        for (std::int64_t index = begin; index < end; ++index) {
          if (launched.failure.is_before(index))
            return;
          try {
            runner.run(launched, index);
          } catch (const Abandoned &) {
            return;
          } catch (...) {
            launched.failure.add(index, std::current_exception());
            return;
          }
        }
        launched.limit.ended(end - begin);
        if (end >= programs)
          return;
      }
    });
  }

  Engine &engine_;
  const std::shared_ptr<const KernelSignature> kernel_;
  const MakeRunner make_;
  const std::int64_t portion_;
  const std::uint64_t number_ = next_number();   // never used again in the process
};

}   // namespace

std::unique_ptr<Executable> make_executable(Engine &engine, std::shared_ptr<const KernelSignature> kernel,
                                            MakeRunner make, std::int64_t portion) {
  return std::make_unique<GridExecutable>(engine, std::move(kernel), std::move(make), portion);
}

}   // namespace tile::host

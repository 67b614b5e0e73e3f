// SPDX-License-Identifier: MIT
// Programs are handed out in the order of their indices, a few at a time, so that a program which waits for
// an earlier one (a lock, a counter) always finds it running or done.
#include "runtime/host/grid.h"

#include "runtime/host/pointers.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tile::host {
namespace {

// What the code takes. All of it stays while this does.
class Values {
 public:
  Values(Engine &engine, const KernelSignature &kernel, const Grid &grid, const Grid &started,
         std::span<const Argument> arguments, EncodeTensor encode)
      : engine_(engine), kernel_(kernel), arguments_(arguments), encode_(encode) {
    const std::int64_t extents[] = {grid.x, grid.y, grid.z};
    for (const CodeParameter &parameter : kernel.parameters) {
      if (const auto *passed = std::get_if<PassedArgument>(&parameter))
        values_.push_back(value(passed->argument));
      else if (const auto *extent = std::get_if<GridExtent>(&parameter))
        values_.push_back(static_cast<std::uint64_t>(extents[extent->axis]));
      else if (const auto *workspace = std::get_if<WorkspaceParameter>(&parameter))
        values_.push_back(memory(started.x * workspace->bytes));
      else
        values_.push_back(map(std::get<TensorParameter>(parameter)));
    }
  }
  std::span<const std::uint64_t> get() const { return values_; }

 private:
  struct alignas(64) Map {
    std::array<std::byte, 128> bytes;
    std::array<std::byte, KernelSignature::nothing_bytes> nothing;
  };

  Pointer adopt(void *begin, std::size_t bytes, const std::string &name) {
    adopted_.push_back(engine_.allocations.adopt(begin, bytes, name));
    return pointer_to(reinterpret_cast<std::uintptr_t>(begin), adopted_.back().range().tag);
  }
  std::uint64_t value(unsigned position) {
    const Argument &argument = arguments_[position];
    if (!argument.type.is_pointer())
      return argument.bits;
    if (!engine_.checks_bounds)
      return untagged(argument.bits);
    if (argument.is_host)
      return adopt(reinterpret_cast<void *>(argument.bits), argument.host_bytes,
                   kernel_.arguments[position].name);
    if (const Range *range = engine_.allocations.owner(argument.bits))
      return range->tag ? pointer_to(argument.bits, range->tag) : untagged(argument.bits);
    // Nothing is wrong with it as long as nobody uses it.
    if (!Allocations::is_far_from_null(argument.bits) || argument.bits >> address_bits)
      return untagged(argument.bits);
    adopted_.push_back(engine_.allocations.adopt_foreign(argument.bits, kernel_.arguments[position].name));
    return pointer_to(argument.bits, adopted_.back().range().tag);
  }
  Pointer memory(std::int64_t bytes) {
    constexpr std::size_t alignment = WorkspaceParameter::alignment;
    const auto size = static_cast<std::size_t>(bytes);
    workspace_.assign(size + alignment, std::byte{Allocations::fresh_byte});
    void *begin = workspace_.data();
    std::size_t left = workspace_.size();
    std::align(alignment, size, begin, left);
    if (!engine_.checks_bounds)
      return untagged(reinterpret_cast<std::uintptr_t>(begin));
    return adopt(begin, size, "the workspace");
  }
  Pointer map(const TensorParameter &tensor) {
    if (!encode_)
      throw Error("this device encodes no tensor maps", {});
    Map &map = maps_.emplace_back();
    map.nothing.fill(std::byte{KernelSignature::nothing_byte(tensor)});
    map.bytes = encode_(kernel_
                            .launched(tensor, kernel_.numbers(tensor, arguments_),
                                      reinterpret_cast<std::uintptr_t>(map.nothing.data()))
                            .description());
    if (!engine_.checks_bounds)
      return untagged(reinterpret_cast<std::uintptr_t>(map.bytes.data()));
    const std::string name = kernel_.arguments[tensor.base].name;
    adopt(map.nothing.data(), map.nothing.size(), "nothing of " + name);
    return adopt(map.bytes.data(), map.bytes.size(), "map of " + name);
  }

  Engine &engine_;
  const KernelSignature &kernel_;
  const std::span<const Argument> arguments_;
  const EncodeTensor encode_;
  std::deque<Map> maps_;   // does not move
  std::vector<std::byte> workspace_;
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
                 ExecutableOptions options)
      : device_(engine.device), engine_(engine), kernel_(std::move(kernel)), make_(std::move(make)),
        options_(std::move(options)) {}

  KernelResources resources() const override { return options_.resources; }
  void launch(const Grid &asked, std::span<const Argument> arguments) override {
    if (device_)
      device_->get("a kernel").check_use("a launch");
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
    kernel_->check(asked, arguments);
    const Grid grid = kernel_->started(asked, options_.resident * kernel_->ctas());
    explained([&] { programs = count(*kernel_, grid); });
    if (programs)
      explained([&] { values.emplace(engine_, *kernel_, asked, grid, arguments, options_.encode); });
    if (programs == 0)
      return;
    const std::lock_guard lock(engine_.launching);
    engine_.launched.insert(title);
    // What is started of persistent code runs at once, as on a GPU: any of it may wait for any other.
    const auto threads = static_cast<unsigned>(
        kernel_->persistent ? programs : std::min<std::int64_t>(programs, engine_.workers.threads()));
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
    const std::int64_t some =
        std::clamp<std::int64_t>(programs / (std::int64_t{threads} * 64), 1, options_.portion);
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

  const std::optional<DeviceLink> device_;
  Engine &engine_;   // gone with the device
  const std::shared_ptr<const KernelSignature> kernel_;
  const MakeRunner make_;
  const ExecutableOptions options_;
  const std::uint64_t number_ = next_number();   // never used again in the process
};

}   // namespace

std::unique_ptr<Executable> make_executable(Engine &engine, std::shared_ptr<const KernelSignature> kernel,
                                            MakeRunner make, ExecutableOptions options) {
  return std::make_unique<GridExecutable>(engine, std::move(kernel), std::move(make), options);
}

}   // namespace tile::host

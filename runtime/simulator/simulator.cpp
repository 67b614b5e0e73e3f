// SPDX-License-Identifier: MIT
#include "runtime/simulator/simulator.h"

#include "runtime/host/report_text.h"
#include "runtime/simulator/launch.h"
#include "runtime/simulator/machine_code.h"

#include <cstring>
#include <fmt/format.h>
#include <thread>

namespace tile {
namespace {

using namespace simulator;

class SimulatedKernel final : public Executable {
 public:
  SimulatedKernel(Engine &engine, std::shared_ptr<const Program> program, std::vector<Parameter> parameters)
      : engine_(engine), program_(std::move(program)), parameters_(std::move(parameters)) {}

  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    const std::lock_guard lock(mutex_);
    runGrid(engine_, *program_, clusters_, grid, arguments, parameters_);
  }

 private:
  Engine &engine_;
  std::shared_ptr<const Program> program_;
  std::vector<Parameter> parameters_;
  std::mutex mutex_;   // the programs' memory serves one launch at a time
  std::vector<std::unique_ptr<Cluster>> clusters_;
};

// A program whose arguments are what it is given.
class ProgramByHand final : public Executable {
 public:
  ProgramByHand(Engine &engine, std::shared_ptr<const Program> program)
      : engine_(engine), program_(std::move(program)) {}

  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    std::vector<Parameter> parameters;
    for (const Argument &argument : arguments)
      parameters.push_back({.name = fmt::format("arg{}", parameters.size()), .type = argument.type});
    const std::lock_guard lock(mutex_);
    runGrid(engine_, *program_, clusters_, grid, arguments, parameters);
  }

 private:
  Engine &engine_;
  std::shared_ptr<const Program> program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
};

void printToStdout(std::string_view line) { fmt::print("{}\n", line); }

Target targetOf(const std::string &name) {
  if (std::optional<Target> target = Target::parse(name))
    return *target;
  throw Error(
      fmt::format("there is no target `{}`; there are: {}", name, fmt::join(Target::knownTargets(), ", ")),
      {});
}

Completion completionOf(CopyCompletion completion) {
  return completion == CopyCompletion::eager    ? Completion::eager
         : completion == CopyCompletion::random ? Completion::random
                                                : Completion::latest;
}

class Simulator final : public Device {
 public:
  explicit Simulator(SimulatorOptions options)
      : target_(targetOf(options.target)),
        engine_(options.threads > 0 ? static_cast<unsigned>(options.threads)
                                    : std::max(1u, std::thread::hardware_concurrency()),
                options.check_uninitialized ? host::Allocations::Track::written_bytes
                                            : host::Allocations::Track::nothing) {
    engine_.options = {.completion = completionOf(options.completion),
                       .matrices = completionOf(options.matrix_completion),
                       .seed = options.seed,
                       .checkBounds = options.check_bounds,
                       .checkAsserts = options.check_asserts,
                       .checkUninitialized = options.check_uninitialized};
    floats_ = options.ring_floats ? Floats::ring : Floats::numbers;
    engine_.print = options.print ? std::move(options.print) : printToStdout;
  }

  std::string_view kind() const override { return "simulator"; }
  std::string description() const override {
    const unsigned threads = engine_.workers.threads();
    return fmt::format("simulator of {} on {} thread{}", target_.name(), threads, threads == 1 ? "" : "s");
  }

  void *allocate(std::size_t bytes, std::string_view name) override {
    return engine_.allocations.allocate(bytes, name);
  }
  void release(void *address) noexcept override { engine_.allocations.release(address); }
  void copy_in(void *to, const void *from_host, std::size_t bytes) override {
    const host::Range &range = engine_.allocations.require(to, bytes, "copy to the device");
    std::memcpy(to, from_host, bytes);
    written(range, to, bytes);
  }
  void copy_out(void *to_host, const void *from, std::size_t bytes) override {
    engine_.allocations.require(from, bytes, "copy from the device");
    std::memcpy(to_host, from, bytes);
  }
  void fill(void *to, unsigned char byte, std::size_t bytes) override {
    const host::Range &range = engine_.allocations.require(to, bytes, "fill of device memory");
    std::memset(to, byte, bytes);
    written(range, to, bytes);
  }
  // Launches return when their programs are done. What slipped past all checks is found here.
  void synchronize() override {
    engine_.allocations.check_red_zones();
    const std::lock_guard lock(engine_.launching);
    const std::set<std::string> launched = std::exchange(engine_.launched, {});
    const std::vector<std::string> reports = engine_.allocations.take_reports();
    if (reports.empty())
      return;
    Error error(reports.front(), {});
    for (const std::string &title : launched)
      error.add_context("by this or by the host: " + title);
    throw error;
  }
  bool reaches_host_memory() const override { return true; }
  bool has_limits() const override { return true; }

  void countAccesses() { engine_.options.countAccesses = true; }
  std::vector<std::string> counts() const {
    const Counters &c = engine_.counters;
    const auto n = [](std::uint64_t number) { return host::grouped(number); };
    std::vector<std::string> lines{
        fmt::format("warps: {} mma, {} ldmatrix and stmatrix, {} shuffles", n(c.matrixOps), n(c.matrixReads),
                    n(c.shuffles)),
        fmt::format("programs: {} barriers", n(c.barriers)),
        fmt::format(
            "threads: {} asynchronous copies of {} bytes, {} loads of {}, {} stores of {}, {} atomics",
            n(c.copies), n(c.bytesCopied), n(c.globalReads), n(c.bytesRead), n(c.globalWrites),
            n(c.bytesWritten), n(c.atomics)),
        fmt::format("threads: {} loads from and {} stores to shared memory", n(c.sharedReads),
                    n(c.sharedWrites))};
    if (c.warpgroupOps || c.bulkCopies)
      lines.push_back(fmt::format(
          "warpgroups: {} wgmma; {} bulk copies of {} bytes; {} changes of the number of registers",
          n(c.warpgroupOps), n(c.bulkCopies), n(c.bulkBytes), n(c.registerChanges)));
    for (std::string &line : engine_.accesses.text())
      lines.push_back(std::move(line));
    return lines;
  }

  const Engine &engine() const { return engine_; }
  std::unique_ptr<Executable> load(std::shared_ptr<const Program> program) {
    return std::make_unique<ProgramByHand>(engine_, std::move(program));
  }
  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    return std::make_unique<SimulatedKernel>(engine_, compileForHost(kernel, target_, {}, floats_),
                                             kernel.parameters());
  }

 private:
  static void written(const host::Range &range, const void *at, std::size_t bytes) {
    host::Allocations::mark_written(range, reinterpret_cast<std::uintptr_t>(at) - range.begin, bytes);
  }
  Target target_;
  Floats floats_ = Floats::numbers;
  Engine engine_;
};

}   // namespace

std::unique_ptr<Device> open_simulator(SimulatorOptions options) {
  return std::make_unique<Simulator>(std::move(options));
}

std::unique_ptr<Executable> simulator::load(Device &device, std::shared_ptr<const Program> program) {
  return dynamic_cast<Simulator &>(device).load(std::move(program));
}
const simulator::Engine &simulator::engineOf(const Device &device) {
  return dynamic_cast<const Simulator &>(device).engine();
}

void simulator_count_accesses(Device &device) {
  if (auto *simulator = dynamic_cast<Simulator *>(&device))
    simulator->countAccesses();
}

std::vector<std::string> simulator_counts(const Device &device) {
  const auto *simulator = dynamic_cast<const Simulator *>(&device);
  return simulator ? simulator->counts() : std::vector<std::string>();
}

}   // namespace tile

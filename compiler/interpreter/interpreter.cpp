// SPDX-License-Identifier: MIT
#include "compiler/interpreter/interpreter.h"

#include "compiler/interpreter/decode.h"
#include "compiler/interpreter/launch.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace tile {
namespace {

using namespace interpreter;

class InterpretedKernel final : public Executable {
 public:
  InterpretedKernel(Engine &engine, std::shared_ptr<const Program> program, std::vector<Parameter> parameters)
      : engine_(engine), program_(std::move(program)), parameters_(std::move(parameters)) {}

  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    const std::lock_guard lock(mutex_);
    runGrid(engine_, *program_, machines_, grid, arguments, parameters_);
  }

 private:
  Engine &engine_;
  std::shared_ptr<const Program> program_;
  std::vector<Parameter> parameters_;
  std::mutex mutex_;   // the machines serve one launch at a time
  std::vector<std::unique_ptr<Machine>> machines_;
};

void printToStdout(std::string_view line) { fmt::print("{}\n", line); }

class Interpreter final : public Device {
 public:
  explicit Interpreter(InterpreterOptions options)
      : engine_(options.threads > 0 ? static_cast<unsigned>(options.threads)
                                    : std::max(1u, std::thread::hardware_concurrency()),
                options.check_uninitialized ? host::Allocations::Track::written_bytes
                                            : host::Allocations::Track::nothing),
        floats_(options.ring_floats ? Floats::ring : Floats::numbers) {
    engine_.checks = {options.check_bounds, options.check_overflow, options.check_asserts};
    engine_.print = options.print ? std::move(options.print) : printToStdout;
  }

  std::string_view kind() const override { return "interpreter"; }
  std::string description() const override {
    const unsigned threads = engine_.workers.threads();
    return fmt::format("interpreter on {} thread{}", threads, threads == 1 ? "" : "s");
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
    if (const std::vector<std::string> reports = engine_.allocations.take_reports(); !reports.empty())
      throw Error(reports.front(), {});
  }
  bool reaches_host_memory() const override { return true; }

  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    return std::make_unique<InterpretedKernel>(engine_, decode(kernel, engine_.checks, floats_),
                                               kernel.parameters());
  }

 private:
  static void written(const host::Range &range, const void *at, std::size_t bytes) {
    host::Allocations::mark_written(range, reinterpret_cast<std::uintptr_t>(at) - range.begin, bytes);
  }
  Engine engine_;
  Floats floats_;
};

}   // namespace

std::unique_ptr<Device> open_interpreter(InterpreterOptions options) {
  return std::make_unique<Interpreter>(std::move(options));
}

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "compiler/devices/stamping_device.h"

#include "compiler/api/compile_stamped.h"
#include "compiler/devices/cuda_toolchain.h"
#include "runtime/cuda/device.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tile {

using cuda::CudaDevice;

namespace {

class StampingDevice : public CudaDevice {
 public:
  explicit StampingDevice(int ordinal)
      : CudaDevice(ordinal), target_(cuda_target(capability(), description())) {
    is_of_model(description() + ", with stamps");   // devices of one model share code
  }

  std::unique_ptr<Executable> load(const KernelIR &kernel) override;
  // The tunings of this GPU count: what is traced is what a program launches.
  std::string toolchain() const override { return cuda_toolchain(); }
  std::vector<PackedIdentity> packed(const std::string &) const override { return {}; }
  std::unique_ptr<Executable> load_packed(const PackedIdentity &) override { return nullptr; }
  std::size_t load_packs() override { return 0; }

  Stamping stamping = Stamping::off;
  unsigned begun = 0;                // how often that has changed
  std::vector<std::int64_t> asked;   // CTAs
  std::vector<StampedLaunch> launches;

 private:
  Target target_;
};

// What the constant `tile_clock` of the code holds (compiler/lowering/ptx/stamp_clock.cpp).
struct Clock {
  static constexpr std::size_t most_ctas = 16;
  std::uint64_t memory = 0;
  std::uint32_t ctas[most_ctas];
  Clock() { std::ranges::fill(ctas, std::numeric_limits<std::uint32_t>::max()); }
};

class StampedExecutable final : public Executable {
 public:
  StampedExecutable(StampingDevice &device, StampedKernel code)
      : device_(device), code_(std::move(code)), executable_(device, code_.kernel),
        clock_(executable_.kernel().variable("tile_clock")) {
    if (code_.most_ctas != Clock::most_ctas)
      throw Error("the code of kernel " + code_.kernel.name + " traces " + std::to_string(code_.most_ctas) +
                      " CTAs, and the device " + std::to_string(Clock::most_ctas),
                  {})
          .with_code(ErrorCode::internal);
    if (executable_.lowered().persistent)
      resident_ = executable_.kernel().residentCtas(code_.kernel.threads, code_.kernel.cluster,
                                                    device.multiprocessors());
  }

  KernelResources resources() const override { return executable_.resources(); }
  void rehearse(const Grid &grid, std::span<const Argument> arguments) override {
    executable_.rehearse(grid, arguments);
  }
  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    if (grid.x != 0 && grid.y != 0 && grid.z != 0)
      prepare(code_.kernel.started(grid, resident_));
    executable_.launch(grid, arguments);
    if (device_.stamping == Stamping::read && launch_)
      read();
  }

 private:
  struct Memory {
    Memory(Device &of, std::size_t n)
        : device(of), address(of.allocate(n, "the stamps of a trace")), bytes(n) {}
    ~Memory() {
      if (Device *there = device.find())
        there->release(address);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    DeviceLink device;   // kernels may live longer
    void *address;
    std::size_t bytes;
  };

  // Tells the code which CTAs are traced. What is timed is told once, and the lists are written again by each
  // launch.
  void prepare(const Grid &started) {
    if (prepared_ == device_.begun && device_.stamping != Stamping::read)
      return;
    device_.synchronize();   // launches before this one
    prepared_ = device_.begun;
    launch_.reset();
    memory_.reset();
    Clock clock;
    if (device_.stamping != Stamping::off) {
      launch_ = {.code = code_, .started = started};
      launch_->code.kernel.spill_bytes = executable_.lowered().spill_bytes;
      launch_->ctas = traced_ctas(code_.kernel, started, device_.asked, code_.most_ctas);
      memory_.emplace(device_, launch_->ctas.size() * (code_.kernel.threads / 32) * code_.list_bytes);
      device_.fill(memory_->address, 0, memory_->bytes);
      device_.synchronize();
      clock.memory = reinterpret_cast<std::uintptr_t>(memory_->address);
      std::ranges::transform(launch_->ctas, clock.ctas,
                             [](std::int64_t cta) { return static_cast<std::uint32_t>(cta); });
    }
    cuda::Current current(*device_.context());
    cuda::check(device_.aside().copyIn(clock_, &clock, sizeof clock),
                "say which CTAs of " + code_.kernel.name + " are traced");
  }
  void read() {
    device_.synchronize();
    launch_->lists.resize(memory_->bytes);
    device_.copy_out(launch_->lists.data(), memory_->address, memory_->bytes);
    device_.launches.push_back(std::move(*launch_));
    launch_.reset();
    memory_.reset();
  }

  StampingDevice &device_;
  StampedKernel code_;
  cuda::CudaExecutable executable_;
  cuda::Address clock_;
  std::int64_t resident_ = 0;
  unsigned prepared_ = 0;   // for what the device has begun then
  std::optional<StampedLaunch> launch_;
  std::optional<Memory> memory_;
};

StampingDevice &stamping_device(Device &device) { return dynamic_cast<StampingDevice &>(device); }

std::unique_ptr<Executable> StampingDevice::load(const KernelIR &kernel) {
  StampedKernel code = compile_stamped(kernel, target_);
  try {
    return std::make_unique<StampedExecutable>(*this, std::move(code));
  } catch (Error &error) {
    error.add_context("with stamps of the clock, which a trace adds");
    throw;
  }
}

}   // namespace

std::unique_ptr<Device> open_stamping_cuda(int ordinal) { return std::make_unique<StampingDevice>(ordinal); }

void begin_stamping(Device &device, Stamping how, std::vector<std::int64_t> ctas) {
  StampingDevice &stamping = stamping_device(device);
  stamping.asked = std::move(ctas);
  stamping.stamping = how;
  ++stamping.begun;
}

std::vector<StampedLaunch> end_stamping(Device &device) {
  begin_stamping(device, Stamping::off, {});
  return std::exchange(stamping_device(device).launches, {});
}

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "compiler/devices/stamping_device.h"

#include "compiler/api/compile_stamped.h"
#include "compiler/devices/cuda_toolchain.h"
#include "runtime/cuda/device.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tile {

using cuda::CudaDevice;

namespace {

class StampingDevice : public CudaDevice {
 public:
  explicit StampingDevice(int ordinal)
      : CudaDevice(ordinal), target_(cuda_target(capability(), description())) {}

  std::unique_ptr<Executable> load(const KernelIR &kernel) override;
  // The tunings of this GPU count: what is traced is what a program launches.
  std::string toolchain() const override { return cuda_toolchain(); }
  std::vector<PackedIdentity> packed(const std::string &) const override { return {}; }
  std::unique_ptr<Executable> load_packed(const PackedIdentity &) override { return nullptr; }
  std::size_t load_packs() override { return 0; }

  bool is_stamping = false;
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
    if (!device_.is_stamping || grid.x == 0 || grid.y == 0 || grid.z == 0)
      return executable_.launch(grid, arguments);
    StampedLaunch launch{.code = code_, .started = code_.kernel.started(grid, resident_)};
    launch.ctas = traced_ctas(code_.kernel, launch.started, device_.asked, code_.most_ctas);
    if (launch.ctas.empty()) {
      executable_.launch(grid, arguments);
      device_.launches.push_back(std::move(launch));
      return;
    }
    launch.rings.resize(launch.ctas.size() * (code_.kernel.threads / 32) * code_.ring_bytes);
    const Memory memory(device_, launch.rings.size());
    Clock clock;
    clock.memory = reinterpret_cast<std::uintptr_t>(memory.address);
    std::ranges::transform(launch.ctas, clock.ctas,
                           [](std::int64_t cta) { return static_cast<std::uint32_t>(cta); });
    set(clock);
    executable_.launch(grid, arguments);
    device_.synchronize();
    device_.copy_out(launch.rings.data(), memory.address, launch.rings.size());
    set({});
    device_.launches.push_back(std::move(launch));
  }

 private:
  struct Memory {
    Memory(Device &of, std::size_t bytes) : device(of), address(of.allocate(bytes, "the stamps of a trace")) {
      device.fill(address, 0, bytes);
      device.synchronize();
    }
    ~Memory() { device.release(address); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    Device &device;
    void *address;
  };
  void set(const Clock &clock) {
    cuda::Current current(*device_.context());
    cuda::check(device_.aside().copyIn(clock_, &clock, sizeof clock),
                "say which CTAs of " + code_.kernel.name + " are traced");
  }

  StampingDevice &device_;
  StampedKernel code_;
  cuda::CudaExecutable executable_;
  cuda::Address clock_;
  std::int64_t resident_ = 0;
};

StampingDevice &stamping(Device &device) { return dynamic_cast<StampingDevice &>(device); }

std::unique_ptr<Executable> StampingDevice::load(const KernelIR &kernel) {
  return std::make_unique<StampedExecutable>(*this, compile_stamped(kernel, target_));
}

}   // namespace

std::unique_ptr<Device> open_stamping_cuda(int ordinal) { return std::make_unique<StampingDevice>(ordinal); }

void begin_stamping(Device &device, std::vector<std::int64_t> ctas) {
  stamping(device).asked = std::move(ctas);
  stamping(device).is_stamping = true;
}

std::vector<StampedLaunch> end_stamping(Device &device) {
  stamping(device).is_stamping = false;
  return std::exchange(stamping(device).launches, {});
}

}   // namespace tile

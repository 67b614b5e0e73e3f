// SPDX-License-Identifier: MIT
// A device without hardware that can time: its clock is a number, which executables move on. Memory is the
// host's.
#pragma once

#include "runtime/bench/stopwatch.h"
#include "runtime/comparer.h"

#include <tile/device.h>
#include <tile/lowered_kernel.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace tile::testing {

class TimedDevice : public Device {
 public:
  // What a kernel does with its arguments, and the seconds of one launch.
  using Body = std::function<void(const Grid &, std::span<const Argument>)>;
  struct Program : Executable {
    Program(TimedDevice &d, double s, Body b,
            KernelResources r = {.registers = 32, .spill_bytes = 0, .shared_bytes = 1024})
        : device(d), seconds(s), body(std::move(b)), needs(std::move(r)) {}
    KernelResources resources() const override { return needs; }
    const LoweredKernel *reusable() const override { return code ? &*code : nullptr; }
    void launch(const Grid &grid, std::span<const Argument> arguments) override {
      {
        const std::lock_guard lock(device.mutex_);
        ++launches;
      }
      if (body)
        body(grid, arguments);
      const double taken = seconds * (pace ? pace() : 1);
      const std::lock_guard lock(device.mutex_);   // threads may launch at once
      device.now += taken;
    }
    TimedDevice &device;
    double seconds;
    Body body;
    KernelResources needs;
    std::function<double()> pace;   // how many times as slow a launch is as usual
    int launches = 0;
    std::optional<LoweredKernel> code;
  };

  std::string_view kind() const override { return "timed"; }
  std::string description() const override { return "a device with a clock"; }
  void *allocate(std::size_t bytes, std::string_view name) override {
    const std::lock_guard lock(mutex_);
    if (bytes > largest)
      throw Error("no memory for " + std::string(name), {});
    void *address = std::aligned_alloc(64, bytes / 64 * 64 + 64);
    extents_[address] = bytes;
    return address;
  }
  void release(void *address) noexcept override {
    const std::lock_guard lock(mutex_);
    extents_.erase(address);
    std::free(address);
  }
  void copy_in(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy_out(void *to, const void *from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
    copied_out += bytes;
  }
  void copy(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void fill(void *to, unsigned char byte, std::size_t bytes) override { std::memset(to, byte, bytes); }
  void synchronize() override {
    if (lost)
      throw Error("the device is lost", {});
  }
  bool reaches_host_memory() const override { return true; }
  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    return loader ? loader(kernel) : throw Error("this device compiles nothing", {});
  }
  std::unique_ptr<Executable> load_lowered(LoweredKernel kernel) override {
    return lowered_loader ? lowered_loader(std::move(kernel)) : Device::load_lowered(std::move(kernel));
  }
  bool can_time() const override { return true; }
  std::unique_ptr<Stopwatch> stopwatch() override {
    struct Watch : Stopwatch {
      explicit Watch(TimedDevice &d) : device(d) {}
      std::vector<double> time(const std::function<void()> &launch, int launches, double) override {
        std::vector<double> seconds;
        for (int i = 0; i < launches; ++i) {
          const double start = device.now;
          launch();
          seconds.push_back(std::max(device.now - start, device.event_seconds));
        }
        ++device.measurements;
        if (device.hangs)
          throw NotDone();
        return seconds;
      }
      struct Calls : Series {
        Calls(TimedDevice &d, std::function<void(int)> c, int n) : device(d), call(std::move(c)), count(n) {}
        double run(double) override {
          const double start = device.now;
          device.in_a_row = count;
          for (int i = 0; i < count; ++i)
            call(i);
          device.in_a_row = 0;
          ++device.measurements;
          if (device.hangs)
            throw NotDone();
          return device.now - start;
        }
        bool is_recorded() const override { return false; }
        TimedDevice &device;
        std::function<void(int)> call;
        int count;
      };
      std::unique_ptr<Series> series(std::function<void(int)> call, int calls) override {
        return std::make_unique<Calls>(device, std::move(call), calls);
      }
      bench::Machine machine() const override { return device.is; }
      bench::Telemetry telemetry() override { return device.state; }
      bool done_within(double) override {
        device.synchronize();
        return !device.hangs;
      }
      TimedDevice &device;
    };
    return std::make_unique<Watch>(*this);
  }
  std::unique_ptr<Comparer> comparer() override { return make_comparer ? make_comparer() : nullptr; }
  bool is_recording() const override { return recording; }
  Machine machine() const override { return is; }
  MemoryExtent extent_of(const void *address) const override {
    const std::lock_guard lock(mutex_);
    auto found = extents_.upper_bound(const_cast<void *>(address));
    if (found == extents_.begin())
      return {};
    --found;
    const auto offset =
        static_cast<std::size_t>(static_cast<const char *>(address) - static_cast<char *>(found->first));
    return offset < found->second ? MemoryExtent{found->first, found->second} : MemoryExtent{};
  }
  std::size_t allocations() const {
    const std::lock_guard lock(mutex_);
    return extents_.size();
  }

  double now = 0;
  double event_seconds = 0;   // how near each other two events can come that are around a launch
  int measurements = 0;
  int in_a_row = 0;   // launches, while they are made
  std::size_t copied_out = 0;
  std::function<std::unique_ptr<Comparer>()> make_comparer;
  bench::Machine is{.name = "a device with a clock"};
  bench::Telemetry state;
  bool lost = false, recording = false, hangs = false;
  std::atomic<std::size_t> largest = std::size_t{1}
                                     << 40;   // that may be allocated; set beside threads that tune
  std::function<std::unique_ptr<Executable>(const KernelIR &)> loader;
  std::function<std::unique_ptr<Executable>(LoweredKernel)> lowered_loader;
  using Device::is_of_model;

 private:
  mutable std::mutex mutex_;
  std::map<void *, std::size_t> extents_;
};

}   // namespace tile::testing

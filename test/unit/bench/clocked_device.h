// SPDX-License-Identifier: MIT
// The interpreter with a clock that is a number: a launch moves it on by what the test says. So everything of
// a bench runs without a GPU, and its figures are known.
#pragma once

#include "runtime/bench/stopwatch.h"

#include <tile/interpreter.h>
#include <tile/kernel_ir.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace tile::testing {

class ClockedDevice : public Device {
 public:
  ClockedDevice() : inner_(open_interpreter({.threads = 1})) {}

  std::string_view kind() const override { return "clocked"; }
  std::string description() const override { return "a device with a clock"; }
  void *allocate(std::size_t bytes, std::string_view name) override {
    if (bytes > largest)
      throw Error("could not allocate " + std::to_string(bytes) + " bytes for `" + std::string(name) + "`",
                  {});
    void *address = inner_->allocate(bytes, name);
    extents_[address] = bytes;
    return address;
  }
  void release(void *address) noexcept override {
    extents_.erase(address);
    inner_->release(address);
  }
  void copy_in(void *to, const void *from, std::size_t bytes) override { inner_->copy_in(to, from, bytes); }
  void copy_out(void *to, const void *from, std::size_t bytes) override {
    largest_copy = std::max(largest_copy, bytes);
    inner_->copy_out(to, from, bytes);
  }
  void fill(void *to, unsigned char byte, std::size_t bytes) override { inner_->fill(to, byte, bytes); }
  void copy(void *to, const void *from, std::size_t bytes) override {
    inner_->copy(to, from, bytes);
    now += 1e-12 * static_cast<double>(bytes);
  }
  void synchronize() override { inner_->synchronize(); }
  bool can_time() const override { return true; }
  MemoryExtent extent_of(const void *address) const override {
    auto found = extents_.upper_bound(const_cast<void *>(address));
    if (found == extents_.begin())
      return {};
    --found;
    const auto offset = static_cast<std::size_t>(static_cast<const char *>(address) -
                                                 static_cast<const char *>(found->first));
    return offset < found->second ? MemoryExtent{found->first, found->second} : MemoryExtent{};
  }

  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    struct Program : Executable {
      Program(ClockedDevice &d, std::unique_ptr<Executable> i, std::string c)
          : device(d), inner(std::move(i)), config(std::move(c)) {}
      KernelResources resources() const override { return {.registers = device.registers}; }
      void launch(const Grid &grid, std::span<const Argument> arguments) override {
        ++device.launches;
        if (device.runs)
          inner->launch(grid, arguments);
        device.now += device.seconds_of ? device.seconds_of(config) : device.launch_seconds;
      }
      ClockedDevice &device;
      std::unique_ptr<Executable> inner;
      std::string config;
    };
    return std::make_unique<Program>(*this, inner_->load(kernel), kernel.config());
  }

  std::unique_ptr<Stopwatch> stopwatch() override {
    struct Calls : Series {
      Calls(ClockedDevice &d, std::function<void(int)> c, int n) : device(d), call(std::move(c)), count(n) {}
      double run(double) override {
        // What a call computes is seen once; a replay only takes its time.
        const double start = device.now;
        device.runs = false;
        for (int i = 0; i < count; ++i)
          call(i);
        device.runs = true;
        return device.now - start;
      }
      bool is_recorded() const override { return true; }
      ClockedDevice &device;
      std::function<void(int)> call;
      int count;
    };
    struct Watch : Stopwatch {
      explicit Watch(ClockedDevice &d) : device(d) {}
      std::vector<double> time(const std::function<void()> &call, int calls, double limit) override {
        std::vector<double> seconds;
        for (int i = 0; i < calls; ++i)
          seconds.push_back(Calls(device, [&](int) { call(); }, 1).run(limit));
        return seconds;
      }
      std::unique_ptr<Series> series(std::function<void(int)> call, int calls) override {
        return std::make_unique<Calls>(device, std::move(call), calls);
      }
      bool done_within(double) override { return true; }
      bench::Machine machine() const override { return device.is; }
      bench::Telemetry telemetry() override {
        if (device.on_telemetry)
          device.on_telemetry();
        return device.state;
      }
      ClockedDevice &device;
    };
    return std::make_unique<Watch>(*this);
  }

  double now = 0;   // seconds
  double launch_seconds = 1e-4;
  std::function<double(const std::string &)> seconds_of;   // a config's; null: all take the same
  bool runs = true;                                        // false: launches only take their time
  int launches = 0;
  int registers = -1;             // of every kernel
  std::size_t largest_copy = 0;   // to the host
  std::size_t largest = std::size_t{1} << 40;
  std::function<void()> on_telemetry;
  bench::Machine is{.name = "Clock 1",
                    .driver = "1.2",
                    .multiprocessors = 132,
                    .capability = 90,
                    .clock_hertz = 1.98e9,
                    .memory_bytes_per_second = 4.8e12,
                    .cache_bytes = 1 << 16,
                    .memory_bytes = std::size_t{1} << 30};
  bench::Telemetry state{
      .clock_hertz = 1.4e9, .watts = 690, .watts_limit = 700, .celsius = 55, .throttled = "power cap"};

 private:
  std::unique_ptr<Device> inner_;
  std::map<void *, std::size_t> extents_;
};

}   // namespace tile::testing

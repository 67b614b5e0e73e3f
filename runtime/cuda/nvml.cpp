// SPDX-License-Identifier: MIT
#include "runtime/cuda/nvml.h"

#include <array>
#include <dlfcn.h>
#include <utility>

namespace tile::cuda {
namespace {

constexpr int Success = 0;
constexpr int ClockSm = 1, ClockMemory = 2;   // nvmlClockType_t
constexpr int TemperatureGpu = 0;

// nvmlClocksThrottleReasons, those that make work slower. "Idle" and the limits that people set are not.
struct Reason {
  unsigned long long bit;
  const char *text;
};
constexpr std::array Reasons{Reason{0x4, "power cap"}, Reason{0x8, "hardware slowdown"},
                             Reason{0x20, "thermal limit"}, Reason{0x40, "hardware thermal slowdown"},
                             Reason{0x80, "power brake"}};

}   // namespace

struct Nvml::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*deviceByPciBusId)(const char *id, void **device) = nullptr;
  int (*driverVersion)(char *version, unsigned length) = nullptr;
  int (*clock)(void *device, int type, unsigned *megahertz) = nullptr;
  int (*maxClock)(void *device, int type, unsigned *megahertz) = nullptr;
  int (*power)(void *device, unsigned *milliwatts) = nullptr;
  int (*powerLimit)(void *device, unsigned *milliwatts) = nullptr;
  int (*temperature)(void *device, int sensor, unsigned *celsius) = nullptr;
  int (*throttleReasons)(void *device, unsigned long long *reasons) = nullptr;
};

std::string throttleText(unsigned long long reasons) {
  std::string text;
  for (const Reason &reason : Reasons)
    if (reasons & reason.bit)
      text += (text.empty() ? "" : ", ") + std::string(reason.text);
  return text;
}

std::unique_ptr<Nvml> Nvml::open(const std::string &pciBusId, const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);   // stays loaded, as the driver does
  if (!handle)
    return nullptr;
  auto functions = std::make_unique<Functions>();
  const auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
  };
  find(functions->init, "nvmlInit_v2");
  find(functions->shutdown, "nvmlShutdown");
  find(functions->deviceByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
  find(functions->driverVersion, "nvmlSystemGetDriverVersion");
  find(functions->clock, "nvmlDeviceGetClockInfo");
  find(functions->maxClock, "nvmlDeviceGetMaxClockInfo");
  find(functions->power, "nvmlDeviceGetPowerUsage");
  find(functions->powerLimit, "nvmlDeviceGetEnforcedPowerLimit");
  find(functions->temperature, "nvmlDeviceGetTemperature");
  find(functions->throttleReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (!functions->throttleReasons)   // the name since 2024
    find(functions->throttleReasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (!functions->init || !functions->shutdown || !functions->deviceByPciBusId ||
      functions->init() != Success)
    return nullptr;
  void *gpu = nullptr;
  if (functions->deviceByPciBusId(pciBusId.c_str(), &gpu) != Success) {
    functions->shutdown();
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions), gpu));
}

Nvml::Nvml(std::unique_ptr<Functions> functions, void *gpu) : functions_(std::move(functions)), gpu_(gpu) {}
Nvml::~Nvml() { functions_->shutdown(); }

bench::Telemetry Nvml::read() const {
  bench::Telemetry now;
  const Functions &f = *functions_;
  unsigned value = 0;
  if (f.clock && f.clock(gpu_, ClockSm, &value) == Success)
    now.clock_hertz = value * 1e6;
  if (f.clock && f.clock(gpu_, ClockMemory, &value) == Success)
    now.memory_clock_hertz = value * 1e6;
  if (f.power && f.power(gpu_, &value) == Success)
    now.watts = value * 1e-3;
  if (f.powerLimit && f.powerLimit(gpu_, &value) == Success)
    now.watts_limit = value * 1e-3;
  if (f.temperature && f.temperature(gpu_, TemperatureGpu, &value) == Success)
    now.celsius = value;
  unsigned long long reasons = 0;
  if (f.throttleReasons && f.throttleReasons(gpu_, &reasons) == Success)
    now.throttled = throttleText(reasons);
  return now;
}

std::string Nvml::driverVersion() const {
  std::array<char, 96> version{};
  if (!functions_->driverVersion ||
      functions_->driverVersion(version.data(), static_cast<unsigned>(version.size())) != Success)
    return {};
  return version.data();
}

double Nvml::highestClock() const {
  unsigned megahertz = 0;
  const Functions &f = *functions_;
  return f.maxClock && f.maxClock(gpu_, ClockSm, &megahertz) == Success ? megahertz * 1e6 : 0;
}

}   // namespace tile::cuda

// SPDX-License-Identifier: MIT
// What all devices share: an identity, and a slow way to do what some do fast.
#include "runtime/device.h"

#include "runtime/background.h"
#include "runtime/bench/stopwatch.h"
#include "runtime/comparer.h"
#include "runtime/error.h"
#include "runtime/lowered_kernel.h"
#include "runtime/pack/packed_identity.h"
#include "runtime/printer.h"

#include <map>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace tile {

namespace {

// Those that exist. Never destroyed: static devices and buffers may be, in any order, later than it would be.
struct Devices {
  std::mutex mutex;
  std::map<std::uint64_t, Device *> by_id;
  std::map<std::string, std::uint64_t> models;
  std::uint64_t last = 0;   // number
};
Devices &devices() {
  static auto *all = new Devices;
  return *all;
}

// How many forks lie between the process that first asked and this one. A launch asks, so it costs no call of
// the system.
std::atomic<unsigned> forks{0};
unsigned process() {
  static const int is_counted = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(is_counted);
  return forks.load(std::memory_order_relaxed);
}

}   // namespace

Device::Device() : process_(process()), place_(std::make_shared<std::atomic<Device *>>(this)) {
  Devices &all = devices();
  const std::lock_guard lock(all.mutex);
  id_ = model_ = ++all.last;
  all.by_id[id_] = this;
}

Device::~Device() {
  Devices &all = devices();
  const std::lock_guard lock(all.mutex);
  all.by_id.erase(id_);
  place_->store(nullptr, std::memory_order_release);
}

void Device::check_use(std::string_view what, const std::source_location &where) const {
  if (process_ != process())
    throw Error(std::string(what) + " on a device of the parent process: this process was forked after the " +
                    std::string(kind()) + " was opened, and its threads run only in the parent",
                where)
        .add_help("open a device in the child, after fork(); a GPU works in the child only if the parent has "
                  "opened no GPU");
  if (const Printer *prints = printer(); prints && prints->is_calling())
    throw Error(std::string(what) +
                    " in the callback that takes printed lines, on the device that prints them: "
                    "the device waits for the callback",
                where)
        .add_help("store the lines in the callback, and use the device after the launch or the wait");
}

Device &DeviceLink::get(std::string_view what) const {
  if (Device *device = find())
    return *device;
  throw Error(std::string(what) + " is used after its device is gone", {})
      .add_help("let the device live longer: declare it before what uses it");
}

void Device::is_of_model(const std::string &name) {
  Devices &all = devices();
  const std::lock_guard lock(all.mutex);
  const auto [model, is_new] = all.models.try_emplace(name);
  if (is_new)
    model->second = ++all.last;
  model_ = model->second;
}

void Device::finish_background() { background::forget(id_); }

Device *Device::find(std::uint64_t id) {
  Devices &all = devices();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_id.find(id);
  return found == all.by_id.end() ? nullptr : found->second;
}

std::vector<PackedIdentity> Device::packed(const std::string & /*kernel*/) const { return {}; }
std::unique_ptr<Executable> Device::load_packed(const PackedIdentity & /*wanted*/) { return nullptr; }

std::unique_ptr<Executable> Device::load_lowered(LoweredKernel kernel) {
  throw Error("code for " + kernel.target + " runs only on a GPU, but this device is: " + description(), {})
      .add_context(kernel.title())
      .add_help("give this device the traced kernel");
}

std::unique_ptr<Stopwatch> Device::stopwatch() { return nullptr; }
std::unique_ptr<Comparer> Device::comparer() { return nullptr; }

// What is queued has run when a launch returns, or memory that is given back waits for it.
std::shared_ptr<void> Device::take_workspace(std::size_t bytes) {
  return {allocate(bytes, "a workspace"), [id = id_](void *memory) {
            if (Device *device = find(id))
              device->release(memory);
          }};
}

void Device::copy(void *to, const void *from, std::size_t bytes) {
  std::vector<unsigned char> through(bytes);
  copy_out(through.data(), from, bytes);
  copy_in(to, through.data(), bytes);
}

}   // namespace tile

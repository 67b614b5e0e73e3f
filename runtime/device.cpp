// SPDX-License-Identifier: MIT
// What all devices share: an identity, and a slow way to do what some do fast.
#include "tile/device.h"

#include "runtime/background.h"
#include "runtime/bench/stopwatch.h"
#include "runtime/comparer.h"
#include "tile/error.h"
#include "tile/lowered_kernel.h"

#include <map>
#include <mutex>
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

}   // namespace

Device::Device() {
  Devices &all = devices();
  const std::lock_guard lock(all.mutex);
  id_ = model_ = ++all.last;
  all.by_id[id_] = this;
}

Device::~Device() {
  Devices &all = devices();
  const std::lock_guard lock(all.mutex);
  all.by_id.erase(id_);
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

std::unique_ptr<Executable> Device::load_lowered(LoweredKernel kernel) {
  throw Error("code for " + kernel.target + " is for a GPU, and this is: " + description(), {})
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

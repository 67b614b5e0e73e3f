// SPDX-License-Identifier: MIT
#include "runtime/host/device.h"

#include "runtime/cores.h"
#include "runtime/host/grid.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace tile::host {
namespace {

void written(const Range &range, const void *at, std::size_t bytes) {
  Allocations::mark_written(range, reinterpret_cast<std::uintptr_t>(at) - range.begin, bytes);
}

}   // namespace

Engine::Engine(EngineOptions options)
    : checks_bounds(options.check_bounds), limit_seconds(options.limit_seconds),
      shows_progress(options.shows_progress),
      allocations(options.check_uninitialized ? Allocations::Track::written_bytes
                                              : Allocations::Track::nothing),
      workers(options.threads > 0 ? static_cast<unsigned>(options.threads)
                                  : static_cast<unsigned>(usable_cores())),
      printer(std::move(options.print)) {}
Engine::~Engine() = default;

std::string HostDevice::description() const {
  const unsigned threads = engine_.workers.threads();
  return what_ + " on " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

void *HostDevice::allocate(std::size_t bytes, std::string_view name) {
  return engine_.allocations.allocate(bytes, name);
}
void HostDevice::release(void *address) noexcept { engine_.allocations.release(address); }
void HostDevice::copy_in(void *to, const void *from_host, std::size_t bytes) {
  const Range &range = engine_.allocations.require(to, bytes, "copy to the device");
  std::memcpy(to, from_host, bytes);
  written(range, to, bytes);
}
void HostDevice::copy_out(void *to_host, const void *from, std::size_t bytes) {
  engine_.allocations.require(from, bytes, "copy from the device");
  std::memcpy(to_host, from, bytes);
}
void HostDevice::fill(void *to, unsigned char byte, std::size_t bytes) {
  const Range &range = engine_.allocations.require(to, bytes, "fill of device memory");
  std::memset(to, byte, bytes);
  written(range, to, bytes);
}

std::shared_ptr<void> HostDevice::lend(const MemoryExtent &memory, std::string_view name) {
  return std::make_shared<Allocations::Adopted>(engine_.allocations.adopt(memory.begin, memory.bytes, name));
}

void HostDevice::synchronize() {
  check_use("a wait for kernels");
  engine_.allocations.check_red_zones();
  const std::lock_guard lock(engine_.launching);
  const std::set<std::string> launched = std::exchange(engine_.launched, {});
  const std::vector<std::string> reports = engine_.allocations.take_reports();
  if (reports.empty())
    return;
  Error error(reports.front(), {});
  for (const std::string &title : launched)
    error.add_context("overwritten by the host or by: " + title);
  throw error;
}

}   // namespace tile::host

// SPDX-License-Identifier: MIT
// What devices that compute in this process are alike in: their memory is the host's, and checked.
#pragma once

#include "runtime/device.h"
#include "runtime/host/engine.h"

namespace tile::host {

class HostDevice : public Device {
 public:
  std::string description() const final;
  void *allocate(std::size_t bytes, std::string_view name) final;
  void release(void *address) noexcept final;
  void copy_in(void *to, const void *from_host, std::size_t bytes) final;
  void copy_out(void *to_host, const void *from, std::size_t bytes) final;
  void fill(void *to, unsigned char byte, std::size_t bytes) final;
  // Launches return when their programs are done. What slipped past all checks is found here.
  void synchronize() final;
  bool reaches_host_memory() const final { return true; }
  std::shared_ptr<void> lend(const MemoryExtent &memory, std::string_view name) final;

 protected:
  // `what` it is, for people: "simulator of sm_90".
  HostDevice(std::string what, EngineOptions options) : what_(std::move(what)), engine_(std::move(options)) {
    engine_.device.emplace(*this);
  }
  Engine &engine() { return engine_; }
  const Printer *printer() const final { return &engine_.printer; }

 private:
  std::string what_;
  Engine engine_;
};

}   // namespace tile::host

// SPDX-License-Identifier: MIT
// A CUDA GPU as a device. This half needs no compiler: it runs kernels that were lowered before.
// compiler/devices derives from it the device that also compiles.
#pragma once

#include "runtime/cuda/capability.h"
#include "runtime/cuda/faults.h"
#include "runtime/cuda/launch_maps.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/pack_search.h"
#include "runtime/cuda/prints.h"
#include "runtime/cuda/stream.h"
#include "runtime/cuda/workspace_pool.h"
#include "runtime/device.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tile::cuda {

class CudaDevice : public Device {
 public:
  // `print` takes the lines that kernels print; null: they go to stdout.
  explicit CudaDevice(int ordinal = 0, Printer::Line print = nullptr);
  ~CudaDevice() override;

  std::string_view kind() const override { return "cuda"; }
  std::string description() const override;
  void *allocate(std::size_t bytes, std::string_view name) override;
  void release(void *address) noexcept override;
  void copy_in(void *to, const void *from_host, std::size_t bytes) override;
  void copy_out(void *to_host, const void *from, std::size_t bytes) override;
  void fill(void *to, unsigned char byte, std::size_t bytes) override;
  void synchronize() override;
  std::unique_ptr<Executable> load(const KernelIR &kernel) override;
  // Throws tile::Error where this GPU cannot run the code.
  std::unique_ptr<Executable> load_lowered(LoweredKernel kernel) override;

  std::vector<PackedIdentity> packed(const std::string &kernel) const override;
  std::unique_ptr<Executable> load_packed(const PackedIdentity &wanted) override;
  // The packs' code for exactly these classes and this target; null: they have none.
  std::unique_ptr<Executable> load_packed_exactly(const PackedIdentity &wanted, const std::string &target);
  std::size_t load_packs() override;
  bool has_limits() const override { return true; }
  Machine machine() const override { return machine_; }
  bool can_time() const override { return true; }
  std::unique_ptr<Stopwatch> stopwatch() override;
  bool is_recording() const override;
  std::shared_ptr<void> beside_recordings() override { return std::make_shared<BesideRecordings>(); }
  std::string place() const override;
  std::shared_ptr<void> take_workspace(std::size_t bytes) override;
  MemoryExtent extent_of(const void *address) const override;
  void copy(void *to, const void *from, std::size_t bytes) override;

  const std::shared_ptr<const PrimaryContext> &context() const { return context_; }
  const std::shared_ptr<const OwnedStream> &ownStream() const { return stream_; }
  const OwnedStream &aside() const { return *aside_; }
  // Where the work of this thread goes: its own choice, or the device's own.
  Stream stream() const { return streamOfThread(id(), stream_->handle()); }
  const std::shared_ptr<FaultRecords> &faults() const { return faults_; }
  const std::shared_ptr<Prints> &prints() const { return prints_; }
  const std::shared_ptr<const NothingMemory> &nothing() const { return nothing_; }
  const std::shared_ptr<WorkspacePool> &workspaces() const { return workspaces_; }
  Capability capability() const { return capability_; }
  int sharedBytesPerBlock() const { return machine_.shared_bytes; }   // what a CTA may ask for
  int multiprocessors() const { return machine_.multiprocessors; }

 protected:
  const Printer *printer() const override { return &prints_->printer(); }

 private:
  std::shared_ptr<Executable> loaded(const FoundEntry &found);

  std::shared_ptr<const PrimaryContext> context_;
  std::shared_ptr<const OwnedStream> stream_;
  std::shared_ptr<const OwnedStream> aside_;   // for what is copied at once, whatever `stream_` does
  std::shared_ptr<FaultRecords> faults_;
  std::shared_ptr<Prints> prints_;
  std::shared_ptr<const NothingMemory> nothing_;
  std::shared_ptr<WorkspacePool> workspaces_;
  Machine machine_;
  Capability capability_;
  std::mutex packed_mutex_;
  std::map<const Pack::Entry *, std::shared_ptr<Executable>> packed_;   // what was loaded of packs
};

class CudaExecutable : public Executable {
 public:
  // What is PTX yet is assembled, by ptxas or by the driver as TILE_PTXAS says.
  CudaExecutable(const CudaDevice &device, LoweredKernel lowered);
  ~CudaExecutable() override;
  void launch(const Grid &grid, std::span<const Argument> arguments) override;
  void rehearse(const Grid &grid, std::span<const Argument> arguments) override;
  KernelResources resources() const override;
  // What checks or prints is bound to its device, and waits for all of it when it goes.
  const LoweredKernel *reusable() const override {
    return lowered_.checks.empty() && lowered_.formats.empty() ? &lowered_ : nullptr;
  }
  const LoadedKernel &kernel() const { return kernel_; }
  // With what the assembler said, and with machine code unless the driver has assembled it.
  const LoweredKernel &lowered() const { return lowered_; }

 private:
  std::size_t bytesOfWorkspace(const Grid &started) const;

  LoweredKernel lowered_;
  LoadedKernel kernel_;
  DeviceLink device_;
  std::uint64_t device_id_;
  std::shared_ptr<const OwnedStream> stream_;   // the device's own
  std::shared_ptr<FaultRecords> faults_;        // null: the kernel checks nothing
  Address record_ = 0;
  std::shared_ptr<Prints> prints_;   // null: the kernel prints nothing
  std::shared_ptr<const NothingMemory> nothing_;
  std::shared_ptr<WorkspacePool> workspaces_;
  std::uint64_t number_;        // no other executable of the process has had it
  std::int64_t resident_ = 0;   // CTAs that run at once, where the code finds its programs itself
};

}   // namespace tile::cuda

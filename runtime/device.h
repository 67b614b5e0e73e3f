// SPDX-License-Identifier: MIT
// The interface of all devices that run kernels: the interpreter, the simulator and a CUDA GPU. Code that
// launches, tests or tunes a kernel uses this interface only.
#pragma once

#include <tile/element.h>
#include <tile/error.h>
#include <tile/requirements.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

class KernelIR;          // a traced kernel, <tile/kernel_ir.h>; the runtime only passes it on
struct LoweredKernel;    // <tile/lowered_kernel.h>
struct PackedIdentity;   // runtime/pack/packed_identity.h
class Device;
class Stopwatch;   // runtime/bench/stopwatch.h
class Comparer;    // runtime/comparer.h
class Printer;     // runtime/printer.h

struct Grid {
  std::int64_t x = 1, y = 1, z = 1;
};

// How a kernel is compiled and launched, in contrast to its computation. A config struct has one as its last
// field, `launch`.
struct Launch {
  int num_warps = 4;
  int num_stages = 3;
  int num_ctas = 1;   // above 1: the CTAs of a cluster share a program (docs/hopper.md)
  // Two groups of num_warps warps each take turns with the programs: one group stores while the other
  // multiplies (docs/hopper.md).
  bool ping_pong = false;
  int max_registers = 0;   // per thread; 0: the assembler decides
  bool fp_fusion = true;   // a product that only one sum uses may become an fma
};

// One launch argument, converted to the type of the kernel's parameter.
struct Argument {
  ElementType type;
  std::uint64_t bits = 0;   // the number, zero-extended, or the address
  // The size of host memory that is passed as a span. A device knows the size of its own buffers from their
  // addresses.
  std::size_t host_bytes = 0;
  bool is_host = false;
};

// The resources that a kernel uses. -1 and none: the device does not know.
struct KernelResources {
  int registers = -1;                // per thread
  int spill_bytes = -1;              // per thread: memory that replaces registers
  int shared_bytes = -1;             // per CTA
  std::optional<ProductUnit> unit;   // of its products
  int roles = -1;                    // programs that groups of warps run; 1: all warps run the same one
  std::string target;                // of its code: "sm_90a"
  std::string assembler_log;         // one line per message, with the warnings
};

// A kernel that one device can launch.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual KernelResources resources() const { return {}; }
  // Code from which load_lowered() makes this executable on any device of the model; null: only load() can.
  virtual const LoweredKernel *reusable() const { return nullptr; }
  // Returns when the work is queued. If the device finds a mistake while the kernel runs, this function or
  // Device::synchronize throws it as tile::Error.
  virtual void launch(const Grid &grid, std::span<const Argument> arguments) = 0;
  // Makes the checks of a launch, and takes the workspace of one, but queues nothing (<tile/launch_plan.h>).
  virtual void rehearse(const Grid & /*grid*/, std::span<const Argument> /*arguments*/) {}
};

struct MemoryExtent {
  void *begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t first() const { return reinterpret_cast<std::uintptr_t>(begin); }
  std::uint64_t end() const { return first() + bytes; }   // one past the last byte
  bool overlaps(const MemoryExtent &other) const { return first() < other.end() && other.first() < end(); }
};

// The properties of a device that matter for speed. 0 and "": not known.
struct Machine {
  std::string name, driver;
  int multiprocessors = 0;
  int capability = 0;                   // 90: compute capability 9.0
  double clock_hertz = 0;               // the highest clock of the multiprocessors
  double memory_bytes_per_second = 0;   // clock times width
  std::size_t cache_bytes = 0;          // size of the last cache before memory
  std::size_t memory_bytes = 0;
  int shared_bytes = 0;   // the most that one CTA may ask for
};

class Device {
 public:
  virtual ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  virtual std::string_view kind() const = 0;     // "interpreter", "simulator", "cuda"
  virtual std::string description() const = 0;   // one line for people

  // Allocates memory of the device, which is not initialised. Reports about accesses show the name. For zero
  // bytes, the address is valid, but nothing may be read from it.
  virtual void *allocate(std::size_t bytes, std::string_view name) = 0;
  virtual void release(void *address) noexcept = 0;
  virtual void copy_in(void *to, const void *from_host, std::size_t bytes) = 0;
  virtual void copy_out(void *to_host, const void *from, std::size_t bytes) = 0;
  virtual void fill(void *to, unsigned char byte, std::size_t bytes) = 0;
  virtual void synchronize() = 0;
  virtual bool reaches_host_memory() const { return false; }
  // Memory of the application, which kernels may reach while the returned object lives. Null: this device
  // does not ask. `name` is for reports.
  virtual std::shared_ptr<void> lend(const MemoryExtent &, std::string_view /*name*/) { return nullptr; }
  // Memory for the work that this thread queues while the returned object lives (<tile/workspace.h>).
  virtual std::shared_ptr<void> take_workspace(std::size_t bytes);

  virtual std::unique_ptr<Executable> load(const KernelIR &kernel) = 0;
  // Needs no compiler. Throws tile::Error if the device cannot run this kind of code.
  virtual std::unique_ptr<Executable> load_lowered(LoweredKernel kernel);
  // What packs have of a kernel for this device.
  virtual std::vector<PackedIdentity> packed(const std::string &kernel) const;
  // The best code of the packs that serves such a launch; null: they have none.
  virtual std::unique_ptr<Executable> load_packed(const PackedIdentity &wanted);
  // Loads what packs have for this device (<tile/packs.h>), and gives the number of kernels.
  virtual std::size_t load_packs() { return 0; }
  // Whether a config may need more resources than the device has. Then another config of the kernel is tried.
  virtual bool has_limits() const { return false; }

  // Whether load() and load_lowered() may run while other threads launch. A class that returns true must call
  // finish_background() first in its destructor.
  virtual bool loads_in_background() const { return false; }

  // The compiler, assembler and driver that make and run its code. Empty: results of tuning are not kept.
  virtual std::string toolchain() const { return {}; }

  // The properties from which the cost of a launch is computed. Empty if the device is no such machine.
  virtual Machine machine() const { return {}; }

  // For tuners. A device that cannot measure time implements none of these.
  virtual bool can_time() const { return false; }
  virtual std::unique_ptr<Stopwatch> stopwatch();   // null: it cannot measure time
  // Compares memory on the device. Null: its memory is the host's, or is copied to the host for comparing.
  virtual std::unique_ptr<Comparer> comparer();
  // Whether launches are being recorded for a later replay; they do not run now.
  virtual bool is_recording() const { return false; }
  // While the returned object lives, the work of this thread does not break recordings of other threads.
  virtual std::shared_ptr<void> beside_recordings() { return nullptr; }
  // A name of the hardware. Devices with the same name share hardware, so their kernels disturb each other's
  // timing. Empty: the device shares its hardware with no other device.
  virtual std::string place() const { return {}; }
  // The allocation that contains the address; 0 bytes if the device does not know it.
  virtual MemoryExtent extent_of(const void *) const { return {}; }
  // Copies within the device's memory. The ranges must not overlap.
  virtual void copy(void *to, const void *from, std::size_t bytes);

  // Unique in the process and never reused, because the keys of compiled kernels contain it.
  std::uint64_t id() const { return id_; }
  // Devices of one model run the same code equally fast. So they share compiled code and tunings. By default,
  // each device has a number of its own; is_of_model() changes that.
  std::uint64_t model() const { return model_; }
  // The device with this number, or null if it is gone. For objects that may live longer than their device.
  static Device *find(std::uint64_t id);
  // Throws tile::Error if the device cannot run work for this thread now. This is so in a fork of the process
  // that opened it, because the threads stayed in the parent, and in the callback that takes the lines of
  // print(), because the device waits for it. `what` names the attempt in the message: "a launch".
  void check_use(std::string_view what, const std::source_location &where = {}) const;

 protected:
  Device();
  // Prints for its kernels; null: they do not print.
  virtual const Printer *printer() const { return nullptr; }
  void is_of_model(const std::string &name);
  // Waits until no background thread uses the device.
  void finish_background();

 private:
  friend class DeviceLink;
  std::uint64_t id_, model_;
  unsigned process_;   // number of forks before the device was opened
  std::shared_ptr<std::atomic<Device *>> place_;
};

// A link to a device from an object that may live longer than the device. find() takes no lock.
class DeviceLink {
 public:
  explicit DeviceLink(const Device &device) : place_(device.place_) {}
  DeviceLink(const DeviceLink &) = default;   // and no move: an object that was moved from keeps its link
  DeviceLink &operator=(const DeviceLink &) = default;
  Device *find() const { return place_->load(std::memory_order_acquire); }
  // Throws tile::Error if the device is gone: "a stream is used after its device is gone".
  Device &get(std::string_view what) const;

 private:
  std::shared_ptr<const std::atomic<Device *>> place_;
};

// The device of a launch and the source line of the launch. It is the first argument of a kernel object; a
// Device converts to it.
struct OnDevice {
  Device &device;
  std::source_location where;
  OnDevice(Device &d, std::source_location l = std::source_location::current()) : device(d), where(l) {}
};

}   // namespace tile

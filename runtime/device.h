// SPDX-License-Identifier: MIT
// What runs kernels. The interpreter, the simulator and a CUDA GPU are devices; whatever
// launches, tests or tunes a kernel knows this interface only.
#pragma once

#include "tile/element.h"
#include "tile/error.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

namespace tile {

class KernelIR;         // a traced kernel, <tile/kernel_ir.h>: the runtime only passes it on
struct LoweredKernel;   // <tile/lowered_kernel.h>
class Device;
class Stopwatch;   // runtime/bench/stopwatch.h
class Comparer;    // runtime/comparer.h
class Printer;     // runtime/printer.h

struct Grid {
  std::int64_t x = 1, y = 1, z = 1;
};

// How a kernel is compiled and launched, as opposed to what it computes. A config struct holds
// one as its last field `launch`.
struct Launch {
  int num_warps = 4;
  int num_stages = 3;
  int num_ctas = 1;   // 2: two CTAs of a cluster share a program (docs/hopper.md)
  // Two groups of num_warps take the programs in turn: one stores while the other multiplies
  // (docs/hopper.md).
  bool ping_pong = false;
  int max_registers = 0;   // per thread; 0: the assembler decides
  bool fp_fusion = true;   // a product used once in a sum may become an fma
};

// One launch argument, as the kernel's parameter type sees it.
struct Argument {
  ElementType type;
  std::uint64_t bits = 0;   // the number, zero-extended, or the address
  // Only for host memory that is passed as a span: its size. A buffer made by the device is
  // known to the device by its address.
  std::size_t host_bytes = 0;
  bool is_host = false;
};

// What a kernel takes of the machine. -1: the device does not know.
struct KernelResources {
  int registers = -1;          // per thread
  int spill_bytes = -1;        // per thread, of memory that stands in for registers
  int shared_bytes = -1;       // per CTA
  std::string assembler_log;   // one line per message, warnings among them
};

// A kernel made ready for one device.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual KernelResources resources() const { return {}; }
  // Of what load_lowered() makes the same, on any device of the model; null: only load() does.
  virtual const LoweredKernel *reusable() const { return nullptr; }
  // Returns when the work is queued; mistakes the device finds while it runs are thrown here or
  // by Device::synchronize as tile::Error.
  virtual void launch(const Grid &grid, std::span<const Argument> arguments) = 0;
};

struct MemoryExtent {
  void *begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t first() const { return reinterpret_cast<std::uintptr_t>(begin); }
  std::uint64_t end() const { return first() + bytes; }   // behind the last
  bool overlaps(const MemoryExtent &other) const { return first() < other.end() && other.first() < end(); }
};

// What a device is, as far as it matters for speed. 0 and "": not known.
struct Machine {
  std::string name, driver;
  int multiprocessors = 0;
  int capability = 0;                   // 90: compute capability 9.0
  double clock_hertz = 0;               // the highest of the multiprocessors
  double memory_bytes_per_second = 0;   // clock times width
  std::size_t cache_bytes = 0;          // of the last cache before memory
  std::size_t memory_bytes = 0;
  int shared_bytes = 0;   // that one CTA may ask for
};

class Device {
 public:
  virtual ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  virtual std::string_view kind() const = 0;     // "interpreter", "simulator", "cuda"
  virtual std::string description() const = 0;   // one line for people

  // Memory of the device. The name appears in reports about accesses. Fresh memory is not
  // initialised. Zero bytes give a valid address that nothing may be read from.
  virtual void *allocate(std::size_t bytes, std::string_view name) = 0;
  virtual void release(void *address) noexcept = 0;
  virtual void copy_in(void *to, const void *from_host, std::size_t bytes) = 0;
  virtual void copy_out(void *to_host, const void *from, std::size_t bytes) = 0;
  virtual void fill(void *to, unsigned char byte, std::size_t bytes) = 0;
  virtual void synchronize() = 0;
  virtual bool reaches_host_memory() const { return false; }
  // Memory for the work that this thread queues while what it returns lives (<tile/workspace.h>).
  virtual std::shared_ptr<void> take_workspace(std::size_t bytes);

  virtual std::unique_ptr<Executable> load(const KernelIR &kernel) = 0;
  // Needs no compiler. Throws tile::Error where the device runs no code of its kind.
  virtual std::unique_ptr<Executable> load_lowered(LoweredKernel kernel);
  // Whether a config may ask for more than there is, so that another one of the kernel is to be tried.
  virtual bool has_limits() const { return false; }

  // Whether load() and load_lowered() work beside launches of other threads. Who says so calls
  // finish_background() first when it is destroyed.
  virtual bool loads_in_background() const { return false; }

  // What makes its code and runs it: compiler, assembler, driver. Empty: what is found out on it is not kept.
  virtual std::string toolchain() const { return {}; }

  // What the cost of a launch is reckoned from; nothing where the device is no such machine.
  virtual Machine machine() const { return {}; }

  // For tuners. A device that cannot time needs none of these.
  virtual bool can_time() const { return false; }
  virtual std::unique_ptr<Stopwatch> stopwatch();   // null: it cannot time
  // Null: its memory is the host's, or is brought there to be looked at.
  virtual std::unique_ptr<Comparer> comparer();
  // Launches are being recorded for a later replay, and do not run now.
  virtual bool is_recording() const { return false; }
  // While what it returns lives, nothing that this thread does with the device breaks what another records.
  virtual std::shared_ptr<void> beside_recordings() { return nullptr; }
  // What is the same for devices that are one piece of hardware, where kernels disturb each other's timing.
  // Empty: it shares its hardware with nobody.
  virtual std::string place() const { return {}; }
  // The allocation that the address lies in; 0 bytes where the device does not know it.
  virtual MemoryExtent extent_of(const void *) const { return {}; }
  // Within the device's memory; the ranges do not overlap.
  virtual void copy(void *to, const void *from, std::size_t bytes);

  // Unique in the process and never reused: part of the key of compiled kernels.
  std::uint64_t id() const { return id_; }
  // Devices of one model run the same code equally fast: what was compiled for one, and found out about it,
  // holds for all. A number that no other device has, unless it says otherwise.
  std::uint64_t model() const { return model_; }
  // The device of this number, or null where it is gone: for what may live longer than it.
  static Device *find(std::uint64_t id);
  // Throws tile::Error where the device can run nothing for this thread now: in a fork of the process that
  // opened it, whose threads stayed behind; and in the callback that takes the lines which its kernels print,
  // for which the device waits. `what` is tried: "a launch".
  void check_use(std::string_view what, const Location &where = {}) const;

 protected:
  Device();
  // Where its kernels print; null: nowhere.
  virtual const Printer *printer() const { return nullptr; }
  void is_of_model(const std::string &name);
  // When it returns, nothing in the background uses the device.
  void finish_background();

 private:
  friend class DeviceLink;
  std::uint64_t id_, model_;
  unsigned process_;   // how many forks lie before it
  std::shared_ptr<std::atomic<Device *>> place_;
};

// The device of what may live longer than it. Asking takes no lock.
class DeviceLink {
 public:
  explicit DeviceLink(const Device &device) : place_(device.place_) {}
  DeviceLink(const DeviceLink &) = default;   // and no move: what was moved from still knows its device
  DeviceLink &operator=(const DeviceLink &) = default;
  Device *find() const { return place_->load(std::memory_order_acquire); }
  // Throws tile::Error where the device is gone: "a stream is used after its device is gone".
  Device &get(std::string_view what) const;

 private:
  std::shared_ptr<const std::atomic<Device *>> place_;
};

// Where a launch happens, with the line of the launch: what converts to the first argument of
// a kernel object.
struct OnDevice {
  Device &device;
  std::source_location where;
  OnDevice(Device &d, std::source_location l = std::source_location::current()) : device(d), where(l) {}
};

}   // namespace tile

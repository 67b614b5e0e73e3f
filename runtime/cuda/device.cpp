// SPDX-License-Identifier: MIT
#include "runtime/cuda/device.h"

#include "runtime/assembler.h"
#include "runtime/cuda/machine.h"
#include "runtime/cuda/stopwatch.h"
#include "runtime/plan_scope.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>

namespace tile::cuda {

using tile::detail::PlanScope, tile::detail::TakenWorkspace;

namespace {

constexpr std::size_t MaxParameters = 256;   // the driver takes 4 KiB of parameters, 16 bytes and more each

Address address(const void *p) { return reinterpret_cast<std::uintptr_t>(p); }
void *pointer(Address a) { return reinterpret_cast<void *>(static_cast<std::uintptr_t>(a)); }

}   // namespace

CudaDevice::CudaDevice(int ordinal, Printer::Line print)
    : context_(std::make_shared<const PrimaryContext>(ordinal)),
      stream_(std::make_shared<const OwnedStream>(context_)),
      aside_(std::make_shared<const OwnedStream>(context_)),
      faults_(std::make_shared<FaultRecords>(context_, aside_)),
      prints_(std::make_shared<Prints>(std::move(print))),
      nothing_(std::make_shared<const NothingMemory>(context_)),
      workspaces_(std::make_shared<WorkspacePool>(context_)), machine_(machineOf(*context_)),
      capability_{machine_.capability / 10, machine_.capability % 10} {
  is_of_model(description());
}

CudaDevice::~CudaDevice() {
  try {   // what was printed since the last synchronisation
    Current current(*context_);
    static_cast<void>(prints_->flush());
  } catch (const Error &) {   // nobody is left to hear of it
  }
}

std::string CudaDevice::description() const {
  return machine_.name + ", sm_" + std::to_string(machine_.capability) + ", " +
         std::to_string(machine_.multiprocessors) + " multiprocessors, " +
         std::to_string(machine_.memory_bytes >> 30) + " GiB";
}

void *CudaDevice::allocate(std::size_t bytes, std::string_view name) {
  Current current(*context_);
  Address result = 0;
  // The driver refuses 0 bytes; an empty buffer has an address too.
  check(Driver::get().memAlloc(&result, bytes ? bytes : 1),
        "allocate " + std::to_string(bytes) + " bytes for `" + std::string(name) + "` on " + machine_.name);
  return pointer(result);
}

void CudaDevice::release(void *p) noexcept {
  const Driver &driver = Driver::get();
  Context before = nullptr;
  driver.ctxGetCurrent(&before);
  if (driver.ctxSetCurrent(context_->handle()) == Result::Success)
    driver.memFree(address(p));
  driver.ctxSetCurrent(before);
}

std::shared_ptr<void> CudaDevice::take_workspace(std::size_t bytes) {
  struct Taken {
    std::shared_ptr<const PrimaryContext> context;
    std::shared_ptr<WorkspacePool> pool;   // outlives the device, as its stream does
    std::shared_ptr<const OwnedStream> stream;
    std::optional<WorkspacePool::Lease> lease;
    ~Taken() {
      const Current current(*context);
      lease.reset();
    }
  };
  const Current current(*context_);
  auto taken = std::make_shared<Taken>(context_, workspaces_, stream_);
  taken->lease.emplace(*workspaces_, bytes, stream());
  return {taken, pointer(taken->lease->address())};
}

void CudaDevice::copy_in(void *to, const void *from, std::size_t bytes) {
  Current current(*context_);
  const Driver &driver = Driver::get();
  check(driver.memcpyHtoDAsync(address(to), from, bytes, stream()), "copy to the GPU");
  check(driver.streamSynchronize(stream()), "copy to the GPU");   // `from` may go away
}

void CudaDevice::copy_out(void *to, const void *from, std::size_t bytes) {
  Current current(*context_);
  const Driver &driver = Driver::get();
  check(driver.memcpyDtoHAsync(to, address(from), bytes, stream()), "copy from the GPU");
  const Result result = driver.streamSynchronize(stream());
  const std::optional<Error> refusal = prints_->flush();
  check(result, "copy from the GPU");
  faults_->check();   // or what was copied is what a failed program left
  if (refusal)
    throw Error(*refusal);
}

void CudaDevice::fill(void *to, unsigned char byte, std::size_t bytes) {
  Current current(*context_);
  check(Driver::get().memsetD8Async(address(to), byte, bytes, stream()), "fill memory of the GPU");
}

void CudaDevice::synchronize() {
  check_use("a wait for kernels");
  Current current(*context_);
  const Result result = Driver::get().streamSynchronize(stream());
  const std::optional<Error> refusal = prints_->flush();   // also what was printed before a crash
  check(result, "wait for the kernels on " + machine_.name);
  faults_->check();
  if (refusal)
    throw Error(*refusal);
}

std::unique_ptr<Stopwatch> CudaDevice::stopwatch() { return make_stopwatch(context_, stream(), stream_); }

bool CudaDevice::is_recording() const {
  Current current(*context_);
  int status = 0;   // CU_STREAM_CAPTURE_STATUS_NONE
  return Driver::get().streamIsCapturing(stream(), &status) == Result::Success && status != 0;
}

std::string CudaDevice::place() const {
  std::array<char, 32> id{};
  const Result result =
      Driver::get().deviceGetPCIBusId(id.data(), static_cast<int>(id.size()), context_->device());
  return result == Result::Success ? "GPU " + std::string(id.data()) : std::string();
}

MemoryExtent CudaDevice::extent_of(const void *p) const {
  Current current(*context_);
  Address begin = 0;
  std::size_t bytes = 0;
  if (Driver::get().memGetAddressRange(&begin, &bytes, address(p)) != Result::Success)
    return {};
  return {pointer(begin), bytes};
}

void CudaDevice::copy(void *to, const void *from, std::size_t bytes) {
  Current current(*context_);
  check(Driver::get().memcpyDtoDAsync(address(to), address(from), bytes, stream()), "copy within the GPU");
}

std::unique_ptr<Executable> CudaDevice::load(const KernelIR &) {
  throw Error("this program was built without the compiler: it runs kernels that were lowered before, with "
              "load_lowered()",
              {});
}

std::unique_ptr<Executable> CudaDevice::load_lowered(LoweredKernel kernel) {
  return std::make_unique<CudaExecutable>(*this, std::move(kernel));
}

namespace {

std::uint64_t nextNumber() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::string kib(int bytes) {
  const int tenths = (bytes * 10 + 512) / 1024;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

LoweredKernel machineCode(const CudaDevice &device, LoweredKernel lowered) {
  if (!runs(device.capability(), lowered.target, lowered.kind))
    throw Error("this code is for " + lowered.target + ", but the device is " + device.description(), {})
        .add_context(lowered.title())
        .add_help("lower the kernel for this GPU")
        .with_code(ErrorCode::unsupported);
  if (static_cast<int>(lowered.shared_bytes) > device.sharedBytesPerBlock())
    throw Error("needs " + kib(static_cast<int>(lowered.shared_bytes)) +
                    " KiB of shared memory, the device has " + kib(device.sharedBytesPerBlock()),
                {})
        .add_context(lowered.title())
        .with_code(ErrorCode::unsupported);
  if (lowered.parameters.size() > MaxParameters)
    throw Error("takes " + std::to_string(lowered.parameters.size()) + " arguments, at most " +
                    std::to_string(MaxParameters) + " can be passed",
                {})
        .add_context(lowered.title());
  if (lowered.kind == LoweredKernel::Code::cubin)
    return lowered;
  const std::optional<Assembler> assembler = find_assembler();
  if (!assembler)
    return lowered;   // the driver assembles what it loads
  try {
    return assembled(*assembler, lowered, machine_code_target(device.capability(), lowered.target));
  } catch (const AssemblerIsTooOld &old) {
    if (assembler->is_chosen)
      throw;
    static std::once_flag once;
    std::call_once(once, [&] {
      std::fprintf(stderr, "note: %s; the driver assembles instead\n", old.message().c_str());
    });
    return lowered;
  }
}

}   // namespace

CudaExecutable::CudaExecutable(const CudaDevice &device, LoweredKernel lowered)
    : lowered_(machineCode(device, std::move(lowered))), kernel_(device.context(), lowered_), device_(device),
      device_id_(device.id()), stream_(device.ownStream()), nothing_(device.nothing()),
      workspaces_(device.workspaces()), number_(nextNumber()) {
  if (static_cast<int>(lowered_.threads) > kernel_.resources().maxThreads)
    throw Error(lowered_.name + " needs " + std::to_string(lowered_.threads) + " threads of " +
                    std::to_string(kernel_.resources().registers) + " registers, the GPU runs at most " +
                    std::to_string(kernel_.resources().maxThreads) + " of them in one CTA",
                {})
        .with_code(ErrorCode::unsupported);
  if (lowered_.persistent) {
    resident_ = kernel_.residentCtas(lowered_.threads, lowered_.cluster, device.multiprocessors());
    if (resident_ == 0)
      throw Error("the GPU cannot run a cluster of " + std::to_string(lowered_.ctas()) + " CTAs with " +
                      std::to_string(kernel_.sharedBytes()) + " bytes of shared memory each",
                  {})
          .add_context(lowered_.title())
          .with_code(ErrorCode::unsupported);
  }
  if (!lowered_.checks.empty()) {
    record_ = kernel_.variable("tile_fault");
    faults_ = device.faults();
    faults_->add(record_, {lowered_.checks, lowered_.title()});
  }
  if (!lowered_.formats.empty()) {
    prints_ = device.prints();
    Current current(*device.context());
    const Prints::Variable variable = prints_->add(lowered_.formats);
    check(device.aside().copyIn(kernel_.variable("tile_prints"), &variable, sizeof variable),
          "set up the printing of " + lowered_.name);
  }
}

CudaExecutable::~CudaExecutable() {
  if (faults_)
    faults_->retire(record_);
}

KernelResources CudaExecutable::resources() const {
  const Resources &r = kernel_.resources();
  // Without a word of the assembler all local memory counts, though arrays may be there, too.
  const int spilled = lowered_.spill_bytes >= 0 ? lowered_.spill_bytes : r.localBytes;
  return {.registers = r.registers,
          .spill_bytes = spilled,
          .shared_bytes = r.staticSharedBytes + kernel_.sharedBytes(),
          .unit = lowered_.unit,
          .roles = static_cast<int>(lowered_.roles),
          .target = lowered_.target,
          .assembler_log = lowered_.assembler_log};
}

std::size_t CudaExecutable::bytesOfWorkspace(const Grid &started) const {
  return lowered_.workspace_bytes() * static_cast<std::size_t>(started.x);
}

void CudaExecutable::rehearse(const Grid &grid, std::span<const Argument> arguments) {
  device_.get("a kernel").check_use("a launch");
  lowered_.check(grid, arguments);
  const std::size_t bytes = bytesOfWorkspace(lowered_.started(grid, resident_));
  const TakenWorkspace counted(bytes == 0 ? nullptr : PlanScope::of(device_id_), bytes);
}

void CudaExecutable::launch(const Grid &grid, std::span<const Argument> arguments) {
  device_.get("a kernel").check_use("a launch");
  lowered_.check(grid, arguments);
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return;   // no programs: nothing to do, which the driver calls an error
  const Grid started = lowered_.started(grid, resident_);
  std::array<std::int32_t, 3> extents{static_cast<std::int32_t>(grid.x), static_cast<std::int32_t>(grid.y),
                                      static_cast<std::int32_t>(grid.z)};
  const MapsOfLaunch maps{kernel_.context(), *nothing_, lowered_, number_, arguments};
  Current current(kernel_.context());
  const Stream stream = streamOfThread(device_id_, stream_->handle());
  const std::size_t workspace_bytes = bytesOfWorkspace(started);
  PlanScope *const plan = workspace_bytes == 0 ? nullptr : PlanScope::of(device_id_);
  const TakenWorkspace planned(plan, workspace_bytes);
  const WorkspacePool::Lease own(*workspaces_, plan ? 0 : workspace_bytes, stream);
  Address begin = plan ? address(planned.address()) : own.address();
  std::array<void *, MaxParameters> values;
  std::size_t count = 0, map = 0;
  for (const CodeParameter &parameter : lowered_.parameters)
    if (const auto *passed = std::get_if<PassedArgument>(&parameter))   // little endian: narrow numbers are
      values[count++] = const_cast<std::uint64_t *>(&arguments[passed->argument].bits);   // the low bytes
    else if (const auto *tensor = std::get_if<TensorParameter>(&parameter))
      values[count++] = const_cast<void *>(maps.encoded(*tensor, map++));
    else if (const auto *extent = std::get_if<GridExtent>(&parameter))
      values[count++] = &extents[extent->axis];
    else
      values[count++] = &begin;
  LaunchAttribute startsEarly{.id = LaunchAttribute::programmaticSerialization, .value = {1}};
  const LaunchConfig config{.grid = {static_cast<unsigned>(started.x), static_cast<unsigned>(started.y),
                                     static_cast<unsigned>(started.z)},
                            .block = {lowered_.threads, 1, 1},
                            .sharedBytes = static_cast<unsigned>(kernel_.sharedBytes()),
                            .stream = stream,
                            .attributes = &startsEarly,
                            .attributeCount = lowered_.starts_early ? 1U : 0U};
  Result result = Driver::get().launchKernel(&config, kernel_.function(), values.data(), nullptr);
  if (result != Result::Success)   // the text is made only when it is needed
    check(result, "launch " + kernel_.name() + " with grid (" + std::to_string(grid.x) + ", " +
                      std::to_string(grid.y) + ", " + std::to_string(grid.z) + "), " +
                      std::to_string(lowered_.threads) + " threads, " +
                      std::to_string(kernel_.sharedBytes()) + " bytes of shared memory");
}

}   // namespace tile::cuda

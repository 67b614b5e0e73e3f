// SPDX-License-Identifier: MIT
// NVIDIA's driver with H200s, one unless it is told otherwise, whose memory is the host's.
#include "test/unit/cuda/stub_cuda.h"
#include "test/unit/cuda/stub_stamps.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#define STUB extern "C" __attribute__((visibility("default")))

using namespace tile::cuda;

STUB StubCuda stub_cuda;
StubCuda stub_cuda;

namespace {

constexpr Result invalidValue{1};
std::mutex mutex;

template <class T> T *handle(std::uintptr_t number) { return reinterpret_cast<T *>(number); }
// Options of the assembler: where a log goes, and how many bytes of it fit.
void writeLog(const std::string &log, int which, const int *options, void **values, unsigned count) {
  const int *const end = options + count, *const to = std::find(options, end, which),
                   *const size = std::find(options, end, which + 1);
  if (to == end || size == end)
    return;
  const auto bytes = reinterpret_cast<std::uintptr_t>(values[size - options]);
  std::strncpy(static_cast<char *>(values[to - options]), log.c_str(), bytes - 1);
}

thread_local int captureMode = 0;
// What CUDA forbids while another thread records: in the global mode all that may wait for other streams;
// what waits for all of them, in any mode.
void breaksRecordings(const char *call, bool inAnyMode = false) {
  const std::lock_guard lock(mutex);
  if (stub_cuda.othersRecord && (inAnyMode || captureMode != 2))
    stub_cuda.broken.emplace_back(call);
}
void *memory(Address address) { return reinterpret_cast<void *>(static_cast<std::uintptr_t>(address)); }

struct Assembling {
  const int *options = nullptr;
  void **values = nullptr;
  unsigned count = 0;
  void write() const {
    writeLog(stub_cuda.info, 3, options, values, count);
    writeLog(stub_cuda.error, 5, options, values, count);
  }
} assembling;

}   // namespace

STUB Result cuGetErrorName(Result, const char **name) {
  *name = "CUDA_ERROR_OF_THE_STUB";
  return Result::Success;
}
STUB Result cuGetErrorString(Result, const char **text) {
  *text = "as it was told";
  return Result::Success;
}
STUB Result cuDeviceGetCount(int *count) {
  *count = stub_cuda.gpus;
  return Result::Success;
}
STUB Result cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return Result::Success;
}
STUB Result cuDeviceGetName(char *name, int length, int) {
  std::strncpy(name, "stub", static_cast<std::size_t>(length));
  return Result::Success;
}
STUB Result cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 97 ? 232448 : 0;
  return Result::Success;
}
STUB Result cuDevicePrimaryCtxRetain(Context *context, int device) {
  stub_cuda.contexts.push_back(device);
  *context = handle<ContextHandle>(1);
  return stub_cuda.retained;
}
STUB Result cuStreamDestroy_v2(Stream) {
  ++stub_cuda.destroyedStreams;
  return Result::Success;
}
STUB Result cuMemHostAlloc(void **address, std::size_t bytes, unsigned) {
  *address = std::malloc(bytes);
  return Result::Success;
}
STUB Result cuMemFreeHost(void *address) {
  std::free(address);
  return Result::Success;
}
STUB Result cuCtxGetCurrent(Context *context) {
  *context = handle<ContextHandle>(1);
  return Result::Success;
}
STUB Result cuThreadExchangeStreamCaptureMode(int *mode) {
  std::swap(*mode, captureMode);
  return Result::Success;
}
STUB Result cuCtxSynchronize() {
  breaksRecordings("cuCtxSynchronize", true);
  return Result::Success;
}
STUB Result cuMemcpyDtoH_v2(void *to, Address from, std::size_t bytes) {
  breaksRecordings("cuMemcpyDtoH", true);
  std::memcpy(to, memory(from), bytes);
  return Result::Success;
}
STUB Result cuMemcpyHtoDAsync_v2(Address to, const void *from, std::size_t bytes, Stream) {
  std::memcpy(memory(to), from, bytes);
  return Result::Success;
}
STUB Result cuMemcpyDtoHAsync_v2(void *to, Address from, std::size_t bytes, Stream) {
  std::memcpy(to, memory(from), bytes);
  return Result::Success;
}
STUB Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream) {
  std::memcpy(memory(to), memory(from), bytes);
  return Result::Success;
}
STUB Result cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, Stream) {
  std::memset(memory(to), value, bytes);
  return Result::Success;
}
STUB Result cuModuleGetGlobal_v2(Address *address, std::size_t *bytes, Module, const char *) {
  *address = reinterpret_cast<std::uintptr_t>(stub_cuda.variable.data());
  *bytes = sizeof stub_cuda.variable;
  return Result::Success;
}
STUB Result cuMemAlloc_v2(Address *address, std::size_t bytes) {
  breaksRecordings("cuMemAlloc");
  *address = reinterpret_cast<std::uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return Result::Success;
}
STUB Result cuMemFree_v2(Address address) {
  breaksRecordings("cuMemFree");
  std::free(memory(address));
  return Result::Success;
}
STUB Result cuMemPoolCreate(MemoryPool *pool, const MemoryPoolProperties *properties) {
  if (properties->allocation != 1 || properties->location != 1 || properties->device >= stub_cuda.gpus)
    return invalidValue;
  ++stub_cuda.pools;
  *pool = handle<MemoryPoolHandle>(5);
  return Result::Success;
}
STUB Result cuMemPoolSetAttribute(MemoryPool, int attribute, void *value) {
  if (attribute != 4)
    return invalidValue;
  stub_cuda.kept = *static_cast<std::uint64_t *>(value);
  return Result::Success;
}
STUB Result cuMemPoolDestroy(MemoryPool) {
  --stub_cuda.pools;
  return Result::Success;
}
STUB Result cuMemAllocFromPoolAsync(Address *address, std::size_t bytes, MemoryPool, Stream stream) {
  const std::lock_guard lock(mutex);
  *address = 0x10000 * (stub_cuda.leases.size() + 1);
  stub_cuda.leases.push_back({*address, bytes, stream, stub_cuda.launches.size(), std::nullopt});
  return Result::Success;
}
STUB Result cuMemFreeAsync(Address address, Stream stream) {
  const std::lock_guard lock(mutex);
  for (StubCuda::Lease &lease : stub_cuda.leases)
    if (lease.address == address && lease.stream == stream && !lease.ended) {
      lease.ended = stub_cuda.launches.size();
      return Result::Success;
    }
  return invalidValue;
}
STUB Result cuMemcpyHtoD_v2(Address to, const void *from, std::size_t bytes) {
  breaksRecordings("cuMemcpyHtoD", true);
  std::memcpy(memory(to), from, bytes);
  return Result::Success;
}
STUB Result cuModuleLoadData(Module *module, const void *) {
  breaksRecordings("cuModuleLoadData");
  if (stub_cuda.loaded != Result::Success)
    return stub_cuda.loaded;
  const std::lock_guard lock(mutex);
  ++stub_cuda.modules;
  *module = handle<ModuleHandle>(2);
  return Result::Success;
}
STUB Result cuModuleUnload(Module) {
  breaksRecordings("cuModuleUnload");
  const std::lock_guard lock(mutex);
  --stub_cuda.modules;
  return Result::Success;
}
STUB Result cuLibraryLoadData(Library *library, const void *code, int *options, void **values, unsigned count,
                              int *, void **, unsigned) {
  if (stub_cuda.loaded != Result::Success)
    return stub_cuda.loaded;
  ++stub_cuda.libraries;
  stub_cuda.assembled = static_cast<const char *>(code);
  assembling = {options, values, count};
  if (!stub_cuda.isLazy)
    assembling.write();
  *library = handle<LibraryHandle>(3);
  return Result::Success;
}
STUB Result cuKernelGetFunction(Function *function, LibraryKernel) {
  if (stub_cuda.isLazy)
    assembling.write();
  *function = handle<FunctionHandle>(4);
  return stub_cuda.isLazy && !stub_cuda.error.empty() ? Result{218} : Result::Success;
}
STUB Result cuLibraryUnload(Library) {
  --stub_cuda.libraries;
  return Result::Success;
}
STUB Result cuFuncGetAttribute(int *value, int attribute, Function) {
  *value = attribute == 0 ? 1024 : attribute == 4 ? 40 : 0;
  return Result::Success;
}
STUB Result cuFuncSetAttribute(Function, int attribute, int value) {
  const std::lock_guard lock(mutex);
  stub_cuda.attributes.push_back({attribute, value});
  return Result::Success;
}
STUB Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function, int, std::size_t) {
  ++stub_cuda.askedBlocks;
  *blocks = stub_cuda.blocks;
  return Result::Success;
}
STUB Result cuOccupancyMaxActiveClusters(int *clusters, Function, const LaunchConfig *config) {
  const LaunchAttribute &extents = config->attributes[0];
  if (config->attributeCount != 1 || extents.id != 4 ||
      !std::equal(config->grid, config->grid + 3, extents.value))
    return invalidValue;
  stub_cuda.askedClusters.push_back({{config->block[0], config->block[1], config->block[2]},
                                     {extents.value[0], extents.value[1], extents.value[2]},
                                     config->sharedBytes});
  *clusters = stub_cuda.clusters;
  return Result::Success;
}
STUB Result cuEventQuery(Event) {
  breaksRecordings("cuEventQuery");
  return stub_cuda.hangs ? Result::NotReady : Result::Success;
}
// What it writes is the address, and the number of maps so far.
STUB Result cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                                   const std::uint64_t *sizes, const std::uint64_t *strides,
                                   const std::uint32_t *box, const std::uint32_t *every, int interleave,
                                   int swizzle, int promotion, int fill) {
  if (interleave != 0 || std::any_of(every, every + rank, [](std::uint32_t step) { return step != 1; }) ||
      reinterpret_cast<std::uintptr_t>(map) % 64 != 0)
    return invalidValue;
  if (stub_cuda.isSilent) {
    ++stub_cuda.silentMaps;
    return stub_cuda.encoded;
  }
  const std::lock_guard lock(mutex);
  stub_cuda.maps.push_back({type,
                            swizzle,
                            promotion,
                            fill,
                            reinterpret_cast<std::uintptr_t>(address),
                            {sizes, sizes + rank},
                            {strides, strides + rank - 1},
                            {box, box + rank}});
  const std::uint64_t words[2] = {reinterpret_cast<std::uintptr_t>(address), stub_cuda.maps.size()};
  std::memcpy(map, words, sizeof words);
  return stub_cuda.encoded;
}
STUB Result cuLaunchKernelEx(const LaunchConfig *config, Function, void **parameters, void **) {
  if (stub_cuda.isSilent) {
    ++stub_cuda.silentLaunches;
    return Result::Success;
  }
  StubCuda::Launch launch{.grid = {config->grid[0], config->grid[1], config->grid[2]},
                          .block = {config->block[0], config->block[1], config->block[2]},
                          .sharedBytes = config->sharedBytes};
  for (unsigned i = 0; i < config->attributeCount; ++i)
    launch.attributes.push_back({config->attributes[i].id, config->attributes[i].value[0]});
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < stub_cuda.parameterBytes.size(); ++i) {
    const auto *bytes = static_cast<const std::byte *>(parameters[i]);
    launch.parameters.emplace_back(bytes, bytes + stub_cuda.parameterBytes[i]);
    launch.places.push_back(reinterpret_cast<std::uintptr_t>(bytes));
  }
  stub_cuda.launches.push_back(std::move(launch));
  if (stub_cuda.runs)
    stub_cuda.runs();
  if (stub_cuda.assembled.find("tile_clock") != std::string::npos)
    write_stamps(stub_cuda.variable.data(), config->block[0] / 32);
  return Result::Success;
}

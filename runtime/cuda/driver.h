// SPDX-License-Identifier: MIT
// NVIDIA's driver, loaded when it is first asked for: programs that can use a GPU start, and say
// what is missing, on machines that have none. The few types and functions are declared here, so
// that building needs no CUDA toolkit.
#pragma once

#include "runtime/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tile::cuda {

using Address = unsigned long long;
enum class Result : int { Success = 0, NotReady = 600 };
// The driver's handles are pointers to types nobody sees.
using Context = struct ContextHandle *;
using MemoryPool = struct MemoryPoolHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;
using Library = struct LibraryHandle *;
using LibraryKernel = struct LibraryKernelHandle *;

// CUlaunchAttribute and CUlaunchConfig, CUDA driver API.
struct alignas(8) LaunchAttribute {
  static constexpr int clusterDimension = 4, programmaticSerialization = 6;
  int id = 0;
  char padding[4] = {};
  unsigned value[16] = {};
};
struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned sharedBytes = 0;
  Stream stream = nullptr;
  LaunchAttribute *attributes = nullptr;
  unsigned attributeCount = 0;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

// CUmemPoolProps: of plain memory of one device.
struct MemoryPoolProperties {
  static constexpr int releaseThreshold = 4;       // an attribute of pools
  int allocation = 1, handles = 0, location = 1;   // pinned, none, a device
  int device = 0;
  void *security = nullptr;
  std::size_t most = 0;
  unsigned char reserved[56] = {};
};
static_assert(sizeof(MemoryPoolProperties) == 88);

struct Driver {
#define TILE_DRIVER_FUNCTION(name, symbol, parameters) Result(*name) parameters;
#include "runtime/cuda/driver_functions.def"
#undef TILE_DRIVER_FUNCTION

  // Null, with the reason, where there is no driver or no device it can use. The answer is found
  // once and kept.
  static const Driver *find(std::string *reason = nullptr);
  // Throws tile::Error with the reason.
  static const Driver &get();
};

// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
std::string describe(Result result);
// After such an error nothing works in this context any more: kernels of the whole process fail.
bool isSticky(Result result);

// Throws tile::Error naming the call and the driver's answer unless it succeeded.
// `attempted`: "load the module of matmul", "launch matmul with grid (3, 1, 1)".
void check(Result result, std::string_view attempted);

}   // namespace tile::cuda

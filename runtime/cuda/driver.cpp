// SPDX-License-Identifier: MIT
#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <unistd.h>

namespace tile::cuda {
namespace {

struct Loaded {
  Driver driver{};
  std::string reason;   // empty: usable
  pid_t process = getpid();
};

// The library stays loaded: its threads outlive any object of ours.
Loaded load() {
  Loaded result;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    result.reason = "there is no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded)";
    return result;
  }
#define TILE_DRIVER_FUNCTION(name, symbol, parameters)                                                       \
  result.driver.name = reinterpret_cast<Result(*) parameters>(dlsym(library, #symbol));                      \
  if (!result.driver.name && result.reason.empty())                                                          \
    result.reason = "the NVIDIA driver is too old: it has no " #symbol "; install one for CUDA 12 or later";
#include "runtime/cuda/driver_functions.def"
#undef TILE_DRIVER_FUNCTION
  if (!result.reason.empty())
    return result;
  if (Result r = result.driver.init(0); r != Result::Success) {
    const char *text = nullptr;
    result.driver.getErrorString(r, &text);
    result.reason = std::string("the NVIDIA driver does not start: ") + (text ? text : "unknown error") +
                    " (error " + std::to_string(static_cast<int>(r)) + ")";
    return result;
  }
  int devices = 0;
  if (result.driver.deviceGetCount(&devices) != Result::Success || devices == 0)
    result.reason = "the NVIDIA driver sees no GPU; is it hidden by CUDA_VISIBLE_DEVICES?";
  return result;
}

const Loaded &loaded() {
  static const Loaded result = load();
  return result;
}

}   // namespace

const Driver *Driver::find(std::string *reason) {
  const Loaded &l = loaded();
  if (reason)
    *reason = l.reason;
  return l.reason.empty() ? &l.driver : nullptr;
}

const Driver &Driver::get() {
  std::string reason;
  if (const Driver *driver = find(&reason))
    return *driver;
  throw Error("no CUDA device: " + reason, {}).with_code(ErrorCode::unsupported);
}

std::string describe(Result result) {
  const char *name = nullptr, *text = nullptr;
  if (const Driver *driver = Driver::find()) {
    driver->getErrorName(result, &name);
    driver->getErrorString(result, &text);
  }
  return std::string(name ? name : "unknown error") + " (" + std::to_string(static_cast<int>(result)) +
         "): " + (text ? text : "the driver has no text for it");
}

// CUDA driver API, CUresult: the errors whose description says that the process must be ended.
bool isSticky(Result result) {
  switch (static_cast<int>(result)) {
  case 214:   // uncorrectable memory error
  case 220:   // NVLink, uncorrectable
  case 700:   // illegal address
  case 702:   // launch timeout
  case 709:   // context is destroyed
  case 710:   // device-side assert
  case 714:   // hardware stack error
  case 715:   // illegal instruction
  case 716:   // misaligned address
  case 717:   // invalid address space
  case 718:   // invalid program counter
  case 719:   // launch failed
    return true;
  default:
    return false;
  }
}

// CUDA driver API, CUresult.
static ErrorCode codeOf(Result result) {
  if (isSticky(result))
    return ErrorCode::device_lost;
  switch (static_cast<int>(result)) {
  case 2:   // out of memory
    return ErrorCode::out_of_memory;
  case 34:    // a stub instead of the driver's library
  case 100:   // no device
  case 209:   // no code for this GPU
  case 222:   // PTX of a version that the driver does not know
  case 801:   // not supported
  case 803:   // the driver and its kernel module differ
  case 804:   // the driver does not support this GPU with this version of CUDA
    return ErrorCode::unsupported;
  default:
    return ErrorCode::internal;
  }
}

void check(Result result, std::string_view attempted) {
  if (result == Result::Success)
    return;
  Error error("could not " + std::string(attempted) + ": " + describe(result), {});
  error.with_code(codeOf(result));
  if (isSticky(result))
    error.add_context(
        "the CUDA context of this process is lost: every further CUDA call fails until the process restarts");
  if (loaded().process != getpid()) {
    error.add_context(
        "this process was forked after NVIDIA's driver was started, and the driver does not work in forks");
    error.add_help("fork before the first use of a GPU, or start the child as a separate program");
  }
  throw error;
}

}   // namespace tile::cuda

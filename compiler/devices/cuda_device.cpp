// SPDX-License-Identifier: MIT
#include "compiler/devices/cuda_device.h"

#include "compiler/api/compile.h"
#include "compiler/api/kernel_key.h"
#include "compiler/devices/cuda_toolchain.h"
#include "compiler/devices/device_comparer.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/cuda/capability.h"
#include "runtime/cuda/device.h"
#include "runtime/environment.h"
#include "runtime/kernel_names.h"
#include "runtime/pack/policy.h"

#include <cstdio>
#include <mutex>

namespace tile {
namespace {

// Who looks at compilations wants to see them.
bool shows_compilation() {
  const bool shows = !environment::dump().empty() || environment::timing();
  static std::once_flag once;
  if (shows)
    std::call_once(once, [] {
      std::fputs(
          "note: TILE_DUMP or TILE_TIMING is set, so kernels are compiled again even if the cache has them\n",
          stderr);
    });
  return shows;
}

class CompilingDevice : public cuda::CudaDevice {
 public:
  explicit CompilingDevice(CudaOptions options)
      : CudaDevice(options.ordinal, std::move(options.print)),
        target_(cuda_target(capability(), description())) {}
  ~CompilingDevice() override { finish_background(); }
  CompilingDevice(const CompilingDevice &) = delete;
  CompilingDevice &operator=(const CompilingDevice &) = delete;

  bool loads_in_background() const override { return true; }
  std::unique_ptr<Comparer> comparer() override { return make_device_comparer(*this); }

  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    const PackedIdentity identity = packed_identity(kernel);
    KernelCache *cache = KernelCache::of_environment();
    if (policy().compile == Compile::never)
      return load_prepared(kernel, identity, cache);
    if (!shows_compilation())
      if (std::unique_ptr<Executable> packed = load_packed_exactly(identity, target_.name()))
        return packed;
    if (!cache)
      return load_lowered(compile(kernel, target_));
    const CacheKey key = cache_key(kernel);
    if (!shows_compilation())
      if (std::optional<LoweredKernel> found = cache->find(key))
        try {
          return load_lowered(std::move(*found));
        } catch (const Error &) {   // whatever it is, it is made anew
          cache->remove(key);
        }
    auto made = std::make_unique<cuda::CudaExecutable>(*this, compile(kernel, target_));
    cache->insert(key, made->lowered());
    return made;
  }

  std::string toolchain() const override { return cuda_toolchain(); }

 private:
  CacheKey cache_key(const KernelIR &kernel) const {
    return key_of(kernel, target_, cuda::machine_code_target(capability(), target_.name()), find_assembler());
  }
  // Without compiling.
  std::unique_ptr<Executable> load_prepared(const KernelIR &kernel, const PackedIdentity &identity,
                                            KernelCache *cache) {
    if (std::unique_ptr<Executable> packed = load_packed(identity))
      return packed;
    if (cache)
      if (std::optional<LoweredKernel> found = cache->find(cache_key(kernel)))
        return load_lowered(std::move(*found));
    throw Error("kernel " + identity.kernel + " is not prepared for this launch, and compiling is forbidden",
                {})
        .with_code(ErrorCode::not_prepared)
        .add_context(kernel_title(identity.kernel, identity.config) + ", " + text_of(identity.classes) +
                     ", on " + description())
        .add_context(cuda::why_not_packed(identity, capability()))
        .add_help("add it to a pack with `tile pack`; a program with the compiler may also allow compiling: "
                  "TILE_COMPILE=auto, tile::set_policy()");
  }

  Target target_;
};

}   // namespace

std::unique_ptr<Device> open_cuda(CudaOptions options) {
  return std::make_unique<CompilingDevice>(std::move(options));
}

std::unique_ptr<Executable> load_written_cuda(const cuda::CudaDevice &device, const HandWritten &kernel) {
  return std::make_unique<cuda::CudaExecutable>(
      device, compile(kernel, cuda_target(device.capability(), device.description())));
}

}   // namespace tile

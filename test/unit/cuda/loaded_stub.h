// SPDX-License-Identifier: MIT
// The stub of NVIDIA's driver, which is loaded once: it has the name of the real one, which is not looked for
// any more.
#pragma once

#include "test/unit/cuda/stub_cuda.h"

#include <stdexcept>

#include <dlfcn.h>

namespace tile::cuda {

inline StubCuda &stub() {
  static StubCuda &found = []() -> StubCuda & {
    void *library = dlopen(STUB_CUDA, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
      throw std::runtime_error(dlerror());
    return *static_cast<StubCuda *>(dlsym(library, "stub_cuda"));
  }();
  return found;
}

}   // namespace tile::cuda

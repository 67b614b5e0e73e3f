// SPDX-License-Identifier: MIT
// The compiler as a library that is loaded when it is first asked for.
#include "compiler/api/compiler.h"

#include "runtime/error.h"
#include "tile_sources_hash.h"

#include <atomic>
#include <string_view>

#include <dlfcn.h>

namespace tile {
namespace {

std::atomic<bool> is_loaded = false;

// The file that this code is in.
std::string this_library() {
  Dl_info info{};
  return dladdr(static_cast<const void *>(&is_loaded), &info) && info.dli_fname ? info.dli_fname : "";
}

const Compiler &load() {
  const std::string mine = this_library(), path = mine.substr(0, mine.rfind('/') + 1) + TILE_COMPILER_FILE;
  // Its symbols are nobody else's: a program may have an LLVM of its own. Functions are bound when they are
  // called: RTLD_NOW would bind all of MLIR's and LLVM's, and nothing is called before the build is known to
  // fit.
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    throw Error("the compiler, which is needed now, cannot be loaded: " + std::string(dlerror()), {})
        .with_code(ErrorCode::unsupported)
        .add_help("install it beside " + mine +
                  ", and LLVM 22 where it was when tile was built; without the compiler, programs launch "
                  "only what the cache holds (docs/cache.md)");
  const auto build = reinterpret_cast<const char *(*)()>(dlsym(library, compiler_build_symbol));
  const char *is = build ? build() : "of another version of tile";
  if (std::string_view(is) != build_identity)
    throw Error("the compiler " + path + " is " + is + ", and " + mine + " is " + build_identity, {})
        .add_help("install both from one build");
  const auto get = reinterpret_cast<const Compiler *(*)()>(dlsym(library, compiler_symbol));
  is_loaded = true;
  return *get();
}

}   // namespace

const Compiler &compiler() {
  static const Compiler &loaded = load();   // where it throws, the next call tries again
  return loaded;
}

bool compiler_is_loaded() { return is_loaded; }

}   // namespace tile

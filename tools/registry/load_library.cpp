// SPDX-License-Identifier: MIT
#include "tools/registry/load_library.h"

#include "runtime/error.h"
#include "tile/version.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include <dlfcn.h>

namespace tile::registry {

void *load_symbol(const std::string &path, const char *symbol) {
  // A bare name would be looked for where the system's libraries are.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem))
    throw Error("--from: no file " + path, {}).add_help("name a shared library, as in --from ./libmine.so");
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Error("--from: cannot load " + path + ": " + dlerror(), {})
        .add_help("it must be a shared library for this machine that is linked with tile::jit");
  return dlsym(handle, symbol);
}

void check_table(const std::string &path, std::uint32_t format, std::uint32_t known_format,
                 const char *const &version) {
  const bool is_known = format == known_format;   // else nothing else of it is
  if (is_known && std::string_view(version) == headers_version)
    return;
  throw Error(fmt::format("--from: {} was built with {}{}, and this tool is of tile {}", path,
                          is_known ? "tile " : "another version of tile, which shows kernels in form ",
                          is_known ? std::string(version) : std::to_string(format), headers_version),
              {})
      .add_help("build the library again with the headers and libraries that came with this tool");
}

}   // namespace tile::registry

// SPDX-License-Identifier: MIT
// Kernels in a shared library, which the command `tile` loads. It then prints the code of your own kernels,
// runs them and times them, as it does for shipped kernels.
//
//   TILE_KERNEL_LIBRARY(scale, matmul<f16>)        once in a library, in a source file, outside any namespace
//
//   tile dump --from ./libmine.so scale --stage ptx --arch sm_90a
#pragma once

#include "tile/version.h"

#include <tile/kernel.h>
#include <tile/library_abi.h>

#include <deque>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#define TILE_KERNEL_LIBRARY(...)                                                                             \
  extern "C" __attribute__((visibility("default"))) const ::tile::library::LibraryAbi *                      \
  tile_kernel_library() {                                                                                    \
    static const ::tile::library::detail::Library library(__VERSION__, __VA_ARGS__);                         \
    return library.abi();                                                                                    \
  }

namespace tile::library {

namespace detail {

// The version of the tile library that is linked at run time.
const char *linked_version();

// A table of kernels. It refers to the kernel objects.
class KernelTable {
 public:
  KernelTable() = default;
  KernelTable(const KernelTable &) = delete;
  KernelTable &operator=(const KernelTable &) = delete;
  void add(const tile::detail::AnyKernel &kernel);
  std::span<const KernelAbi> all() const { return abis_; }

 private:
  std::deque<tile::detail::AnyKernel> kernels_;
  std::deque<std::vector<ParameterAbi>> parameters_;
  std::vector<KernelAbi> abis_;
};

// Holds copies of the kernels, so that an argument of the macro can be a temporary.
template <class... Kernels> class Library {
 public:
  explicit Library(const char *compiler, const Kernels &...kernels) : kernels_(kernels...) {
    // If the versions differ, the tool gets the version of the headers and no kernels.
    if (std::string_view(headers_version) == linked_version())
      std::apply([&](const Kernels &...kernel) { (table_.add(kernel.any()), ...); }, kernels_);
    const std::span<const KernelAbi> abis = table_.all();
    abi_ = {abi_format, headers_version, compiler, static_cast<std::uint32_t>(abis.size()), abis.data()};
  }
  const LibraryAbi *abi() const { return &abi_; }

 private:
  std::tuple<Kernels...> kernels_;
  KernelTable table_;
  LibraryAbi abi_;
};

}   // namespace detail
}   // namespace tile::library

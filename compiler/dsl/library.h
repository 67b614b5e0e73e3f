// SPDX-License-Identifier: MIT
// Kernels in a shared library that the command `tile` loads: what becomes of one's own kernel is seen, run
// and timed like that of a shipped one.
//
//   TILE_KERNEL_LIBRARY(scale, matmul<f16>)        once in a library, in a source file, outside of namespaces
//
//   tile dump --from ./libmine.so scale --stage ptx --arch sm_90a
#pragma once

#include "tile/kernel.h"
#include "tile/library_face.h"
#include "tile/version.h"

#include <deque>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#define TILE_KERNEL_LIBRARY(...)                                                                             \
  extern "C" __attribute__((visibility("default"))) const ::tile::library::LibraryFace *                     \
  tile_kernel_library() {                                                                                    \
    static const ::tile::library::detail::Library library(__VERSION__, __VA_ARGS__);                         \
    return library.face();                                                                                   \
  }

namespace tile::library {

namespace detail {

// Of the library that is linked when this runs.
const char *linked_version();

// The faces of kernels, which it refers to.
class Faces {
 public:
  Faces() = default;
  Faces(const Faces &) = delete;
  Faces &operator=(const Faces &) = delete;
  void add(const tile::detail::AnyKernel &kernel);
  std::span<const KernelFace> all() const { return faces_; }

 private:
  std::deque<tile::detail::AnyKernel> kernels_;
  std::deque<std::vector<ParameterFace>> parameters_;
  std::vector<KernelFace> faces_;
};

// Holds copies of the kernels, so that they may be written where they are named.
template <class... Kernels> class Library {
 public:
  explicit Library(const char *compiler, const Kernels &...kernels) : kernels_(kernels...) {
    // Of another version, the tool is told of it, and nothing else crosses.
    if (std::string_view(headers_version) == linked_version())
      std::apply([&](const Kernels &...kernel) { (faces_.add(kernel.any()), ...); }, kernels_);
    const std::span<const KernelFace> faces = faces_.all();
    face_ = {face_format, headers_version, compiler, static_cast<std::uint32_t>(faces.size()), faces.data()};
  }
  const LibraryFace *face() const { return &face_; }

 private:
  std::tuple<Kernels...> kernels_;
  Faces faces_;
  LibraryFace face_;
};

}   // namespace detail
}   // namespace tile::library

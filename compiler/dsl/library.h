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

// Nothing that is thrown crosses to the tool. Returns 1 after telling why.
int tell(const Receiver &to);   // in a handler: of what is handled
template <class F> int guarded(const Receiver &to, F f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    return tell(to);
  }
}

LaunchFace face_of(const Launch &launch);

// The calls of one kernel's face.
template <class K> struct Calls {
  using Config = typename K::Config;
  using Indices = typename K::Signature::Indices;

  static const K &of(const void *self) { return *static_cast<const K *>(self); }
  static Config config_of(const K &kernel, const ConfigFace &face) {
    const Config base = face.number < 0 ? Config{} : kernel.configs.at(static_cast<std::size_t>(face.number));
    return parse_config<Config>(face.changes, base);
  }
  template <class F, std::size_t... I, class... Before>
  static auto with_arguments(F f, const std::uint64_t *bits, std::index_sequence<I...>,
                             const Before &...before) {
    return f(before..., tile::detail::from_bits<typename K::Signature::template Host<I>>(bits[I])...);
  }

  static int describe(const void *self, const ConfigFace *config, const Receiver *to) {
    return guarded(*to, [&] { to->text(to->self, describe_config(config_of(of(self), *config)).c_str()); });
  }
  static int complete(const void *self, const ConfigFace *config, const std::uint64_t *arguments,
                      const Receiver *to) {
    return guarded(*to, [&] {
      const K &kernel = of(self);
      Config given = config_of(kernel, *config);
      if (kernel.complete)
        given = with_arguments(kernel.complete, arguments, Indices(), given);
      to->text(to->self, describe_config(given).c_str());
    });
  }
  static int trace(const void *self, const ConfigFace *config, const std::uint8_t *classes,
                   LaunchFace *launch, const Receiver *to) {
    return guarded(*to, [&] {
      std::vector<ArgClass> given;
      for (std::size_t i = 0; i < K::Signature::arguments; ++i)
        given.push_back(static_cast<ArgClass>(classes[i]));
      const KernelIR ir = of(self).trace(config_of(of(self), *config), given);
      *launch = face_of(ir.launch());
      to->text(to->self, ir.text().c_str());
    });
  }
  static int keeps(const void *self, const ConfigFace *config, const std::uint64_t *arguments,
                   std::uint8_t *keeps, const Receiver *to) {
    return guarded(*to, [&] {
      const K &kernel = of(self);
      *keeps = !kernel.keep || with_arguments(kernel.keep, arguments, Indices(), config_of(kernel, *config));
    });
  }
  static int grid(const void *self, const ConfigFace *config, const std::uint64_t *arguments,
                  std::int64_t extents[3], const Receiver *to) {
    return guarded(*to, [&] {
      const K &kernel = of(self);
      const Grid grid = with_arguments(kernel.grid, arguments, Indices(), config_of(kernel, *config));
      extents[0] = grid.x;
      extents[1] = grid.y;
      extents[2] = grid.z;
    });
  }
  static int work(const void *self, const std::uint64_t *arguments, double *flop, double *bytes,
                  const Receiver *to) {
    return guarded(*to, [&] {
      const K &kernel = of(self);
      const Work work = kernel.work ? with_arguments(kernel.work, arguments, Indices()) : Work();
      *flop = work.flop;
      *bytes = work.bytes;
    });
  }
};

// Holds copies of the kernels, so that they may be written where they are named.
template <class... Kernels> class Library {
 public:
  explicit Library(const char *compiler, const Kernels &...kernels) : kernels_(kernels...) {
    std::apply([&](const Kernels &...kernel) { (add(kernel), ...); }, kernels_);
    face_ = {face_format, headers_version, compiler, static_cast<std::uint32_t>(faces_.size()),
             faces_.data()};
  }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  const LibraryFace *face() const { return &face_; }

 private:
  template <class K> void add(const K &kernel) {
    using Calls = detail::Calls<K>;
    std::vector<ParameterFace> &parameters = parameters_.emplace_back();
    add_parameters<K>(kernel, parameters, typename K::Signature::Indices());
    faces_.push_back({&kernel, kernel.name ? kernel.name : "", static_cast<std::uint32_t>(parameters.size()),
                      static_cast<std::uint32_t>(kernel.configs.size()), static_cast<bool>(kernel.grid),
                      static_cast<bool>(kernel.around), parameters.data(), Calls::describe, Calls::complete,
                      Calls::trace, Calls::keeps, Calls::grid, Calls::work});
  }
  template <class K, std::size_t... I>
  void add_parameters(const K &kernel, std::vector<ParameterFace> &parameters, std::index_sequence<I...>) {
    auto add_one = [&]<std::size_t N>() {
      using Parameter = typename K::Signature::template Parameter<N>;
      using Host = typename K::Signature::template Host<N>;
      constexpr ElementType type = element_type<Host>;
      const char *name = N < kernel.parameters.size() ? kernel.parameters[N] : nullptr;
      parameters.push_back({name, static_cast<std::uint8_t>(type.kind), type.pointers,
                            static_cast<std::uint8_t>(tile::detail::access_of<Host>()),
                            tile::detail::parameter_type<Parameter>::is_dynamic});
    };
    (add_one.template operator()<I>(), ...);
  }

  std::tuple<Kernels...> kernels_;
  std::deque<std::vector<ParameterFace>> parameters_;
  std::vector<KernelFace> faces_;
  LibraryFace face_{};
};

}   // namespace detail
}   // namespace tile::library

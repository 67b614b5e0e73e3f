// SPDX-License-Identifier: MIT
// Functions that C, Python and other languages call. They are kernels, or functions of the host that launch:
//
//   TILE_EXPORT(mine, axpy)                           // the kernel object `axpy`
//   void scale(OnDevice on, MatrixView<f32> x, float by) { ... }
//   TILE_EXPORT(mine, scale, "x", "by")               // names for messages and for the header
//   TILE_EXPORT_AS(mine, scale_f16, scale_all<f16>)   // under another name
//
// Each gives two C functions: `int mine_axpy(tile_stream, const tile_tensor *x, ...)`, which `tile header
// --from libmine.so` declares, and `__tvm_ffi_axpy` for everybody who loads libraries by tvm-ffi: PyTorch,
// JAX, NumPy and Rust. Both check their arguments against the signature (docs/c-api.md).
#pragma once

#include "tile/version.h"

#include <tile/kernel.h>
#include <tile/library_abi.h>
#include <tile/tile.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tile {

namespace exporting {

using library::Parameter, library::ParameterKind;

inline constexpr int most_axes = 8;

// A checked tensor.
struct Tensor {
  void *data = nullptr;   // of element 0
  ElementType element;
  int rank = 0;
  std::array<std::int64_t, most_axes> extents{}, strides{};   // strides in elements

  bool is_empty() const {
    return std::find(extents.begin(), extents.begin() + rank, 0) != extents.begin() + rank;
  }
  MemoryExtent memory() const;

  // As views, of a tensor that fits them.
  template <class T> VectorView<T> vector() const { return {static_cast<T *>(data), extents[0]}; }
  template <class T> MatrixView<T> matrix() const {
    return {static_cast<T *>(data), extents[0], extents[1], strides[0], strides[1]};
  }
  template <class T, int Rank> TensorView<T, Rank> view() const {
    std::array<std::int64_t, Rank> of_view, apart;
    std::copy_n(extents.begin(), Rank, of_view.begin());
    std::copy_n(strides.begin(), Rank, apart.begin());
    return {static_cast<T *>(data), of_view, apart};
  }
  // Throws tile::Error if a view of such elements and axes would not see the tensor as it is.
  void check_view(ElementType of_view, int axes, bool is_contiguous) const;
};

}   // namespace exporting

// A parameter of an exported function that takes several element types: `void` if it is written, else `const
// void`. Ask for element() and rank() first: a view that would not see the tensor as it is throws
// tile::Error.
template <class Void> class AnyTensor {
 public:
  explicit AnyTensor(const exporting::Tensor &tensor) : tensor_(tensor) {}
  ElementType element() const { return tensor_.element; }
  int rank() const { return tensor_.rank; }
  std::int64_t extent(int axis) const { return tensor_.extents[axis]; }

  template <class T> using Element = std::conditional_t<std::is_const_v<Void>, const T, T>;
  template <class T> VectorView<Element<T>> vector() const {
    tensor_.check_view(element_type<T>, 1, true);
    return tensor_.vector<Element<T>>();
  }
  template <class T> MatrixView<Element<T>> matrix() const {
    tensor_.check_view(element_type<T>, 2, false);
    return tensor_.matrix<Element<T>>();
  }
  template <class T, int Rank> TensorView<Element<T>, Rank> view() const {
    tensor_.check_view(element_type<T>, Rank, false);
    return tensor_.view<Element<T>, Rank>();
  }

 private:
  exporting::Tensor tensor_;
};

namespace exporting {

// What a caller passes for a parameter. Typed callers give the bits of a number, others a number that may not
// fit.
struct Value {
  enum class Is : std::uint8_t { nothing, bits, integer, floating, boolean, tensor, text } is = Is::nothing;
  std::uint64_t bits = 0;   // of Is::bits
  std::int64_t integer = 0;
  double floating = 0;
  const tile_tensor *tensor = nullptr;
  std::string_view text = {};

  static Value of(const tile_tensor *tensor) { return {.is = Is::tensor, .tensor = tensor}; }
  static Value of(const char *text) { return text ? Value{.is = Is::text, .text = text} : Value{}; }
};

// What a function receives for a parameter, after it was checked.
struct Received {
  std::uint64_t bits = 0;   // of a number
  Tensor tensor = {};
  std::string_view text = {};
};

struct Function : library::ExportedFunction {
  void (*invoke)(OnDevice on, std::span<const Received> received);
};

// Checks the values, and calls the function. Gives a tile_status, and never throws.
int call(const Function &function, tile_stream stream, std::span<const Value> values) noexcept;
int call_from_tvm_ffi(const Function &function, const void *values, std::int32_t count,
                      void *result) noexcept;
void launch(const tile::detail::AnyKernel &kernel, OnDevice on, std::span<const Received> received);

// How a parameter type of an exported function looks from C, and how it gets its value.
template <class P> struct Type {
  static_assert(tile::detail::always_false<P>,
                "an exported function takes tile::OnDevice first; then VectorView, MatrixView, TensorView or "
                "AnyTensor, numbers, bool and std::string_view");
};
template <class T>
  requires(std::is_arithmetic_v<T> || requires(T t) { t.bits; })
struct Type<T> {
  static constexpr bool is_stored_float = !std::is_arithmetic_v<T>;   // f16: C has no such type
  using C = std::conditional_t<is_stored_float, float, T>;
  static constexpr Parameter parameter{.kind = std::is_same_v<T, bool> ? ParameterKind::boolean
                                               : std::is_integral_v<T> ? ParameterKind::integer
                                                                       : ParameterKind::floating,
                                       .element = static_cast<std::uint8_t>(element_type<T>.kind)};
  static Value value(C given) {
    if constexpr (is_stored_float)
      return {.is = Value::Is::floating, .floating = given};
    else
      return {.is = Value::Is::bits, .bits = bits_of(given)};
  }
  static T receive(const Received &received) { return from_bits<T>(received.bits); }
};
template <> struct Type<std::string_view> {
  using C = const char *;
  static constexpr Parameter parameter{.kind = ParameterKind::text};
  static Value value(C given) { return Value::of(given); }
  static std::string_view receive(const Received &received) { return received.text; }
};

struct TensorType {
  using C = const tile_tensor *;
  static Value value(C given) { return Value::of(given); }
  template <class T> static constexpr Parameter tensor(int rank, bool is_contiguous) {
    return {.kind = ParameterKind::tensor,
            .element = static_cast<std::uint8_t>(element_type<T>.kind),
            .rank = static_cast<std::int8_t>(rank),
            .is_written = !std::is_const_v<T>,
            .is_contiguous = is_contiguous};
  }
};
// A pointer of a kernel: any number of axes, but the kernel sees no strides.
template <class T> struct Type<T *> : TensorType {
  static_assert(!std::is_pointer_v<T>,
                "a kernel whose parameters are pointers to pointers cannot be exported; "
                "export a function of the host that makes the array of pointers");
  static constexpr Parameter parameter = tensor<T>(-1, true);
};
template <class T> struct Type<VectorView<T>> : TensorType {
  static constexpr Parameter parameter = tensor<T>(1, true);
  static VectorView<T> receive(const Received &received) { return received.tensor.vector<T>(); }
};
template <class T> struct Type<MatrixView<T>> : TensorType {
  static constexpr Parameter parameter = tensor<T>(2, false);
  static MatrixView<T> receive(const Received &received) { return received.tensor.matrix<T>(); }
};
template <class T, int Rank> struct Type<TensorView<T, Rank>> : TensorType {
  static constexpr Parameter parameter = tensor<T>(Rank, false);
  static TensorView<T, Rank> receive(const Received &received) { return received.tensor.view<T, Rank>(); }
};
template <class Void> struct Type<AnyTensor<Void>> : TensorType {
  static constexpr Parameter parameter{.kind = ParameterKind::tensor,
                                       .rank = -1,
                                       .is_written = !std::is_const_v<Void>,
                                       .takes_any_element = true};
  static AnyTensor<Void> receive(const Received &received) { return AnyTensor<Void>(received.tensor); }
};

// The C function of an exported function. It throws nothing. It is not declared noexcept, as its C
// declaration cannot be.
template <const Function &Exported, class... P> struct Typed {
  static int call(tile_stream stream, typename Type<P>::C... given) {
    const std::array<Value, sizeof...(P)> values{Type<P>::value(given)...};
    return exporting::call(Exported, stream, values);
  }
};

template <auto &Object, class F = std::remove_cvref_t<decltype(Object)>> struct Exported {
  static_assert(tile::detail::always_false<F>,
                "TILE_EXPORT takes a kernel object, or a function void f(tile::OnDevice, ...)");
};
template <auto &Object, class... P> struct Exported<Object, void(OnDevice, P...)> {
  template <const Function &Self> using TypedCall = Typed<Self, std::remove_cvref_t<P>...>;
  static constexpr std::size_t count = sizeof...(P);
  static std::vector<Parameter> parameters() { return {Type<std::remove_cvref_t<P>>::parameter...}; }
  static const char *own_name(std::size_t) { return nullptr; }
  static void invoke(OnDevice on, std::span<const Received> received) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      Object(on, Type<std::remove_cvref_t<P>>::receive(received[I])...);
    }(std::index_sequence_for<P...>());
  }
};
template <auto &Object, auto Fn> struct Exported<Object, Kernel<Fn>> {
  using Signature = typename Kernel<Fn>::Signature;
  template <std::size_t... I> static auto hosts(std::index_sequence<I...>)
      -> std::type_identity<void(typename Signature::template Host<I>...)>;
  template <const Function &Self, class> struct OfHosts;
  template <const Function &Self, class... P> struct OfHosts<Self, void(P...)> : Typed<Self, P...> {};
  template <const Function &Self>
  using TypedCall = OfHosts<Self, typename decltype(hosts(typename Signature::Indices()))::type>;
  static constexpr std::size_t count = Signature::arguments;
  static std::vector<Parameter> parameters() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::vector<Parameter>{Type<typename Signature::template Host<I>>::parameter...};
    }(typename Signature::Indices());
  }
  static const char *own_name(std::size_t i) {
    const auto &names = Object.parameters.all();
    return i < names.size() ? names[i] : nullptr;
  }
  static void invoke(OnDevice on, std::span<const Received> received) {
    exporting::launch(Object.any(), on, received);
  }
};

// The names of parameters that have none: "argument0".
const char *name_of_argument(std::size_t i);

// Described when it is first asked for: the object may be made after this.
template <auto &Object, class... Names> const std::vector<Parameter> &described(Names... given) {
  static_assert(
      sizeof...(Names) == 0 || sizeof...(Names) == Exported<Object>::count,
      "TILE_EXPORT has too few or too many names: it has one for each parameter, in order and without "
      "the device, or none");
  static const std::vector<Parameter> described = [&] {
    const std::array<const char *, sizeof...(Names)> names{given...};
    std::vector<Parameter> all = Exported<Object>::parameters();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const char *own = i < names.size() ? names[i] : Exported<Object>::own_name(i);
      all[i].name = own ? own : name_of_argument(i);
    }
    return all;
  }();
  return described;
}

// The functions of one library: hidden, so that each library has its own.
struct __attribute__((visibility("hidden"))) Exports {
  static inline library::ExportsAbi all{library::exports_format, headers_version, nullptr};
};
struct __attribute__((visibility("hidden"))) Register {
  explicit Register(Function &function) {
    function.before = Exports::all.last;
    Exports::all.last = &function;
  }
};

}   // namespace exporting
}   // namespace tile

// For tools that load the library.
extern "C" __attribute__((visibility("default"), used)) inline const tile::library::ExportsAbi *
tile_exported_functions() {
  return &tile::exporting::Exports::all;
}

#define TILE_EXPORT(prefix, object, ...) TILE_EXPORT_AS(prefix, object, object __VA_OPT__(, ) __VA_ARGS__)

// The C function has its typed signature from the object. A macro cannot write that down, so the function is
// declared by its type, and the loader takes its address from tile_address_of_...
#define TILE_EXPORT_AS(prefix, symbol, object, ...)                                                          \
  namespace {                                                                                                \
  constinit ::tile::exporting::Function tile_exported_##symbol{                                              \
      {#prefix, #symbol,                                                                                     \
       [](const ::tile::library::Parameter **all) -> std::uint64_t {                                         \
         const auto &described = ::tile::exporting::described<object>(__VA_ARGS__);                          \
         *all = described.data();                                                                            \
         return described.size();                                                                            \
       }},                                                                                                   \
      ::tile::exporting::Exported<object>::invoke};                                                          \
  const ::tile::exporting::Register tile_registered_##symbol(tile_exported_##symbol);                        \
  using tile_typed_##symbol =                                                                                \
      ::tile::exporting::Exported<object>::template TypedCall<tile_exported_##symbol>;                       \
  }                                                                                                          \
  extern "C" {                                                                                               \
  static decltype(&tile_typed_##symbol::call) tile_address_of_##symbol() {                                   \
    return &tile_typed_##symbol::call;                                                                       \
  }                                                                                                          \
  decltype(tile_typed_##symbol::call) prefix##_##symbol                                                      \
      __attribute__((ifunc("tile_address_of_" #symbol), visibility("default")));                             \
  __attribute__((visibility("default"))) int __tvm_ffi_##symbol(void *, const void *values,                  \
                                                                std::int32_t count, void *result) {          \
    return ::tile::exporting::call_from_tvm_ffi(tile_exported_##symbol, values, count, result);              \
  }                                                                                                          \
  }                                                                                                          \
  static_assert(true)

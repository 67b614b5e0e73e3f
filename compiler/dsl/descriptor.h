// SPDX-License-Identifier: MIT
// Descriptors: tensors in global memory that are loaded and stored block by block, by coordinates.
#pragma once

#include <tile/memory.h>

#include <initializer_list>

namespace tile {

// An extent, stride or coordinate: a scalar of i32 or i64, or an integer of the host.
struct Index : detail::IndexUse {
  Index(const Tensor<i32> &t, Loc l = Loc::current()) : IndexUse{t.use(l)} {}
  Index(const Tensor<i64> &t, Loc l = Loc::current()) : IndexUse{t.use(l)} {}
  template <HostInteger U>
  Index(U v, Loc l = Loc::current())
      : IndexUse{detail::literal<i64>(v, l), true, static_cast<std::int64_t>(v)} {}
  template <class U>
    requires(!HostInteger<U> && !std::same_as<U, Index>)
  Index(const U &, Loc = Loc::current()) : IndexUse{} {
    static_assert(detail::always_false<U>,
                  "an extent, stride or coordinate is an i32, an i64 or an integer of the host: write "
                  "tile::cast<T>(x)");
  }
};
using Indices = std::initializer_list<Index>;

namespace detail {
template <class T, bool MinMaxOf16> constexpr bool reducible(bool adds, bool orders) {
  if (IntElement<T>)
    return sizeof(T) >= 4;
  if (adds)
    return ArithmeticFloat<T>;
  return orders && ((MinMaxOf16 && sizeof(T) == 2) || sizeof(T) >= 4) && ArithmeticFloat<T>;
}
}   // namespace detail

template <class T> class Descriptor {
 public:
  using Element = std::remove_const_t<T>;
  explicit Descriptor(const detail::Use &u) : cell_(u) {}
  Descriptor(const Descriptor &other, Loc l = Loc::current()) : cell_(other.cell_, l) {}
  Descriptor &operator=(const Descriptor &other) {
    cell_.write(other.cell_.read(other.cell_.made()));
    return *this;
  }
  const Shape &block() const { return cell_.shape(); }

  // Loads the block at the coordinates `at`. Elements outside the tensor are 0, or NaN with Padding::nan.
  Tensor<Element> load(Indices at, Access access = {}, Loc l = Loc::current()) const {
    return Tensor<Element>(detail::descriptor_load(cell_.read(l), coordinates(at), false, access, l));
  }
  // Like load(), but the result has no leading axes of extent 1.
  Tensor<Element> load_reduced(Indices at, Access access = {}, Loc l = Loc::current()) const {
    return Tensor<Element>(detail::descriptor_load(cell_.read(l), coordinates(at), true, access, l));
  }
  // Stores the block at the coordinates `at`. Elements outside the tensor are not stored.
  template <class V> void store(Indices at, const V &value, Loc l = Loc::current()) const {
    if constexpr (detail::writable<T>() && detail::storable<Element, V>())
      detail::descriptor_store(cell_.read(l), coordinates(at), detail::operand<Element>(value, l));
  }
#define TILE_DESCRIPTOR_REDUCE(name, code, adds, orders, sentence)                                           \
  template <class V> void name(Indices at, const V &value, Loc l = Loc::current()) const {                   \
    constexpr bool ok = detail::reducible<Element, true>(adds, orders);                                      \
    static_assert(ok, sentence);                                                                             \
    if constexpr (ok && detail::writable<T>() && detail::storable<Element, V>())                             \
      detail::descriptor_reduce(detail::Update::code, cell_.read(l), coordinates(at),                        \
                                detail::operand<Element>(value, l));                                         \
  }
  // Each of these combines every element of `value` with memory, once and atomically.
  TILE_DESCRIPTOR_REDUCE(add, add, true, false,
                         "add works on integers of 32 and 64 bits, f16, bf16, f32 and f64")
  TILE_DESCRIPTOR_REDUCE(min, min, false, true,
                         "min works on integers of 32 and 64 bits, f16, bf16, f32 and f64")
  TILE_DESCRIPTOR_REDUCE(max, max, false, true,
                         "max works on integers of 32 and 64 bits, f16, bf16, f32 and f64")
  TILE_DESCRIPTOR_REDUCE(bit_and, bit_and, false, false, "bit_and works on integers of 32 and 64 bits")
  TILE_DESCRIPTOR_REDUCE(bit_or, bit_or, false, false, "bit_or works on integers of 32 and 64 bits")
  TILE_DESCRIPTOR_REDUCE(bit_xor, bit_xor, false, false, "bit_xor works on integers of 32 and 64 bits")
#undef TILE_DESCRIPTOR_REDUCE

 private:
  static std::vector<detail::IndexUse> coordinates(Indices at) { return {at.begin(), at.end()}; }
  detail::Cell cell_;
};

// Describes the tensor at `base`. Extents and strides count elements. The last stride is 1. The other strides
// are multiples of 16 bytes, and so is the base's address. `block` is the shape of one load or store.
template <class T>
Descriptor<T> descriptor(const Tensor<T *> &base, Indices extents, Indices strides, const HostInts &block,
                         Padding padding = Padding::zero, Loc l = Loc::current()) {
  static_assert(!detail::is_pointer_element<T>, "a descriptor's elements are numbers");
  return Descriptor<T>(detail::make_descriptor(base.use(l), {extents.begin(), extents.end()},
                                               {strides.begin(), strides.end()}, block, padding));
}

}   // namespace tile

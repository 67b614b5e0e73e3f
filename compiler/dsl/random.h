// SPDX-License-Identifier: MIT
// Random numbers from counters (Philox-4x32-10). The same seed and offset give the same numbers on every
// device and for every order of programs.
#pragma once

#include <tile/operators.h>

#include <array>

namespace tile {

// The 64-bit seed.
struct Seed : detail::Use {
  Seed(const Tensor<i64> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  Seed(const Tensor<u64> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  template <HostInteger U>
  Seed(U v, Loc l = Loc::current()) : Use(detail::literal<u64>(static_cast<std::uint64_t>(v), l)) {}
  Seed(const Tensor<i32> &t, Loc l = Loc::current()) : Use(detail::convert(t.use(l), element_type<i64>)) {}
  template <class U>
    requires(!HostInteger<U> && !std::same_as<U, Seed>)
  Seed(const U &, Loc = Loc::current()) {
    static_assert(detail::always_false<U>, "a seed is an Int64 or an integer of the host: write "
                                           "tile::cast<tile::i64>(seed)");
  }
};
// A word of the 128-bit counter. In functions with one offset, the other words are 0.
struct Counter : detail::Use {
  Counter(const Tensor<i32> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  Counter(const Tensor<u32> &t, Loc l = Loc::current()) : Use(t.use(l)) {}
  template <HostInteger U> Counter(U v, Loc l = Loc::current()) : Use(detail::literal<u32>(v, l)) {}
  template <class U>
    requires(!HostInteger<U> && !std::same_as<U, Counter>)
  Counter(const U &, Loc = Loc::current()) {
    static_assert(
        detail::always_false<U>,
        "a counter of random numbers is a tensor of i32 or u32: write tile::cast<tile::i32>(offset)");
  }
};

std::array<Tensor<u32>, 4> philox(Seed seed, Counter c0, Counter c1, Counter c2, Counter c3);
// Four results for each offset: words, numbers in [0, 1), or normally distributed numbers.
std::array<Tensor<u32>, 4> randint4x(Seed seed, Counter offset);
std::array<Tensor<f32>, 4> rand4x(Seed seed, Counter offset);
std::array<Tensor<f32>, 4> randn4x(Seed seed, Counter offset);
// The first of the four.
Tensor<u32> randint(Seed seed, Counter offset);
Tensor<f32> rand(Seed seed, Counter offset);
Tensor<f32> randn(Seed seed, Counter offset);

}   // namespace tile

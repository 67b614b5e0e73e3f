// SPDX-License-Identifier: MIT
// ME1, ME2, ME4: which bytes loads and stores touch, and which they do not.
#include "context.h"
#include "families.h"
#include "types.h"

#include <limits>

namespace tile::conformance {

namespace {

enum class Other { absent, zero, one, nan };
enum class Mask { tile, scalar, literal };
struct MaskedConfig {
  Other other = Other::absent;
  Mask mask = Mask::tile;
  int size = 128;
};

template <class T> Tensor<T> load_masked(const Ptr<const T> &p, const Bool &mask, Other other) {
  if constexpr (!is_bool<T>) {
    if (other == Other::zero)
      return load(p, mask, 0);
    if (other == Other::one)
      return load(p, mask, 1);
  } else if (other == Other::one) {
    return load(p, mask, true);
  }
  if constexpr (is_float<T>)
    if (other == Other::nan)
      return load(p, mask, std::numeric_limits<double>::quiet_NaN());
  return load(p, mask);
}

template <class T> void masked_load(Ptr<const T> x, Ptr<T> z, Int n, const MaskedConfig &cfg) {
  const Int i = arange(0, cfg.size);
  const Bool mask = cfg.mask == Mask::tile ? i < n : n >= cfg.size;
  store(z + i, load_masked<T>(x + i, mask, cfg.other));
}

template <class T> void check_masked_load(Context &t, int size, Mask mask) {
  constexpr ElementType type = element_type<T>;
  for (Other other : {Other::absent, Other::zero, Other::one, Other::nan}) {
    if (other == Other::nan && !type.is_float())
      continue;
    for (int missing : {0, 1, 2, 3, 4, size}) {
      const int n = size - missing;
      t.section("n=" + std::to_string(n));
      const Array x = t.numbers(type, static_cast<std::size_t>(n), Inputs::uniform);
      Array expected(type, static_cast<std::size_t>(size));
      for (int i = 0; i < size; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool taken = mask == Mask::tile ? i < n : n >= size;
        if (taken)
          expected.set_bits(at, x.bits(at));
        else if (other == Other::one)
          expected.set_integer(at, 1);
        else if (other == Other::nan)
          expected.set_real(at, std::numeric_limits<double>::quiet_NaN());
      }
      // The allocation ends with the last element: a device that checks sees any byte more.
      Memory &in = t.input(x, Memory::Edge::exact), &out = t.output(type, expected.size());
      t.run<&masked_load<T>>({other, mask, size}, {1}, {in, out, n});
      t.exact(out, expected);
    }
  }
}

template <class T> void masked_store(Ptr<const T> x, Ptr<T> z, Int n, const MaskedConfig &cfg) {
  const Int i = arange(0, cfg.size);
  const Tensor<T> value = load(x + i);
  if (cfg.mask == Mask::tile)
    store(z + i, value, i < n);
  else if (cfg.mask == Mask::scalar)
    store(z + i, value, n >= cfg.size);
  else
    store(z + i, value, false);
}

template <class T> void check_masked_store(Context &t, int size, Mask mask) {
  constexpr ElementType type = element_type<T>;
  for (int missing : {0, 1, 2, 3, 4, size}) {
    const int n = size - missing;
    t.section("n=" + std::to_string(n));
    const Array x = t.numbers(type, static_cast<std::size_t>(size), Inputs::uniform);
    Array expected = poisoned(type, static_cast<std::size_t>(size));
    const bool partly = mask == Mask::tile, whole = mask == Mask::scalar && n >= size;
    for (int i = 0; i < size; ++i)
      if (whole || (partly && i < n))
        expected.set_bits(static_cast<std::size_t>(i), x.bits(static_cast<std::size_t>(i)));
    Memory &in = t.input(x), &out = t.output(type, static_cast<std::size_t>(size));
    t.run<&masked_store<T>>({.mask = mask, .size = size}, {1}, {in, out, n});
    t.require(out.read().bytes() == expected.bytes(),
              "a masked-off element was written, or a stored one was not");
  }
}

// Masked-off lanes may point anywhere.
template <class T> void wild_load(Ptr<const T> x, Ptr<T> z, const MaskedConfig &cfg) {
  const Int i = arange(0, cfg.size);
  const Bool mask = i % 2 == 0;
  const Int64 null = constant<i64>(0);
  const Ptr<const T> nowhere = bitcast<const T *>(null);
  store(z + i, load(where(mask, x + i, nowhere), mask));
  store(where(mask, z + (i + cfg.size), bitcast<T *>(null)), load(x + i), mask);
}

enum class Pattern { strided, reversed, indirect, duplicate_loads, duplicate_stores };
const char *name_of(Pattern pattern) {
  static const char *const names[] = {"strided", "reversed", "indirect", "duplicate_loads",
                                      "duplicate_stores"};
  return names[static_cast<int>(pattern)];
}
struct PatternConfig {
  Pattern pattern = Pattern::strided;
};

template <class T> void patterned(Ptr<const T> x, Ptr<const i32> indices, Ptr<T> z, Int stride,
                                  const PatternConfig &cfg) {
  const Int i = arange(0, 128);
  switch (cfg.pattern) {
  case Pattern::strided:
    return store(z + i * 2, load(x + i * stride));
  case Pattern::reversed:
    return store(z + (127 - i), load(x + i));
  case Pattern::indirect:
    return store(z + load(indices + i), load(x + i));
  case Pattern::duplicate_loads:
    return store(z + i, load(x + load(indices + i)));
  case Pattern::duplicate_stores:
    return store(z + load(indices + i), load(x + i));
  }
}

template <class T> void check_pattern(Context &t, Pattern pattern) {
  constexpr ElementType type = element_type<T>;
  const int stride = 3;
  const Array x = t.numbers(type, 128 * stride, Inputs::uniform);
  Array indices(element_type<i32>, 128), expected = poisoned(type, 256);
  for (std::size_t i = 0; i < 128; ++i)
    indices.set_integer(i, pattern == Pattern::indirect ? static_cast<Wide>(i * 37 % 128)
                                                        : static_cast<Wide>(t.between(0, 19)));
  for (std::size_t i = 0; i < 128; ++i) {
    const auto index = static_cast<std::size_t>(indices.integer(i));
    switch (pattern) {
    case Pattern::strided:
      expected.set_bits(2 * i, x.bits(i * stride));
      break;
    case Pattern::reversed:
      expected.set_bits(127 - i, x.bits(i));
      break;
    case Pattern::duplicate_loads:
      expected.set_bits(i, x.bits(index));
      break;
    default:
      expected.set_bits(index, x.bits(i));
      break;
    }
  }
  Memory &in = t.input(x), &in_indices = t.input(indices), &out = t.output(type, 256);
  t.run<&patterned<T>>({pattern}, {1}, {in, in_indices, out, stride});
  if (pattern != Pattern::duplicate_stores)
    return t.require(out.read().bytes() == expected.bytes(), "an element is wrong");
  // Which of the values wins is open; that it is one of them, whole, is not.
  const Array got = out.read();
  for (std::size_t cell = 0; cell < 256; ++cell) {
    bool stored = false, legal = false;
    for (std::size_t i = 0; i < 128; ++i)
      if (indices.integer(i) == static_cast<Wide>(cell)) {
        stored = true;
        legal = legal || got.bits(cell) == x.bits(i);
      }
    t.require(stored ? legal : got.bits(cell) == expected.bits(cell),
              "element " + std::to_string(cell) + " is " + got.text(cell) + ", which nobody stored there");
  }
}

// i1 is a byte in memory: any but zero is true, and stores write 0 or 1.
void copy_conditions(Ptr<const i1> x, Ptr<i1> z, Ptr<i32> count, const PatternConfig &) {
  const Int i = arange(0, 256);
  const Bool condition = load(x + i);
  store(z + i, condition);
  store(count + i, cast<i32>(condition) * 10);
}

// Lanes see what other lanes wrote before a barrier.
void exchange(Ptr<i32> z, Ptr<i32> w, const PatternConfig &) {
  const Int i = arange(0, 128);
  store(z + i, i * 3);
  barrier();
  store(w + i, load(z + (127 - i)));
}

}   // namespace

void add_memory_cases(Suite &suite) {
  each(Types<i1, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64>{}, [&]<class T>() {
    for (int size : {128, 512})
      for (Mask mask : {Mask::tile, Mask::scalar}) {
        const std::string name =
            type_name<T>() + "/" + std::to_string(size) + (mask == Mask::tile ? "/tile" : "/scalar");
        suite.add("ME1/load/" + name, [=](Context &t) { check_masked_load<T>(t, size, mask); });
        suite.add("ME2/store/" + name, [=](Context &t) { check_masked_store<T>(t, size, mask); });
      }
    suite.add("ME2/store/" + type_name<T>() + "/literal_false",
              [](Context &t) { check_masked_store<T>(t, 128, Mask::literal); });
    for (Pattern pattern : {Pattern::strided, Pattern::reversed, Pattern::indirect, Pattern::duplicate_loads,
                            Pattern::duplicate_stores})
      suite.add("ME4/" + std::string(name_of(pattern)) + "/" + type_name<T>(),
                [=](Context &t) { check_pattern<T>(t, pattern); });
  });
  suite.add("ME1/wild_pointers", [](Context &t) {
    const Array x = t.numbers<f32>(128, Inputs::uniform);
    Array expected = poisoned(element_type<f32>, 256);
    for (std::size_t i = 0; i < 128; ++i) {
      expected.set_bits(i, i % 2 ? 0 : x.bits(i));
      if (i % 2 == 0)
        expected.set_bits(128 + i, x.bits(i));
    }
    Memory &in = t.input(x), &out = t.output<f32>(256);
    t.run<&wild_load<f32>>({}, {1}, {in, out});
    t.exact(out, expected);
  });
  suite.add("ME4/conditions_are_bytes", [](Context &t) {
    Array x(element_type<u8>, 256), expected(element_type<i1>, 256), count(element_type<i32>, 256);
    for (std::size_t i = 0; i < 256; ++i) {
      x.set_bits(i, i);
      expected.set_bits(i, i != 0);
      count.set_integer(i, i != 0 ? 10 : 0);
    }
    Memory &in = t.input(x), &out = t.output<i1>(256), &out_count = t.output<i32>(256);
    t.run<&copy_conditions>({}, {1}, {in, out, out_count});
    t.exact(out, expected);
    t.exact(out_count, count);
  });
  suite.add("ME4/barrier", [](Context &t) {
    Array written(element_type<i32>, 128), read(element_type<i32>, 128);
    for (std::size_t i = 0; i < 128; ++i) {
      written.set_integer(i, static_cast<Wide>(3 * i));
      read.set_integer(i, static_cast<Wide>(3 * (127 - i)));
    }
    Memory &out = t.output<i32>(128), &seen = t.output<i32>(128);
    t.run<&exchange>({}, {1}, {out, seen});
    t.exact(out, written);
    t.exact(seen, read);
  });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// AT6-AT8: compare-and-swap as a lock, on tiles, and an atomic that few programs take part in.
#include "context.h"
#include "families.h"
#include "types.h"

namespace tile::conformance {

namespace {

struct LockConfig {
  Order acquire = Order::acq_rel, release = Order::acq_rel;
  int elements = 128;
};

// Every program adds 1 to all elements under one lock.
template <class T> void locked_increment(Ptr<T> lock, Ptr<i32> cells, const LockConfig &cfg) {
  Tensor<T> seen = atomic_cas(lock, 0, 1, cfg.acquire);
  while_([&] { return seen != 0; }, [&] { seen = atomic_cas(lock, 0, 1, cfg.acquire); });
  const Int i = arange(0, cfg.elements);
  store(cells + i, load(cells + i) + 1);
  barrier();
  atomic_xchg(lock, 0, cfg.release);
}

template <class T> void check_lock(Context &t, Order acquire, Order release) {
  Array expected(element_type<i32>, 128);
  for (std::size_t i = 0; i < 128; ++i)
    expected.set_integer(i, 2000);
  Memory &lock = t.in_out(Array(element_type<T>, 1)), &cells = t.in_out(Array(element_type<i32>, 128));
  t.run<&locked_increment<T>>({acquire, release}, {2000}, {lock, cells});
  t.exact(cells, expected);
  t.exact(lock, Array(element_type<T>, 1));
}

// Half of the elements hold what is expected; the others stay.
template <class T> void swap_tile(Ptr<T> cells, Ptr<const T> expected, Ptr<const T> desired, Ptr<T> seen,
                                  const LockConfig &cfg) {
  const Int i = arange(0, cfg.elements);
  store(seen + i, atomic_cas(cells + i, load(expected + i), load(desired + i)));
}

template <class T> void check_swap(Context &t, int elements) {
  constexpr ElementType type = element_type<T>;
  const auto n = static_cast<std::size_t>(elements);
  // Specials: a NaN equals itself here, and -0 differs from +0, because bits are compared.
  const Array cells = t.numbers(type, n, Inputs::specials), desired = t.numbers(type, n, Inputs::specials);
  Array expected = cells, after = cells;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 2)
      expected.set_bits(i, cells.bits(i) ^ std::uint64_t{1} << (type.bits() - 1));
    else
      after.set_bits(i, desired.bits(i));
  }
  Memory &memory = t.in_out(cells), &in_expected = t.input(expected), &in_desired = t.input(desired);
  Memory &seen = t.output(type, n);
  t.run<&swap_tile<T>>({.elements = elements}, {1}, {memory, in_expected, in_desired, seen});
  t.require(memory.read().bytes() == after.bytes(), "a cell was not swapped, or was though it differed");
  t.require(seen.read().bytes() == cells.bytes(), "the old values are wrong");
}

void few_take_part(Ptr<i32> cell, const LockConfig &) {
  const Int pid = program_id(0);
  atomic_max(cell, pid, pid < 64);
}

}   // namespace

void add_lock_cases(Suite &suite) {
  each(Types<i32, i64>{}, [&]<class T>() {
    const std::tuple<const char *, Order, Order> orders[] = {
        {"acq_rel", Order::acq_rel, Order::acq_rel},
        {"acquire_release", Order::acquire, Order::release},
        {"acq_rel_release", Order::acq_rel, Order::release}};
    for (auto [name, acquire, release] : orders)
      suite.add(
          "AT6/lock/" + type_name<T>() + "/" + name,
          [=, acquire = acquire, release = release](Context &t) { check_lock<T>(t, acquire, release); });
  });
  each(Types<i32, i64, f32>{}, [&]<class T>() {
    for (int elements : {1, 4, 16, 128, 512})
      suite.add("AT7/cas/" + type_name<T>() + "/" + std::to_string(elements),
                [=](Context &t) { check_swap<T>(t, elements); });
  });
  suite.add("AT8/predicated_max", [](Context &t) {
    Memory &cell = t.in_out(Array::of<i32>({-1}));
    t.run<&few_take_part>({}, {4096}, {cell});
    t.exact(cell, Array::of<i32>({63}));
  });
}

}   // namespace tile::conformance

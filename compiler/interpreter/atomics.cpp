// SPDX-License-Identifier: MIT
#include "compiler/interpreter/atomics.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <limits>

namespace tile::interpreter {
namespace {

// `L` is the lane's type; `combine` works on its bits.
// clang-format off
template <class L> struct OnIntegers {
  using U = std::make_unsigned_t<L>;
  static L s(U bits) { return static_cast<L>(bits); }
  struct Add { static U combine(U a, U b) { return static_cast<U>(a + b); } };
  struct SMax { static U combine(U a, U b) { return s(a) < s(b) ? b : a; } };
  struct SMin { static U combine(U a, U b) { return s(b) < s(a) ? b : a; } };
  struct UMax { static U combine(U a, U b) { return a < b ? b : a; } };
  struct UMin { static U combine(U a, U b) { return b < a ? b : a; } };
};
template <class U> struct OnBits {
  struct And { static U combine(U a, U b) { return a & b; } };
  struct Or { static U combine(U a, U b) { return a | b; } };
  struct Xor { static U combine(U a, U b) { return a ^ b; } };
  struct Exchange { static U combine(U, U b) { return b; } };
};
// clang-format on
template <std::size_t Bytes> struct BitsOf;
template <> struct BitsOf<2> {
  using type = std::uint16_t;
};
template <> struct BitsOf<4> {
  using type = std::uint32_t;
};
template <> struct BitsOf<8> {
  using type = std::uint64_t;
};
template <class L> struct OnFloats {
  using U = typename BitsOf<sizeof(L)>::type;
  using S = std::make_signed_t<U>;
  // A signed integer that grows as the float does, -NaN first and +NaN last.
  static S order(U bits) {
    const S s = static_cast<S>(bits);
    return s < 0 ? static_cast<S>(s ^ std::numeric_limits<S>::max()) : s;
  }
  struct Add {
    static U combine(U a, U b) {
      return std::bit_cast<U>(
          close<L>(numeric::canonical(open(std::bit_cast<L>(a)) + open(std::bit_cast<L>(b)))));
    }
  };
  struct Max {
    static U combine(U a, U b) { return order(a) < order(b) ? b : a; }
  };
  struct Min {
    static U combine(U a, U b) { return order(b) < order(a) ? b : a; }
  };
};

template <class Op, class U> U update(U *at, U value) {
  const std::atomic_ref<U> cell(*at);
  U old = cell.load(std::memory_order_relaxed);
  while (!cell.compare_exchange_weak(old, Op::combine(old, value), std::memory_order_acq_rel))
    ;
  return old;
}
template <class Op, class U> void updateOne(std::byte *at, const std::byte *value) {
  U bits;
  std::memcpy(&bits, value, sizeof bits);
  update<Op>(reinterpret_cast<U *>(at), bits);
}

// The addressed lanes that the mask allows; the others of the result are 0.
template <class U, class Apply> void eachLane(const Instruction &i, Machine &m, Apply apply) {
  const Access &access = i.as<Access>();
  const Pointer *pointers = m.at<Pointer>(i.a);
  const std::uint8_t *mask = access.mask == NoPlace ? nullptr : m.at<std::uint8_t>(access.mask);
  U *result = m.at<U>(i.result);
  if (access.wrapped && m.hasWrapped(*access.wrapped))
    refuseWrapped(i, m, access);
  for (std::size_t n = 0; n < i.lanes; ++n) {
    if (mask && !mask[n]) {
      result[n] = 0;
      continue;
    }
    U *at = reachLane<U>(i, m, access, pointers[n], n);
    refuseUnwritten(i, m, access.words(), access.extents, at, sizeof(U), n);
    result[n] = apply(at, n);
  }
}
template <class Op, class U> void atomic(const Instruction &i, Machine &m) {
  const U *values = m.at<U>(i.b);
  eachLane<U>(i, m, [&](U *at, std::size_t n) { return update<Op>(at, values[n]); });
}
template <class U> void compareAndSwap(const Instruction &i, Machine &m) {
  const U *expected = m.at<U>(i.b), *desired = m.at<U>(i.c);
  eachLane<U>(i, m, [&](U *at, std::size_t n) {
    U old = expected[n];
    std::atomic_ref<U>(*at).compare_exchange_strong(old, desired[n], std::memory_order_acq_rel);
    return old;
  });
}

// Both forms of one update: a tile's, and an element's.
struct Forms {
  Handler tile = nullptr;
  UpdateElement element = nullptr;
};
template <class Op, class U> Forms formsOf() { return {atomic<Op, U>, updateOne<Op, U>}; }

template <class L> Forms onInteger(Update update) {
  using Ops = OnIntegers<L>;
  using U = typename Ops::U;
  switch (update) {
  case Update::Add:
    return formsOf<typename Ops::Add, U>();
  case Update::SMax:
    return formsOf<typename Ops::SMax, U>();
  case Update::SMin:
    return formsOf<typename Ops::SMin, U>();
  case Update::UMax:
    return formsOf<typename Ops::UMax, U>();
  case Update::UMin:
    return formsOf<typename Ops::UMin, U>();
  default:
    return {};
  }
}
template <class L> Forms onFloat(Update update) {
  using Ops = OnFloats<L>;
  using U = typename Ops::U;
  switch (update) {
  case Update::FAdd:
    return formsOf<typename Ops::Add, U>();
  case Update::FMax:
    return formsOf<typename Ops::Max, U>();
  case Update::FMin:
    return formsOf<typename Ops::Min, U>();
  default:
    return {};
  }
}
template <class U> Forms onBits(Update update) {
  switch (update) {
  case Update::And:
    return formsOf<typename OnBits<U>::And, U>();
  case Update::Or:
    return formsOf<typename OnBits<U>::Or, U>();
  case Update::Xor:
    return formsOf<typename OnBits<U>::Xor, U>();
  case Update::Exchange:
    return formsOf<typename OnBits<U>::Exchange, U>();
  default:
    return {};
  }
}

Forms find(Update update, Lane lane) {
  if (lane == Lane::Pointer || lane == Lane::Descriptor)
    return {};
  if (update >= Update::And) {
    if (isFloat(lane) && update != Update::Exchange)
      return {};
    return forBytes(bytesOf(lane), [&]<class U>(U) { return onBits<U>(update); });
  }
  if (isFloat(lane))
    return forFloat(lane, [&]<class L>(L) { return onFloat<L>(update); });
  return forInteger(lane, [&]<class L>(L) { return onInteger<L>(update); });
}

}   // namespace

Handler atomicHandler(Update update, Lane lane) { return find(update, lane).tile; }
UpdateElement updateElement(Update update, Lane lane) { return find(update, lane).element; }
Handler compareAndSwapHandler(Lane lane) {
  if (lane == Lane::Pointer || lane == Lane::Descriptor)
    return nullptr;
  return forBytes(bytesOf(lane), []<class U>(U) -> Handler { return compareAndSwap<U>; });
}

}   // namespace tile::interpreter

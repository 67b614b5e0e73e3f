// SPDX-License-Identifier: MIT
// Loops and branches that run on the device. A loop body is traced once, and so is each arm of a branch.
// Variables that are assigned there become loop-carried values or results of the branch.
#pragma once

#include <tile/operators.h>

#include <utility>

namespace tile {

namespace detail {

// The type of a loop's counter: the type of its device bounds, or one that holds the widest host integer.
template <class... A> struct loop_element {
  static constexpr bool wide = ((std::integral<A> && sizeof(A) > 4) || ...);
  static constexpr bool is_unsigned = ((std::same_as<A, unsigned>) || ...) && !wide;
  using host = std::conditional_t<wide, i64, std::conditional_t<is_unsigned, u32, i32>>;
  using device = common_element<A...>;
  using type = std::conditional_t<std::is_void_v<device>, host, device>;
};

template <class T, class A> constexpr bool is_bound() {
  if constexpr (DeviceValue<A>) {
    constexpr bool same = std::same_as<T, element_of_t<A>> || Widens<element_of_t<A>, T>;
    static_assert(same,
                  "the bounds and the step of a range have one type: convert one with tile::cast<T>(x)");
    return same;
  } else {
    static_assert(is_host_integer<A>, "a bound of a range is an integer or a scalar of i32, i64 or u32");
    return HostInteger<A>;
  }
}

// The iterator of a range-for over a device range. Dereferencing it opens the region, incrementing it closes
// the region. If it is destroyed in between, `break`, `return` or an exception left the loop.
template <class T> class LoopIterator {
 public:
  explicit LoopIterator(OpenRegion r, const Use &lo, const Use &hi, const Use &step, bool is_literal,
                        std::int64_t literal_step, LoopOptions options)
      : region_(r), lo_(lo), hi_(hi), step_(step), is_literal_(is_literal), literal_step_(literal_step),
        options_(options) {}
  LoopIterator(const LoopIterator &) = delete;
  LoopIterator &operator=(const LoopIterator &) = delete;
  ~LoopIterator() {
    if (region_.op)
      abandon(region_, "loop");
  }
  Tensor<T> operator*() {
    if (region_.op || done_)
      not_a_range_for(region_.loc);
    return Tensor<T>(
        Use{open_for(region_, lo_, hi_, step_, is_literal_ ? &literal_step_ : nullptr, options_, region_.loc),
            region_.loc});
  }
  LoopIterator &operator++() {
    if (!region_.op)
      not_a_range_for(region_.loc);
    close_for(region_);
    done_ = true;
    return *this;
  }
  struct End {};
  bool operator!=(End) const { return !done_; }

 private:
  OpenRegion region_;
  Use lo_, hi_, step_;
  bool is_literal_;
  std::int64_t literal_step_;
  LoopOptions options_;
  bool done_ = false;
};

}   // namespace detail

// for (auto k : range(lo, hi, step).stages(3)) { ... }
template <class T> class Range {
 public:
  Range(detail::Use lo, detail::Use hi, detail::Use step, const std::int64_t *literal_step, Loc l)
      : lo_(std::move(lo)), hi_(std::move(hi)), step_(std::move(step)), loc_(l) {
    if (literal_step) {
      is_literal_ = true;
      literal_step_ = *literal_step;
      detail::need_step(literal_step_, l);
    }
  }
  Range stages(HostInt n) const {   // depth of software pipelining
    detail::need_stages(n, loc_);
    return with(&detail::LoopOptions::stages, static_cast<int>(n));
  }
  Range unroll(HostInt n) const {   // n iterations in each trip
    detail::need_unroll(n, loc_);
    return with(&detail::LoopOptions::unroll, static_cast<int>(n));
  }
  // A promise: no iteration loads or stores what another iteration stores. Extra warps may then load ahead
  // for the products of later iterations.
  Range specialize_warps() const { return with(&detail::LoopOptions::specialize_warps, true); }

  detail::LoopIterator<T> begin() const {
    return detail::LoopIterator<T>({nullptr, 0, loc_}, lo_, hi_, step_, is_literal_, literal_step_, options_);
  }
  typename detail::LoopIterator<T>::End end() const { return {}; }

 private:
  template <class V> Range with(V detail::LoopOptions::*option, V value) const {
    Range r = *this;
    r.options_.*option = value;
    return r;
  }
  detail::Use lo_, hi_, step_;
  std::int64_t literal_step_ = 1;
  bool is_literal_ = false;
  Loc loc_;
  detail::LoopOptions options_;
};

template <class A, class B, class S> auto range(const A &lo, const B &hi, const S &step,
                                                Loc l = Loc::current()) {
  using T = typename detail::loop_element<A, B, S>::type;
  constexpr bool type = std::same_as<T, i32> || std::same_as<T, i64> || std::same_as<T, u32>;
  static_assert(type, "a range counts in i32, i64 or u32");
  if constexpr (type && detail::is_bound<T, A>() && detail::is_bound<T, B>() && detail::is_bound<T, S>()) {
    if constexpr (HostInteger<S>) {
      // A negative step of an unsigned range counts down. T cannot hold the step, only its absolute value.
      std::int64_t literal = static_cast<std::int64_t>(step);
      std::int64_t size = literal < 0 && std::is_unsigned_v<T> ? -literal : literal;
      return Range<T>(detail::operand<T>(lo, l), detail::operand<T>(hi, l), detail::operand<T>(size, l),
                      &literal, l);
    } else
      return Range<T>(detail::operand<T>(lo, l), detail::operand<T>(hi, l), detail::operand<T>(step, l),
                      nullptr, l);
  } else
    return Range<i32>({}, {}, {}, nullptr, l);
}
template <class A, class B> auto range(const A &lo, const B &hi, Loc l = Loc::current()) {
  return range(lo, hi, 1, l);
}
template <class B> auto range(const B &hi, Loc l = Loc::current()) { return range(0, hi, 1, l); }

// for (bool arm : branch(c)) if (arm) {...} else {...}   traces the statement once for each arm.
class branch {
 public:
  // `acts`: the branch is an error if both arms do nothing. Then the user may have written a `continue` for
  // the loop around the branch, but in an arm it ends only the arm.
  template <class C> explicit branch(const C &condition, Loc l = Loc::current(), bool acts = true)
      : acts_(acts) {
    if constexpr (detail::is_condition<C>())
      detail::open_if(region_, detail::operand<i1>(condition, l));
  }
  branch(const branch &) = delete;
  branch &operator=(const branch &) = delete;
  ~branch() {
    if (open_)
      detail::abandon(region_, "branch");
  }

  struct End {};
  struct Iterator {
    branch *b;
    int arm = 0;
    bool operator*() const {
      detail::open_arm(b->region_, arm);
      b->open_ = true;
      return arm == 0;
    }
    Iterator &operator++() {
      b->open_ = false;
      detail::close_arm(b->region_);
      if (++arm == 2)
        detail::close_if(b->region_, b->acts_);
      return *this;
    }
    bool operator!=(End) const { return arm < 2; }
  };
  Iterator begin() { return {this}; }
  End end() const { return {}; }

 private:
  detail::OpenRegion region_;
  bool open_ = false, acts_;
};

template <class C, class Then, class Else>
void if_(const C &condition, Then &&then, Else &&otherwise, Loc l = Loc::current()) {
  for (bool arm : branch(condition, l, false)) {   // its arms may be empty
    if (arm)
      then();
    else
      otherwise();
  }
}
template <class C, class Then> void if_(const C &condition, Then &&then, Loc l = Loc::current()) {
  if_(condition, std::forward<Then>(then), [] {}, l);
}

// while_([&] { return i < n; }, [&] { ... });
template <class Condition, class Body>
void while_(Condition &&condition, Body &&body, Loc l = Loc::current()) {
  struct Guard : detail::OpenRegion {
    ~Guard() {
      if (op)
        detail::abandon(*this, "loop");
    }
  } region;
  if constexpr (detail::is_condition<std::remove_cvref_t<decltype(condition())>>()) {
    detail::open_while(region, l);
    detail::while_condition(region, detail::operand<i1>(condition(), l));
    body();
    detail::close_while(region);
  }
}

// TILE_IF (c) {...} else {...} needs no lambda and no trailing semicolon. It is the only macro of the
// language, and it is optional.
#define TILE_JOIN2(a, b) a##b
#define TILE_JOIN(a, b) TILE_JOIN2(a, b)
#define TILE_IF(condition)                                                                                   \
  for (bool TILE_JOIN(tile_arm_, __LINE__) : ::tile::branch(condition))                                      \
    if (TILE_JOIN(tile_arm_, __LINE__))

}   // namespace tile

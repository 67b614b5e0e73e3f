// SPDX-License-Identifier: MIT
// CF1-CF5: loops at the ends of their types, branches, and what the host decides while tracing.
#include "context.h"
#include "families.h"
#include "types.h"

#include <limits>

namespace tile::conformance {

namespace {

struct RangeConfig {
  std::int64_t step = 1;
  bool device_step = false;
};

// How often, the sum, and the last value.
template <class T> void count_up(Ptr<i64> z, Scalar<T> low, Scalar<T> high, Scalar<T> step,
                                 const RangeConfig &cfg) {
  Int64 trips = constant<i64>(0), total = constant<i64>(0), last = constant<i64>(-1);
  auto body = [&](const Scalar<T> &i) {
    trips += 1;
    total += cast<i64>(i);
    last = cast<i64>(i);
  };
  if (cfg.device_step) {
    for (auto i : range(low, high, step))
      body(i);
  } else {
    for (auto i : range(low, high, cfg.step))
      body(i);
  }
  store(z, trips);
  store(z + 1, total);
  store(z + 2, last);
}

template <class T> void check_range(Context &t, Wide low, Wide high, Wide step) {
  Wide trips = 0, total = 0, last = -1;
  for (Wide i = low; step > 0 ? i < high : i > high; i += step) {
    ++trips;
    total += i;
    last = i;
  }
  Array expected(element_type<i64>, 3);
  expected.set_integer(0, trips);
  expected.set_integer(1, total);
  expected.set_integer(2, last);
  for (bool device_step : {false, true}) {
    if (device_step && step < 0)
      continue;   // a step that the device computes is positive
    t.section(std::string("step ") + std::to_string(static_cast<long long>(step)) +
              (device_step ? " of the device" : ""));
    Memory &out = t.output<i64>(3);
    const auto narrow_step = static_cast<std::int64_t>(step);
    t.run<&count_up<T>>({narrow_step, device_step}, {1},
                        {out, static_cast<std::int64_t>(low), static_cast<std::int64_t>(high),
                         narrow_step < 0 ? 1 : narrow_step});
    t.exact(out, expected);
  }
}

void add_ranges(Suite &suite) {
  const Wide one = 1, min32 = -(one << 31), max32 = (one << 31) - 1, maxu32 = (one << 32) - 1;
  const Wide max64 = std::numeric_limits<std::int64_t>::max(),
             min64 = std::numeric_limits<std::int64_t>::min();
  struct Bounds {
    const char *name;
    Wide low, high;
    std::vector<Wide> steps;
  };
  for (const Bounds &b : {Bounds{"2^35", one << 35, (one << 35) + 20, {1, 2, 3}},
                          {"15_to_-16", 15, -16, {-1, -2, -3}},
                          {"-18_to_-22", -18, -22, {-1}},
                          {"22_to_18", 22, 18, {-1}},
                          {"up_to_max", max64 - 10, max64, {1, 3, 7, 100}},
                          {"down_to_min", min64 + 10, min64, {-1, -3, -7, -100}},
                          {"whole_type", min64, max64, {one << 62, max64}}})
    suite.add(std::string("CF1/i64/") + b.name, [=](Context &t) {
      for (Wide step : b.steps)
        check_range<i64>(t, b.low, b.high, step);
    });
  for (const Bounds &b : {Bounds{"empty", 5, 5, {1, -1}},
                          {"backwards", 5, -5, {1, 3}},
                          {"up_to_max", max32 - 10, max32, {1, 3, 7, 100}},
                          {"down_to_min", min32 + 10, min32, {-1, -3, -7, -100}},
                          {"from_min", min32, min32 + 10, {1, 3}},
                          {"from_max", max32, max32 - 10, {-1, -4}},
                          {"whole_type", min32, max32, {one << 30, max32}},
                          {"whole_type_down", max32, min32, {-(one << 30), min32}}})
    suite.add(std::string("CF1/i32/") + b.name, [=](Context &t) {
      for (Wide step : b.steps)
        check_range<i32>(t, b.low, b.high, step);
    });
  for (const Bounds &b : {Bounds{"up_to_max", maxu32 - 10, maxu32, {1, 3, 100}},
                          {"across_2^31", max32 - 5, max32 + 5, {1, 2}},
                          {"down_to_0", 10, 0, {-1, -3}},
                          {"down_across_2^31", max32 + 5, max32 - 5, {-1, -4}},
                          {"whole_type", 0, maxu32, {one << 30}}})
    suite.add(std::string("CF1/u32/") + b.name, [=](Context &t) {
      for (Wide step : b.steps)
        check_range<u32>(t, b.low, b.high, step);
    });
}

struct BranchConfig {
  bool macro = false;
};

// Tiles assigned in nested arms; an arm that does nothing; a store in one arm only.
void branches(Ptr<const i32> flags, Ptr<i32> z, const BranchConfig &cfg) {
  const Int i = arange(0, 16);
  const Bool a = load(flags) != 0, b = load(flags + 1) != 0, c = load(flags + 2) != 0;
  Int x = i * 1, y = i + 100;
  auto inner = [&] {
    x = x + 1000;
    if_(c, [&] { y = x * 2; }, [&] { store(z + (i + 32), y); });
  };
  if (cfg.macro) {
    TILE_IF (a) {
      x += 10;
      TILE_IF (b) {
        inner();
      }
    } else {
      y = y - 7;
    }
  } else {
    if_(
        a,
        [&] {
          x += 10;
          if_(b, inner);
        },
        [&] { y = y - 7; });
  }
  store(z + i, x);
  store(z + (i + 16), y);
}

void check_branches(Context &t, bool macro) {
  for (int combination = 0; combination < 8; ++combination) {
    const bool a = combination & 1, b = combination & 2, c = combination & 4;
    t.section("combination " + std::to_string(combination));
    Array expected = poisoned(element_type<i32>, 48);
    for (int i = 0; i < 16; ++i) {
      int x = i, y = i + 100;
      const auto at = static_cast<std::size_t>(i);
      if (a) {
        x += 10;
        if (b) {
          x += 1000;
          if (c)
            y = x * 2;
          else
            expected.set_integer(at + 32, y);
        }
      } else {
        y -= 7;
      }
      expected.set_integer(at, x);
      expected.set_integer(at + 16, y);
    }
    Array flags(element_type<i32>, 3);
    for (std::size_t i = 0; i < 3; ++i)
      flags.set_integer(i, combination >> i & 1);
    Memory &in = t.input(flags), &out = t.output<i32>(48);
    t.run<&branches>({macro}, {1}, {in, out});
    t.exact(out, expected);
  }
}

// Steps until a Collatz sequence reaches 1: the trip count is the data's.
void collatz(Ptr<const i32> x, Ptr<i32> z, const BranchConfig &) {
  Int n = load(x + program_id(0)), steps = constant<i32>(0);
  while_([&] { return n != 1; },
         [&] {
           n = where(n % 2 == 0, n / 2, n * 3 + 1);
           steps += 1;
         });
  store(z + program_id(0), steps);
}

void check_collatz(Context &t) {
  Array x(element_type<i32>, 64), expected(element_type<i32>, 64);
  for (int i = 0; i < 64; ++i) {
    int n = i + 1, steps = 0;
    x.set_integer(static_cast<std::size_t>(i), n);
    for (; n != 1; ++steps)
      n = n % 2 ? 3 * n + 1 : n / 2;
    expected.set_integer(static_cast<std::size_t>(i), steps);
  }
  Memory &in = t.input(x), &out = t.output<i32>(64);
  t.run<&collatz>({}, {64}, {in, out});
  t.exact(out, expected);
}

// A loop in a branch, a branch in a loop, a while in a for.
void loops_and_branches(Ptr<const i32> flags, Ptr<i32> z, const BranchConfig &) {
  const Int i = arange(0, 16);
  Int acc = i * 0;
  TILE_IF (load(flags) != 0) {
    for (auto k : range(0, load(flags + 1)))
      acc += k;
  } else {
    Int left = load(flags + 1);
    while_([&] { return left > 0; },
           [&] {
             acc -= left;
             left -= 2;
           });
  }
  for (auto k : range(0, 5)) {
    TILE_IF (k % 2 == load(flags)) {
      acc = acc * 2 + i;
    }
    Int rest = k;
    while_([&] { return rest > 2; },
           [&] {
             acc += 1000;
             rest -= 1;
           });
  }
  store(z + i, acc);
}

void check_loops_and_branches(Context &t) {
  for (int flag : {0, 1})
    for (int trips : {0, 1, 6}) {
      t.section("flag=" + std::to_string(flag) + " trips=" + std::to_string(trips));
      Array expected(element_type<i32>, 16), flags(element_type<i32>, 2);
      flags.set_integer(0, flag);
      flags.set_integer(1, trips);
      for (int i = 0; i < 16; ++i) {
        int acc = 0;
        if (flag)
          for (int k = 0; k < trips; ++k)
            acc += k;
        else
          for (int left = trips; left > 0; left -= 2)
            acc -= left;
        for (int k = 0; k < 5; ++k) {
          if (k % 2 == flag)
            acc = acc * 2 + i;
          for (int rest = k; rest > 2; --rest)
            acc += 1000;
        }
        expected.set_integer(static_cast<std::size_t>(i), acc);
      }
      Memory &in = t.input(flags), &out = t.output<i32>(16);
      t.run<&loops_and_branches>({}, {1}, {in, out});
      t.exact(out, expected);
    }
}

struct HostConfig {
  bool twice = false;
  int repeats = 3;
};

// Nothing of the host's control flow reaches the device.
void host_decides(Ptr<const i32> x, Ptr<i32> z, const HostConfig &cfg) {
  const Int i = arange(0, 16);
  Int value = load(x + i);
  std::array<Int, 2> powers{value, value * value};
  for (int repeat = 0; repeat < cfg.repeats; ++repeat)
    value = value * powers[static_cast<std::size_t>(repeat % 2)] + repeat;
  if (cfg.twice)
    value += value;
  std::swap(powers[0], powers[1]);
  store(z + i, value - powers[0]);
}

void check_host_decides(Context &t) {
  for (bool twice : {false, true})
    for (int repeats : {0, 1, 5}) {
      t.section("repeats=" + std::to_string(repeats));
      const Array x = t.numbers<i32>(16, Inputs::integers);
      Array expected(element_type<i32>, 16);
      for (std::size_t i = 0; i < 16; ++i) {
        Wide value = x.integer(i);
        const Wide powers[] = {value, value * value};
        for (int repeat = 0; repeat < repeats; ++repeat)
          value = value * powers[repeat % 2] + repeat;
        expected.set_integer(i, (twice ? 2 * value : value) - powers[1]);
      }
      Memory &in = t.input(x), &out = t.output<i32>(16);
      t.run<&host_decides>({twice, repeats}, {1}, {in, out});
      t.exact(out, expected);
      const std::string ir = Context::trace<&host_decides>({twice, repeats}, {in, out}).text();
      t.require(ir.find("scf.") == std::string::npos, "host control flow is in the IR:\n" + ir);
    }
}

struct Parts {
  Int low, high;
  Bool odd;
};
Parts take_apart(const Int &x) { return {x & 15, x >> 4, x % 2 != 0}; }

template <int depth> Int tower(const Int &x) {
  if constexpr (depth == 0)
    return x;
  else
    return tower<depth - 1>(x * 2 + depth);
}

void functions(Ptr<const i32> x, Ptr<i32> z, const HostConfig &) {
  const Int i = arange(0, 16);
  auto [low, high, odd] = take_apart(load(x + i));
  Parts parts{low, high, odd};
  for (auto k : range(0, 3)) {   // a struct of tiles is carried by the loop, field by field
    parts.low += k;
    parts.high = parts.high - parts.low;
  }
  store(z + i, where(parts.odd, tower<5>(parts.low), parts.high));
}

void check_functions(Context &t) {
  Array x(element_type<i32>, 16), expected(element_type<i32>, 16);
  for (std::size_t i = 0; i < 16; ++i) {
    const auto v = static_cast<int>(t.between(0, 10000));
    x.set_integer(i, v);
    int low = v & 15, high = v >> 4;
    for (int k = 0; k < 3; ++k) {
      low += k;
      high -= low;
    }
    int tall = low;
    for (int depth = 5; depth > 0; --depth)
      tall = tall * 2 + depth;
    expected.set_integer(i, v % 2 ? tall : high);
  }
  Memory &in = t.input(x), &out = t.output<i32>(16);
  t.run<&functions>({}, {1}, {in, out});
  t.exact(out, expected);
}

}   // namespace

void add_control_cases(Suite &suite) {
  add_ranges(suite);
  suite.add("CF1/step_0", [](Context &t) {
    bool refused = false;
    try {
      Context::trace<&count_up<i32>>({0, false}, {Value::address(0), 0, 10, 5});
    } catch (const Error &error) {
      refused = error.where().known();
    }
    t.require(refused, "a range with step 0 was accepted");
  });
  suite.add("CF2/if_", [](Context &t) { check_branches(t, false); });
  suite.add("CF2/TILE_IF", [](Context &t) { check_branches(t, true); });
  suite.add("CF3/while_", check_collatz);
  suite.add("CF3/loops_and_branches", check_loops_and_branches);
  suite.add("CF4/host_decides", check_host_decides);
  suite.add("CF5/functions", check_functions);
}

}   // namespace tile::conformance

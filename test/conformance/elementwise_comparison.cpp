// SPDX-License-Identifier: MIT
// EL7 and EL8: comparisons and the choice between two tiles.
#include "binary.h"
#include "context.h"
#include "families.h"
#include "types.h"

#include <cmath>

namespace tile::conformance {

namespace {

struct CompareConfig {
  Comparison op = Comparison::less;
  Form form = Form::tile_tile;
  int n = 128, literal = 3;
};

Bool compared(Comparison op, const auto &a, const auto &b) {
  switch (op) {
  case Comparison::less:
    return a < b;
  case Comparison::less_equal:
    return a <= b;
  case Comparison::greater:
    return a > b;
  case Comparison::greater_equal:
    return a >= b;
  case Comparison::equal:
    return a == b;
  case Comparison::not_equal:
    return a != b;
  }
  throw std::logic_error("no such comparison");
}

template <class T> void compare(Ptr<const T> x, Ptr<const T> y, Ptr<i1> z, const CompareConfig &cfg) {
  const Int i = arange(0, cfg.n);
  auto put = [&](const Bool &result) { store(z + i, result); };
  switch (cfg.form) {
  case Form::tile_tile:
    return put(compared(cfg.op, load(x + i), load(y + i)));
  case Form::tile_literal:
    return put(compared(cfg.op, load(x + i), cfg.literal));
  case Form::literal_tile:
    return put(compared(cfg.op, cfg.literal, load(y + i)));
  case Form::tile_one:
    return put(compared(cfg.op, load(x + i), load(y + arange(0, 1))));
  case Form::one_tile:
    return put(compared(cfg.op, load(x + arange(0, 1)), load(y + i)));
  case Form::tile_scalar:
    return put(compared(cfg.op, load(x + i), load(y)));
  case Form::scalar_tile:
    return put(compared(cfg.op, load(x), load(y + i)));
  }
}

using CompareLauncher = void (*)(Context &, const CompareConfig &, const Memory &, const Memory &,
                                 const Memory &);
template <class T>
void launch_compare(Context &t, const CompareConfig &cfg, const Memory &x, const Memory &y, const Memory &z) {
  t.run<&compare<T>>(cfg, {1}, {x, y, z});
}

void check_comparison(Context &t, CompareLauncher launch, ElementType type, Comparison op, Form form) {
  for (Inputs kind : all_inputs) {
    const std::size_t n = kind == Inputs::specials ? 512 : 128;
    const bool one_sided = form != Form::tile_tile && kind == Inputs::specials;
    for (int draw = 0; draw < (one_sided ? 6 : 1); ++draw) {
      t.section(std::string("inputs=") + name_of(kind));
      const Array x = t.numbers(type, n, kind), y = t.numbers(type, n, kind);
      Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output<i1>(n);
      launch(t, {op, form, static_cast<int>(n), 3}, in_x, in_y, out);
      const Operands operands = spread(form, x, y, 3);
      Array expected(element_type<i1>, n);
      for (std::size_t i = 0; i < n; ++i)
        expected.set_bits(i, holds(op, operands.a, i, operands.b, i));
      t.exact(out, expected);
    }
  }
}

void compare_pointers(Ptr<const f32> x, Ptr<const i32> offsets, Ptr<i1> equal, Ptr<i1> different,
                      const CompareConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const Ptr<const f32> p = x + i, q = x + load(offsets + i);
  store(equal + i, p == q);
  store(different + i, p != q);
}

enum class Arms {
  tile_tile,
  tile_literal,
  literal_tile,
  tile_scalar,
  scalar_tile,
  row_condition,
  scalar_condition
};
const char *name_of(Arms arms) {
  static const char *const names[] = {"tile_tile",   "tile_literal",  "literal_tile",    "tile_scalar",
                                      "scalar_tile", "row_condition", "scalar_condition"};
  return names[static_cast<int>(arms)];
}

struct ChooseConfig {
  Arms arms = Arms::tile_tile;
};

// 8 x 16 elements.
template <class T> void choose(Ptr<const i1> c, Ptr<const T> x, Ptr<const T> y, Ptr<T> z,
                               const ChooseConfig &cfg) {
  const Int row = arange(0, 8), column = arange(0, 16);
  const Int i = row(all, none) * 16 + column(none, all);
  auto put = [&](const Tensor<T> &result) { store(z + i, result); };
  const auto literal = [] {
    if constexpr (is_bool<T>)
      return true;
    else
      return 3;
  }();
  switch (cfg.arms) {
  case Arms::tile_tile:
    return put(where(load(c + i), load(x + i), load(y + i)));
  case Arms::tile_literal:
    if constexpr (!is_fp8<T>)
      put(where(load(c + i), load(x + i), literal));
    return;
  case Arms::literal_tile:
    if constexpr (!is_fp8<T>)
      put(where(load(c + i), literal, load(y + i)));
    return;
  case Arms::tile_scalar:
    return put(where(load(c + i), load(x + i), load(y)));
  case Arms::scalar_tile:
    return put(where(load(c + i), load(x), load(y + i)));
  case Arms::row_condition:
    return put(where(load(c + column)(none, all), load(x + i), load(y + i)));
  case Arms::scalar_condition:
    return put(where(load(c), load(x + i), load(y + i)));
  }
}

using ChooseLauncher = void (*)(Context &, const ChooseConfig &, const Memory &, const Memory &,
                                const Memory &, const Memory &);
template <class T>
void launch_choose(Context &t, const ChooseConfig &cfg, const Memory &c, const Memory &x, const Memory &y,
                   const Memory &z) {
  t.run<&choose<T>>(cfg, {1}, {c, x, y, z});
}

void check_choice(Context &t, ChooseLauncher launch, ElementType type, Arms arms) {
  for (Inputs kind : all_inputs) {
    for (int draw = 0; draw < 2; ++draw) {
      t.section(std::string("inputs=") + name_of(kind));
      const Array c = t.numbers<i1>(128, kind), x = t.numbers(type, 128, kind),
                  y = t.numbers(type, 128, kind);
      Memory &in_c = t.input(c), &in_x = t.input(x), &in_y = t.input(y), &out = t.output(type, 128);
      launch(t, {arms}, in_c, in_x, in_y, out);
      Array literal(type, 1), expected(type, 128);
      literal.set_integer(0, 3);
      for (std::size_t i = 0; i < 128; ++i) {
        const std::size_t of_condition = arms == Arms::row_condition      ? i % 16
                                         : arms == Arms::scalar_condition ? 0
                                                                          : i;
        std::uint64_t left = x.bits(arms == Arms::scalar_tile ? 0 : i);
        std::uint64_t right = y.bits(arms == Arms::tile_scalar ? 0 : i);
        if (arms == Arms::literal_tile)
          left = literal.bits(0);
        if (arms == Arms::tile_literal)
          right = literal.bits(0);
        expected.set_bits(i, c.bits(of_condition) ? left : right);
      }
      // A choice moves bits: NaN payloads stay.
      t.require(out.read().bytes() == expected.bytes() || (t.exact(out, expected), false),
                "the payload of a NaN changed on its way through where");
    }
  }
}

// The arm not taken is a wild pointer: choosing must not follow it.
void choose_pointer(Ptr<const i1> c, Ptr<const f32> x, Ptr<f32> z, const ChooseConfig &) {
  const Int i = arange(0, 128);
  const Bool mask = load(c + i);
  const Ptr<const f32> wild = x + (i + 1000000000);
  const Ptr<const f32> chosen = where(mask, x + i, wild);
  store(z + i, load(chosen, mask, -1));
}

// NaN and infinity in the arm not taken, made by the operations that users guard this way.
void guarded_arm(Ptr<const f32> x, Ptr<f32> z, const ChooseConfig &) {
  const Int i = arange(0, 128);
  const Tensor<f32> v = load(x + i);
  store(z + i, where(v > 0, log(v) / v, 0.0f) + where(v == 0, 1.0f, 1.0f / v));
}

}   // namespace

void add_comparison_cases(Suite &suite) {
  each(Numbers{}, [&]<class T>() {
    for (Comparison op : {Comparison::less, Comparison::less_equal, Comparison::greater,
                          Comparison::greater_equal, Comparison::equal, Comparison::not_equal})
      for (Form form : {Form::tile_tile, Form::tile_literal, Form::literal_tile, Form::tile_one,
                        Form::one_tile, Form::tile_scalar, Form::scalar_tile})
        suite.add("EL7/" + std::string(name_of(op)) + "/" + type_name<T>() + "/" + name_of(form),
                  [=](Context &t) { check_comparison(t, &launch_compare<T>, element_type<T>, op, form); });
  });
  suite.add("EL7/pointers", [](Context &t) {
    Array offsets(element_type<i32>, 128), equal(element_type<i1>, 128), different(element_type<i1>, 128);
    for (std::size_t i = 0; i < 128; ++i) {
      offsets.set_integer(i, t.between(0, 1) ? static_cast<Wide>(i) : static_cast<Wide>(t.between(0, 127)));
      equal.set_bits(i, offsets.integer(i) == static_cast<Wide>(i));
      different.set_bits(i, !equal.bits(i));
    }
    Memory &x = t.input(t.numbers<f32>(128, Inputs::uniform)), &in = t.input(offsets);
    Memory &out_equal = t.output<i1>(128), &out_different = t.output<i1>(128);
    t.run<&compare_pointers>({}, {1}, {x, in, out_equal, out_different});
    t.exact(out_equal, equal);
    t.exact(out_different, different);
  });
  each(Everything{}, [&]<class T>() {
    for (Arms arms : {Arms::tile_tile, Arms::tile_literal, Arms::literal_tile, Arms::tile_scalar,
                      Arms::scalar_tile, Arms::row_condition, Arms::scalar_condition}) {
      const bool literal = arms == Arms::tile_literal || arms == Arms::literal_tile;
      if (is_fp8<T> && literal)
        continue;   // fp8 is for storage: it takes no literals
      suite.add("EL8/where/" + type_name<T>() + "/" + name_of(arms),
                [=](Context &t) { check_choice(t, &launch_choose<T>, element_type<T>, arms); });
    }
  });
  suite.add("EL8/where/pointers", [](Context &t) {
    const Array c = t.numbers<i1>(128, Inputs::uniform), x = t.numbers<f32>(128, Inputs::uniform);
    Memory &in_c = t.input(c), &in_x = t.input(x), &out = t.output<f32>(128);
    t.run<&choose_pointer>({}, {1}, {in_c, in_x, out});
    Array expected(element_type<f32>, 128);
    for (std::size_t i = 0; i < 128; ++i)
      expected.set_real(i, c.bits(i) ? x.real(i) : -1);
    t.exact(out, expected);
  });
  suite.add("EL8/where/guarded_arm", [](Context &t) {
    const Array x = t.numbers<f32>(128, Inputs::integers);
    Memory &in = t.input(x), &out = t.output<f32>(128);
    t.run<&guarded_arm>({}, {1}, {in, out});
    std::vector<double> expected(128);
    for (std::size_t i = 0; i < 128; ++i) {
      const auto v = static_cast<double>(x.real(i));
      expected[i] = (v > 0 ? std::log(v) / v : 0) + (v == 0 ? 1 : 1 / v);
    }
    t.close(out, expected, {.relative = 1e-5, .absolute = 1e-6});
  });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// EL1-EL6: arithmetic, division, bits and shifts, in every form operands take.
#include "binary.h"
#include "context.h"
#include "families.h"
#include "types.h"

namespace tile::conformance {

namespace {

struct BinaryConfig {
  Binary op = Binary::add;
  Form form = Form::tile_tile;
  int n = 128, literal = 3;
  Launch launch{.fp_fusion = false};
};

template <class T> auto operate(Binary op, const auto &a, const auto &b) -> Tensor<T> {
  if constexpr (is_arithmetic<T>) {
    switch (op) {
    case Binary::add:
      return a + b;
    case Binary::subtract:
      return a - b;
    case Binary::multiply:
      return a * b;
    case Binary::divide:
      return a / b;
    case Binary::remainder:
      return a % b;
    default:
      break;
    }
  }
  if constexpr (!is_float<T>) {
    switch (op) {
    case Binary::bit_and:
      return a & b;
    case Binary::bit_or:
      return a | b;
    case Binary::bit_xor:
      return a ^ b;
    default:
      break;
    }
  }
  if constexpr (is_integer<T>)
    return op == Binary::shift_left ? a << b : a >> b;
  throw std::logic_error("this type has no such operation");
}

template <class T> void binary(Ptr<const T> x, Ptr<const T> y, Ptr<T> z, const BinaryConfig &cfg) {
  const Int i = arange(0, cfg.n);
  const auto literal = static_cast<std::conditional_t<is_bool<T>, bool, int>>(cfg.literal);
  auto put = [&](const Tensor<T> &result) { store(z + i, result); };
  switch (cfg.form) {
  case Form::tile_tile:
    return put(operate<T>(cfg.op, load(x + i), load(y + i)));
  case Form::tile_literal:
    return put(operate<T>(cfg.op, load(x + i), literal));
  case Form::literal_tile:
    return put(operate<T>(cfg.op, literal, load(y + i)));
  case Form::tile_one:
    return put(operate<T>(cfg.op, load(x + i), load(y + arange(0, 1))));
  case Form::one_tile:
    return put(operate<T>(cfg.op, load(x + arange(0, 1)), load(y + i)));
  case Form::tile_scalar:
    return put(operate<T>(cfg.op, load(x + i), load(y)));
  case Form::scalar_tile:
    return put(operate<T>(cfg.op, load(x), load(y + i)));
  }
}

// Element types and launches by template, all the rest by value.
using BinaryLauncher = void (*)(Context &, const BinaryConfig &, const Memory &, const Memory &,
                                const Memory &);
template <class T>
void launch_binary(Context &t, const BinaryConfig &cfg, const Memory &x, const Memory &y, const Memory &z) {
  t.run<&binary<T>>(cfg, {1}, {x, y, z});
}

void check_once(Context &t, BinaryLauncher launch, BinaryConfig cfg, const Array &x, const Array &y) {
  Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output(x.type(), x.size());
  launch(t, cfg, in_x, in_y, out);
  const Operands operands = spread(cfg.form, x, y, cfg.literal);
  Array expected(x.type(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    apply(cfg.op, expected, i, operands.a, i, operands.b, i);
  t.exact(out, expected);
}

std::vector<int> literals_of(ElementType type, Binary op) {
  std::vector<int> literals{3};
  if (type.is_bool())
    return {0, 1};
  if (type.is_float())
    return {3, 0, -1};
  const int width = type.bits();
  if (op == Binary::shift_left || op == Binary::shift_right)
    literals = {0, 1, width - 1, width, width + 1};
  else if (op == Binary::divide || op == Binary::remainder)
    literals = {3, 0, 1};
  if (!type.is_unsigned())
    literals.push_back(-1);
  return literals;
}

// Amounts below, at and beyond the width, 2^31 where the type has it, negative where it has a sign.
Array shift_amounts(Context &t, ElementType type, std::size_t n) {
  const int width = type.bits();
  std::vector<Wide> amounts{width, width + 1, largest(type), smallest(type)};
  if (width > 32 || type == element_type<u32>)
    amounts.push_back(Wide{1} << 31);
  if (!type.is_unsigned())
    amounts.push_back(-1);
  for (int i = 0; i < width; ++i)
    amounts.push_back(i);
  Array result(type, n);
  for (std::size_t i = 0; i < n; ++i)
    result.set_integer(i, amounts[i < amounts.size() ? i : t.random()() % amounts.size()]);
  return result;
}

void check_form(Context &t, BinaryLauncher launch, ElementType type, Binary op, Form form) {
  const bool is_shift = op == Binary::shift_left || op == Binary::shift_right;
  const bool has_literal = form == Form::tile_literal || form == Form::literal_tile;
  for (Inputs kind : all_inputs) {
    const std::size_t n = kind == Inputs::specials ? 512 : 128;
    for (int literal : has_literal ? literals_of(type, op) : std::vector<int>{3}) {
      // One element against a tile: several draws of the one.
      const int draws = kind == Inputs::specials && !has_literal && form != Form::tile_tile ? 6 : 1;
      for (int draw = 0; draw < draws; ++draw) {
        t.section(std::string("inputs=") + name_of(kind) +
                  (has_literal ? " literal=" + std::to_string(literal) : ""));
        const Array x = t.numbers(type, n, kind);
        const Array y = is_shift ? shift_amounts(t, type, n) : t.numbers(type, n, kind);
        check_once(t, launch, {.op = op, .form = form, .n = static_cast<int>(n), .literal = literal}, x, y);
      }
    }
  }
}

constexpr Form forms[] = {Form::tile_tile, Form::tile_literal, Form::literal_tile, Form::tile_one,
                          Form::one_tile,  Form::tile_scalar,  Form::scalar_tile};

void add_operation(Suite &suite, const std::string &row, Binary op, ElementType type, BinaryLauncher launch) {
  for (Form form : forms)
    suite.add(row + "/" + name_of(op) + "/" + type.name() + "/" + name_of(form),
              [=](Context &t) { check_form(t, launch, type, op, form); });
}

// Integers divide as numbers after a cast.
void cast_and_divide(Ptr<const i32> x, Ptr<const i32> y, Ptr<f32> z, const BinaryConfig &cfg) {
  const Int i = arange(0, cfg.n);
  store(z + i, cast<f32>(load(x + i)) / cast<f32>(load(y + i)));
}

}   // namespace

void add_binary_cases(Suite &suite) {
  each(Numbers{}, [&]<class T>() {
    for (Binary op : {Binary::add, Binary::subtract, Binary::multiply})
      add_operation(suite, "EL1", op, element_type<T>, &launch_binary<T>);
  });
  each(Numbers{}, [&]<class T>() {
    add_operation(suite, is_float<T> ? "EL2" : "EL4", Binary::divide, element_type<T>, &launch_binary<T>);
    add_operation(suite, "EL3", Binary::remainder, element_type<T>, &launch_binary<T>);
  });
  suite.add("EL2/div/i32_by_cast", [](Context &t) {
    const Array x = t.numbers<i32>(128, Inputs::uniform), y = t.numbers<i32>(128, Inputs::specials);
    Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output<f32>(128);
    t.run<&cast_and_divide>({}, {1}, {in_x, in_y, out});
    Array expected(element_type<f32>, 128);
    for (std::size_t i = 0; i < 128; ++i)
      expected.set_real(i, static_cast<double>(static_cast<float>(x.integer(i))) /
                               static_cast<double>(static_cast<float>(y.integer(i))));
    t.exact(out, expected);
  });
  each(Types<i1, i8, i16, i32, i64, u8, u16, u32, u64>{}, [&]<class T>() {
    for (Binary op : {Binary::bit_and, Binary::bit_or, Binary::bit_xor})
      add_operation(suite, "EL5", op, element_type<T>, &launch_binary<T>);
  });
  each(Integers{}, [&]<class T>() {
    for (Binary op : {Binary::shift_left, Binary::shift_right})
      add_operation(suite, "EL6", op, element_type<T>, &launch_binary<T>);
  });
}

}   // namespace tile::conformance

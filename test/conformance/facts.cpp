// SPDX-License-Identifier: MIT
// ER4: facts about tiles that hold. They change no value, whatever the compiler makes of them.
#include "context.h"
#include "families.h"
#include "types.h"

namespace tile::conformance {

namespace {

enum class Fact { divisible, contiguous, constant, range };

struct FactConfig {
  Fact fact = Fact::divisible;
  int rows = 4, columns = 64;
  Launch launch{};
};

// The offsets of the loads come from memory, so that the promise alone says anything about them.
void promising(Ptr<const i32> offsets, Ptr<const f16> x, Ptr<f16> z, Ptr<i32> again, const FactConfig &cfg) {
  const Int i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  Int from = load(offsets + i);
  switch (cfg.fact) {
  case Fact::divisible:
    from = assume_divisible(from, 4);
    break;
  case Fact::contiguous:
    from = assume_contiguous(from, 8);
    break;
  case Fact::constant:
    from = assume_constant(from, 8);
    break;
  case Fact::range:
    from = assume_range(from, 0, cfg.rows * cfg.columns - 1);
    break;
  }
  Tensor<f16> value = load(assume_constant(x + from, 1));
  store(z + i, cfg.fact == Fact::constant ? assume_constant(value, 4) : value);
  store(again + i, from);
}

void check_fact(Context &t, Fact fact) {
  for (auto [rows, columns] : {std::pair{4, 64}, {1, 32}, {16, 8}})
    for (int warps : {1, 4}) {
      t.section(std::to_string(rows) + "x" + std::to_string(columns) + " warps=" + std::to_string(warps));
      const auto n = static_cast<std::size_t>(rows * columns);
      Array offsets(element_type<i32>, n), expected(element_type<f16>, n);
      const Array x = t.numbers<f16>(n, Inputs::integers);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t rotated = (i / 8 * 8 + 8 * 3) % n;
        const std::size_t from = fact == Fact::divisible    ? i * 4 % n
                                 : fact == Fact::contiguous ? rotated + i % 8
                                 : fact == Fact::constant   ? rotated
                                                            : n - 1 - i;
        offsets.set_integer(i, static_cast<Wide>(from));
        expected.set_bits(i, x.bits(from));
      }
      Memory &in_offsets = t.input(offsets), &in = t.input(x), &out = t.output<f16>(n);
      Memory &again = t.output<i32>(n);
      t.run<&promising>({fact, rows, columns, {.num_warps = warps}}, {1}, {in_offsets, in, out, again});
      t.exact(out, expected);
      t.exact(again, offsets);
    }
}

}   // namespace

void add_fact_cases(Suite &suite) {
  for (auto [fact, name] : {std::pair{Fact::divisible, "divisible"},
                            {Fact::contiguous, "contiguous"},
                            {Fact::constant, "constant"},
                            {Fact::range, "range"}})
    suite.add(std::string("ER4/") + name, [fact](Context &t) { check_fact(t, fact); });
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// rotary_embedding by name. Cosines and sines are any numbers. With an array, the position of token i is 7 i,
// counted round the number of tokens.
#include "kernels/rotary.h"

#include "runtime/buffer.h"
#include "tools/registry/row_functions.h"

namespace tile::registry {
namespace {

using kernels::RotaryPairs;

struct RotarySizes {
  std::int64_t tokens, heads, elements, pairs;
  explicit RotarySizes(const Settings &settings)
      : tokens(settings.size("m")), heads(settings.size("heads")),
        elements(*parse_count(settings.choice("head_dim"))), pairs(elements / 2) {
    const std::string &rotated = settings.choice("rotated");
    pairs /= rotated == "all" ? 1 : rotated == "half" ? 2 : 4;
  }
};

RotaryPairs pairs_of(const Settings &settings) {
  return settings.choice("pairs") == "halves" ? RotaryPairs::halves : RotaryPairs::interleaved;
}
bool has_array(const Settings &settings) { return settings.choice("positions") == "array"; }

std::vector<std::int64_t> positions_of(std::int64_t tokens, bool is_array) {
  std::vector<std::int64_t> positions;
  for (std::int64_t token = 0; token < tokens; ++token)
    positions.push_back(is_array ? 7 * token % tokens : token);
  return positions;
}

template <class T> struct Rotary {
  using Config = kernels::RotaryConfig;

  static Problem problem(const Settings &settings) {
    const RotarySizes size(settings);
    const auto [tokens, heads, elements, pairs] = size;
    const ElementType type = element_type<T>;
    const bool is_array = has_array(settings);
    const kernels::RotaryOptions options{.pairs = pairs_of(settings),
                                         .inverse = settings.choice("inverse") == "yes",
                                         .config = config_of<Config>(settings)};
    Problem problem{
        .kind = Problem::Kind::other_rows,
        .operands = {{"x", type, tokens * heads, elements},
                     {"cos", element_type<f32>, tokens, pairs},
                     {"sin", element_type<f32>, tokens, pairs},
                     {"y", type, tokens * heads, elements, false, true}},
        .work = {.bytes = static_cast<double>(tokens) *
                          (2.0 * type.bytes() * static_cast<double>(heads) * static_cast<double>(elements) +
                           8.0 * static_cast<double>(pairs))},
        .work_of_row = 10.0 * static_cast<double>(elements),
        .tolerance = reference::elementwise_tolerance(type)};
    problem.bind = [=](Device &device, auto at) {
      const auto positions = std::make_shared<Buffer<i64>>(device, positions_of(tokens, is_array));
      auto table = [&](std::size_t i) {
        return MatrixView<const f32>(static_cast<const f32 *>(at[i]), size.tokens, size.pairs);
      };
      const typename TensorView<T, 3>::Extents extents{tokens, heads, elements};
      const TensorView<const T, 3> x(static_cast<const T *>(at[0]), extents);
      const TensorView<T, 3> y(static_cast<T *>(at[3]), extents);
      const MatrixView<const f32> cos = table(1), sin = table(2);
      return Problem::Launch([=, &device] {
        if (is_array)
          kernels::rotary_embedding(device, x, cos, sin, y,
                                    VectorView<const i64>(positions->data(), x.extents[0]), options);
        else
          kernels::rotary_embedding(device, x, cos, sin, y, options);
      });
    };
    problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
      const std::vector<std::int64_t> positions = positions_of(size.tokens, is_array);
      std::vector<std::int64_t> of_rows, indices;
      for (const std::int64_t row : rows) {
        of_rows.push_back(positions[static_cast<std::size_t>(row / size.heads)]);
        indices.push_back(std::ssize(indices));
      }
      return reference::rotary_embedding(
          rows_of_operand(read, 0, size.elements, rows), rows_of_operand(read, 1, size.pairs, of_rows),
          rows_of_operand(read, 2, size.pairs, of_rows),
          {indices, options.pairs == RotaryPairs::interleaved, options.inverse});
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    const RowClasses c(specialized);
    auto config = config_from<Config>(settings.config);
    config.form = {pairs_of(settings), has_array(settings), false, specialized ? 16 : 1};
    std::vector<ArgClass> classes(24, c.by16);
    classes[0] = classes[4] = c.any;   // tokens and layout
    classes[10] = classes[11] = classes[12] =
        c.any;                           // rows of the table, the first position, whether to check
    classes[13] = c.any;                 // the sign
    classes[16] = classes[19] = c.one;   // from element to element
    classes[21] = classes[23] = c.one;
    return kernels::rotary_kernel<T, f32, i64>.trace(config, classes);
  }
  static auto configs(const Settings &) { return kernels::rotary_kernel<T, f32, i64>.configs; }
};

}   // namespace

Entry rotary_embedding_entry() {
  return entry_of<Rotary>(
      "rotary_embedding", "pairs of elements of heads, rotated by their token's position",
      {{"m", "tokens", "64", {}},
       {"heads", "heads of a token", "8", {}},
       {"head_dim", "elements of a head", "128", {"32", "64", "80", "96", "128", "192", "256"}},
       {"rotated", "how many of a head's elements are rotated", "all", {"all", "half", "quarter"}},
       {"dtype", "element type", "f32", element_names<f16, bf16, f32>()},
       {"pairs", "which elements are a pair", "halves", {"halves", "interleaved"}},
       {"positions", "whether positions are token numbers or an array", "numbers", {"numbers", "array"}},
       {"inverse", "whether to rotate back", "no", {"no", "yes"}}});
}

}   // namespace tile::registry

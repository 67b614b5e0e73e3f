// SPDX-License-Identifier: MIT
// What attention and its gradients share: how heads lie in memory, which keys a query sees, and what is done
// to scores before the softmax.
#pragma once

#include <tile/dsl.h>

#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <type_traits>

namespace tile::kernels {

// How rows are loaded and stored. Descriptors let warps have roles; they need addresses and strides that are
// multiples of 16 bytes.
enum class RowsBy { pointers, descriptors };

// Which keys a query sees around its own: so many before and after it. The own key of query i is
// i + (keys - queries): that of the last query is the last key.
struct Window {
  std::optional<int> before, after;   // none: all
};

// Where a tile of scores lies. Indices are from the start of a head; they broadcast to the tile's shape.
struct ScorePlace {
  Tensor<i32> head, query, key;   // heads are those of queries
  Int queries, keys;              // how many a head has
};

// A user's function of scores: Tensor<f32> (const Tensor<f32> &scores, const ScorePlace &at).
struct NoScore {};
inline constexpr NoScore no_score{};

// What the arguments of a launch fix in its code. The kernels fill it in.
struct AttentionForm {
  int length = 64, value_length = 64;   // columns of the tiles of q and k, and of v and o
  bool full_rows = true;                // rows have as many elements as the tiles have columns
  bool bounded_before = false, bounded_after = false;   // the window
  bool soft_cap = false, slopes = false, bias = false, log_sum_exp = false;
  bool query_sums = false;   // of gradients: the kernel of keys adds up those of queries
};

namespace detail {

inline constexpr int no_bound = std::numeric_limits<int>::max();
inline constexpr float log2_e = std::numbers::log2e_v<float>, ln_2 = std::numbers::ln2_v<float>;

// The columns of a tile for rows of so many elements: matrix units take 16 at a time.
constexpr int tile_columns(int length) { return (length + 15) / 16 * 16; }

AttentionForm attention_form(int length, int value_length, int before, int after, float soft_cap,
                             const void *slopes, const void *bias, const void *log_sum_exp);

// A stack of heads as the kernel receives it; the elements of a row are contiguous.
template <class T> struct Heads {
  Ptr<T> data;
  Int count, rows;
  Int64 head_stride;
  Int row_stride;
  RowsBy by;
  int columns;   // of a tile
  Int length;    // of a row
  bool full;     // the same

  // The address of row `first` of a head.
  Ptr<T> at(const Int &head, const Int &first) const {
    return data + (cast<i64>(head) * head_stride + cast<i64>(first) * cast<i64>(row_stride));
  }
  // So many rows of a head from `first` on, whose address is `from`. Rows after the last one are zeros, if
  // some may be `missing`.
  Tensor<std::remove_const_t<T>> load(const Int &head, const Int &first, const Ptr<T> &from, int block,
                                      bool missing) const {
    if (by == RowsBy::descriptors)
      return blocks(block).load_reduced({head, first, 0});
    auto i = arange(0, block);
    if (!full)
      return tile::load(from + within(i), inside(i, first));
    return missing ? tile::load(from + within(i), i(all, none) < rows - first) : tile::load(from + within(i));
  }
  void store(const Int &head, const Int &first, const Tensor<T> &tile) const {
    if (by == RowsBy::descriptors)
      return blocks(tile.shape()[0]).store({head, first, 0}, tile);
    auto i = arange(0, tile.shape()[0]);
    tile::store(at(head, first) + within(i), tile, full ? i(all, none) < rows - first : inside(i, first));
  }

 private:
  Descriptor<T> blocks(int block) const {
    return descriptor(data, {count, rows, full ? Index(columns) : Index(length)},
                      {head_stride, row_stride, 1}, {1, block, columns});
  }
  Bool inside(const Tensor<i32> &i, const Int &first) const {
    return (i(all, none) < rows - first) & (arange(0, columns)(none, all) < length);
  }
  // The offset of a block has 64 bits. Within a block 32 bits are enough; the host checks that.
  Tensor<i32> within(const Tensor<i32> &i) const {
    return i(all, none) * row_stride + arange(0, columns)(none, all);
  }
};

// Which keys queries see. The last queries of a window that ends see the most keys.
struct Sight {
  Int queries, keys, before, after;
  bool bounded_before, bounded_after;

  Int offset() const { return keys - queries; }
  // The first key that a query sees, and the one after the last. Queries first .. last see, some of them, the
  // keys from(first) .. end(last), and all of them from(last) .. end(first).
  Int from(const Int &query) const {
    return bounded_before ? Int(maximum(query + offset() - before, 0)) : Int(0);
  }
  Int end(const Int &query) const {
    return bounded_after ? Int(minimum(keys, maximum(query + 1 + offset() + after, 0))) : keys;
  }
  // The same for the queries that see a key.
  Int from_query(const Int &key) const {
    return bounded_after ? Int(maximum(key - offset() - after, 0)) : Int(0);
  }
  Int end_query(const Int &key) const {
    return bounded_before ? Int(minimum(queries, maximum(key + 1 - offset() + before, 0))) : queries;
  }
  Bool visible(const Tensor<i32> &query, const Tensor<i32> &key) const {
    const Bool exists = key < keys;
    const Bool early = bounded_after ? exists & (key <= query + (offset() + after)) : exists;
    return bounded_before ? early & (key >= query + (offset() - before)) : early;
  }
};

// What is done to products of q and k before the softmax.
template <auto Score> struct ScoreChange {
  AttentionForm form;
  Float scale, soft_cap;

  static constexpr bool has_score = !std::is_same_v<std::remove_const_t<decltype(Score)>, NoScore>;
  // Scores are scaled, and no more.
  bool is_plain() const { return !has_score && !form.soft_cap && !form.slopes && !form.bias; }
  bool may_hide() const { return has_score || form.bias; }   // by -inf

  // `slope`: those of the heads, which broadcast to the scores. `load_bias` loads the tile of biases.
  template <class LoadBias>
  Tensor<f32> operator()(const Tensor<f32> &products, const ScorePlace &at, const Tensor<f32> &slope,
                         LoadBias load_bias) const {
    Tensor<f32> scores = form.soft_cap ? tanh(products * (scale / soft_cap)) * soft_cap : products * scale;
    if (form.slopes)
      scores = scores - slope * cast<f32>(abs(at.query + (at.keys - at.queries) - at.key));
    if (form.bias)
      scores = scores + cast<f32>(load_bias());
    if constexpr (has_score) {
      static_assert(
          std::is_invocable_r_v<Tensor<f32>, decltype(Score), const Tensor<f32> &, const ScorePlace &>,
          "a function of scores must take a Tensor<f32> and a ScorePlace, and return a Tensor<f32>");
      scores = Score(scores, at);
    }
    return scores;
  }
  // The derivative of scores by scaled products, where it is not 1 everywhere.
  Tensor<f32> derivative(const Tensor<f32> &products) const {
    const Tensor<f32> bent = tanh(products * (scale / soft_cap));
    return 1.0f - bent * bent;
  }
};

}   // namespace detail
}   // namespace tile::kernels

// SPDX-License-Identifier: MIT
// What kernels that process the rows of matrices share: their config, the rows of a program, the list of
// configs, which of them fit a row, and what a launch is expected to take.
#pragma once

#include <tile/dsl.h>
#include <tile/row_cost.h>
#include <tile/size_bucket.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

namespace tile::kernels {

struct RowConfig {
  int rows = 1;   // that a program takes together; several only with whole_row
  int block = 1024;
  bool whole_row = false;   // the row fits one block and stays in registers
  Launch launch{};          // with num_ctas, the CTAs of a cluster share the row
};

namespace detail {

// The rows of a program, as tiles. Of one row, the elements are a vector and what belongs to the row is a
// scalar. Of several rows, the elements are a matrix and what belongs to the rows is a column of it, which
// broadcasts to them. The last program may have fewer rows, and touches nothing of those that are missing.
class ProgramRows {
 public:
  ProgramRows(const RowConfig &cfg, const Int64 &rows, const Int64 &cols, Loc l = Loc::current())
      : count_(cfg.rows), block_(cfg.block), places_(places(cfg)), number_(numbers(cfg, l)),
        lane_(lanes(cfg, l)), cols_(cols) {
    if (is_one())
      return;
    if (!cfg.whole_row)
      throw Error("a program takes several rows together only if each fits one block", l)
          .add_help("set whole_row in the config, or leave its `rows` at 1");
    is_row_.emplace(number_ < rows);
  }

  bool is_one() const { return count_ == 1; }
  const Int64 &number() const { return number_; }   // of each row
  const Int64 &lane() const { return lane_; }       // the columns of a block
  Shape shape() const { return is_one() ? Shape{block_} : Shape{count_, block_}; }
  Float each_row(float value) const { return is_one() ? Float(value) : full<f32>({count_, 1}, value); }

  // Masks of elements, and of what belongs to rows.
  Bool inside(const Int64 &col) const { return only(col < cols_); }
  Bool only(const Bool &mask) const { return is_row_ ? mask & *is_row_ : mask; }

  // Over the columns.
  Float sum(const Float &v, Loc l = Loc::current()) const {
    return is_one() ? tile::sum(v, {0, l}) : tile::sum(v, {1, l}, KeepDims::yes);
  }
  Float max(const Float &v, Loc l = Loc::current()) const {
    return is_one() ? tile::max(v, {0, l}) : tile::max(v, {1, l}, KeepDims::yes);
  }

  // Elements that all rows share. Each row reads them from the cache: to load them once and pass them from
  // warp to warp would make the warps wait for each other.
  template <class T>
  Tensor<T> load_shared(const Ptr<const T> &from, const Bool &mask, Loc l = Loc::current()) const {
    return tile::load(is_one() ? from : broadcast_to(from, shape(), l), mask, Access{}, l);
  }

  // An element for each row.
  template <class T> Tensor<T> load(const Ptr<const T> &from, Loc l = Loc::current()) const {
    return is_row_ ? tile::load(from + number_, *is_row_, Access{}, l)
                   : tile::load(from + number_, Access{}, l);
  }
  template <class T>
  void store(const Ptr<T> &to, const Tensor<T> &value, const Bool &mask, Loc l = Loc::current()) const {
    if (is_one())
      return tile::store(to + number_, value, mask, Access{}, l);
    // In a tile of which only the first column is written. As many columns as threads lie along a row give
    // each thread the rows that it has of the elements, so that nothing goes from warp to warp.
    auto place = cast<i64>(arange(0, places_))(none, all);
    tile::store(to + number_ + place, broadcast_to(value, {count_, places_}, l), only(mask) & (place == 0),
                Access{}, l);
  }
  template <class T> void store(const Ptr<T> &to, const Tensor<T> &value, Loc l = Loc::current()) const {
    is_one() ? tile::store(to + number_, value, Access{}, l) : store(to, value, Bool(true), l);
  }
  // `message` is for one row, `of_several` for each element of a column.
  void check(const Bool &condition, const char *message, const char *of_several,
             Loc l = Loc::current()) const {
    is_row_ ? device_assert(condition, of_several, *is_row_, l) : device_assert(condition, message, l);
  }

 private:
  int count_, block_, places_;
  Int64 number_, lane_, cols_;
  std::optional<Bool> is_row_;   // none: one row, which there is

  static Int64 numbers(const RowConfig &cfg, Loc l) {
    auto program = cast<i64>(program_id(0));
    return cfg.rows == 1 ? program : program * cfg.rows + cast<i64>(arange(0, cfg.rows, l))(all, none);
  }
  static Int64 lanes(const RowConfig &cfg, Loc l) {
    auto lane = cast<i64>(arange(0, cfg.block, l));
    return cfg.rows == 1 ? lane : lane(none, all);
  }
  // The threads along a row, if each loads 8 elements at once.
  static int places(const RowConfig &cfg) {
    const int lanes =
        static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(cfg.block / 8, 1, 32))));
    const int rows_of_warps = std::max((cfg.rows & -cfg.rows) * lanes / 32, 1);
    return lanes * std::max(cfg.launch.num_warps / rows_of_warps, 1);
  }
};

// What a kernel takes at most.
struct RowLimits {
  int rows = 16;   // of a program
  int ctas = 16;   // that share a row
  int block = 1 << 20;
};
constexpr int most_of_thread = 32;   // elements that a thread takes
inline std::vector<RowConfig> row_configs(const RowLimits &most = {}) {
  std::vector<RowConfig> configs{{.block = 128, .whole_row = true, .launch = {.num_warps = 1}},
                                 {.block = 256, .whole_row = true, .launch = {.num_warps = 1}},
                                 {.block = 1024, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.block = 4096, .whole_row = true, .launch = {.num_warps = 8}},
                                 {.block = 8192, .whole_row = true, .launch = {.num_warps = 16}},
                                 {.block = 1024, .launch = {.num_warps = 4}},
                                 {.block = 4096, .launch = {.num_warps = 8}},
                                 {.block = 512, .whole_row = true, .launch = {.num_warps = 2}},
                                 {.block = 1024, .whole_row = true, .launch = {.num_warps = 2}},
                                 {.block = 2048, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.block = 2048, .whole_row = true, .launch = {.num_warps = 8}},
                                 {.block = 4096, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.block = 4096, .whole_row = true, .launch = {.num_warps = 16}},
                                 {.block = 8192, .whole_row = true, .launch = {.num_warps = 8}},
                                 {.block = 2048, .launch = {.num_warps = 8}},
                                 {.block = 4096, .launch = {.num_warps = 16}},
                                 {.block = 8192, .launch = {.num_warps = 16}},
                                 {.block = 16384, .whole_row = true, .launch = {.num_warps = 16}},
                                 {.rows = 4, .block = 1024, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.rows = 8, .block = 512, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.rows = 16, .block = 256, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.rows = 16, .block = 128, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.rows = 2, .block = 2048, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.rows = 2, .block = 2048, .whole_row = true, .launch = {.num_warps = 8}}};
  for (const auto &[block, warps, ctas] : {std::array{16384, 16, 2},
                                           {16384, 8, 2},
                                           {32768, 16, 2},
                                           {32768, 8, 4},
                                           {65536, 8, 8},
                                           {65536, 16, 4},
                                           {131072, 8, 16},
                                           {32768, 16, 4}})
    configs.push_back({.block = block, .whole_row = true, .launch = {.num_warps = warps, .num_ctas = ctas}});
  std::erase_if(configs, [&](const RowConfig &cfg) {
    const auto &[warps, ctas] = std::pair(cfg.launch.num_warps, cfg.launch.num_ctas);
    return cfg.rows > most.rows || ctas > most.ctas || cfg.block > most.block ||
           cfg.rows * cfg.block > most_of_thread * 32 * warps * ctas;
  });
  return configs;
}

// A block of which most is masked off wastes work.
inline bool keep_row_config(const RowConfig &cfg, std::int64_t cols) {
  return !cfg.whole_row || (cols <= cfg.block && (cfg.block <= 256 || cfg.block < 4 * cols));
}

inline Key row_key(std::int64_t rows, std::int64_t cols) { return {size_bucket(rows), cols}; }

inline double row_seconds(const RowConfig &cfg, const Machine &machine, Rows what) {
  what.rows = size_bucket(what.rows);
  return row_seconds(machine, what, cfg.block, cfg.whole_row, cfg.launch, cfg.rows);
}

inline Grid row_grid(const RowConfig &cfg, std::int64_t rows) {
  return Grid{cdiv(rows, std::int64_t{cfg.rows})};
}

// A kernel with a program for each row, or for some rows. Its first two parameters are the numbers of rows
// and columns. It moves `Moved` matrices of elements T, and reads each `Reads` times if a row does not fit a
// block.
template <auto Program, class T, int Moved, int Reads>
Kernel<Program>
row_kernel(const char *name,
           const tile::detail::ParameterNames<Kernel<Program>::Signature::arguments> &parameters,
           const RowLimits &most = {}) {
  return {
      .name = name,
      .parameters = parameters,
      .grid = [](auto &cfg, std::int64_t rows, auto...) { return row_grid(cfg, rows); },
      .configs = row_configs(most),
      .key = [](std::int64_t rows, std::int64_t cols, auto...) { return row_key(rows, cols); },
      .keep = [](auto &cfg, std::int64_t, std::int64_t cols, auto...) { return keep_row_config(cfg, cols); },
      .work = [](std::int64_t rows, std::int64_t cols,
                 auto...) { return Work{.bytes = double{Moved} * sizeof(T) * double(rows) * double(cols)}; },
      .cost = [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols,
                 auto...) { return row_seconds(cfg, machine, {rows, cols, sizeof(T), Reads, Moved}); },
      .tunes = Tunes::when_asked};
}

}   // namespace detail
}   // namespace tile::kernels

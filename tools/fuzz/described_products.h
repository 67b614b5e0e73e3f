// SPDX-License-Identifier: MIT
// What the program around a loop of products is made of, while it is written.
#pragma once

#include "tools/fuzz/families.h"

#include <functional>
#include <string>
#include <vector>

namespace tile::fuzz {

// Of a loop over K, and of the blocks along it in a tensor.
inline constexpr int most_rounds = 6;

class DescribedProducts {
 public:
  DescribedProducts(std::uint64_t seed, Floats floats) : w_(program_, seed) {
    program_.seed = seed;
    program_.floats = floats;
  }
  Program write();

 private:
  struct Tensor {
    Type block;   // as it lies in memory
    int descriptor = -1;
    int matrix = -1;   // of a stack, or -1: no stack
  };
  struct Request {
    std::string role;
    Kind kind;
    int outer, inner;               // axes of a block
    int outer_times, inner_times;   // so many blocks
    bool is_own = false;            // the program says what it is, not the launch
    bool is_checked = false;        // by the program: then it has to be known that it is right
    bool is_stack = false;
  };
  struct Product {
    Multiplied kind;
    int n, k;   // axes; M is the plan's
    bool a_is_transposed = false, b_is_transposed = false;
    bool shares_a = false, shares_b = false, adds_to_first = false;   // of the first product
    std::string options;
    Tensor a = {}, b = {};
  };
  // The operands of the first product may be one block: x by x, or x by x transposed.
  enum class Sharing { none, same, transposed };
  using Steps = std::function<int(int k)>;   // where along K an iteration reads

  void choose();

  // Arguments that are thought of while the body is written.
  int buffer(const std::string &role, Kind kind, std::int64_t elements);
  int argument(int value);

  // Numbers.
  int op(const std::string &name, int a, int b);
  int op_of_tile(const std::string &name, int a, int b);
  int stretched(int value, int axis);
  int stretched_by_16(int value);
  int wide(int value);
  int loaded(int limit);
  int from_arguments(int value);
  int extent_of(int most, bool is_own, bool is_checked);
  int stride_of(int elements, bool is_own, bool is_number);
  int rounds(const Plan &at);

  double bound_of(const Type &type) const;   // of sums

  Tensor tensor(const Request &request);
  int load(const Tensor &t, int outer, int inner);

  // shared_operands.cpp
  void choose_sharing(Kind kind, bool must_have_roles);
  void share_operands(Product &second);
  void describe(const Plan &at);
  std::pair<int, int> operands(const Product &p, const std::vector<std::pair<int, int>> &before,
                               const Steps &at);

  std::vector<int> multiply(std::vector<int> sums, const Steps &at);
  std::vector<int> added(Node node, const std::vector<int> &sums);
  std::vector<int> around(Node node, const std::vector<int> &sums,
                          const std::function<std::vector<int>(int, std::vector<int>)> &fill);
  std::vector<int> branch(const std::vector<int> &sums, const Plan &at,
                          const std::function<std::vector<int>(std::vector<int>)> &fill);
  std::vector<int> product_loop(const std::vector<int> &sums, const Plan &at);
  void holds_always(int value);
  void promise_apart();
  std::vector<int> while_loop(const std::vector<int> &sums, const Plan &at, int depth);
  std::vector<int> nest(const std::vector<int> &sums, const Plan &at, int depth);

  // results_of_products.cpp: what sums begin with, what becomes of them and where it goes.
  int first_sums(const Plan &at, const Type &type);
  int computed(const Plan &at, int value);
  void give(const Plan &at, int sums);
  void give_boxes(const Plan &at, int value);
  void give_atomically(const Plan &at, int value);
  int whole_block(const Type &type);
  int line(const Plan &at, const Type &type);

  void work(const Plan &at);
  void share(const Plan &plan, int tiles);
  void share_groups(const Plan &plan);

  Program program_;
  Writer w_;
  Plan plan_;
  std::vector<Product> products_;
  Sharing sharing_ = Sharing::none;
  Kind result_{};
  int tiles_m_ = 1, tiles_n_ = 1;
  bool makes_maps_ = false;   // of tensors that the launch does not know
  bool is_plain_ = false;     // nothing but products and what is made of them
  enum class Computed { none, a, b } computed_ = Computed::none;   // of the first product: no block any more
  bool describes_late_ = false;                                    // where the tile is known
  bool has_whiles_ = false, has_independent_iterations_ = true;
  int most_stages_ = 1;
  // Of the tile that is worked on; the first one goes on where tiles are worked on again.
  int number_m_ = -1, from_m_ = -1, from_n_ = -1;
  std::size_t arguments_ = 0;            // buffers of the plan
  std::vector<int> buffers_, scalars_;   // behind those of the plan
};

}   // namespace tile::fuzz

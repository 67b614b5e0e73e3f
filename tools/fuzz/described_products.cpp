// SPDX-License-Identifier: MIT
// Programs around loops of products over described tensors. With groups of warps, a copy engine for boxes and
// a unit that multiplies out of shared memory such a kernel becomes roles of warps:
//
//    for each tile of the grid, or of the program's own loops        in turn by two groups, by pairs of CTAs
//      sums = zeros, a bias, a block
//      for, if, loops in loops: sums = dot(a.load(..), b.load(..), sums)           tensor copies, wgmma
//      results = f(sums); store them: by boxes, by threads, atomically
//
// How many iterations there are is a number, an argument, a number in memory, or another one for each tile.
#include "tools/fuzz/described_products.h"

#include "compiler/target/role_registers.h"
#include "tools/fuzz/generate.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tile::fuzz {
namespace {

const Type number{Kind::I32, {}};

Node node_of(Node::Form form, std::vector<int> operands = {}) {
  return {.form = form, .text = "", .operands = std::move(operands), .results = {}, .regions = {}};
}
// All sums stay below it, and with what is added to them below what f32 holds exactly.
constexpr double most_sum = 1 << 22;
constexpr int most_sums_without_roles = 208;   // of a thread

int bytes(Kind kind) { return ElementType{kind}.bytes(); }

Kind any_factor(Writer &w) {
  return w.one_of(
      std::vector{Kind::F16, Kind::F16, Kind::BF16, Kind::BF16, Kind::F32, Kind::E4M3, Kind::E5M2, Kind::I8});
}

}   // namespace

void DescribedProducts::choose() {
  program_.grid = {1, 1, 1};
  program_.order = w_.one_in(5) ? 0 : 1 + w_.below(1 << 20);
  program_.launch.num_warps = w_.one_of(std::vector{4, 4, 4, 8, 8, 16});
  if (w_.one_in(24))
    program_.launch.num_warps = w_.one_of(std::vector{1, 2, 32});
  program_.launch.num_ctas = w_.one_in(6) ? 2 : 1;
  program_.launch.ping_pong =
      program_.launch.num_warps >= 4 && program_.launch.num_warps <= 8 && w_.one_in(3);
  makes_maps_ = program_.launch.num_ctas == 1 && w_.one_in(4);
  is_plain_ = w_.one_in(3);
  const int warps = program_.launch.num_warps, ctas = program_.launch.num_ctas;
  // Such a kernel is refused where it cannot have what it asks for.
  const bool must_have_roles = ctas == 2 || program_.launch.ping_pong;

  plan_.one = w_.axis(1);
  plan_.two = w_.axis(2, 2);
  const Kind kind = any_factor(w_);
  choose_sharing(kind, must_have_roles);
  const Kind other = ElementType{kind}.is_fp8() && sharing_ == Sharing::none
                         ? w_.one_of(std::vector{Kind::E4M3, Kind::E5M2})
                         : kind;
  // The groups of four warps divide rows and columns among themselves as far as they are powers of two.
  const std::vector<int> rows = ctas == 2     ? std::vector{128, 128, 256}
                                : warps == 16 ? std::vector{64, 128, 256, 256}
                                              : std::vector{64, 64, 128, 128, 192, 256, 320};
  const std::vector<int> columns{8, 16, 24, 32, 32, 48, 64, 64, 80, 96, 96, 112, 128, 160, 192, 208, 256};
  const bool may_have_no_roles = !must_have_roles && w_.one_in(4);   // for want of registers
  const auto fits = [&](int rows_of_tile, int columns_of_tile, int products) {
    const int sums = rows_of_tile * columns_of_tile * products / (32 * warps * ctas);
    if (warps % 4 != 0 || warps > 16 || may_have_no_roles)
      return sums <= most_sums_without_roles;
    const RoleRegisters registers(warps / 4 * (program_.launch.ping_pong ? 2 : 1), makes_maps_);
    return registers.hold(sums, std::min(columns_of_tile, 256) / 2);
  };
  const auto part = [](int extent) { return 1 << std::countr_zero(static_cast<unsigned>(extent)); };
  const auto is_divided = [&](int rows_of_tile, int columns_of_tile) {
    const int groups = std::max(1, warps / 4), over_rows = std::min(groups, part(rows_of_tile / ctas) / 64);
    return part(columns_of_tile) >= 8 * groups / over_rows;
  };
  int m = 0, n = 0;
  const int products = w_.one_in(4) ? 2 : 1;
  do {
    m = w_.one_of(rows);
    n = sharing_ == Sharing::none ? w_.one_of(columns) : m;
  } while (m * n * products > 1 << 16 || !fits(m, n, products) || (must_have_roles && !is_divided(m, n)) ||
           (sharing_ == Sharing::same && m > 128));
  plan_.m = w_.axis(m);
  plan_.n = sharing_ == Sharing::none ? w_.axis(n) : plan_.m;
  const auto depth = [&] {
    const int least = 32 / bytes(kind);
    const int times = w_.one_of(std::vector{1, 1, 2, 2, 3, 4});
    return w_.axis(least * (must_have_roles && times == 3 ? 4 : times), least);
  };
  const int k = sharing_ == Sharing::same ? plan_.m : depth();
  // Two loops with rings of their own fit into shared memory.
  constexpr int most_bytes = 100 << 10;
  most_stages_ = std::clamp(most_bytes / ((m + n) * products * extent(program_, k) * bytes(kind)), 1, 5);
  program_.launch.num_stages = w_.between(1, most_stages_);

  const Kind sum = kind == Kind::I8 ? Kind::I32 : Kind::F32;
  plan_.integers = {Kind::I32, Kind::I32};
  if (kind == Kind::I8)
    plan_.integers.push_back(kind);
  plan_.floats = {Kind::F32};
  // A row of a block has 16 bytes at least.
  result_ = sum == Kind::I32 ? n >= 16 ? w_.one_of(std::vector{Kind::I32, Kind::I32, Kind::I8}) : Kind::I32
                             : w_.one_of(std::vector{Kind::F16, Kind::BF16, Kind::F32});
  for (Kind used : {kind, other, result_})
    if (ElementType{used}.is_fp8() && !std::ranges::count(plan_.stored_floats, used))
      plan_.stored_floats.push_back(used);
    else if (is_float(used) && !is_fp8(used) && !std::ranges::count(plan_.floats, used))
      plan_.floats.push_back(used);
  const auto add_shape = [&](std::vector<int> axes) { plan_.shapes.push_back(std::move(axes)); };
  plan_.axes = {plan_.m, plan_.n};
  for (const std::vector<int> &shape :
       {std::vector<int>{}, {plan_.m}, {plan_.n}, {plan_.m, plan_.one}, {plan_.one, plan_.n}})
    add_shape(shape);
  if (m * n <= (w_.one_in(4) ? most_elements : 4096) && !is_plain_)
    for (int i = 0; i < 3; ++i)
      add_shape({plan_.m, plan_.n});

  tiles_m_ = w_.between(1, 3);
  tiles_n_ = w_.between(1, 2);
  plan_.part = std::int64_t{2} * m * n <= most_elements ? 2 * m * n : 2 * std::max(m, n);
  choose_arguments(w_, plan_);
  arguments_ = program_.buffers.size();

  const auto product = [&](int product_n, int product_k) {
    Product p{.kind = {kind, other, sum}, .n = product_n, .k = product_k, .options = {}};
    // Of elements of 16 bits both orders, of others those along K; now and then what no unit takes.
    const bool is_any = bytes(kind) == 2 || (!must_have_roles && w_.one_in(20));
    p.a_is_transposed = is_any && w_.one_in(3);
    const bool has_long_rows = extent(program_, product_n) * bytes(kind) >= 16;
    p.b_is_transposed = is_any && has_long_rows ? w_.one_in(3) : true;
    if (ElementType{kind}.is_fp8() && w_.one_in(4))
      p.options = " {max_imprecise_acc = 32 : i32}";
    else
      p.options = product_options(w_, kind, /*is_whole=*/must_have_roles || !w_.one_in(30));
    return p;
  };
  products_.push_back(product(plan_.n, k));
  if (products == 2) {
    Product second = product(plan_.n, w_.one_in(2) ? k : depth());
    share_operands(second);
    second.adds_to_first = w_.one_in(3);
    products_.push_back(second);
  }
  if (const std::uint32_t drawn = must_have_roles ? 30 : w_.below(30); drawn < 8)
    computed_ = drawn < 4 ? Computed::a : Computed::b;
  has_whiles_ = !must_have_roles && w_.one_in(20);
  has_independent_iterations_ = must_have_roles || !w_.one_in(6);
}

// ---------------------------------------------------------------------------------- arguments and numbers

int DescribedProducts::buffer(const std::string &role, Kind kind, std::int64_t elements) {
  program_.buffers.push_back({role, kind, elements});
  buffers_.push_back(w_.fresh({kind, {}, true}, 0));
  return buffers_.back();
}

int DescribedProducts::argument(int value) {
  program_.scalars.push_back(value);
  const Writer::Fixing fixing(w_);
  scalars_.push_back(w_.fresh(number, 0));
  return scalars_.back();
}

int DescribedProducts::op(const std::string &name, int a, int b) {
  return w_.emit(name + " $0, $1 : $t0", {a, b}, number);
}

int DescribedProducts::stretched(int value, int axis) {
  return op("arith.muli", value, w_.emit("arith.constant $x" + std::to_string(axis) + " : i32", {}, number));
}

int DescribedProducts::wide(int value) {
  return w_.emit("arith.extsi $0 : $t0 to $T0", {value}, {Kind::I64, {}});
}

// A number that memory gives, from 0 to a power of two without it.
int DescribedProducts::loaded(int limit) {
  const int at = w_.i32(w_.below(input_elements));
  const int value =
      w_.emit(addresses(number) + "$=tile.load $~b : $P", {plan_.inputs.at(Kind::I32), at}, number);
  return op("arith.andi", value, w_.i32(limit - 1));
}

// The value, as the launcher computes it from arguments.
int DescribedProducts::from_arguments(int value) {
  const int other = w_.between(1, 100), divisor = w_.between(2, 9), rest = w_.between(0, divisor - 1);
  const auto of_two = [&](const char *name, int a, int b) {
    const int left = argument(a), right = argument(b);
    return op(name, left, right);
  };
  const auto of_one = [&](const char *name, int a, int b) {
    const int left = argument(a), right = w_.i32(b);
    return op(name, left, right);
  };
  switch (w_.below(7)) {
  case 0:
    return of_two("arith.addi", value - other, other);
  case 1:
    return of_one("arith.subi", value + other, other);
  case 2: {
    const int whole = of_two("arith.muli", value / 8, 8), more = w_.i32(value % 8);
    return op("arith.addi", whole, more);
  }
  case 3:
    return of_one("arith.divsi", value * divisor + rest, divisor);
  case 4:
    return of_one("arith.ceildivsi", std::max(0, value * divisor - rest), divisor);
  case 5:
    return of_two("arith.minsi", value, value + other);
  default:
    return of_two("arith.maxsi", value - other, value);
  }
}

// Known at the launch, or what the program reads and promises to be so large at most.
int DescribedProducts::extent_of(int most, bool is_own, bool is_checked) {
  const int value = w_.one_in(2)   ? most
                    : w_.one_in(4) ? w_.between(0, most)
                                   : std::max(0, most - w_.between(0, 20));
  if (is_own && most >= 2 && w_.one_in(2)) {
    int limit = 1;
    while (2 * limit <= most)
      limit *= 2;
    const int least = w_.i32(std::min(limit - 1, value)), some = op("arith.maxsi", loaded(limit), least);
    return wide(w_.emit("tile.assume $0 {range = array<i64: 0, 65536>} : $t0", {some}, number));
  }
  if (w_.one_in(2))
    return w_.constant({Kind::I64, {}}, value);
  const int given = w_.one_in(3) && !is_own ? from_arguments(value) : argument(value);
  return wide(is_own || is_checked
                  ? w_.emit("tile.assume $0 {range = array<i64: 0, 65536>} : $t0", {given}, number)
                  : given);
}

int DescribedProducts::stride_of(int elements, bool is_own, bool is_number) {
  if (is_number || w_.one_in(2))
    return w_.constant({Kind::I64, {}}, elements);
  const int given = wide(w_.one_in(3) && !is_own ? from_arguments(elements) : argument(elements));
  return is_own ? w_.emit("tile.assume $0 {divisible = 16 : i64, range = array<i64: 0, 65536>} : $t0",
                          {given}, {Kind::I64, {}})
                : given;
}

// ---------------------------------------------------------------------------------- tensors

// A tensor of `rows` by `columns` at most, in a buffer of its own that it fills.
DescribedProducts::Tensor DescribedProducts::tensor(const Request &request) {
  const Writer::Fixing fixing(w_);
  const auto [role, kind, outer, inner, outer_times, inner_times, is_own, is_checked, is_stack] = request;
  const int rows = extent(program_, outer) * outer_times, columns = extent(program_, inner) * inner_times;
  const int row = (columns + 15) / 16 * 16 + (w_.one_in(3) ? 16 : 0);
  Tensor t{.block = {kind, {outer, inner}}};
  const int skipped = is_own ? 16 * w_.between(0, 3) : 0;
  const std::int64_t one = std::int64_t{rows} * row;
  const int matrices = is_stack ? w_.between(1, 3) : 1;
  int base = buffer(role + std::to_string(2 + buffers_.size()), kind, one * matrices + skipped);
  if (is_own) {   // from memory or where a number says
    const int at = skipped && w_.one_in(2) ? stretched_by_16(loaded(2)) : w_.i32(skipped);
    base = w_.emit("tile.addptr $0, $1 : $t0, $t1", {base, at}, {kind, {}, true});
    base = w_.emit("tile.assume $0 {divisible = 16 : i64} : $t0", {base}, {kind, {}, true});
  }
  std::vector<int> operands{base};
  if (is_stack)
    operands.push_back(w_.constant({Kind::I64, {}}, matrices));
  operands.push_back(extent_of(rows, is_own, is_checked));
  operands.push_back(extent_of(columns, is_own, is_checked));
  if (is_stack)
    operands.push_back(w_.constant({Kind::I64, {}}, one));
  operands.push_back(stride_of(row, is_own, is_checked));
  operands.push_back(w_.constant({Kind::I64, {}}, 1));
  Type type = t.block;
  if (is_stack) {
    type.axes.insert(type.axes.begin(), plan_.one);
    t.matrix = matrices == 1 ? w_.i32(0) : op("arith.remui", plan_.program_number, w_.i32(matrices));
  }
  type.is_descriptor = true;
  // What lies outside may be NaN: sums with it are NaN in any order.
  const bool has_nans = !is_checked && !w_.is_ring() && is_float(kind) && !is_fp8(kind) && w_.one_in(16);
  t.descriptor = w_.emit(std::string(is_stack ? "tile.make_descriptor $0, [$1, $2, $3], [$4, $5, $6]"
                                              : "tile.make_descriptor $0, [$1, $2], [$3, $4]") +
                             (has_nans ? " padding = nan" : "") + " : $t0 -> $T0",
                         operands, type);
  return t;
}

int DescribedProducts::stretched_by_16(int value) { return op("arith.muli", value, w_.i32(16)); }

int DescribedProducts::load(const Tensor &t, int outer, int inner) {
  std::vector<int> operands{t.descriptor};
  if (t.matrix >= 0)
    operands.push_back(t.matrix);
  operands.insert(operands.end(), {outer, inner});
  return w_.emit(
      std::string(t.matrix >= 0 ? "tile.descriptor_load $0[$1, $2, $3]" : "tile.descriptor_load $0[$1, $2]") +
          (w_.one_in(8) ? " evict = " + w_.one_of({"first", "last"}) : "") + " : $t0 -> $T0",
      operands, t.block, input_bound(w_, t.block.kind));
}

// ---------------------------------------------------------------------------------- products

// What is multiplied in one iteration, `round` steps of K on, added to the sums.
std::vector<int> DescribedProducts::multiply(std::vector<int> sums, const Steps &at) {
  std::vector<std::pair<int, int>> blocks;
  for (std::size_t i = 0; i < products_.size(); ++i) {
    const Product &p = products_[i];
    auto [a, b] = operands(p, blocks, at);
    if (computed_ != Computed::none && i == 0) {
      int &factor = computed_ == Computed::a ? a : b;
      if (!is_float(w_.type(factor).kind))
        factor = op_of_tile("arith.addi", factor, factor);
      else if (!is_fp8(w_.type(factor).kind))
        factor = w_.emit("arith.negf $0 : $t0", {factor}, w_.type(factor), w_.bound(factor));
    }
    blocks.emplace_back(a, b);
  }
  for (std::size_t i = 0; i < products_.size(); ++i) {
    const Product &p = products_[i];
    int &sum = sums[p.adds_to_first ? 0 : i];
    sum = w_.emit("tile.dot $0, $1, $2" + p.options + " : $t0, $t1, $t2",
                  {blocks[i].first, blocks[i].second, sum}, w_.type(sum), bound_of(w_.type(sum)));
  }
  return sums;
}

double DescribedProducts::bound_of(const Type &type) const {
  return !is_float(type.kind) ? 0 : w_.is_ring() ? std::numeric_limits<double>::infinity() : most_sum;
}

int DescribedProducts::op_of_tile(const std::string &name, int a, int b) {
  return w_.emit(name + " $0, $1 : $t0", {a, b}, w_.type(a), w_.bound(a));
}

// How often the loop goes round, at most most_rounds times.
int DescribedProducts::rounds(const Plan &at) {
  const Writer::Fixing fixing(w_);
  switch (w_.below(6)) {
  case 0:
    return argument(w_.between(0, most_rounds));
  case 1:
    return loaded(4);
  case 2:   // of each tile another
    return op("arith.remui", at.program_number, w_.i32(w_.between(1, most_rounds)));
  case 3: {
    const int width = w_.i32(16);
    return op("arith.ceildivsi", argument(w_.between(0, 95)), width);
  }
  default:
    return w_.i32(w_.between(0, most_rounds));
  }
}

// Adds what gives values like these back.
std::vector<int> DescribedProducts::added(Node node, const std::vector<int> &sums) {
  for (int sum : sums)
    node.results.push_back(w_.fresh(w_.type(sum), bound_of(w_.type(sum))));
  std::vector<int> results = node.results;
  w_.add(std::move(node));
  return results;
}

// A loop, a branch or nothing around `fill`, which is given the sums and gives them back.
std::vector<int>
DescribedProducts::around(Node node, const std::vector<int> &sums,
                          const std::function<std::vector<int>(int, std::vector<int>)> &fill) {
  node.operands.insert(node.operands.end(), sums.begin(), sums.end());
  node.regions.push_back(w_.region([&] {
    const int counter = w_.fresh(number, 0);
    w_.argument(counter);
    std::vector<int> carried;
    for (int sum : sums) {
      carried.push_back(w_.fresh(w_.type(sum), bound_of(w_.type(sum))));
      w_.argument(carried.back());
    }
    for (int value : fill(counter, carried))
      w_.yield(value);
  }));
  return added(std::move(node), sums);
}

std::vector<int> DescribedProducts::product_loop(const std::vector<int> &sums, const Plan &at) {
  const int count = rounds(at);
  const int one_k = products_[0].k;
  const bool same_k = std::ranges::all_of(products_, [&](const Product &p) { return p.k == one_k; });
  const std::uint32_t style = w_.below(same_k ? 5 : 2);
  const int last = w_.i32(most_rounds - 1);
  const bool is_unsigned = w_.one_in(8);
  Node node = node_of(is_unsigned ? Node::Form::unsigned_loop : Node::Form::loop);
  // From anywhere, over the end of the numbers with a sign too; blocks before a tensor are as those behind
  // it.
  const int begin = !w_.one_in(5) ? 0
                    : is_unsigned ? w_.one_of(std::vector{1, 2147483645})
                                  : w_.between(-4, 4);
  const int step = w_.one_in(8) ? 2 : 1;
  const bool counts_from_begin = begin > 4 || w_.one_in(2);
  {
    const Writer::Fixing fixing(w_);
    if (style == 2)   // the counter itself is the coordinate
      node.operands = {stretched(w_.i32(is_unsigned ? 0 : begin), one_k), stretched(count, one_k),
                       stretched(w_.i32(step), one_k)};
    else
      node.operands = {w_.i32(begin), op("arith.addi", w_.i32(begin), count), w_.i32(step)};
  }
  node.stages = w_.one_in(4) ? w_.between(1, most_stages_) : 0;
  node.unroll = w_.one_in(12) ? w_.between(2, 3) : 0;
  const bool is_conditional = w_.one_in(8);
  std::vector<int> carried = sums;
  if (style == 3)   // the coordinate is carried
    carried.push_back(w_.i32(0));
  std::vector<int> results = around(std::move(node), carried, [&](int counter, std::vector<int> inside) {
    int along =
        begin != 0 && counts_from_begin && style != 2 ? op("arith.subi", counter, w_.i32(begin)) : counter;
    if (style == 3) {
      along = inside.back();
      inside.pop_back();
    } else if (style == 4) {
      along = op("arith.subi", last, along);
    }
    const Steps steps = [&](int k) { return style == 2 || style == 3 ? along : stretched(along, k); };
    if (!is_plain_ && w_.one_in(6))
      integer_arithmetic(w_, at);
    const bool must_have_roles = program_.launch.ping_pong || program_.launch.num_ctas > 1;
    if (!must_have_roles && w_.one_in(10))
      holds_always(along);
    std::vector<int> after =
        is_conditional
            ? branch(inside, at, [&](std::vector<int> sums) { return multiply(std::move(sums), steps); })
            : multiply(inside, steps);
    if (!is_plain_ && w_.one_in(8))
      statement(w_, at);
    if (style == 3)
      after.push_back(op("arith.addi", along, stretched(w_.i32(1), one_k)));
    return after;
  });
  results.resize(sums.size());
  return results;
}

// An assert of what no range tells the compiler.
void DescribedProducts::holds_always(int value) {
  const int sum = op("arith.addi", argument(w_.between(0, 3)), value);
  const int holds = w_.emit("arith.cmpi ne, $0, $1 : $t0", {sum, w_.i32(-77777)}, {Kind::I1, {}});
  w_.effect("tile.assert $0, \"the sum\" : $t0", {holds});
}

// Where something holds that all threads know, else what there was.
std::vector<int> DescribedProducts::branch(const std::vector<int> &sums, const Plan &at,
                                           const std::function<std::vector<int>(std::vector<int>)> &fill) {
  int condition = -1;
  {
    const Writer::Fixing fixing(w_);
    const int left = w_.one_in(3) ? loaded(4) : w_.one_in(2) ? argument(w_.between(0, 3)) : at.program_number;
    const int right = w_.i32(w_.between(0, 3));
    condition = w_.emit("arith.cmpi " + w_.one_of({"slt", "ne", "eq", "sge"}) + ", $0, $1 : $t0",
                        {left, right}, {Kind::I1, {}});
  }
  Node node = node_of(Node::Form::branch, {condition});
  const bool is_second = w_.one_in(4);
  for (const bool fills : {!is_second, is_second})
    node.regions.push_back(w_.region([&] {
      for (int value : fills ? fill(sums) : sums)
        w_.yield(value);
    }));
  return added(std::move(node), sums);
}

// What stands around the product.
std::vector<int> DescribedProducts::nest(const std::vector<int> &sums, const Plan &at, int depth) {
  switch (depth > 1 ? 15 : w_.below(16)) {
  case 0:
  case 1:
    if (program_.launch.num_ctas == 2 && !w_.one_in(8))   // its sums cannot be divided
      break;
    return branch(sums, at, [&](const std::vector<int> &inside) { return nest(inside, at, depth + 1); });
  case 2:
  case 3: {
    Node node = node_of(Node::Form::loop);
    {
      const Writer::Fixing fixing(w_);
      node.operands = {w_.i32(0), w_.one_in(2) ? w_.i32(w_.between(0, 3)) : loaded(4), w_.i32(1)};
    }
    return around(std::move(node), sums,
                  [&](int, const std::vector<int> &inside) { return nest(inside, at, depth + 1); });
  }
  case 4:
  case 5: {
    const std::vector<int> first = nest(sums, at, 2);
    if (!is_plain_ && w_.one_in(3))
      statement(w_, at);
    return nest(first, at, 2);
  }
  case 6:
    if (has_whiles_)
      return while_loop(sums, at, depth);
    break;
  case 7: {   // no loop
    const int round = w_.i32(w_.between(0, most_rounds - 1));
    return multiply(sums, [&](int k) { return stretched(round, k); });
  }
  default:
    break;
  }
  return product_loop(sums, at);
}

// So often as a number says, which the program counts itself.
std::vector<int> DescribedProducts::while_loop(const std::vector<int> &sums, const Plan &at, int depth) {
  Node node = node_of(Node::Form::while_loop);
  const auto fixed = [&](auto f) {
    const Writer::Fixing fixing(w_);
    return f();
  };
  node.operands = {fixed([&] { return w_.i32(0); })};
  node.operands.insert(node.operands.end(), sums.begin(), sums.end());
  const int end = fixed([&] { return argument(w_.between(0, 2)); });
  const auto carry = [&] {
    std::vector<int> arguments;
    for (int value : node.operands)
      w_.argument(arguments.emplace_back(w_.fresh(w_.type(value), bound_of(w_.type(value)))));
    return arguments;
  };
  node.regions.push_back(w_.region([&] {
    const std::vector<int> carried = carry();
    w_.yield(
        fixed([&] { return w_.emit("arith.cmpi slt, $0, $1 : $t0", {carried[0], end}, {Kind::I1, {}}); }));
    for (int value : carried)
      w_.yield(value);
  }));
  node.regions.push_back(w_.region([&] {
    const std::vector<int> carried = carry();
    const std::vector<int> after = nest({carried.begin() + 1, carried.end()}, at, depth + 1);
    w_.yield(fixed([&] { return op("arith.addi", carried[0], w_.i32(1)); }));
    for (int value : after)
      w_.yield(value);
  }));
  for (int value : node.operands)
    node.results.push_back(w_.fresh(w_.type(value), bound_of(w_.type(value))));
  const std::vector<int> results(node.results.begin() + 1, node.results.end());
  w_.add(std::move(node));
  return results;
}

// ---------------------------------------------------------------------------------- the program

void DescribedProducts::work(const Plan &at) {
  {
    const Writer::Fixing fixing(w_);
    const int columns = w_.i32(tiles_n_);
    number_m_ = op("arith.divui", at.program_number, columns);
    const int tile_m = op("arith.remui", number_m_, w_.i32(tiles_m_));
    const int tile_n = op("arith.remui", at.program_number, columns);
    from_m_ = stretched(tile_m, plan_.m);
    from_n_ = stretched(tile_n, plan_.n);
  }
  if (!is_plain_)
    for (int i = 0; i < w_.between(0, 2); ++i)
      statement(w_, at);
  if (describes_late_)
    describe(at);
  std::vector<int> sums;
  for (const Product &p : products_)
    if (!p.adds_to_first)
      sums.push_back(first_sums(at, {p.kind.sum, {plan_.m, p.n}}));
  sums = nest(sums, at, 0);
  if (!is_plain_)
    for (int i = 0; i < w_.between(0, 2); ++i)
      statement(w_, at);
  for (int sum : sums)
    give(at, sum);
  if (!is_plain_ && w_.one_in(program_.launch.num_ctas == 2 ? 8 : 2))   // both would store it
    store_some(w_, at, w_.between(1, 2));
}

// The tiles of a loop over all of them, of which each program takes every so many.
void DescribedProducts::share(const Plan &plan, int tiles) {
  Plan at = plan;
  at.programs = std::max<std::int64_t>(tiles, plan.programs);
  Node node = node_of(Node::Form::loop);
  {
    const Writer::Fixing fixing(w_);
    node.operands = {plan.program_number, w_.one_in(2) ? w_.i32(tiles) : argument(tiles),
                     w_.emit("tile.num_programs x", {}, number)};
  }
  node.has_independent_iterations = has_independent_iterations_;
  (void)around(std::move(node), {}, [&](int tile, const std::vector<int> &) {
    at.program_number = tile;
    work(at);
    return std::vector<int>();
  });
}

// Groups of so many tiles as memory says, dealt to the programs in a row.
void DescribedProducts::share_groups(const Plan &plan) {
  Plan at = plan;
  const int groups = w_.between(1, 3), most = 4;
  at.programs = std::max<std::int64_t>(groups * most, plan.programs);
  const auto fixed = [&](auto f) {
    const Writer::Fixing fixing(w_);
    return f();
  };
  const int programs = fixed([&] { return w_.emit("tile.num_programs x", {}, number); });
  const bool carries = w_.one_in(2);
  Node outer = node_of(Node::Form::loop);
  outer.operands = fixed([&] { return std::vector{w_.i32(0), argument(groups), w_.i32(1)}; });
  outer.has_independent_iterations = has_independent_iterations_;
  std::vector<int> carried;
  if (carries)   // the program's next tile, and the first one of the group
    carried = {plan.program_number, w_.i32(0)};
  (void)around(std::move(outer), carried, [&](int group, const std::vector<int> &inside) {
    int from = plan.program_number, end = -1, base = -1;
    fixed([&] {
      const int index = op("arith.addi", group, w_.i32(w_.below(1000)));
      const int loaded =
          w_.emit(addresses(number) + "$=tile.load $~b : $P", {plan_.inputs.at(Kind::I32), index}, number);
      end = op("arith.andi", loaded, w_.i32(most - 1));
      if (carries) {
        from = inside[0];
        end = op("arith.addi", inside[1], end);
      } else {
        base = op("arith.muli", group, w_.i32(most));
      }
    });
    Node inner = node_of(Node::Form::loop, {from, end, programs});
    inner.has_independent_iterations = has_independent_iterations_;
    (void)around(std::move(inner), {}, [&](int tile, const std::vector<int> &) {
      at.program_number = carries ? tile : fixed([&] { return op("arith.addi", base, tile); });
      work(at);
      return std::vector<int>();
    });
    if (!carries)
      return std::vector<int>();
    return fixed([&] {   // the first tile at or behind the end that is this program's
      const int zero = w_.i32(0), left = op("arith.maxsi", op("arith.subi", end, from), zero);
      const int steps = op("arith.ceildivsi", left, programs);
      return std::vector<int>{op("arith.addi", from, op("arith.muli", steps, programs)), end};
    });
  });
}

// That nothing is stored into what is loaded: each argument has a buffer of its own.
void DescribedProducts::promise_apart() {
  std::vector<int> written, read;
  for (const auto &[kind, argument] : plan_.outputs)
    written.push_back(argument);
  for (const auto &[kind, argument] : plan_.sums)
    written.push_back(argument);
  for (const auto &inputs : {plan_.inputs, plan_.wild, plan_.special})
    for (const auto &[kind, argument] : inputs)
      read.push_back(argument);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const std::string &role = program_.buffers[arguments_ + i].role;
    (role.starts_with("out") || role.starts_with("sums") ? written : read).push_back(buffers_[i]);
  }
  for (int one : written)
    for (int other : read)
      w_.effect("tile.assume_apart $0, $1 : $t0, $t1", {one, other});
}

Program DescribedProducts::write() {
  choose();
  const int tiles = tiles_m_ * tiles_n_;
  const std::uint32_t form = w_.below(program_.launch.num_ctas == 2 ? 6 : 10);
  if (form < 6)
    program_.grid.x = tiles;
  else
    program_.grid.x = w_.between(1, 3);
  number_programs(w_, plan_);
  w_.source = source_of(w_, plan_);
  describes_late_ = w_.one_in(2);
  if (!describes_late_)
    describe(plan_);
  if (form < 6)
    work(plan_);
  else if (form < 8)
    share(plan_, tiles);
  else
    share_groups(plan_);
  if (w_.one_in(3))
    promise_apart();
  program_.body = w_.take();
  // Buffers come before numbers.
  auto &arguments = program_.body.arguments;
  arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(arguments_), buffers_.begin(),
                   buffers_.end());
  arguments.insert(arguments.end(), scalars_.begin(), scalars_.end());
  return std::move(program_);
}

Program generate_products(std::uint64_t seed, Floats floats) {
  return DescribedProducts(seed, floats).write();
}

}   // namespace tile::fuzz

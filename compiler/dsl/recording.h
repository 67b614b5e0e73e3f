// SPDX-License-Identifier: MIT
// The functions behind the typed functions of the language, which convert their arguments and call these.
// These check shapes and record one or a few operations. They do not depend on the C++ types of elements.
// So they are compiled once, and users' files compile fast.
#pragma once

#include <tile/types.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tile::detail {

// A shape that the process stores once. Every line of a kernel copies values. They hold only a pointer to
// their shape, so that a copy is of plain bits, and compiles to nothing.
class KeptShape {
 public:
  KeptShape() = default;   // the shape of a scalar
  KeptShape(const Shape &s);
  KeptShape(std::initializer_list<std::int64_t> s) : KeptShape(Shape(s)) {}
  operator const Shape &() const { return get(); }
  const Shape &get() const;
  std::size_t size() const { return get().size(); }
  bool empty() const { return get().empty(); }
  std::int64_t operator[](std::size_t axis) const { return get()[axis]; }
  friend bool operator==(const KeptShape &a, const KeptShape &b) { return a.kept_ == b.kept_; }
  friend bool operator==(const KeptShape &a, const Shape &b) { return a.get() == b; }

 private:
  const Shape *kept_ = nullptr;
};

struct Value {   // an SSA value of the open trace
  int id = -1;
  ElementType type;
  KeptShape shape;   // empty for a scalar; the block for a descriptor
  bool is_descriptor = false;
};

struct Use {   // a value, and the line that uses it
  Value value;
  Loc loc;
};

// The storage behind a named device variable. Creation, reads and writes are recorded. When the trace ends,
// promotion replaces them by SSA values.
class Cell {
 public:
  Cell(const Use &initial);
  Cell(const Cell &other, Loc l);   // a new cell with the current value of `other`
  // Not trivial, so that compilers do not warn about unused variables. A loop that advances its pointers may
  // not use its index.
  ~Cell() {}   // NOLINT(modernize-use-equals-default)
  Use read(Loc l) const;
  void write(const Use &u) const;
  const Shape &shape() const { return shape_; }
  ElementType type() const { return type_; }
  Loc made() const { return made_; }

 private:
  void check(Loc l) const;
  std::uint64_t trace_;   // the trace that the cell belongs to
  int id_, scope_;
  ElementType type_;
  bool is_descriptor_;
  KeptShape shape_;
  Loc made_;
};

// ------------------------------------------------------------------------- elementwise

enum class Binary : std::uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  cdiv,
  mulhi,
  approx_div,
  pow
};
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge };
enum class Unary : std::uint8_t {
  neg,
  invert,
  abs,
  exp,
  exp2,
  log,
  log2,
  sqrt,
  rsqrt,
  sin,
  cos,
  tanh,
  erf,
  log1p,
  expm1,
  floor,
  ceil,
  trunc,
  round,
  rint,
  approx_sqrt,
  approx_exp2
};

Use integer_constant(ElementType t, std::int64_t v, Loc l);
Use unsigned_constant(ElementType t, std::uint64_t v, Loc l);
Use float_constant(ElementType t, double v, Loc l);
Use binary(Binary op, const Use &a, const Use &b, Nan nan = Nan::ignore);
Use compare(Compare how, const Use &a, const Use &b);
Use unary(Unary op, const Use &a);
Use clamp(const Use &x, const Use &low, const Use &high, Nan nan);
Use fma(const Use &a, const Use &b, const Use &c);
Use where(const Use &c, const Use &a, const Use &b);
Use convert(const Use &a, ElementType to, Rounding rounding = Rounding::nearest_even);
Use bitcast(const Use &a, ElementType to);
Use is_nan(const Use &a);
Use is_infinite(const Use &a);
Use is_finite(const Use &a);
Use sigmoid(const Use &a);
Use softmax(const Use &a, std::int64_t axis);
Use add_pointer(const Use &p, const Use &offset);
Use subtract_pointer(const Use &p, const Use &offset);

// ------------------------------------------------------------------------------- shapes

struct AxisSpec {
  bool is_new;
  Loc loc;
};

Use program_id(std::int64_t axis, Loc l);
Use num_programs(std::int64_t axis, Loc l);
Use arange(std::int64_t lo, std::int64_t hi, Loc l);
Use full(const Shape &s, const Use &value, Loc l);
Use expand(const Use &a, const AxisSpec *axes, int n);
Use expand_dims(const Use &a, std::int64_t axis);
Use broadcast_to(const Use &a, const Shape &s);
Use reshape(const Use &a, const Shape &s, bool any_order);
Use ravel(const Use &a);
Use squeeze(const Use &a, std::int64_t axis);
Use trans(const Use &a);
Use permute(const Use &a, const std::vector<std::int64_t> &order);
Use join(const Use &a, const Use &b);
std::pair<Use, Use> split(const Use &a);
Use interleave(const Use &a, const Use &b);
Use flip(const Use &a, std::int64_t axis);
Use gather(const Use &source, const Use &index, std::int64_t axis);

// ------------------------------------------------------------------------------- memory

Use load(const Use &p, const Use *mask, const Use *other, Access access);
void store(const Use &p, const Use &v, const Use *mask, Access access);

enum class Update : std::uint8_t { add, max, min, bit_and, bit_or, bit_xor, exchange };
Use atomic(Update update, const Use &p, const Use &v, const Use *mask, Order order, Scope scope);
Use atomic_cas(const Use &p, const Use &expected, const Use &desired, Order order, Scope scope);
void barrier(Loc l);

// An extent, stride or coordinate: a device value, or a number that is checked while tracing.
struct IndexUse : Use {
  bool is_literal = false;
  std::int64_t literal = 0;
};
Use make_descriptor(const Use &base, const std::vector<IndexUse> &extents,
                    const std::vector<IndexUse> &strides, const std::vector<std::int64_t> &block,
                    Padding padding);
Use descriptor_load(const Use &d, const std::vector<IndexUse> &coordinates, bool drop_leading, Access access,
                    Loc l);
void descriptor_store(const Use &d, const std::vector<IndexUse> &coordinates, const Use &v);
void descriptor_reduce(Update update, const Use &d, const std::vector<IndexUse> &coordinates, const Use &v);

// --------------------------------------------------------------------------- whole tiles

Use dot(const Use &a, const Use &b, const Use *acc, ElementType acc_type, DotOptions options);

// The axis of a reduction. Negative numbers count from the end.
struct WhichAxis {
  std::int64_t number = 0;
  bool is_every = false;   // all axes
};

enum class Reduction : std::uint8_t { sum, product, max, min, bit_xor, any, all, first, last };
Use reduce(Reduction how, const Use &a, WhichAxis axis, KeepDims keep, Nan nan);
Use scan(Reduction how, const Use &a, WhichAxis axis, Reverse reverse);
// The extreme element and its index along the axis.
std::pair<Use, Use> arg_reduce(bool largest, const Use &a, WhichAxis axis, KeepDims keep, Nan nan);

// A reduce or scan while its combine function is traced. The caller reads the arguments, calls the user's
// function and passes its results to finish().
class Combine {
 public:
  Combine(const char *what, bool is_scan, std::vector<Use> tiles, WhichAxis axis, Reverse reverse, Loc l);
  ~Combine();
  Combine(const Combine &) = delete;
  Combine &operator=(const Combine &) = delete;
  Use argument(std::size_t i) const { return {arguments_[i], loc_}; }
  std::vector<Use> finish(const std::vector<Use> &results, KeepDims keep);

 private:
  struct Op *op_;
  std::vector<Value> arguments_;
  int axis_, rank_;
  bool reduces_all_, is_scan_, open_ = true;
  int exceptions_;   // std::uncaught_exceptions() when it was opened
  Loc loc_;
};

Use histogram(const Use &a, std::int64_t bins, const Use *mask);
Use sort(const Use &a, Descending descending);
Use topk(const Use &a, std::int64_t k);
// Sorts the first tile along the last axis; equal elements keep their order. The other tiles are reordered in
// the same way. The last result is the index that each element had. `k`: return only the first *k elements.
std::vector<Use> sort_together(const char *what, const std::vector<Use> &tiles, Descending descending,
                               const std::int64_t *k);
std::vector<Use> philox(const Use &seed, const Use &c0, const Use &c1, const Use &c2, const Use &c3);
Use uniform_from_bits(const Use &bits);
std::pair<Use, Use> normal_from_uniform(const Use &u1, const Use &u2);

// --------------------------------------------------------------------- facts, debugging

enum class Fact : std::uint8_t { divisible, contiguous, constant };
Use assume(const Use &a, Fact fact, std::int64_t n);
Use assume_range(const Use &a, std::int64_t low, std::int64_t high);
void assume_true(const Use &c);
void assume_apart(const Use &p, const Use &other);
void device_assert(const Use &c, const char *message, const Use *mask);
void print(const char *prefix, bool hex, const std::vector<Use> &values, Loc l);

// -------------------------------------------------------------------------- control flow

struct LoopOptions {
  int stages = 0, unroll = 0;   // 0: not given
  bool specialize_warps = false;
};

// A device loop or branch while its regions are traced. Closing it pops the scope. If its guard is destroyed
// while it is open, break, return or an exception left it.
struct Op;
struct OpenRegion {
  struct Op *op = nullptr;
  int exceptions = 0;   // std::uncaught_exceptions() at opening: tells a throw from a break
  Loc loc;
};
// `literal_step` is the step if the user wrote a literal, else null.
Value open_for(OpenRegion &r, const Use &lo, const Use &hi, const Use &step, const std::int64_t *literal_step,
               LoopOptions options, Loc l);
void close_for(OpenRegion &r);
void abandon(OpenRegion &r, const char *what) noexcept;   // for the destructor of an open region
void open_if(OpenRegion &r, const Use &condition);
void open_arm(OpenRegion &r, int arm);
void close_arm(OpenRegion &r);
// Called after both arms. `acts`: it is an error if both arms do nothing.
void close_if(OpenRegion &r, bool acts);
void open_while(OpenRegion &r, Loc l);
void while_condition(OpenRegion &r, const Use &condition);
void close_while(OpenRegion &r);
void need_step(std::int64_t step, Loc l);
void need_stages(std::int64_t n, Loc l);
void need_unroll(std::int64_t n, Loc l);
[[noreturn]] void not_a_range_for(Loc l);   // the iterator was used outside a range-for

}   // namespace tile::detail

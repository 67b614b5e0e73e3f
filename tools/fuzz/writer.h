// SPDX-License-Identifier: MIT
// What all families of random operations build with: the values in scope by type, and choosing among them.
#pragma once

#include "tools/fuzz/program.h"

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <random>
#include <string_view>

namespace tile::fuzz {

class Writer {
 public:
  Writer(Program &program, std::uint64_t seed) : program(program), random_(seed) {}

  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  }
  template <class T> const T &one_of(const std::vector<T> &all) { return all[below(all.size())]; }
  std::string one_of(std::initializer_list<std::string_view> all) {
    return std::string(all.begin()[below(all.size())]);
  }

  // Axes.
  int axis(int extent, int least = 1);
  int product_of(std::vector<int> factors);
  bool has_product(const std::vector<int> &factors) const;   // of odd factors only so much fits an extent

  // Values that are made while one of these lives are fixed.
  class Fixing {
   public:
    explicit Fixing(Writer &w) : w_(w), before_(w.is_fixing_) { w.is_fixing_ = true; }
    ~Fixing() { w_.is_fixing_ = before_; }
    Fixing(const Fixing &) = delete;
    Fixing &operator=(const Fixing &) = delete;

   private:
    Writer &w_;
    bool before_;
  };

  // A value that is in scope from now on.
  int fresh(Type type, double bound);
  int emit(std::string text, std::vector<int> operands, Type type, double bound = 0);
  // A value that nothing else takes: of floats that are rounded, and may be no numbers for sums.
  int emit_unseen(std::string text, std::vector<int> operands, Type type);
  std::vector<int> emit_several(std::string text, std::vector<int> operands,
                                const std::vector<std::pair<Type, double>> &results);
  void effect(std::string text, std::vector<int> operands);
  void has_no_laws() { region_.nodes.back().has_no_laws = true; }   // the last operation
  void add(Node node) { region_.nodes.push_back(std::move(node)); }

  // What `fill` emits goes to a region of its own, and is in scope there only.
  template <class Fill> Region region(Fill fill) {
    Region outside;
    std::swap(outside, region_);
    const auto seen = pool_;
    fill();
    std::swap(outside, region_);
    pool_ = seen;
    return outside;
  }
  Region take() { return std::move(region_); }
  void argument(int value) { region_.arguments.push_back(value); }
  void yield(int value) { region_.yields.push_back(value); }

  // Operands. Where nothing fits, `any` takes what `source` makes of the type, or a constant; now and then it
  // takes a constant where something fits. Constants are not in scope: else they would soon be all there is.
  int constant(const Type &type, std::int64_t value);
  int edge(const Type &type);
  int any(const Type &type, double bound = 0);
  // -1 if no value in scope fits.
  int existing(const Type &type, double bound);
  std::vector<Type> types_in_scope() const;
  std::vector<int> unused() const;   // results of the operations of this region that none of them takes
  std::function<int(const Type &)> source;
  int i32(std::int64_t value) { return constant({Kind::I32, {}}, value); }

  // Whether a float of this bound may stand where one of at most `limit` is wanted.
  bool admits(double bound, double limit) const {
    return bound <= limit ||
           (program.floats == Floats::ring && bound == std::numeric_limits<double>::infinity());
  }
  bool is_ring() const { return program.floats == Floats::ring; }

  const Type &type(int value) const { return program.values[static_cast<std::size_t>(value)].type; }
  double bound(int value) const { return program.values[static_cast<std::size_t>(value)].bound; }
  Type with_kind(const Type &type, Kind kind) const { return {kind, type.axes}; }

  Program &program;

 private:
  std::mt19937_64 random_;
  std::map<Type, std::vector<int>> pool_;
  Region region_;
  bool is_fixing_ = false;
  bool is_making_ = false;   // an operand: what it is made of are constants
};

inline bool is_fp8(Kind kind) { return ElementType{kind}.is_fp8(); }
inline bool is_float(Kind kind) { return ElementType{kind}.is_float(); }
inline bool is_integer(Kind kind) { return ElementType{kind}.is_integer(); }

}   // namespace tile::fuzz

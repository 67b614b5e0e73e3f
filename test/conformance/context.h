// SPDX-License-Identifier: MIT
// What a case works with: seeded inputs, buffers between canaries, launches, and checks that
// say which element is wrong. Everything is put back to the test between two sections.
#pragma once

#include "array.h"
#include "suite.h"

#include <tile/device.h>
#include <tile/dsl.h>

#include <array>
#include <deque>
#include <random>
#include <span>
#include <stdexcept>

namespace tile::conformance {

// A case that does not hold. The text says what was expected and what was seen.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The three kinds of inputs.
enum class Inputs { integers, uniform, specials };
inline constexpr std::array all_inputs{Inputs::integers, Inputs::uniform, Inputs::specials};
const char *name_of(Inputs kind);

// Device memory with 64 bytes on both sides that must survive.
class Memory {
 public:
  static constexpr std::size_t canary = 64;
  enum class Edge { canary, exact };   // exact: the allocation ends with the last element

  Memory(Device &device, std::string name, const Array &initial, bool writable, Edge edge);
  Memory(const Memory &) = delete;
  ~Memory();

  const std::string &name() const { return name_; }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(base_) + canary; }
  std::size_t size() const { return initial_.size(); }
  ElementType type() const { return initial_.type(); }
  Array read() const;
  void verify() const;   // canaries intact, an input unchanged; throws Failure

 private:
  std::vector<unsigned char> read_all() const;
  Device &device_;
  std::string name_;
  Array initial_;
  bool writable_;
  std::size_t tail_;
  void *base_;
};

// One argument of a launch: a buffer, a number, or memory of the process.
class Value {
 public:
  Value(const Memory &memory) : Value(memory.address(), true) {}
  Value(int number) : Value(static_cast<std::int64_t>(number)) {}
  Value(std::int64_t number) : integer_(number), real_(static_cast<double>(number)) {}
  Value(double number) : real_(number), is_real_(true) {}
  static Value host(void *address, std::size_t bytes);
  static Value address(std::uint64_t bits) { return Value(bits, true); }

  ArgClass argument_class() const;
  Argument argument(ElementType type) const;

 private:
  Value(std::uint64_t address, bool) : integer_(static_cast<std::int64_t>(address)), is_address_(true) {}
  std::int64_t integer_ = 0;
  double real_ = 0;
  bool is_real_ = false, is_address_ = false, is_host_ = false;
  std::size_t host_bytes_ = 0;
};

struct Tolerance {
  double relative = 0, absolute = 0;
};

// How launches choose the classes of their arguments.
enum class Specialise { as_launches_do, never };

class Context {
 public:
  Context(Target &target, std::string id, bool nightly);

  Device &device() const { return *target_.device; }
  bool nightly() const { return nightly_; }
  std::uint64_t seed() const { return seed_; }
  std::mt19937_64 &random() { return random_; }
  const std::string &label() const { return label_; }

  // Frees and checks the buffers of the section before. The label is part of failures.
  void section(std::string label);
  void finish();

  // Values.
  Array numbers(ElementType type, std::size_t size, Inputs kind);
  template <class T> Array numbers(std::size_t size, Inputs kind) {
    return numbers(element_type<T>, size, kind);
  }
  std::int64_t between(std::int64_t low, std::int64_t high);
  double uniform(double low, double high);

  // Buffers.
  Memory &input(const Array &values, Memory::Edge edge = Memory::Edge::canary);
  Memory &output(ElementType type, std::size_t size, Memory::Edge edge = Memory::Edge::canary);
  template <class T> Memory &output(std::size_t size) { return output(element_type<T>, size); }
  Memory &in_out(const Array &values);

  // Launches. `run<&kernel<f32>>({.n = 128}, {1}, {x, y, 128})`
  template <auto Fn>
  void run(const typename Kernel<Fn>::Config &config, Grid grid, std::initializer_list<Value> arguments,
           Specialise specialise = Specialise::as_launches_do) {
    const std::vector<Value> values(arguments);
    launch(trace<Fn>(config, values, specialise), grid, values);
  }
  template <auto Fn>
  static KernelIR trace(const typename Kernel<Fn>::Config &config, const std::vector<Value> &values,
                        Specialise specialise = Specialise::as_launches_do) {
    static const Kernel<Fn> kernel{.name = "conformance_case"};
    return kernel.trace(config, classes_of(values, specialise));
  }
  void launch(const KernelIR &kernel, Grid grid, const std::vector<Value> &values);
  std::vector<std::string> take_printed();

  // Checks; each throws Failure naming the first wrong element and how many there are.
  void exact(const Array &got, const Array &expected);
  void exact(const Memory &got, const Array &expected) { exact(got.read(), expected); }
  void close(const Array &got, std::span<const double> expected, Tolerance tolerance);
  void close(const Memory &got, std::span<const double> expected, Tolerance tolerance) {
    close(got.read(), expected, tolerance);
  }
  void require(bool holds, const std::string &what) const;
  [[noreturn]] void fail(const std::string &what) const;

 private:
  static std::vector<ArgClass> classes_of(const std::vector<Value> &values, Specialise specialise);

  Target &target_;
  std::string id_, label_;
  bool nightly_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::deque<Memory> memories_;
};

// What an output holds before a run: NaN, or bytes 0xAB.
Array poisoned(ElementType type, std::size_t size);

}   // namespace tile::conformance

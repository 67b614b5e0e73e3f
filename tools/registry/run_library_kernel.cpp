// SPDX-License-Identifier: MIT
// A launch of a kernel of which only the face is known. Nobody says what its results are to be: the
// interpreter, which runs what it means, is asked.
#include "tools/registry/library_kernel.h"
#include "tools/registry/running.h"

#include "tile/buffer.h"
#include "tile/devices.h"
#include "tile/numeric.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

namespace tile::registry {
namespace {

using reference::Matrix;

// An array of elements of a type that is known at run time, with nothing around it: the CPU devices say at
// which line an access passes its end.
class Array {
 public:
  virtual ~Array() = default;
  virtual std::uint64_t address() const = 0;
  virtual void fill(const Matrix &values) = 0;
  virtual Matrix download() const = 0;
};

template <class T> class ArrayOf final : public Array {
 public:
  ArrayOf(Device &device, const std::string &name, std::int64_t count)
      : buffer_(device, reference::element_count(1, count), name) {}
  std::uint64_t address() const override { return reinterpret_cast<std::uintptr_t>(buffer_.data()); }
  void fill(const Matrix &values) override {
    std::vector<T> elements;
    for (const double value : values.values)
      elements.push_back(numeric::cast<T>(value));
    buffer_.copy_from(elements);
  }
  Matrix download() const override {
    Matrix values(1, static_cast<std::int64_t>(buffer_.size()));
    const std::vector<T> elements = buffer_.to_host();
    for (std::size_t i = 0; i < elements.size(); ++i)
      values.values[i] = numeric::cast<double>(elements[i]);
    return values;
  }

 private:
  Buffer<T> buffer_;
};

template <class... Ts>
std::unique_ptr<Array> array_among(Kind kind, Device &device, const std::string &name, std::int64_t count) {
  std::unique_ptr<Array> array;
  auto make_if_named = [&]<class T>(std::type_identity<T>) {
    if (element_type<T>.kind == kind)
      array = std::make_unique<ArrayOf<T>>(device, name, count);
  };
  (make_if_named(std::type_identity<Ts>()), ...);
  return array;
}
std::unique_ptr<Array> make_array(Kind kind, Device &device, const std::string &name, std::int64_t count) {
  const Kind stored = kind == Kind::I1 ? Kind::U8 : kind;   // a byte each
  return array_among<i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, e4m3, e5m2>(stored, device,
                                                                                            name, count);
}

// Integers may be offsets into another array: they are small and not negative.
Matrix random_elements(std::int64_t count, ElementType element, std::mt19937_64 &source) {
  Matrix values = reference::random_matrix(1, count, element, source);
  if (!element.is_float())
    for (double &value : values.values)
      value = std::fmod(std::abs(value), element.is_bool() ? 2 : 8);
  return values;
}

std::uint64_t bits_of(ElementType type, const Settings &settings, const std::string &name) {
  switch (type.kind) {
  case Kind::F16:
    return f16(settings.number(name)).bits;
  case Kind::BF16:
    return bf16(settings.number(name)).bits;
  case Kind::E4M3:
    return e4m3(settings.number(name)).bits;
  case Kind::E5M2:
    return e5m2(settings.number(name)).bits;
  case Kind::F32:
    return std::bit_cast<std::uint32_t>(static_cast<float>(settings.number(name)));
  case Kind::F64:
    return std::bit_cast<std::uint64_t>(settings.number(name));
  default: {
    const auto bits = static_cast<std::uint64_t>(settings.size(name));
    const int width = type.bits() - (type.is_unsigned() || type.is_bool() ? 0 : 1);
    if (width < 64 && bits >> width)
      throw BadSetting(fmt::format("--{} is {}, which {} cannot be", name, bits, type.name()));
    return bits;
  }
  }
}

class Space final : public launching::ConfigSpace {
 public:
  Space(const LibraryKernel &kernel, const Settings &settings) : kernel_(kernel) {
    if (!settings.config.empty())
      configs_.push_back({-1, settings.config});
    else
      for (std::size_t i = 0; i < kernel.configs(); ++i)
        configs_.push_back({static_cast<int>(i), ""});
  }
  // Of the launch. A config that the user gives is complete.
  void take_arguments(std::vector<std::uint64_t> bits) {
    bits_ = std::move(bits);
    for (LibraryKernel::Config &config : configs_)
      if (config.number >= 0)
        config = kernel_.complete({config.number, ""}, bits_);
  }

  std::size_t size() const override { return configs_.size(); }
  const void *list() const override { return configs_.data(); }
  bool follows_from_arguments() const override { return true; }
  void push_values(std::size_t i, launching::WordKey &key) const override {
    for (const char c : configs_[i].changes)
      key.push(static_cast<unsigned char>(c));
  }
  std::string text(std::size_t i) const override { return kernel_.describe(configs_[i]); }
  bool keeps(std::size_t i) const override { return kernel_.keeps(configs_[i], bits_); }
  Grid grid(std::size_t i) const override { return kernel_.grid(configs_[i], bits_); }
  Key key() const override { return {}; }
  Work work() const override { return kernel_.work(bits_); }
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass> classes) const override {
    return device.load(kernel_.trace(configs_[i], classes));
  }

 private:
  const LibraryKernel &kernel_;
  std::vector<LibraryKernel::Config> configs_;
  std::vector<std::uint64_t> bits_;
};

// What one launch leaves in the arrays that it may write.
struct Launched {
  double seconds = 0;
  Work work;
  std::vector<Matrix> written;
};

Launched launch_on(Device &device, const LibraryKernel &kernel, const Settings &settings) {
  std::mt19937_64 source(settings.seed);
  Space space(kernel, settings);
  std::vector<launching::PackedArgument> arguments;
  std::vector<std::uint64_t> bits;
  std::vector<std::unique_ptr<Array>> arrays;
  const std::vector<LibraryKernel::Parameter> parameters = kernel.parameters();
  for (const LibraryKernel::Parameter &p : parameters) {
    if (p.type.pointers > 1)
      throw BadSetting(
          fmt::format("{} is {}: arrays of pointers are not made here, so that {} runs in a program of "
                      "its own only",
                      p.name, p.type.name(), kernel.name()));
    if (p.type.is_pointer()) {
      const std::int64_t count = settings.size(p.setting);
      arrays.push_back(make_array(p.type.kind, device, p.name, count));
      arrays.back()->fill(random_elements(count, p.type.pointee(), source));
      arguments.push_back(launching::pack_pointer(
          p.type, reinterpret_cast<const void *>(arrays.back()->address()), p.is_dynamic));
    } else {
      arrays.push_back(nullptr);
      arguments.push_back(launching::pack_number(p.type, bits_of(p.type, settings, p.setting), p.is_dynamic));
    }
    arguments.back().access = p.access;
    bits.push_back(arguments.back().argument.bits);
  }
  space.take_arguments(std::move(bits));
  Launched launched{.work = space.work()};
  const std::string name = kernel.name();
  const OnDevice where(device, std::source_location());
  if (!kernel.has_grid())
    launching::no_grid(name.c_str(), {});
  if (kernel.has_around())
    throw Error("kernel " + name + " makes its launches itself, by `.around`, which is code of the library",
                {})
        .add_help("launch it in a program of its own; `tile dump` shows what becomes of it");
  launched.seconds = timed(device, [&] {
    launching::launch({where, name.c_str(), arguments, launching::make_launch_cache()}, space);
  });
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i] && parameters[i].access != tuning::Access::reads)
      launched.written.push_back(arrays[i]->download());
  return launched;
}

// Sums in another order differ by what the largest of their terms is rounded by.
reference::Tolerance tolerance_of(ElementType element, const Matrix &expected) {
  double largest = 0;
  for (const double value : expected.values)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  const double step = reference::elementwise_tolerance(element).relative;
  return {2 * step, step * largest};
}

}   // namespace

Outcome run_library_kernel(const LibraryKernel &kernel, Device &device, const Settings &settings) {
  if (!settings.config.empty()) {
    try {
      kernel.describe({-1, settings.config});
    } catch (const Error &error) {
      refuse_config(error);
    }
  }
  const Launched here = launch_on(device, kernel, settings);
  const bool has_flop = here.work.flop > 0;
  Outcome outcome{.seconds = here.seconds,
                  .config = settings.config.empty() ? "the kernel's choice" : settings.config,
                  .operations = has_flop ? here.work.flop : here.work.bytes,
                  .unit = has_flop ? "FLOP" : "B"};
  if (!settings.verify)
    return outcome;
  outcome.tolerance = "what the interpreter computes, to some roundings of the largest element";
  const std::unique_ptr<Device> oracle = open_device("interpreter");
  const Launched there = launch_on(*oracle, kernel, settings);
  std::size_t at = 0;
  for (const LibraryKernel::Parameter &p : kernel.parameters())
    if (p.type.is_pointer() && p.access != tuning::Access::reads) {
      const ElementType element = p.type.pointee();
      outcome.verdict.add(reference::compare(p.name, here.written[at], there.written[at], element,
                                             tolerance_of(element, there.written[at])));
      ++at;
    }
  return outcome;
}

}   // namespace tile::registry

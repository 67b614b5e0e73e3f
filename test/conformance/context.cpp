// SPDX-License-Identifier: MIT
// Buffers, launches and comparisons of the conformance suite.
#include "context.h"

#include "float_codes.h"

#include <algorithm>
#include <cmath>

namespace tile::conformance {

namespace {
constexpr unsigned char canary_byte = 0xC5;

// The seed is the id's, so that a case computes the same alone and in the whole suite.
std::uint64_t seed_of(std::string_view id) {
  std::uint64_t hash = 0xCBF29CE484222325u;   // FNV-1a
  for (char c : id)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash & 0xFFFFFFFFu;
}
}   // namespace

Memory::Memory(Device &device, std::string name, const Array &initial, bool writable, Edge edge)
    : device_(device), name_(std::move(name)), initial_(initial), writable_(writable),
      tail_(edge == Edge::exact ? 0 : canary) {
  std::vector<unsigned char> bytes(canary + initial.bytes().size() + tail_, canary_byte);
  std::ranges::copy(initial.bytes(), bytes.begin() + canary);
  base_ = device.allocate(bytes.size(), name_);
  device.copy_in(base_, bytes.data(), bytes.size());
}

Memory::~Memory() { device_.release(base_); }

std::vector<unsigned char> Memory::read_all() const {
  std::vector<unsigned char> bytes(canary + initial_.bytes().size() + tail_);
  device_.copy_out(bytes.data(), base_, bytes.size());
  return bytes;
}

Array Memory::read() const {
  Array values(type(), size());
  const std::vector<unsigned char> all = read_all();
  std::copy_n(all.begin() + canary, values.bytes().size(), values.bytes().begin());
  return values;
}

void Memory::verify() const {
  const std::vector<unsigned char> all = read_all();
  const std::size_t end = canary + initial_.bytes().size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool inside = i >= canary && i < end;
    if (inside && writable_)
      continue;
    const unsigned char expected = inside ? initial_.bytes()[i - canary] : canary_byte;
    if (all[i] == expected)
      continue;
    if (inside)
      throw Failure("the kernel wrote to its input " + name_ + ", byte " + std::to_string(i - canary));
    const std::string place = i < canary ? std::to_string(canary - i) + " bytes before"
                                         : std::to_string(i - end) + " bytes past the end of";
    throw Failure("a canary " + place + " " + name_ + " was overwritten");
  }
}

Value Value::host(void *address, std::size_t bytes) {
  Value value(reinterpret_cast<std::uint64_t>(address), true);
  value.is_host_ = true;
  value.host_bytes_ = bytes;
  return value;
}

ArgClass Value::argument_class() const {
  if (is_real_)
    return ArgClass::generic;
  if (integer_ == 1 && !is_address_)
    return ArgClass::one;
  return integer_ % 16 == 0 && (is_address_ || integer_ > 0) ? ArgClass::divisible_by_16 : ArgClass::generic;
}

Argument Value::argument(ElementType type) const {
  Argument argument{.type = type, .host_bytes = host_bytes_, .is_host = is_host_};
  if (type.is_float()) {
    Array one(type, 1);
    one.set_real(0, is_real_ ? real_ : static_cast<double>(integer_));
    argument.bits = one.bits(0);
  } else {
    const auto bits = static_cast<std::uint64_t>(integer_);
    const int width = type.bits();
    argument.bits = width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  }
  return argument;
}

const char *name_of(Inputs kind) {
  switch (kind) {
  case Inputs::integers:
    return "integers";
  case Inputs::uniform:
    return "uniform";
  case Inputs::specials:
    return "specials";
  }
  return "";
}

Context::Context(Target &target, std::string id, bool nightly)
    : target_(target), id_(std::move(id)), nightly_(nightly), seed_(seed_of(id_)), random_(seed_) {
  if (target_.printed)
    target_.printed->clear();
}

void Context::section(std::string label) {
  finish();
  label_ = std::move(label);
}

void Context::finish() {
  for (const Memory &memory : memories_)
    memory.verify();
  memories_.clear();
}

Memory &Context::input(const Array &values, Memory::Edge edge) {
  return memories_.emplace_back(device(), "in" + std::to_string(memories_.size()), values, false, edge);
}

Memory &Context::output(ElementType type, std::size_t size, Memory::Edge edge) {
  return memories_.emplace_back(device(), "out" + std::to_string(memories_.size()), poisoned(type, size),
                                true, edge);
}

Memory &Context::in_out(const Array &values) {
  return memories_.emplace_back(device(), "inout" + std::to_string(memories_.size()), values, true,
                                Memory::Edge::canary);
}

std::vector<ArgClass> Context::classes_of(const std::vector<Value> &values, Specialise specialise) {
  std::vector<ArgClass> classes;
  for (const Value &value : values)
    classes.push_back(specialise == Specialise::never ? ArgClass::generic : value.argument_class());
  return classes;
}

void Context::launch(const KernelIR &kernel, Grid grid, const std::vector<Value> &values) {
  const std::vector<Parameter> &parameters = kernel.parameters();
  if (parameters.size() != values.size())
    throw std::logic_error("the kernel of " + id_ + " takes " + std::to_string(parameters.size()) +
                           " arguments, the case gives " + std::to_string(values.size()));
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < values.size(); ++i)
    arguments.push_back(values[i].argument(parameters[i].type));
  device().load(kernel)->launch(grid, arguments);
  device().synchronize();
}

std::vector<std::string> Context::take_printed() {
  return target_.printed ? std::exchange(*target_.printed, {}) : std::vector<std::string>{};
}

void Context::fail(const std::string &what) const {
  throw Failure(label_.empty() ? what : label_ + ": " + what);
}

void Context::require(bool holds, const std::string &what) const {
  if (!holds)
    fail(what);
}

void Context::exact(const Array &got, const Array &expected) {
  if (got.size() != expected.size() || !(got.type() == expected.type()))
    throw std::logic_error("the reference of " + id_ + " has another size or type than the output");
  if (got.bytes() == expected.bytes())
    return;
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!same(expected, i, got, i) && wrong++ == 0)
      first = i;
  if (wrong)
    fail("element " + std::to_string(first) + ": got " + got.text(first) + ", expected " +
         expected.text(first) + "; " + std::to_string(wrong) + " of " + std::to_string(got.size()) +
         " elements are wrong");
}

void Context::close(const Array &got, std::span<const double> expected, Tolerance tolerance) {
  if (got.size() != expected.size())
    throw std::logic_error("the reference of " + id_ + " has another size than the output");
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const long double seen = got.real(i), wanted = expected[i];
    bool fits;
    if (std::isnan(wanted) || std::isnan(seen))
      fits = std::isnan(wanted) && std::isnan(seen);
    else if (std::isinf(wanted) || std::isinf(seen))
      fits = wanted == seen;
    else
      fits = std::fabs(seen - wanted) <= tolerance.absolute + tolerance.relative * std::fabs(wanted);
    if (!fits && wrong++ == 0)
      first = i;
  }
  if (wrong)
    fail("element " + std::to_string(first) + ": got " + got.text(first) + ", expected " +
         std::to_string(expected[first]) + " within " + std::to_string(tolerance.relative) +
         " relative and " + std::to_string(tolerance.absolute) + " absolute; " + std::to_string(wrong) +
         " of " + std::to_string(got.size()) + " elements are wrong");
}

}   // namespace tile::conformance

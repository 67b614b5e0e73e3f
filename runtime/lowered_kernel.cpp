// SPDX-License-Identifier: MIT
// A lowered kernel as bytes, sealed as runtime/byte_stream.h says.
#include "runtime/lowered_kernel.h"

#include "runtime/byte_stream.h"

#include <limits>

namespace tile {
namespace {

constexpr std::string_view mark = "tilekrnl";
constexpr std::uint32_t version = 8;   // of whatever is read or written below
constexpr ByteReader::Subject subject{
    "a lowered kernel that can be launched",
    "lower the kernel again, or copy the file again, complete and unchanged"};

[[noreturn]] void refuse(const std::string &what) { ByteReader::refuse(subject, what); }

// -1 is "not known".
std::uint32_t from_signed(int value) { return static_cast<std::uint32_t>(value); }

int read_count(ByteReader &in, const char *what) {
  const auto value = in.number<std::uint32_t>();
  const bool is_known = value <= static_cast<std::uint32_t>(std::numeric_limits<int>::max());
  if (!is_known && value != from_signed(-1))
    refuse(std::string(what) + " is " + std::to_string(value));
  return is_known ? static_cast<int>(value) : -1;
}

void write(ByteWriter &out, const Location &where) {
  out.text(where.file);
  out.number(std::uint32_t{where.line});
  out.number(std::uint32_t{where.column});
}

Location read_location(ByteReader &in) {
  Location where;
  where.file = in.text();
  where.line = in.number<std::uint32_t>();
  where.column = in.number<std::uint32_t>();
  return where;
}

DeviceCheck read_check(ByteReader &in) {
  DeviceCheck check;
  check.message = in.text();
  check.where = read_location(in);
  // Reports divide by them.
  check.shape = in.list(
      [&] { return static_cast<std::int64_t>(in.number<std::uint64_t>(1, 1 << 30, "an extent of a tile")); });
  return check;
}

template <class Enum> void write_enum(ByteWriter &out, Enum value) {
  out.number(static_cast<std::uint8_t>(value));
}
template <class Enum> Enum read_enum(ByteReader &in, Enum last, const char *what) {
  return static_cast<Enum>(in.number<std::uint8_t>(0, static_cast<std::uint8_t>(last), what));
}

LaunchArgument read_argument(ByteReader &in) {
  LaunchArgument argument;
  argument.name = in.text();
  argument.type.kind = read_enum(in, Kind::E5M2, "the type of an argument");
  argument.type.pointers = in.number<std::uint8_t>();
  return argument;
}

bool read_bool(ByteReader &in, const char *what) { return in.number<std::uint8_t>(0, 1, what) != 0; }

void write(ByteWriter &out, const LaunchNumber &number) {
  out.list(number.steps, [&](const LaunchNumber::Step &step) {
    write_enum(out, step.operation);
    out.number(static_cast<std::uint64_t>(step.value));
    out.number(static_cast<std::uint8_t>(step.is_narrow));
  });
}
LaunchNumber read_launch_number(ByteReader &in) {
  return {in.list([&] {
    LaunchNumber::Step step;
    step.operation = read_enum(in, LaunchNumber::Operation::maximum, "an operation of a number");
    step.value = static_cast<std::int64_t>(in.number<std::uint64_t>());
    step.is_narrow = read_bool(in, "the width of an operation");
    return step;
  })};
}

void write(ByteWriter &out, const TensorParameter &tensor) {
  write_enum(out, tensor.element);
  out.number(std::uint32_t{tensor.base});
  out.list(tensor.sizes, [&](const LaunchNumber &number) { write(out, number); });
  out.list(tensor.strides, [&](const LaunchNumber &number) { write(out, number); });
  out.list(tensor.box, [&](std::uint32_t extent) { out.number(extent); });
  write_enum(out, tensor.swizzle);
  write_enum(out, tensor.fill);
  out.number(static_cast<std::uint8_t>(tensor.is_written));
  out.number(static_cast<std::uint8_t>(tensor.is_anchored));
}
TensorParameter read_tensor(ByteReader &in) {
  TensorParameter tensor;
  tensor.element = read_enum(in, TensorElement::tf32, "the element of a tensor map");
  tensor.base = in.number<std::uint32_t>();
  tensor.sizes = in.list([&] { return read_launch_number(in); });
  tensor.strides = in.list([&] { return read_launch_number(in); });
  tensor.box = in.list([&] { return in.number<std::uint32_t>(); });
  tensor.swizzle = read_enum(in, TensorSwizzle::bytes128, "the swizzle of a tensor map");
  tensor.fill = read_enum(in, TensorFill::nan, "the fill of a tensor map");
  tensor.is_written = read_bool(in, "the flag of a tensor map for stores");
  tensor.is_anchored = read_bool(in, "the flag of a tensor map with an anchor");
  return tensor;
}

void write(ByteWriter &out, const CodeParameter &parameter) {
  out.number(static_cast<std::uint8_t>(parameter.index()));
  if (const auto *passed = std::get_if<PassedArgument>(&parameter))
    out.number(std::uint32_t{passed->argument});
  else if (const auto *extent = std::get_if<GridExtent>(&parameter))
    out.number(std::uint32_t{extent->axis});
  else if (const auto *workspace = std::get_if<WorkspaceParameter>(&parameter))
    out.number(workspace->bytes);
  else
    write(out, std::get<TensorParameter>(parameter));
}
CodeParameter read_parameter(ByteReader &in) {
  switch (in.number<std::uint8_t>(0, std::variant_size_v<CodeParameter> - 1, "the kind of a parameter")) {
  case 0:
    return PassedArgument{in.number<std::uint32_t>()};
  case 1:
    return read_tensor(in);
  case 2:
    return GridExtent{in.number<std::uint32_t>()};
  default:
    return WorkspaceParameter{in.number<std::uint32_t>()};
  }
}

}   // namespace

void LoweredKernel::set_text(std::string_view text) {
  const auto *begin = reinterpret_cast<const std::byte *>(text.data());
  code.assign(begin, begin + text.size());
}

std::vector<std::byte> LoweredKernel::serialise() const {
  ByteWriter out;
  for (const std::string *text : {&name, &config, &symbol, &target})
    out.text(*text);
  write_enum(out, kind);
  out.text(text());
  out.list(arguments, [&](const LaunchArgument &argument) {
    out.text(argument.name);
    write_enum(out, argument.type.kind);
    out.number(argument.type.pointers);
  });
  out.list(parameters, [&](const CodeParameter &parameter) { write(out, parameter); });
  out.list(guards, [&](const Guard &guard) {
    out.number(std::uint32_t{guard.argument});
    write_enum(out, guard.kind);
    out.number(guard.number);
  });
  out.number(std::uint32_t{threads});
  out.number(std::uint32_t{shared_bytes});
  for (const unsigned extent : cluster)
    out.number(std::uint32_t{extent});
  out.number(static_cast<std::uint8_t>(persistent));
  out.number(static_cast<std::uint8_t>(starts_early));
  write_enum(out, unit);
  out.number(std::uint32_t{roles});
  out.list(checks, [&](const DeviceCheck &check) {
    out.text(check.message);
    write(out, check.where);
    out.list(check.shape, [&](std::int64_t extent) { out.number(static_cast<std::uint64_t>(extent)); });
  });
  out.list(formats, [&](const std::string &format) { out.text(format); });
  out.number(from_signed(registers));
  out.number(from_signed(spill_bytes));
  out.text(assembler_log);

  return sealed(mark, version, out.bytes);
}

LoweredKernel LoweredKernel::parse(std::span<const std::byte> bytes) {
  ByteReader in(unsealed(bytes, mark, version, subject), subject);
  LoweredKernel kernel;
  for (std::string *text : {&kernel.name, &kernel.config, &kernel.symbol, &kernel.target})
    *text = in.text();
  kernel.kind = read_enum(in, Code::host, "the kind of the code");
  kernel.set_text(in.text());
  kernel.arguments = in.list([&] { return read_argument(in); });
  const auto position = [&] {
    const auto at = in.number<std::uint32_t>();
    if (at >= kernel.arguments.size())
      refuse("there is no argument " + std::to_string(at));
    return unsigned{at};
  };
  kernel.parameters = in.list([&] { return read_parameter(in); });
  kernel.guards = in.list([&] {
    Guard guard;
    guard.argument = position();
    guard.kind = read_enum(in, Guard::Kind::equal, "the kind of a guard");
    guard.number = in.number<std::uint64_t>();
    if (guard.kind == Guard::Kind::positive_multiple && guard.number == 0)
      refuse("a guard asks for a multiple of 0");
    return guard;
  });
  kernel.threads = in.number<std::uint32_t>(1, 1024, "the number of threads");
  kernel.shared_bytes = in.number<std::uint32_t>(0, 1 << 30, "the size of shared memory");
  for (unsigned &extent : kernel.cluster)
    extent = in.number<std::uint32_t>(1, 16, "an extent of the cluster");
  kernel.persistent = read_bool(in, "the flag of a persistent kernel");
  kernel.starts_early = read_bool(in, "the flag of an early start");
  kernel.unit = read_enum(in, ProductUnit::threads, "the unit of the products");
  kernel.roles = in.number<std::uint32_t>(1, 32, "the number of roles");
  kernel.checks = in.list([&] { return read_check(in); });
  kernel.formats = in.list([&] { return in.text(); });
  kernel.registers = read_count(in, "the number of registers");
  kernel.spill_bytes = read_count(in, "the number of spilled bytes");
  kernel.assembler_log = in.text();
  if (!in.is_at_end())
    refuse("there are more bytes after the kernel");
  if (const std::string rule = kernel.broken_rule(); !rule.empty())
    refuse(rule);
  return kernel;
}

}   // namespace tile

// SPDX-License-Identifier: MIT
// A lowered kernel as bytes. All numbers are little endian; a text or a list begins with its length.
//
//   8 bytes   mark
//   4 bytes   version of the format
//   8 bytes   length of what follows the header
//   8 bytes   checksum of that
//
// Bytes come from disks and networks: whatever they are, reading ends with a kernel or with an error.
#include "runtime/lowered_kernel.h"

#include "runtime/checksum.h"

#include <concepts>
#include <limits>

namespace tile {
namespace {

constexpr std::string_view mark = "tilekrnl";
constexpr std::uint32_t version = 5;   // of whatever is read or written below
constexpr std::size_t header_bytes = 8 + 4 + 8 + 8;

class Writer {
 public:
  template <std::unsigned_integral T> void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes.push_back(static_cast<std::byte>(value >> 8 * i));
  }
  void text(std::string_view text) {
    number(static_cast<std::uint64_t>(text.size()));
    raw(std::as_bytes(std::span(text)));
  }
  void raw(std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
  template <class T, class F> void list(const std::vector<T> &items, F &&write) {
    number(static_cast<std::uint64_t>(items.size()));
    for (const T &item : items)
      write(item);
  }
  std::vector<std::byte> bytes;
};

[[noreturn]] void refuse(const std::string &what) {
  throw Error("these bytes are not a lowered kernel that can be launched: " + what, {})
      .add_help("lower the kernel again, or copy the file again, complete and unchanged");
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <std::unsigned_integral T> T number() {
    const std::span<const std::byte> bytes = take(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[i]) << 8 * i));
    return value;
  }
  // A number that means something up to `most`.
  template <std::unsigned_integral T> T number(T least, T most, const char *what) {
    const T value = number<T>();
    if (value < least || value > most)
      refuse(std::string(what) + " is " + std::to_string(value));
    return value;
  }
  std::string text() {
    const std::span<const std::byte> bytes = take(number<std::uint64_t>());
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > left_.size())
      refuse("a part of " + std::to_string(count) + " bytes is longer than the rest of the bytes");
    const std::span<const std::byte> taken = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  // An item has a byte at least: a length that cannot be true costs no memory.
  template <class F> auto list(F &&read) {
    const auto count = number<std::uint64_t>();
    if (count > left_.size())
      refuse("a list of " + std::to_string(count) + " items is longer than the rest of the bytes");
    std::vector<decltype(read())> items;
    for (std::uint64_t i = 0; i < count; ++i)
      items.push_back(read());
    return items;
  }
  bool is_at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
};

// -1 is "not known".
std::uint32_t from_signed(int value) { return static_cast<std::uint32_t>(value); }

int read_count(Reader &in, const char *what) {
  const auto value = in.number<std::uint32_t>();
  const bool is_known = value <= static_cast<std::uint32_t>(std::numeric_limits<int>::max());
  if (!is_known && value != from_signed(-1))
    refuse(std::string(what) + " is " + std::to_string(value));
  return is_known ? static_cast<int>(value) : -1;
}

void write(Writer &out, const Location &where) {
  out.text(where.file);
  out.number(std::uint32_t{where.line});
  out.number(std::uint32_t{where.column});
}

Location read_location(Reader &in) {
  Location where;
  where.file = in.text();
  where.line = in.number<std::uint32_t>();
  where.column = in.number<std::uint32_t>();
  return where;
}

DeviceCheck read_check(Reader &in) {
  DeviceCheck check;
  check.message = in.text();
  check.where = read_location(in);
  // Reports divide by them.
  check.shape = in.list(
      [&] { return static_cast<std::int64_t>(in.number<std::uint64_t>(1, 1 << 30, "an extent of a tile")); });
  return check;
}

template <class Enum> void write_enum(Writer &out, Enum value) {
  out.number(static_cast<std::uint8_t>(value));
}
template <class Enum> Enum read_enum(Reader &in, Enum last, const char *what) {
  return static_cast<Enum>(in.number<std::uint8_t>(0, static_cast<std::uint8_t>(last), what));
}

LaunchArgument read_argument(Reader &in) {
  LaunchArgument argument;
  argument.name = in.text();
  argument.type.kind = read_enum(in, Kind::E5M2, "the type of an argument");
  argument.type.pointers = in.number<std::uint8_t>();
  return argument;
}

bool read_bool(Reader &in, const char *what) { return in.number<std::uint8_t>(0, 1, what) != 0; }

void write(Writer &out, const LaunchNumber &number) {
  out.number(static_cast<std::uint8_t>(number.argument.has_value()));
  out.number(number.argument ? std::uint64_t{*number.argument} : static_cast<std::uint64_t>(number.constant));
  if (number.argument) {
    out.number(static_cast<std::uint64_t>(number.factor));
    out.number(static_cast<std::uint8_t>(number.is_narrow));
  }
}
LaunchNumber read_launch_number(Reader &in) {
  if (!read_bool(in, "the kind of a number"))
    return {.argument = {}, .constant = static_cast<std::int64_t>(in.number<std::uint64_t>())};
  LaunchNumber number{.argument = static_cast<unsigned>(in.number<std::uint64_t>(
                          0, std::numeric_limits<unsigned>::max(), "the position of an argument"))};
  number.factor = static_cast<std::int64_t>(in.number<std::uint64_t>());
  number.is_narrow = read_bool(in, "the width of a product");
  return number;
}

void write(Writer &out, const TensorParameter &tensor) {
  write_enum(out, tensor.element);
  out.number(std::uint32_t{tensor.base});
  out.list(tensor.sizes, [&](const LaunchNumber &number) { write(out, number); });
  out.list(tensor.strides, [&](const LaunchNumber &number) { write(out, number); });
  out.list(tensor.box, [&](std::uint32_t extent) { out.number(extent); });
  write_enum(out, tensor.swizzle);
  write_enum(out, tensor.fill);
  out.number(static_cast<std::uint8_t>(tensor.is_written));
}
TensorParameter read_tensor(Reader &in) {
  TensorParameter tensor;
  tensor.element = read_enum(in, TensorElement::tf32, "the element of a tensor map");
  tensor.base = in.number<std::uint32_t>();
  tensor.sizes = in.list([&] { return read_launch_number(in); });
  tensor.strides = in.list([&] { return read_launch_number(in); });
  tensor.box = in.list([&] { return in.number<std::uint32_t>(); });
  tensor.swizzle = read_enum(in, TensorSwizzle::bytes128, "the swizzle of a tensor map");
  tensor.fill = read_enum(in, TensorFill::nan, "the fill of a tensor map");
  tensor.is_written = read_bool(in, "the flag of a tensor map for stores");
  return tensor;
}

void write(Writer &out, const CodeParameter &parameter) {
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
CodeParameter read_parameter(Reader &in) {
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
  Writer out;
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
  out.list(checks, [&](const DeviceCheck &check) {
    out.text(check.message);
    write(out, check.where);
    out.list(check.shape, [&](std::int64_t extent) { out.number(static_cast<std::uint64_t>(extent)); });
  });
  out.list(formats, [&](const std::string &format) { out.text(format); });
  out.number(from_signed(registers));
  out.number(from_signed(spill_bytes));
  out.text(assembler_log);

  Writer whole;
  whole.raw(std::as_bytes(std::span(mark)));
  whole.number(version);
  whole.number(static_cast<std::uint64_t>(out.bytes.size()));
  whole.number(checksum(out.bytes));
  whole.raw(out.bytes);
  return std::move(whole.bytes);
}

static std::span<const std::byte> checked_payload(std::span<const std::byte> bytes) {
  const std::string begin(reinterpret_cast<const char *>(bytes.data()), std::min(bytes.size(), mark.size()));
  if (begin != mark.substr(0, begin.size()) || bytes.empty())
    refuse("they do not begin with the mark of a lowered kernel");
  if (bytes.size() < header_bytes)
    refuse("they end within the header");
  Reader header(bytes.subspan(mark.size()));
  if (const auto found = header.number<std::uint32_t>(); found != version)
    refuse("their format has version " + std::to_string(found) + ", this program reads version " +
           std::to_string(version));
  const auto length = header.number<std::uint64_t>(), sum = header.number<std::uint64_t>();
  const std::span<const std::byte> payload = bytes.subspan(header_bytes);
  if (payload.size() != length)
    refuse(std::to_string(length) + " bytes should follow the header, " + std::to_string(payload.size()) +
           " do");
  if (checksum(payload) != sum)
    refuse("they are damaged: the checksum does not match");
  return payload;
}

LoweredKernel LoweredKernel::parse(std::span<const std::byte> bytes) {
  Reader in(checked_payload(bytes));
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

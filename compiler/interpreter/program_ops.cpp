// SPDX-License-Identifier: MIT
#include "compiler/interpreter/program_ops.h"

#include "compiler/interpreter/faults.h"
#include "runtime/host/stray.h"
#include "runtime/report_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace tile::interpreter {
namespace {

void programId(const Instruction &i, Machine &m) {
  *m.at<std::int32_t>(i.result) = m.id()[static_cast<std::size_t>(i.as<GridAxis>().axis)];
}
void numPrograms(const Instruction &i, Machine &m) {
  *m.at<std::int32_t>(i.result) = m.programs()[static_cast<std::size_t>(i.as<GridAxis>().axis)];
}

void claim(const Instruction &i, Machine &m) {
  const std::uint8_t *holds = m.at<std::uint8_t>(i.a);
  const std::uint8_t *mask = i.b == NoPlace ? nullptr : m.at<std::uint8_t>(i.b);
  for (std::size_t n = 0; n < i.lanes; ++n)
    if (!holds[n] && (!mask || mask[n]))
      fail(i, m, {i.as<Claim>().message, &i.as<Claim>().extents, n, mask ? "its mask is true" : "", {}, ""});
}

// Of a float the bits: whether two are equal is all that is asked.
std::int64_t integerAt(const Machine &m, Place place, Lane lane, std::size_t n, bool isUnsigned = false) {
  switch (lane) {
  case Lane::I1:
    return m.at<std::uint8_t>(place)[n];
  case Lane::I8:
  case Lane::E4M3:
  case Lane::E5M2:
    return isUnsigned ? std::int64_t{m.at<std::uint8_t>(place)[n]} : m.at<std::int8_t>(place)[n];
  case Lane::I16:
  case Lane::F16:
  case Lane::BF16:
    return isUnsigned ? std::int64_t{m.at<std::uint16_t>(place)[n]} : m.at<std::int16_t>(place)[n];
  case Lane::I32:
  case Lane::F32:
    return isUnsigned ? std::int64_t{m.at<std::uint32_t>(place)[n]} : m.at<std::int32_t>(place)[n];
  case Lane::Pointer:
    return static_cast<std::int64_t>(host::plain_address(m.at<Pointer>(place)[n]));
  default:
    return m.at<std::int64_t>(place)[n];
  }
}

void checkFact(const Instruction &i, Machine &m) {
  const Fact &fact = i.as<Fact>();
  const auto value = [&](std::size_t n) { return integerAt(m, i.a, fact.lane, n); };
  const auto refuse = [&](const std::string &message, std::size_t n) {
    fail(i, m, {message, &fact.extents, n, "", {}, ""});
  };
  const auto refuseRun = [&](std::size_t n, const char *how) {
    refuse(fmt::format("a promised fact does not hold: {} follows {}, but runs of {} are {}", value(n),
                       value(n - 1), fact.first, how),
           n);
  };
  const auto run = static_cast<std::size_t>(fact.first);
  for (std::size_t n = 0; n < i.lanes; ++n) {
    const std::int64_t x = value(n);
    switch (fact.kind) {
    case Fact::Divisible:
      if (x % fact.first != 0)
        refuse(no_multiple_text(fact.lane == Lane::Pointer ? fmt::format("address {:#x}", x) : grouped(x),
                                fact.first),
               n);
      break;
    case Fact::Contiguous:
      if (n % run != 0 && static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(value(n - 1)) !=
                              static_cast<std::uint64_t>(fact.unit))
        refuseRun(n, "contiguous");
      break;
    case Fact::Constant:
      if (n % run != 0 && x != value(n - 1))
        refuseRun(n, "constant");
      break;
    case Fact::Range:
      if (x < fact.first || x > fact.last)
        refuse(outside_range_text(x, fact.first, fact.last), n);
      break;
    }
  }
}

void checkApart(const Instruction &i, Machine &m) {
  const Pointer p = *m.at<Pointer>(i.a), q = *m.at<Pointer>(i.b);
  if (const host::Range *common = host::common_buffer(m.memory.allocations(), p, q))
    fail(i, m, {same_buffer_text(common->name), nullptr, 0, "", {}, ""});
}

// The shortest text that reads back as the number.
template <class T> std::string shortest(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string valueText(const Machine &m, const Print::Operand &operand, std::size_t n, bool hex) {
  if (hex || operand.lane == Lane::Pointer) {
    std::uint64_t bits = 0;
    if (operand.lane == Lane::Pointer)
      bits = host::plain_address(m.at<Pointer>(operand.place)[n]);
    else
      std::memcpy(&bits, m.at<std::byte>(operand.place) + n * bytesOf(operand.lane), bytesOf(operand.lane));
    return fmt::format("0x{:0{}x}", bits, 2 * bytesOf(operand.lane));
  }
  switch (operand.lane) {
  case Lane::F64:
    return shortest(m.at<double>(operand.place)[n]);
  case Lane::F16:
  case Lane::BF16:
  case Lane::F32:
  case Lane::E4M3:
  case Lane::E5M2: {
    float value = 0;
    forAnyFloat(operand.lane, [&]<class T>(T) {
      value = static_cast<float>(open(m.at<T>(operand.place)[n]));
      return true;
    });
    return shortest(value);
  }
  case Lane::I64:
    if (operand.isUnsigned)
      return std::to_string(m.at<std::uint64_t>(operand.place)[n]);
    [[fallthrough]];
  default:
    return std::to_string(integerAt(m, operand.place, operand.lane, n, operand.isUnsigned));
  }
}

void print(const Instruction &i, Machine &m) {
  const Print &d = i.as<Print>();
  std::string text;
  const std::string start = fmt::format("{} (pid {})", d.prefix, fmt::join(m.id(), ", "));
  if (d.operands.empty())
    text = start;
  for (const Print::Operand &operand : d.operands)
    for (std::size_t n = 0; n < lanesOf(operand.extents); ++n)
      text += fmt::format("{}{}{} {}\n", start, operand.extents.empty() ? "" : " ",
                          operand.extents.empty() ? "" : index_text(operand.extents, n),
                          valueText(m, operand, n, d.hex));
  try {
    m.printer().print(text, m.program().locations[i.where]);
  } catch (Error &error) {
    error.add_context(fmt::format("program ({})", fmt::join(m.id(), ", ")));
    error.add_context(m.program().title());
    throw;
  }
}

}   // namespace

Handler programIdHandler() { return programId; }
Handler numProgramsHandler() { return numPrograms; }
Handler claimHandler() { return claim; }
Handler factHandler() { return checkFact; }
Handler apartHandler() { return checkApart; }
Handler printHandler() { return print; }

}   // namespace tile::interpreter

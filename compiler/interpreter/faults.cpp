// SPDX-License-Identifier: MIT
#include "compiler/interpreter/faults.h"

#include <fmt/format.h>

namespace tile::interpreter {
namespace {

std::string quoted(const host::Range &range) { return fmt::format("`{}`", range.name); }

}   // namespace

void fail(const Instruction &at, const Machine &machine, Fault fault) {
  const Program &program = machine.program();
  Error error(std::move(fault.message), program.locations[at.where], std::move(fault.notes));
  std::string line = fmt::format("program ({})", fmt::join(machine.id(), ", "));
  if (fault.extents && !fault.extents->empty())
    line += fmt::format(", tile element {}", host::index_text(*fault.extents, fault.lane));
  if (!fault.remark.empty())
    line += fmt::format("; {}", fault.remark);
  error.add_context(line);
  error.add_context(fmt::format("kernel {}{}{}", program.kernel, program.config.empty() ? "" : ", config ",
                                program.config));
  if (!fault.help.empty())
    error.add_help(fault.help);
  throw error;
}

void failAccess(const Instruction &at, Machine &machine, const AccessWords &words, Pointer pointer,
                const Extents &extents, std::size_t lane) {
  host::Allocations &allocations = machine.launch().allocations;
  const auto size = static_cast<std::int64_t>(bytesOf(words.lane));
  const std::uintptr_t address = host::address_of(pointer);
  Fault fault{.extents = &extents, .lane = lane};
  if (words.masked)
    fault.remark = "its mask is true";

  const host::Range *range = host::buffer_of(pointer) == host::nowhere ? nullptr
                             : host::buffer_of(pointer) ? allocations.by_tag(host::buffer_of(pointer))
                                                        : allocations.find(address);
  if (host::buffer_of(pointer) == host::nowhere) {
    fault.message =
        fmt::format("{} an element more than 2^48 bytes away from where its pointer started", words.what);
  } else if (!range) {
    fault.message = fmt::format("{} {} at address {:#x}: {}", words.what, nameOf(words.lane), address,
                                allocations.describe(address));
  } else {
    const auto offset = static_cast<std::int64_t>(address - range->begin);
    const auto count = static_cast<std::int64_t>(range->bytes) / size;
    if (address % static_cast<std::uintptr_t>(size) != 0) {
      fault.message = fmt::format("{} {} at byte {} of {}: not aligned to {} bytes", words.what,
                                  nameOf(words.lane), host::grouped(offset), quoted(*range), size);
    } else {
      const std::int64_t element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
      fault.message = fmt::format("{} element {} of {}, which has {}", words.what, host::grouped(element),
                                  quoted(*range), host::grouped(count));
      if (words.maskable && !words.masked && !extents.empty())
        fault.help = "mask it where the index may be outside: `index < n` as the mask";
    }
  }
  fail(at, machine, std::move(fault));
}

void failUnwritten(const Instruction &at, Machine &machine, const AccessWords &words, std::uintptr_t address,
                   const Extents &extents, std::size_t lane) {
  Fault fault{.extents = &extents, .lane = lane};
  if (words.masked)
    fault.remark = "its mask is true";
  if (const host::Range *range = machine.reached())
    fault.message =
        fmt::format("{} element {} of {}, which nobody has written", words.what,
                    host::grouped(static_cast<std::uint64_t>((address - range->begin) / bytesOf(words.lane))),
                    quoted(*range));
  fail(at, machine, std::move(fault));
}

void failUnfenced(const Instruction &at, Machine &machine, const AccessWords &words, const Instruction &store,
                  std::uintptr_t address, const Extents &extents, std::size_t lane) {
  Fault fault{.extents = &extents, .lane = lane};
  if (const host::Range *range = machine.reached())
    fault.message = fmt::format(
        "{} element {} of {}, which another lane of the program has stored without a barrier since",
        words.what, host::grouped(static_cast<std::uint64_t>((address - range->begin) / bytesOf(words.lane))),
        quoted(*range));
  fault.notes.push_back({"it was stored here", machine.program().locations[store.where]});
  fault.help = "write barrier() between the two";
  fail(at, machine, std::move(fault));
}

void failWrapped(const Instruction &at, Machine &machine, const AccessWords &words, std::uint16_t wrapper,
                 const Extents &extents, std::size_t lane) {
  const auto &[where, symbol] = machine.program().wrappers[wrapper - 1];
  const Machine::WrappedOperands &operands = machine.wrappedOperands[wrapper];
  Fault fault{.extents = &extents, .lane = lane};
  fault.message = fmt::format("{} through an offset that overflowed 32 bits", words.what);
  if (words.masked)
    fault.remark = "its mask is true";
  fault.notes.push_back({fmt::format("{} {} {} is outside 32 bits and wrapped here",
                                     host::grouped(operands.a), symbol, host::grouped(operands.b)),
                         machine.program().locations[where]});
  fault.help = "compute it in 64 bits: cast<i64>(...) on an operand";
  fail(at, machine, std::move(fault));
}

}   // namespace tile::interpreter

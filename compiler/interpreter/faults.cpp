// SPDX-License-Identifier: MIT
#include "compiler/interpreter/faults.h"

#include "runtime/host/stray.h"

#include <fmt/format.h>

namespace tile::interpreter {
namespace {

// What is wrong with an access.
Fault faultOf(const AccessWords &words, std::string_view why, const Extents &extents, std::size_t lane) {
  return {.message = fmt::format("{} {}", words.what, why),
          .extents = &extents,
          .lane = lane,
          .remark = words.masked ? "its mask is true" : ""};
}

std::string reachedElement(const Machine &machine, const AccessWords &words, std::uintptr_t address) {
  return host::element_text(*machine.memory.reached(), address, bytesOf(words.lane));
}

}   // namespace

void fail(const Instruction &at, const Machine &machine, Fault fault) {
  const Program &program = machine.program();
  Error error(std::move(fault.message), program.locations[at.where], std::move(fault.notes));
  std::string line = fmt::format("program ({})", fmt::join(machine.id(), ", "));
  if (fault.extents && !fault.extents->empty())
    line += fmt::format(", tile element {}", index_text(*fault.extents, fault.lane));
  if (!fault.remark.empty())
    line += fmt::format("; {}", fault.remark);
  error.add_context(line);
  error.add_context(program.title());
  if (!fault.help.empty())
    error.add_help(fault.help);
  throw error;
}

void failAccess(const Instruction &at, Machine &machine, const AccessWords &words, Pointer pointer,
                const Extents &extents, std::size_t lane) {
  const host::Stray stray =
      host::stray(machine.memory.allocations(), pointer, 1, bytesOf(words.lane), nameOf(words.lane));
  Fault fault = faultOf(words, stray.text, extents, lane);
  if (stray.is_outside && words.maskable && !words.masked && !extents.empty())
    fault.help = "mask it where the index may be outside: `index < n` as the mask";
  if (!stray.help.empty())
    fault.help = stray.help;
  fail(at, machine, std::move(fault));
}

void failUnwritten(const Instruction &at, Machine &machine, const AccessWords &words, std::uintptr_t address,
                   const Extents &extents, std::size_t lane) {
  fail(at, machine,
       faultOf(words, reachedElement(machine, words, address) + ", which nobody has written", extents, lane));
}

void failUnfenced(const Instruction &at, Machine &machine, const AccessWords &words, const Instruction &store,
                  std::uintptr_t address, const Extents &extents, std::size_t lane) {
  Fault fault{.extents = &extents, .lane = lane};
  fault.message = fmt::format("{} {}, which another lane of the program has stored without a barrier since",
                              words.what, reachedElement(machine, words, address));
  fault.notes.push_back({"it was stored here", machine.program().locations[store.where]});
  fault.help = "write barrier() between the two";
  fail(at, machine, std::move(fault));
}

void failWrapped(const Instruction &at, Machine &machine, const AccessWords &words, std::uint16_t wrapper,
                 const Extents &extents, std::size_t lane) {
  const Program::Wrapper &wrapped = machine.program().wrappers[wrapper - 1];
  const Machine::WrappedOperands &operands = machine.wrappedOperands[wrapper];
  Fault fault =
      faultOf(words, fmt::format("through an offset that overflowed {} bits", wrapped.bits), extents, lane);
  fault.notes.push_back({fmt::format("{} {} {} is outside {} bits and wrapped here", grouped(operands.a),
                                     wrapped.symbol, grouped(operands.b), wrapped.bits),
                         machine.program().locations[wrapped.where]});
  if (wrapped.bits == 32)
    fault.help = "compute it in 64 bits: cast<i64>(...) on an operand";
  fail(at, machine, std::move(fault));
}

}   // namespace tile::interpreter

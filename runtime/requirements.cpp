// SPDX-License-Identifier: MIT
#include "runtime/requirements.h"

#include "runtime/device.h"

#include <array>

namespace tile {

static constexpr int most_registers = 255;
static constexpr std::array<std::string_view, 4> unit_names{"none", "wgmma", "mma.sync", "threads"};

std::string_view name_of(ProductUnit unit) { return unit_names[static_cast<std::size_t>(unit)]; }

std::optional<ProductUnit> product_unit_named(std::string_view name) {
  for (std::size_t i = 0; i < unit_names.size(); ++i)
    if (unit_names[i] == name)
      return static_cast<ProductUnit>(i);
  return std::nullopt;
}

std::uint64_t Requirements::word() const {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(registers)) << 32 |
         static_cast<std::uint64_t>(unit) << 2 | std::uint64_t{no_spills} << 1 | std::uint64_t{roles};
}

std::string Requirements::broken_by(const KernelResources &code) const {
  if (registers < 0 || registers > most_registers)
    return "`.require` has " + std::to_string(registers) +
           " registers of a thread; it may have 1 to 255, or 0 for as many as the code needs";
  const std::string for_target = code.target.empty() ? "" : " for " + code.target;
  if (unit != ProductUnit::none && code.unit) {
    const std::string asked = "`.require` asks for products by " + std::string(name_of(unit));
    if (*code.unit == ProductUnit::none)
      return asked + ", but this kernel has no products";
    if (*code.unit > unit)
      return asked + ", but" + for_target + " a product is made by " + std::string(name_of(*code.unit));
  }
  if (roles && code.roles == 1)
    return "`.require` asks for roles of warps, but" + for_target + " all warps run the same program";
  if (no_spills && code.spill_bytes > 0)
    return "`.require` allows no spills, but each thread keeps " + std::to_string(code.spill_bytes) +
           " bytes in memory for want of registers";
  if (registers > 0 && code.registers > registers)
    return "`.require` allows " + std::to_string(registers) + " registers of a thread, but the code needs " +
           std::to_string(code.registers);
  return "";
}

}   // namespace tile

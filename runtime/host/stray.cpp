// SPDX-License-Identifier: MIT
#include "runtime/host/stray.h"

#include "runtime/report_text.h"

#include <fmt/format.h>

namespace tile::host {
namespace {

std::string element_text(const Range &range, std::int64_t element) {
  return fmt::format("element {} of `{}`", grouped(element), range.name);
}

}   // namespace

Stray stray(const Allocations &allocations, Pointer pointer, std::size_t count, std::size_t size,
            std::string_view what) {
  const std::uintptr_t address = address_of(pointer);
  const std::uint16_t buffer = buffer_of(pointer);
  if (buffer == nowhere)
    return {"an element more than 2^48 bytes away from where its pointer started"};
  const Range *range = buffer ? allocations.by_tag(buffer) : allocations.find(address);
  if (!range)
    return {fmt::format("{} at address {:#x}: {}", what, address, allocations.describe(address))};
  if (range->is_foreign) {
    const std::string released = allocations.released_buffer(range->begin);
    return {
        fmt::format(
            "{} at address {:#x}: argument `{}` is not memory of this device{}", what, address, range->name,
            released.empty() ? "" : fmt::format(", but was in buffer `{}`, which was released", released)),
        false,
        released.empty() ? "pass a tile::Buffer of the device, or a std::span for memory of the host"
                         : "keep the buffer for as long as launches use it"};
  }
  const auto offset = static_cast<std::int64_t>(address - range->begin);
  const auto step = static_cast<std::int64_t>(size);
  const bool is_inside = range->contains(address, count * size);
  if (is_inside || address % size != 0)
    return {fmt::format("{} at byte {} of `{}`: not aligned to {} bytes", what, grouped(offset), range->name,
                        is_inside ? count * size : size)};
  // The first element that is outside.
  std::int64_t element = offset >= 0 ? offset / step : -((-offset + step - 1) / step);
  const std::int64_t elements = static_cast<std::int64_t>(range->bytes) / step;
  if (element >= 0 && element < elements)
    element = elements;
  return {element_text(*range, element) + ", which has " + grouped(elements), true};
}

const Range *common_buffer(const Allocations &allocations, Pointer p, Pointer q) {
  const auto range_of = [&](Pointer pointer) {
    const std::uint16_t buffer = buffer_of(pointer);
    return buffer ? allocations.by_tag(buffer) : allocations.find(address_of(pointer));
  };
  const Range *of_p = range_of(p), *of_q = range_of(q);
  if (!of_p || !of_q)
    return nullptr;
  const bool is_common = of_p == of_q || (of_p->begin < of_q->end() && of_q->begin < of_p->end());
  return is_common ? of_p : nullptr;
}

std::string element_text(const Range &range, std::uintptr_t address, std::size_t size) {
  return element_text(range, static_cast<std::int64_t>((address - range.begin) / size));
}

}   // namespace tile::host

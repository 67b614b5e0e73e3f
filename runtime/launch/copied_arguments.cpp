// SPDX-License-Identifier: MIT
#include "runtime/launch/copied_arguments.h"

#include <algorithm>

namespace tile::launching {
namespace {

bool is_copied(const PackedArgument &p) { return p.argument.is_host; }

std::byte *host(std::uint64_t address) { return reinterpret_cast<std::byte *>(address); }

}   // namespace

bool CopiedArguments::are_needed(const LaunchRequest &request) {
  return !request.where.device.reaches_host_memory() && std::ranges::any_of(request.arguments, is_copied);
}

CopiedArguments::CopiedArguments(const LaunchRequest &request)
    : given_(request), arguments_(request.arguments.begin(), request.arguments.end()) {
  Device &device = request.where.device;
  if (device.is_recording())
    throw Error("a launch that is recorded into a graph takes a span of host memory, which a replay would "
                "not copy to the device",
                request.where.where)
        .add_context(std::string("kernel ") + request.name)
        .add_help("copy it into a tile::Buffer of the device");
  for (const PackedArgument &p : arguments_)
    if (is_copied(p))
      ranges_.push_back({p.argument.bits / lattice * lattice, p.argument.bits + p.argument.host_bytes});
  std::ranges::sort(ranges_, {}, &Range::begin);
  std::vector<Range> apart;
  for (Range &range : ranges_) {
    if (apart.empty() || range.begin >= apart.back().end)
      apart.push_back(std::move(range));
    else
      apart.back().end = std::max(apart.back().end, range.end);
  }
  ranges_ = std::move(apart);

  for (Range &range : ranges_) {
    range.allocation = {device.allocate(range.end - range.begin + lattice, "host memory"), {&device}};
    const auto start = reinterpret_cast<std::uint64_t>(range.allocation.get());
    range.copy = host((start + lattice - 1) / lattice * lattice);
  }
  for (PackedArgument &p : arguments_)
    if (is_copied(p)) {
      std::byte *copy = copy_of(p.argument.bits);
      if (p.argument.host_bytes > 0)
        device.copy_in(copy, host(p.argument.bits), p.argument.host_bytes);
      p.memory = {copy, p.argument.host_bytes};
      p.argument = {.type = p.argument.type, .bits = reinterpret_cast<std::uint64_t>(copy)};
    }
}

LaunchRequest CopiedArguments::request() const {
  return {given_.where, given_.name, arguments_, given_.cache};
}

std::byte *CopiedArguments::copy_of(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
  const Range &range = *std::prev(behind);
  return range.copy + (address - range.begin);
}

void CopiedArguments::copy_back() {
  for (const PackedArgument &p : given_.arguments)
    if (is_copied(p) && p.access == tuning::Access::writes && p.argument.host_bytes > 0)
      given_.where.device.copy_out(host(p.argument.bits), copy_of(p.argument.bits), p.argument.host_bytes);
  given_.where.device.synchronize();   // what went wrong shows before the call returns
}

}   // namespace tile::launching

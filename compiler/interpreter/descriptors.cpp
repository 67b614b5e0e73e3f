// SPDX-License-Identifier: MIT
// A block is copied row by row: of each row the part inside the tensor is one run of memory.
#include "compiler/interpreter/descriptors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace tile::interpreter {
namespace {

[[noreturn]] void refuse(const Instruction &i, Machine &m, std::string message) {
  fail(i, m, {std::move(message), nullptr, 0, "", {}, ""});
}

// What no tensor map can say, although pointers could: it is refused on this device, too, so that a kernel is
// not refused for the first time on a GPU with a copy engine.
void checkForMaps(const Instruction &i, Machine &m, const DescriptorValue &value, std::size_t rank,
                  std::int64_t size) {
  constexpr std::int64_t most_extent = std::int64_t{1} << 32,
                         most_stride = std::int64_t{1} << 40;   // in bytes
  const auto extents = std::span(value.extents).first(rank);
  if (std::ranges::count(extents, 0) != 0)   // without elements any strides do
    return;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = value.extents[axis], stride = value.strides[axis];
    if (extent > most_extent)
      refuse(i, m,
             fmt::format("descriptor: extent {} is {}; it cannot be more than 2^32", axis, grouped(extent)));
    if (axis + 1 < rank && stride >= most_stride / size)
      refuse(i, m,
             fmt::format("descriptor: stride {} is {} elements of {} byte{}; it must be less than 2^40 bytes",
                         axis, grouped(stride), size, size == 1 ? "" : "s"));
    if (axis + 1 < rank && stride == 0 && extent > 1)
      refuse(i, m,
             fmt::format(
                 "descriptor: stride {} must not be zero: a tensor copy cannot repeat a row; load the row "
                 "once and broadcast it, or load through pointers",
                 axis));
  }
}

void makeDescriptor(const Instruction &i, Machine &m) {
  const MakeDescriptor &d = i.as<MakeDescriptor>();
  const std::size_t rank = d.extents.size();
  const auto size = static_cast<std::int64_t>(bytesOf(d.lane));
  DescriptorValue value{};
  value.base = m.scalar<Pointer>(i.a);
  value.padsWithNan = d.padsWithNan;
  if (d.wrapped && m.hasWrapped(*d.wrapped))
    failWrapped(i, m, {"descriptor begins", d.lane, false}, m.scalar<std::uint16_t>(d.wrapped->lanes), {}, 0);
  if (const std::uintptr_t address = host::address_of(value.base); address % 16 != 0)
    refuse(i, m,
           fmt::format("descriptor: its base must be aligned to 16 bytes; this one is {} bytes past such an "
                       "address: begin at "
                       "an aligned element, or load through pointers, which may lie anywhere",
                       address % 16));
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = value.extents[axis] = m.scalar<std::int64_t>(d.extents[axis]);
    const std::int64_t stride = value.strides[axis] = m.scalar<std::int64_t>(d.strides[axis]);
    if (extent < 0)
      refuse(i, m, fmt::format("descriptor: extent {} is {}; it cannot be negative", axis, grouped(extent)));
    if (axis + 1 == rank && stride != 1)
      refuse(i, m, fmt::format("descriptor: the last stride is {}; it must be 1", grouped(stride)));
    if (axis + 1 < rank && (stride < 0 || stride % (16 / size) != 0))
      refuse(i, m,
             fmt::format(
                 "descriptor: stride {} is {} elements of {} byte{}; it must be a multiple of 16 bytes, and "
                 "not negative",
                 axis, grouped(stride), size, size == 1 ? "" : "s"));
  }
  checkForMaps(i, m, value, rank, size);
  *m.at<DescriptorValue>(i.result) = value;
}

// Calls visit(row, begin, end, pointer) for every row of the block, in order: its first lane, the
// lanes of it that are inside the tensor (none: begin == end), and where the first of them is.
template <class T, class Visit> void eachRow(const Instruction &i, Machine &m, Visit visit) {
  const BlockAccess &access = i.as<BlockAccess>();
  const DescriptorValue &descriptor = m.scalar<DescriptorValue>(i.a);
  const std::size_t rank = access.block.size();
  std::int64_t first[MaxDescriptorRank];
  for (std::size_t axis = 0; axis < rank; ++axis) {
    first[axis] = m.scalar<std::int32_t>(access.coordinates[axis]);
    if (const auto &wrapped = access.wrapped[axis]; wrapped && m.hasWrapped(*wrapped))
      failWrapped(i, m, {access.what, access.lane, false}, m.scalar<std::uint16_t>(wrapped->lanes),
                  access.tile, 0);
  }
  const std::int64_t length = access.block[rank - 1];
  const std::int64_t begin = std::clamp<std::int64_t>(-first[rank - 1], 0, length);
  const std::int64_t end = std::clamp(descriptor.extents[rank - 1] - first[rank - 1], begin, length);
  const std::size_t rows = lanesOf(access.block) / static_cast<std::size_t>(length);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t rest = row;
    bool inside = true;
    std::uint64_t offset = static_cast<std::uint64_t>(first[rank - 1] + begin);
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      const std::int64_t at =
          first[axis] + static_cast<std::int64_t>(rest % static_cast<std::size_t>(access.block[axis]));
      rest /= static_cast<std::size_t>(access.block[axis]);
      inside &= at >= 0 && at < descriptor.extents[axis];
      offset += static_cast<std::uint64_t>(at) * static_cast<std::uint64_t>(descriptor.strides[axis]);
    }
    visit(row * static_cast<std::size_t>(length), static_cast<std::size_t>(begin),
          static_cast<std::size_t>(inside ? end : begin),
          host::advance<sizeof(T)>(descriptor.base, static_cast<std::int64_t>(offset)));
  }
}

// The run of memory behind the lanes from `lane` on; reports the first that is not in the buffer.
template <class T>
T *reachRun(const Instruction &i, Machine &m, Pointer pointer, std::size_t lane, std::size_t lanes) {
  if (std::byte *run = m.memory.reach(pointer, lanes * sizeof(T), sizeof(T))) [[likely]]
    return reinterpret_cast<T *>(run);
  const BlockAccess &access = i.as<BlockAccess>();
  std::size_t good = 0;
  while (good < lanes && m.memory.reach(host::advance<sizeof(T)>(pointer, static_cast<std::int64_t>(good)),
                                        sizeof(T), sizeof(T)))
    ++good;
  failAccess(i, m, {access.what, access.lane, false, false},
             host::advance<sizeof(T)>(pointer, static_cast<std::int64_t>(good)), access.tile, lane + good);
}

template <class T> T notANumber(Lane lane) {
  switch (lane) {
  case Lane::F16:
    return static_cast<T>(numeric::Format<f16>::nan);
  case Lane::BF16:
    return static_cast<T>(numeric::Format<bf16>::nan);
  case Lane::F32:
    return static_cast<T>(0x7fc00000u);
  case Lane::F64:
    return static_cast<T>(0x7ff8000000000000u);
  case Lane::E4M3:
  case Lane::E5M2:
    return static_cast<T>(0x7f);
  default:
    return T{};   // integers have none
  }
}

template <class T> void loadBlock(const Instruction &i, Machine &m) {
  const BlockAccess &access = i.as<BlockAccess>();
  T *result = m.at<T>(i.result);
  const T padding = m.scalar<DescriptorValue>(i.a).padsWithNan ? notANumber<T>(access.lane) : T{};
  const auto length = static_cast<std::size_t>(access.block.back());
  eachRow<T>(i, m, [&](std::size_t row, std::size_t begin, std::size_t end, Pointer pointer) {
    std::fill(result + row, result + row + begin, padding);
    std::fill(result + row + end, result + row + length, padding);
    if (begin == end)
      return;
    const T *from = reachRun<T>(i, m, pointer, row + begin, end - begin);
    refuseUnwritten(i, m, {access.what, access.lane, false, false}, access.tile, from,
                    (end - begin) * sizeof(T), row + begin);
    if (m.program().loadsAfterStores && m.checks().bounds)
      refuseUnfenced(i, m, {access.what, access.lane, false, false}, access.tile,
                     reinterpret_cast<std::uintptr_t>(from), row + begin, end - begin);
    if (access.lane == Lane::I1)
      for (std::size_t n = begin; n < end; ++n)
        result[row + n] = from[n - begin] != 0;
    else
      std::memcpy(result + row + begin, from, (end - begin) * sizeof(T));
  });
}

template <class T> void storeBlock(const Instruction &i, Machine &m) {
  const T *values = m.at<T>(i.b);
  const bool tracking = m.program().loadsAfterStores && m.checks().bounds;
  if (tracking)
    m.unfenced.begin(i, lanesOf(i.as<BlockAccess>().tile), sizeof(T));
  eachRow<T>(i, m, [&](std::size_t row, std::size_t begin, std::size_t end, Pointer pointer) {
    if (begin == end)
      return;
    T *to = reachRun<T>(i, m, pointer, row + begin, end - begin);
    if (tracking)
      m.unfenced.add(reinterpret_cast<std::uintptr_t>(to), row + begin, end - begin);
    std::memcpy(to, values + row + begin, (end - begin) * sizeof(T));
    m.memory.mark_written(to, (end - begin) * sizeof(T));
  });
}

template <class T> void reduceBlock(const Instruction &i, Machine &m) {
  const UpdateElement update = i.as<BlockAccess>().update;
  const T *values = m.at<T>(i.b);
  eachRow<T>(i, m, [&](std::size_t row, std::size_t begin, std::size_t end, Pointer pointer) {
    if (begin == end)
      return;
    T *to = reachRun<T>(i, m, pointer, row + begin, end - begin);
    for (std::size_t n = begin; n < end; ++n)
      update(reinterpret_cast<std::byte *>(to + (n - begin)),
             reinterpret_cast<const std::byte *>(values + row + n));
  });
}

}   // namespace

Handler makeDescriptorHandler() { return makeDescriptor; }
Handler descriptorLoadHandler(Lane lane) {
  return forBytes(bytesOf(lane), []<class T>(T) -> Handler { return loadBlock<T>; });
}
Handler descriptorStoreHandler(Lane lane) {
  return forBytes(bytesOf(lane), []<class T>(T) -> Handler { return storeBlock<T>; });
}
Handler descriptorReduceHandler(Lane lane) {
  return forBytes(bytesOf(lane), []<class T>(T) -> Handler { return reduceBlock<T>; });
}

}   // namespace tile::interpreter

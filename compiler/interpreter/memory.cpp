// SPDX-License-Identifier: MIT
// Loads and stores. Most tiles of pointers are rows of consecutive addresses with a mask that is
// true up to some lane of the row: such a row is one check and one copy. Everything else goes
// lane by lane.
#include "compiler/interpreter/memory.h"

#include <cstring>

namespace tile::interpreter {
namespace {

// How many lanes at the start of a row are to be accessed, if none is after them.
std::optional<std::size_t> leadingLanes(const std::uint8_t *mask, std::size_t lanes) {
  if (!mask)
    return lanes;
  const void *firstOff = std::memchr(mask, 0, lanes);
  if (!firstOff)
    return lanes;
  const auto leading = static_cast<std::size_t>(static_cast<const std::uint8_t *>(firstOff) - mask);
  if (std::memchr(mask + leading, 1, lanes - leading))
    return std::nullopt;
  return leading;
}

template <std::size_t Bytes> bool consecutive(const Pointer *pointers, std::size_t lanes) {
  const Pointer first = pointers[0];
  Pointer differences = 0;
  for (std::size_t n = 0; n < lanes; ++n)
    differences |= pointers[n] ^ (first + n * Bytes);
  return differences == 0;
}

// Element by element in memory: bytes of conditions are 0 or 1 whatever was stored; pointers get
// their buffers. `T` is an unsigned integer of the size.
enum class Form { Plain, Condition, Pointers };

template <class T, Form form> T received(Machine &m, T stored) {
  if constexpr (form == Form::Condition)
    return stored != 0;
  else if constexpr (form == Form::Pointers)
    return m.memory.recognise(stored);
  else
    return stored;
}

template <class T, Form form> void load(const Instruction &i, Machine &m) {
  const Access &access = i.as<Access>();
  const Pointer *pointers = m.at<Pointer>(i.a);
  const std::uint8_t *mask = access.mask == NoPlace ? nullptr : m.at<std::uint8_t>(access.mask);
  const T *other = access.other == NoPlace ? nullptr : m.at<T>(access.other);
  T *result = m.at<T>(i.result);
  if (access.wrapped && m.hasWrapped(*access.wrapped))
    refuseWrapped(i, m, access);

  const bool tracking = m.program().loadsAfterStores && m.checks().bounds;

  const auto fill = [&](std::size_t from, std::size_t to) {
    if (other)
      std::memcpy(result + from, other + from, (to - from) * sizeof(T));
    else
      std::memset(result + from, 0, (to - from) * sizeof(T));
  };
  for (std::size_t row = 0; row < i.lanes; row += access.row) {
    const std::size_t end = row + access.row;
    const auto leading = leadingLanes(mask ? mask + row : nullptr, access.row);
    if (leading && *leading == 0) {
      fill(row, end);
      continue;
    }
    if (leading && consecutive<sizeof(T)>(pointers + row, *leading)) {
      if (const std::byte *from = m.memory.reach(pointers[row], *leading * sizeof(T), sizeof(T))) {
        refuseUnwritten(i, m, access.words(), access.extents, from, *leading * sizeof(T), row);
        if (tracking)
          refuseUnfenced(i, m, access.words(), access.extents, reinterpret_cast<std::uintptr_t>(from), row,
                         *leading);
        std::memcpy(result + row, from, *leading * sizeof(T));
        if constexpr (form != Form::Plain)
          for (std::size_t n = row; n < row + *leading; ++n)
            result[n] = received<T, form>(m, result[n]);
        fill(row + *leading, end);
        continue;
      }
    }
    for (std::size_t n = row; n < end; ++n) {
      if (mask && !mask[n]) {
        result[n] = other ? other[n] : T{};
        continue;
      }
      const T *from = reachLane<T>(i, m, access, pointers[n], n);
      refuseUnwritten(i, m, access.words(), access.extents, from, sizeof(T), n);
      if (tracking)
        refuseUnfenced(i, m, access.words(), access.extents, reinterpret_cast<std::uintptr_t>(from), n, 1);
      result[n] = received<T, form>(m, *from);
    }
  }
}

template <class T, Form form> void store(const Instruction &i, Machine &m) {
  const Access &access = i.as<Access>();
  const Pointer *pointers = m.at<Pointer>(i.a);
  const std::uint8_t *mask = access.mask == NoPlace ? nullptr : m.at<std::uint8_t>(access.mask);
  const T *values = m.at<T>(i.b);
  if (access.wrapped && m.hasWrapped(*access.wrapped))
    refuseWrapped(i, m, access);

  const bool tracking = m.program().loadsAfterStores && m.checks().bounds;
  if (tracking)
    m.unfenced.begin(i, i.lanes, sizeof(T));
  for (std::size_t row = 0; row < i.lanes; row += access.row) {
    const std::size_t end = row + access.row;
    const auto leading = leadingLanes(mask ? mask + row : nullptr, access.row);
    if (leading && *leading == 0)
      continue;
    if (form != Form::Pointers && leading && consecutive<sizeof(T)>(pointers + row, *leading)) {
      if (std::byte *to = m.memory.reach(pointers[row], *leading * sizeof(T), sizeof(T))) {
        std::memcpy(to, values + row, *leading * sizeof(T));
        m.memory.mark_written(to, *leading * sizeof(T));
        if (tracking)
          m.unfenced.add(reinterpret_cast<std::uintptr_t>(to), row, *leading);
        continue;
      }
    }
    for (std::size_t n = row; n < end; ++n) {
      if (mask && !mask[n])
        continue;
      T *to = reachLane<T>(i, m, access, pointers[n], n);
      *to = form == Form::Pointers ? static_cast<T>(host::plain_address(values[n])) : values[n];
      m.memory.mark_written(to, sizeof(T));
      if (tracking)
        m.unfenced.add(reinterpret_cast<std::uintptr_t>(to), n, 1);
    }
  }
}

}   // namespace

void refuseUnwritten(const Instruction &i, Machine &m, const AccessWords &words, const Extents &extents,
                     const void *from, std::size_t bytes, std::size_t lane) {
  if (const auto at = m.memory.first_unwritten(from, bytes))
    failUnwritten(i, m, words, reinterpret_cast<std::uintptr_t>(from) + *at, extents,
                  lane + *at / bytesOf(words.lane));
}

void refuseUnfenced(const Instruction &i, Machine &m, const AccessWords &words, const Extents &extents,
                    std::uintptr_t address, std::size_t lane, std::size_t count) {
  if (const auto conflict = m.unfenced.find(address, lane, count, lanesOf(extents), bytesOf(words.lane)))
    failUnfenced(i, m, words, *conflict->store, address + (conflict->lane - lane) * bytesOf(words.lane),
                 extents, conflict->lane);
}

Handler barrierHandler() {
  return [](const Instruction &, Machine &m) { m.unfenced.clear(); };
}

void refuseWrapped(const Instruction &i, Machine &m, const Access &access) {
  const std::uint16_t *wrappers = m.at<std::uint16_t>(access.wrapped->lanes);
  const std::uint8_t *mask = access.mask == NoPlace ? nullptr : m.at<std::uint8_t>(access.mask);
  for (std::size_t n = 0; n < i.lanes; ++n)
    if (wrappers[n] && (!mask || mask[n]))
      failWrapped(i, m, access.words(), wrappers[n], access.extents, n);
}

Handler loadHandler(Lane lane) {
  if (lane == Lane::I1)
    return load<std::uint8_t, Form::Condition>;
  if (lane == Lane::Pointer)
    return load<std::uint64_t, Form::Pointers>;
  return forBytes(bytesOf(lane), []<class T>(T) -> Handler { return load<T, Form::Plain>; });
}
Handler storeHandler(Lane lane) {
  if (lane == Lane::Pointer)
    return store<std::uint64_t, Form::Pointers>;
  return forBytes(bytesOf(lane), []<class T>(T) -> Handler { return store<T, Form::Plain>; });
}

}   // namespace tile::interpreter

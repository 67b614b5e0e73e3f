// SPDX-License-Identifier: MIT
#include "runtime/byte_stream.h"

#include "runtime/checksum.h"

#include <algorithm>

namespace tile {

static constexpr std::size_t numbers_bytes = 4 + 8 + 8;

std::vector<std::byte> sealed(std::string_view mark, std::uint32_t version,
                              std::span<const std::byte> payload) {
  ByteWriter whole;
  whole.raw(std::as_bytes(std::span(mark)));
  whole.number(version);
  whole.number(static_cast<std::uint64_t>(payload.size()));
  whole.number(checksum(payload));
  whole.raw(payload);
  return std::move(whole.bytes);
}

std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::string_view mark,
                                    std::uint32_t version, const ByteReader::Subject &subject,
                                    std::span<const std::byte> *rest) {
  const auto refuse = [&](const std::string &why) { ByteReader::refuse(subject, why); };
  const std::string begin(reinterpret_cast<const char *>(bytes.data()), std::min(bytes.size(), mark.size()));
  if (begin != mark.substr(0, begin.size()) || bytes.empty())
    refuse("they do not begin with the mark `" + std::string(mark) + "`");
  if (bytes.size() < mark.size() + numbers_bytes)
    refuse("they end within the header");
  ByteReader header(bytes.subspan(mark.size()), subject);
  if (const auto found = header.number<std::uint32_t>(); found != version)
    refuse("their format has version " + std::to_string(found) + ", this program reads version " +
           std::to_string(version));
  const auto length = header.number<std::uint64_t>(), sum = header.number<std::uint64_t>();
  const std::span<const std::byte> behind = bytes.subspan(mark.size() + numbers_bytes);
  if (rest ? length > behind.size() : length != behind.size())
    refuse(std::to_string(length) + " bytes should follow the header, " + std::to_string(behind.size()) +
           " do");
  const std::span<const std::byte> payload = behind.first(static_cast<std::size_t>(length));
  if (checksum(payload) != sum)
    refuse("they are damaged: the checksum does not match");
  if (rest)
    *rest = behind.subspan(payload.size());
  return payload;
}

}   // namespace tile

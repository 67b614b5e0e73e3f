// SPDX-License-Identifier: MIT
// The packs of this process: files with compiled kernels, which launches take instead of compiling
// (docs/shipping.md).
#pragma once

#include <tile/device.h>
#include <tile/policy.h>

#include <cstddef>
#include <span>
#include <string>

namespace tile {

// Launches find the kernels of this file from now on. Of packs with the same kernel, the first one counts.
// Throws tile::Error with ErrorCode::input_output if the file cannot be read, or is damaged.
void load_pack(const std::string &path);
// The same for bytes that stay where they are to the end of the process. `name` is for messages.
void add_pack(std::span<const std::byte> bytes, const std::string &name);

// What a file that tile_embed_pack() writes calls before main(). The bytes are read when something is
// launched.
namespace detail {
void embed_pack(const std::byte *begin, const std::byte *end, const char *name) noexcept;
}

// Loads all kernels that the packs have for this device. Later launches of them read no file and load
// nothing. Gives their number: 0 on the CPU, whose devices take no packs.
std::size_t prepare(Device &device);

}   // namespace tile

// SPDX-License-Identifier: MIT
// What the machine code of a kernel depends on, as the key of its entry in the cache.
#pragma once

#include "compiler/api/kernel_ir.h"
#include "compiler/target/target.h"
#include "runtime/assembler.h"
#include "runtime/cache/cache_key.h"
#include "runtime/pack/pack.h"

#include <optional>
#include <string>

namespace tile {

// The compiler, by a hash of its sources.
std::string compiler_identity();

// What entries of packs for it are called.
PackedIdentity packed_identity(const KernelIR &kernel);

// `machine`: the GPU that machine code is for; `assembler`: none where the driver assembles.
CacheKey key_of(const KernelIR &kernel, const Target &target, const std::string &machine,
                const std::optional<Assembler> &assembler);

}   // namespace tile

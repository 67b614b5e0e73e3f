// SPDX-License-Identifier: MIT
#include "compiler/api/kernel_key.h"

#include "runtime/environment.h"
#include "tile_sources_hash.h"

namespace tile {

std::string compiler_identity() { return sources_hash; }

PackedIdentity packed_identity(const KernelIR &kernel) {
  PackedIdentity identity{
      .kernel = kernel.name(), .config = kernel.config(), .computation = kernel.computation(), .classes = {}};
  for (const Parameter &parameter : kernel.parameters())
    identity.classes.push_back(parameter.argument_class);
  return identity;
}

CacheKey key_of(const KernelIR &kernel, const Target &target, const std::string &machine,
                const std::optional<Assembler> &assembler) {
  CacheKey key;
  key.add("kernel", kernel.name());
  key.add("config", kernel.config());
  key.add("target", target.name());
  key.add("machine", machine);
  // The driver assembles what is kept as PTX anew, whichever driver it is.
  key.add("assembler", assembler ? assembler->identity() : "the driver's");
  key.add("compiler", compiler_identity());
  key.add("LLVM", llvm_version);
  for (const environment::Variable &variable : environment::variables())
    if (variable.is_in_key)
      key.add(variable.name, variable.effective());
  std::string parameters;
  for (const Parameter &parameter : kernel.parameters())
    parameters += parameter.name + " " + parameter.type.name() + " " +
                  std::to_string(static_cast<int>(parameter.argument_class)) + "\n";
  key.add("parameters", parameters);
  // Whoever makes a pack of entries finds here what launches will ask packs for.
  key.add("computation", kernel.computation());
  key.add("trace", kernel.fingerprint());
  return key;
}

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "runtime/pack/loaded_packs.h"

#include "runtime/environment.h"
#include "runtime/pack/packs.h"

#include <mutex>

namespace tile {
namespace {

struct Loaded {
  std::mutex mutex;
  bool has_read_environment = false;
  std::vector<std::shared_ptr<const Pack>> packs;
};
// Never destroyed: embedded packs are added before main(), and devices may outlive it.
Loaded &loaded() {
  static auto &all = *new Loaded;
  return all;
}

void read_packs_of_environment(Loaded &all) {
  if (all.has_read_environment)
    return;
  std::vector<std::shared_ptr<const Pack>> first;
  for (const std::string &path : environment::packs())
    first.push_back(std::make_shared<const Pack>(Pack::read(path)));
  all.packs.insert(all.packs.begin(), first.begin(), first.end());
  all.has_read_environment = true;
}

}   // namespace

std::vector<std::shared_ptr<const Pack>> loaded_packs() {
  Loaded &all = loaded();
  const std::lock_guard lock(all.mutex);
  read_packs_of_environment(all);
  return all.packs;
}

static void add(Pack pack) {
  Loaded &all = loaded();
  const std::lock_guard lock(all.mutex);
  all.packs.push_back(std::make_shared<const Pack>(std::move(pack)));
}
void load_pack(const std::string &path) { add(Pack::read(path)); }
void add_pack(std::span<const std::byte> bytes, const std::string &name) { add(Pack::of_bytes(bytes, name)); }

std::size_t prepare(Device &device) { return device.load_packs(); }

}   // namespace tile

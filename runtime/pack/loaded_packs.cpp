// SPDX-License-Identifier: MIT
#include "runtime/pack/loaded_packs.h"

#include "runtime/environment.h"
#include "runtime/pack/packs.h"

#include <mutex>

namespace tile {
namespace {

struct Embedded {
  std::span<const std::byte> bytes;
  const char *name;
};
struct Loaded {
  std::mutex mutex;
  bool has_read_environment = false;
  std::vector<Embedded> unread;
  std::vector<std::shared_ptr<const Pack>> packs;
};
// Never destroyed: embedded packs are added before main(), and devices may outlive it.
Loaded &loaded() {
  static auto &all = *new Loaded;
  return all;
}

std::shared_ptr<const Pack> shared(Pack pack) { return std::make_shared<const Pack>(std::move(pack)); }

// Where it throws, the next call tries again.
void read_what_waits(Loaded &all) {
  while (!all.unread.empty()) {
    const Embedded &last = all.unread.back();
    all.packs.insert(all.packs.begin(), shared(Pack::of_bytes(last.bytes, last.name)));
    all.unread.pop_back();
  }
  if (all.has_read_environment)
    return;
  std::vector<std::shared_ptr<const Pack>> first;
  for (const std::string &path : environment::packs())
    first.push_back(shared(Pack::read(path)));
  all.packs.insert(all.packs.begin(), first.begin(), first.end());
  all.has_read_environment = true;
}

}   // namespace

std::vector<std::shared_ptr<const Pack>> loaded_packs() {
  Loaded &all = loaded();
  const std::lock_guard lock(all.mutex);
  read_what_waits(all);
  return all.packs;
}

static void add(Pack pack) {
  Loaded &all = loaded();
  const std::lock_guard lock(all.mutex);
  all.packs.push_back(shared(std::move(pack)));
}
void load_pack(const std::string &path) { add(Pack::read(path)); }
void add_pack(std::span<const std::byte> bytes, const std::string &name) { add(Pack::of_bytes(bytes, name)); }
void detail::embed_pack(const std::byte *begin, const std::byte *end, const char *name) noexcept {
  Loaded &all = loaded();
  const std::lock_guard lock(all.mutex);
  all.unread.push_back({{begin, end}, name});
}

std::size_t prepare(Device &device) { return device.load_packs(); }

}   // namespace tile

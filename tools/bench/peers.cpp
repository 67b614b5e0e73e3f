// SPDX-License-Identifier: MIT
#include "tools/bench/peers.h"

#include <array>

namespace tile::bench {
namespace {

struct Peer {
  const char *name;
  std::unique_ptr<Provider> (*make)(Device &, Stopwatch &);
};
constexpr std::array all_peers{Peer{"copy", make_copy}, Peer{"cublas", make_cublas},
                               Peer{"cublaslt-best", make_cublaslt}, Peer{"cudnn", make_cudnn}};

}   // namespace

bool is_released(Stopwatch &stopwatch, const std::function<void()> &work) noexcept {
  try {
    stopwatch.with_context(work);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

std::vector<std::string> peer_names() {
  std::vector<std::string> names;
  for (const Peer &peer : all_peers)
    names.emplace_back(peer.name);
  return names;
}

std::unique_ptr<Provider> make_peer(const std::string &name, Device &device, Stopwatch &stopwatch) {
  for (const Peer &peer : all_peers)
    if (name == peer.name)
      return peer.make(device, stopwatch);
  throw std::logic_error("no peer " + name);
}

}   // namespace tile::bench

// SPDX-License-Identifier: MIT
#include "runtime/timeline/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tile::timeline {
namespace {

using simulator::Act;
using simulator::WarpRecord;

bool does_the_same(const WarpRecord &a, const WarpRecord &b) {
  const auto is_same = [](const simulator::Step &x, const simulator::Step &y) {
    return x.place == y.place && x.act == y.act;
  };
  return a.cta == b.cta && a.warp / 4 == b.warp / 4 && std::ranges::equal(a.steps, b.steps, is_same);
}
bool does(const WarpRecord &warp, std::initializer_list<Act> acts) {
  return std::ranges::any_of(warp.steps, [&](const simulator::Step &step) {
    return std::ranges::find(acts, step.act) != acts.end();
  });
}
std::string name_of(const WarpRecord &warp) {
  if (does(warp, {Act::product, Act::multiply}))
    return "products";
  if (does(warp, {Act::load}))
    return "copies";
  if (does(warp, {Act::store}))
    return "stores";
  return "threads";
}

// By lines: an unrolled loop has many places at one.
using Waits = std::map<std::tuple<State, std::string, unsigned>, Role::Wait>;
void add(Waits &waits, const Span &span, const Location &where) {
  Role::Wait &wait =
      waits.try_emplace({span.state, where.file, where.line}, Role::Wait{span.state, where, 0}).first->second;
  wait.cycles += span.end - span.begin;
}

}   // namespace

std::string Role::title() const {
  return warps == 1 ? fmt::format("{}, warp {}", name, first_warp)
                    : fmt::format("{}, warps {} to {}", name, first_warp, first_warp + warps - 1);
}

std::vector<Role> roles(const simulator::Program &program, const simulator::ClusterRecord &record,
                        const Timeline &timeline) {
  std::vector<Role> all;
  for (std::size_t i = 0; i < record.warps.size(); ++i) {
    const WarpRecord &warp = record.warps[i];
    if (i > 0 && does_the_same(record.warps[i - 1], warp)) {
      ++all.back().warps;
      continue;
    }
    Role role{.cta = warp.cta, .first_warp = warp.warp, .name = name_of(warp)};
    Waits waits;
    for (const Span &span : timeline.warps[i].spans)
      if (span.state == State::computing)
        role.computing += span.end - span.begin;
      else
        add(waits, span, program.places[span.place].where);
    for (auto &[what, wait] : waits)
      role.waits.push_back(std::move(wait));
    std::ranges::sort(role.waits, std::greater(), &Role::Wait::cycles);
    all.push_back(std::move(role));
  }
  return all;
}

std::string_view waited_for(State state) {
  constexpr std::array<std::string_view, states> names{"nothing",
                                                       "arithmetic units",
                                                       "copied data",
                                                       "an empty slot",
                                                       "asynchronous copies",
                                                       "products",
                                                       "loads from global memory",
                                                       "shared memory",
                                                       "a barrier",
                                                       "stores",
                                                       "the cluster",
                                                       "its turn"};
  return names[static_cast<std::size_t>(state)];
}

}   // namespace tile::timeline

// SPDX-License-Identifier: MIT
// Lists of stamps written by hand, as the code of compiler/lowering/ptx/stamp_clock.cpp writes them.
#pragma once

#include "runtime/stamps.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tile::timeline {

class WrittenLists {
 public:
  struct Head {
    std::uint32_t cta, warp, multiprocessor, lost;
    std::uint64_t begin_ns, begin_clock, end_ns, end_clock, unused[2];
  };
  struct Begin {
    std::uint64_t clock = 0, nanoseconds = 0;
    unsigned multiprocessor = 0;
  };
  struct End {
    std::uint64_t nanoseconds = 0;
    unsigned lost = 0;
  };
  static constexpr unsigned list_bytes = 1024, stamps_of_list = (list_bytes - sizeof(Head)) / 16;

  // Times are cycles since the begin of the list.
  class List {
   public:
    // A wait begins; or something else happens.
    List &at(unsigned time, unsigned site, unsigned mbarrier = 0) {
      if (site <= sites_->size() && is_wait((*sites_)[site - 1].kind)) {
        begun_ = {time, mbarrier};
        return *this;
      }
      return add(time, time, 2 * site, mbarrier);
    }
    // A wait ends. It may have no begin.
    List &ends(unsigned time, unsigned site) {
      const auto begun = std::exchange(begun_, std::nullopt);
      return begun ? add(begun->first, time, 2 * site, begun->second) : add(0, time, 2 * site + 1, 0);
    }
    List &end(unsigned time) { return end(time, {}); }
    List &end(unsigned time, End end) {
      head_.end_clock = head_.begin_clock + time;
      head_.end_ns = end.nanoseconds;
      head_.lost = end.lost;
      return *this;
    }
    Head &head() { return head_; }

   private:
    friend class WrittenLists;
    static bool is_wait(StampKind kind) {
      const std::string_view name = stamp_kinds[static_cast<std::size_t>(kind)];
      return name.ends_with("wait") || name == "barrier" || name == "results";
    }
    List &add(unsigned begin, unsigned end, unsigned code, unsigned mbarrier) {
      const std::uint32_t what = mbarrier / 8 << 16 | code;
      for (const unsigned time : {begin, end})
        words_.push_back(static_cast<std::uint32_t>(head_.begin_clock + time));
      words_.insert(words_.end(), {what, what});
      return *this;
    }
    const std::vector<StampSite> *sites_ = nullptr;
    std::optional<std::pair<unsigned, unsigned>> begun_;
    Head head_{};
    std::vector<std::uint32_t> words_;
  };

  // `clock`: of a multiprocessor when a list begins, if nothing else is said.
  explicit WrittenLists(unsigned warps, std::uint64_t clock = 5000) : clock_(clock) {
    launch_.code.kernel.name = "written";
    launch_.code.kernel.threads = 32 * warps;
    launch_.code.list_bytes = list_bytes;
    launch_.code.most_ctas = 16;
    launch_.started = {4, 2, 1};
    launch_.ctas = {0};
  }
  void ctas(std::vector<std::int64_t> ctas) { launch_.ctas = std::move(ctas); }
  // Numbers of sites begin with 1.
  unsigned site(StampKind kind, unsigned line, unsigned amount = 0) {
    launch_.code.sites.push_back({kind, {"/src/kernel.cpp", line, 1}, amount});
    return static_cast<unsigned>(launch_.code.sites.size());
  }
  List &begin(std::int64_t cta, unsigned warp) { return begin(cta, warp, {}); }
  List &begin(std::int64_t cta, unsigned warp, Begin begin) {
    List &list = lists_[{cta, warp}] = {};
    list.sites_ = &launch_.code.sites;
    list.head_ = {.cta = static_cast<std::uint32_t>(cta),
                  .warp = warp,
                  .multiprocessor = begin.multiprocessor,
                  .begin_ns = begin.nanoseconds,
                  .begin_clock = begin.clock ? begin.clock : clock_};
    return list;
  }

  StampedLaunch launch() const {
    StampedLaunch launch = launch_;
    const std::size_t warps = launch.code.kernel.threads / 32;
    launch.lists.assign(launch.ctas.size() * warps * list_bytes, std::byte{0});
    for (std::size_t slot = 0; slot < launch.ctas.size(); ++slot)
      for (unsigned warp = 0; warp < warps; ++warp)
        if (const auto found = lists_.find({launch.ctas[slot], warp}); found != lists_.end()) {
          std::byte *to = launch.lists.data() + (slot * warps + warp) * list_bytes;
          const List &list = found->second;
          std::memcpy(to, &list.head_, sizeof list.head_);
          std::memcpy(to + sizeof list.head_, list.words_.data(), list.words_.size() * sizeof(std::uint32_t));
        }
    return launch;
  }

 private:
  std::uint64_t clock_;
  StampedLaunch launch_;
  std::map<std::pair<std::int64_t, unsigned>, List> lists_;
};

}   // namespace tile::timeline

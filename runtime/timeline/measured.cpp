// SPDX-License-Identifier: MIT
// The form of a list is that of compiler/lowering/ptx/stamp_clock.cpp.
#include "runtime/timeline/measured.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace tile::timeline {
namespace {

using simulator::Act;

// Cycles. What is over before it is waited for takes as long as its instructions and the stamp.
constexpr double shortest_wait = 40;

struct Head {
  std::uint32_t cta, warp, multiprocessor, lost;
  std::uint64_t begin_ns, begin_clock, end_ns, end_clock;
  std::uint64_t unused[2];
};
static_assert(sizeof(Head) == 64);
struct Words {
  std::uint32_t begin, end, what, again;
};

// What happened when, in cycles of the multiprocessor.
struct Stamp {
  std::uint64_t begin, end;
  bool has_begin;
  std::size_t site;
  std::uint32_t object;   // of an mbarrier
};
struct List {
  Head head{};
  std::vector<Stamp> stamps;
};

bool has_two_sides(StampKind kind) {
  using enum StampKind;
  return kind == mbarrier_wait || kind == store_wait || kind == copy_wait || kind == product_wait ||
         kind == barrier || kind == cluster_wait || kind == results;
}

Act act_of(StampKind kind) {
  constexpr std::array acts{Act::mbarrierWait, Act::load,        Act::store,    Act::storeWait,
                            Act::copy,         Act::copyArrive,  Act::copyWait, Act::product,
                            Act::productWait,  Act::multiply,    Act::barrier,  Act::clusterWait,
                            Act::globalLoad,   Act::globalStore, Act::work};
  static_assert(acts.size() == stamp_kinds.size());
  return acts[static_cast<std::size_t>(kind)];
}

[[noreturn]] void refuse(const StampedLaunch &launch, const std::string &what) {
  throw Error(what, {}).add_context(launch.code.kernel.title()).with_code(ErrorCode::internal);
}

List read_list(const StampedLaunch &launch, std::size_t number) {
  const std::byte *bytes = launch.lists.data() + number * launch.code.list_bytes;
  List list;
  std::memcpy(&list.head, bytes, sizeof list.head);
  std::uint64_t clock = list.head.begin_clock;
  // A stamp has the clock's low word, which comes round every two seconds.
  const auto later = [](std::uint64_t clock, std::uint32_t low) {
    return clock + static_cast<std::uint32_t>(low - static_cast<std::uint32_t>(clock));
  };
  for (std::size_t at = sizeof list.head; at + sizeof(Words) <= launch.code.list_bytes; at += sizeof(Words)) {
    Words words;
    std::memcpy(&words, bytes + at, sizeof words);
    const std::size_t code = words.what & 0xFFFF;
    if (code == 0)
      break;
    if (code / 2 > launch.code.sites.size() || code < 2)
      refuse(launch, "the memory for stamps holds " + std::to_string(words.what) +
                         ", which this kernel does not write; something else wrote there");
    const bool has_begin = code % 2 == 0;
    const std::uint64_t begin = later(clock, has_begin ? words.begin : words.end);
    clock = later(begin, words.end);
    list.stamps.push_back({begin, clock, has_begin, code / 2 - 1, words.what >> 16});
  }
  return list;
}

// One CTA, whose warps have the clock of one multiprocessor.
struct Cta {
  std::int64_t number = 0;
  std::vector<List> warps;
  std::uint64_t begin_clock = 0, end_clock = 0, begin_ns = 0, end_ns = 0;
};

Cta read_cta(const StampedLaunch &launch, std::size_t slot) {
  const std::size_t warps = launch.code.kernel.threads / 32;
  Cta cta{.number = launch.ctas[slot], .begin_clock = std::numeric_limits<std::uint64_t>::max()};
  for (std::size_t warp = 0; warp < warps; ++warp) {
    List list = read_list(launch, slot * warps + warp);
    const Head &head = list.head;
    if (head.begin_clock == 0)
      refuse(launch, "warp " + std::to_string(warp) + " of CTA " + std::to_string(cta.number) +
                         " left no stamps: it did not run, or its code is not the one that was compiled for "
                         "this trace");
    if (head.cta != cta.number || head.warp != warp)
      refuse(launch, "the list of CTA " + std::to_string(cta.number) + ", warp " + std::to_string(warp) +
                         " was written by CTA " + std::to_string(head.cta) + ", warp " +
                         std::to_string(head.warp));
    if (head.begin_clock < cta.begin_clock) {
      cta.begin_clock = head.begin_clock;
      cta.begin_ns = head.begin_ns;
    }
    if (head.end_clock > cta.end_clock) {
      cta.end_clock = head.end_clock;
      cta.end_ns = head.end_ns;
    }
    cta.warps.push_back(std::move(list));
  }
  return cta;
}

class Converter {
 public:
  Converter(const StampedLaunch &launch, double highest)
      : launch_(launch), highest_(highest), result_{.program = simulator::Program(launch.code.kernel)} {
    for (const StampSite &site : launch.code.sites)
      result_.program.places.push_back({.where = site.where});
  }

  Measured run(std::span<const std::int64_t> wanted) {
    std::vector<Cta> ctas;
    for (std::size_t slot = 0; slot < launch_.ctas.size(); ++slot)
      ctas.push_back(read_cta(launch_, slot));
    find_clock(ctas);
    std::erase_if(ctas,
                  [&](const Cta &cta) { return std::ranges::find(wanted, cta.number) == wanted.end(); });
    if (ctas.empty())
      refuse(launch_, "none of the traced CTAs is asked for");
    find_filled(ctas);
    const std::uint64_t first_ns = std::ranges::min(ctas, {}, &Cta::begin_ns).begin_ns;
    for (const Cta &cta : ctas)
      convert(cta, static_cast<double>(cta.begin_ns - first_ns) * 1e-9);
    return std::move(result_);
  }

 private:
  // All traced CTAs say how many cycles were how many nanoseconds.
  void find_clock(const std::vector<Cta> &ctas) {
    double cycles = 0, seconds = 0, longest = 0;
    for (const Cta &cta : ctas)
      if (cta.end_ns > cta.begin_ns && cta.end_clock > cta.begin_clock) {
        cycles += static_cast<double>(cta.end_clock - cta.begin_clock);
        seconds += static_cast<double>(cta.end_ns - cta.begin_ns) * 1e-9;
        longest = std::max(longest, static_cast<double>(cta.end_ns - cta.begin_ns) * 1e-9);
      }
    // The time of the whole GPU moves in steps of up to a microsecond.
    constexpr double long_enough = 20e-6;
    result_.is_clock_known = longest >= long_enough;
    result_.hertz = result_.is_clock_known ? cycles / seconds : highest_;
  }
  // Copies land there: whoever waits, waits for data.
  void find_filled(const std::vector<Cta> &ctas) {
    for (const Cta &cta : ctas)
      for (const List &list : cta.warps)
        for (const Stamp &stamp : list.stamps)
          if (fills(stamp))
            filled_.insert(stamp.object);
  }
  bool fills(const Stamp &stamp) const {
    const StampKind kind = launch_.code.sites[stamp.site].kind;
    return kind == StampKind::load || kind == StampKind::copy_arrive;
  }

  void convert(const Cta &cta, double begin_seconds) {
    const auto rank = static_cast<unsigned>(result_.record.ctas.size());
    const Grid &grid = launch_.started;
    result_.record.ctas.push_back({static_cast<std::int32_t>(cta.number % grid.x),
                                   static_cast<std::int32_t>(cta.number / grid.x % grid.y),
                                   static_cast<std::int32_t>(cta.number / (grid.x * grid.y))});
    const double offset = begin_seconds * result_.hertz;
    double end = 0;
    for (std::size_t warp = 0; warp < cta.warps.size(); ++warp) {
      const List &list = cta.warps[warp];
      result_.stamps += list.stamps.size();
      result_.lost += list.head.lost;
      for (std::size_t i = 1; i < list.stamps.size(); ++i) {
        const auto cycles = static_cast<double>(list.stamps[i].begin - list.stamps[i - 1].end);
        if (result_.least_cycles == 0 || cycles < result_.least_cycles)
          result_.least_cycles = cycles;
      }
      convert(list, cta.begin_clock, offset, rank, static_cast<unsigned>(warp));
      end = std::max(end, result_.timeline.warps.back().end);
    }
    result_.timeline.cycles = std::max(result_.timeline.cycles, end);
    result_.ctas.push_back({.number = cta.number,
                            .multiprocessor = cta.warps.front().head.multiprocessor,
                            .begin_seconds = begin_seconds,
                            .seconds = static_cast<double>(cta.end_clock - cta.begin_clock) / result_.hertz});
  }

  void convert(const List &list, std::uint64_t base, double offset, unsigned rank, unsigned warp) {
    const auto time = [&](std::uint64_t clock) { return offset + static_cast<double>(clock - base); };
    WarpTimeline timeline{.cta = rank, .warp = warp};
    simulator::WarpRecord record{.cta = rank, .warp = warp, .steps = {}};
    double now = time(list.head.begin_clock);
    std::size_t last = 0;
    const auto span = [&](double end, State state, std::size_t place) {
      if (end > now)
        timeline.spans.push_back({now, end, state, static_cast<std::uint32_t>(place)});
      now = std::max(now, end);
      last = place;
    };
    Products products{.cta = rank, .group = warp / 4};
    const auto step = [&](std::size_t place, std::uint32_t object) {
      record.steps.push_back({.place = static_cast<std::uint32_t>(place),
                              .act = act_of(launch_.code.sites[place].kind),
                              .object = object});
    };
    const bool copies = std::ranges::any_of(list.stamps, [&](const Stamp &stamp) { return fills(stamp); });
    for (const Stamp &stamp : list.stamps) {
      const StampSite &site = launch_.code.sites[stamp.site];
      const double begin = time(stamp.begin), end = time(stamp.end);
      step(stamp.site, stamp.object);
      if (stamp.has_begin)   // otherwise it began at the stamp before
        span(begin, State::computing, stamp.site);
      if (has_two_sides(site.kind))
        span(end, end - now < shortest_wait ? State::computing : waited(site.kind, stamp.object, copies),
             stamp.site);
      if (site.kind == StampKind::product)
        products.begin(end, stamp.site);
      if (site.kind == StampKind::product_wait)
        products.end(end, site.amount);
      if (site.kind == StampKind::mbarrier_wait && site.amount > 0) {   // products begin where it ends
        step(site.amount - 1, 0);
        products.begin(end, site.amount - 1);
      }
    }
    // The code of a list that was full ran on; where, nobody knows.
    const double end = list.head.lost || list.head.end_clock == 0 ? now : time(list.head.end_clock);
    span(end, State::computing, last);
    timeline.end = end;
    products.end(end, 0);
    if (warp % 4 == 0)   // the other warps of the group have begun the same
      result_.timeline.products.insert(result_.timeline.products.end(), products.done.begin(),
                                       products.done.end());
    result_.timeline.warps.push_back(std::move(timeline));
    result_.record.warps.push_back(std::move(record));
  }

  // A warp without copies that waits at an mbarrier without copies waits for its turn to multiply. In a
  // kernel without products, it waits for words of other CTAs.
  State waited(StampKind kind, std::uint32_t object, bool copies) const {
    switch (kind) {
    case StampKind::store_wait:
      return State::stores;
    case StampKind::copy_wait:
      return State::copies;
    case StampKind::product_wait:
      return State::products;
    case StampKind::barrier:
      return State::barrier;
    case StampKind::cluster_wait:
      return State::cluster;
    case StampKind::results:
      return State::results;
    default:
      return filled_.contains(object) ? State::data
             : copies                 ? State::slot
             : multiplies_            ? State::turn
                                      : State::cluster;
    }
  }

  // Groups of products from their begin until a wait has seen that they are done. They run one after the
  // other.
  struct Products {
    unsigned cta, group;
    std::vector<Product> pending{}, done{};
    void begin(double at, std::size_t place) {
      pending.push_back(
          {.begin = at, .end = at, .place = static_cast<std::uint32_t>(place), .cta = cta, .group = group});
    }
    void end(double at, std::size_t still_pending) {
      while (pending.size() > still_pending) {
        Product product = pending.front();
        pending.erase(pending.begin());
        product.begin = std::max(product.begin, done.empty() ? 0 : done.back().end);
        product.end = at;
        if (product.end > product.begin)
          done.push_back(product);
      }
    }
  };

  const StampedLaunch &launch_;
  const double highest_;
  Measured result_;
  std::set<std::uint32_t> filled_;   // mbarriers
  bool multiplies_ = std::ranges::any_of(launch_.code.sites, [](const StampSite &site) {
    return site.kind == StampKind::product || site.kind == StampKind::multiply;
  });
};

}   // namespace

Measured measured(const StampedLaunch &launch, std::span<const std::int64_t> ctas, double highest) {
  return Converter(launch, highest).run(ctas);
}

}   // namespace tile::timeline

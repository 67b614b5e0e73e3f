// SPDX-License-Identifier: MIT
#include "runtime/timeline/events.h"

#include "runtime/json.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace tile::timeline {
namespace {

using json::Object;

class Events {
 public:
  explicit Events(const Traced &traced) : t_(traced) {}

  std::string text() {
    for (const WarpTimeline &warp : t_.timeline.warps) {
      name(warp.cta, warp.warp, fmt::format("warp {}", warp.warp));
      for (const Span &span : warp.spans)
        add(warp.cta, warp.warp, title(span), span.place, span.begin, span.end);
    }
    for (const Product &product : t_.timeline.products) {
      const unsigned track = product_tracks + product.group;
      name(product.cta, track,
           fmt::format("{}, warps {} to {}", row_of_products(t_), 4 * product.group, 4 * product.group + 3));
      add(product.cta, track, "product", product.place, product.begin, product.end);
    }
    for (const Transfer &transfer : t_.timeline.transfers) {
      const unsigned track = free_track(transfer);
      name(transfer.cta, track, transfer.is_store ? "stores of boxes" : "copies");
      add(transfer.cta, track, transfer.is_store ? "store" : "copy", transfer.place, transfer.begin,
          transfer.end, transfer.bytes);
    }
    const std::string times =
        fmt::format("{} {}", t_.is_measured ? "measured on" : "predicted for", t_.model.machine.name);
    return json::Value(Object{{"displayTimeUnit", "ns"},
                              {"otherData", Object{{"times", times}}},
                              {"traceEvents", std::move(events_)}})
               .text() +
           "\n";
  }

 private:
  static constexpr unsigned product_tracks = 100, copy_tracks = 200, store_tracks = 300;

  static std::string title(const Span &span) {
    return span.state == State::computing ? "compute" : fmt::format("wait for {}", waited_for(span.state));
  }
  double microseconds(double cycles) const { return cycles / t_.hertz * 1e6; }
  void name(unsigned cta, unsigned track, const std::string &title) {
    constexpr unsigned process = ~0u;
    if (named_.emplace(cta, process).second) {
      const auto &id = t_.record.ctas[cta];
      events_.emplace_back(
          Object{{"ph", "M"},
                 {"name", "process_name"},
                 {"pid", static_cast<int>(cta)},
                 {"args", Object{{"name", fmt::format("CTA {}, {}, {}", id[0], id[1], id[2])}}}});
    }
    if (!named_.emplace(cta, track).second)
      return;
    events_.emplace_back(Object{{"ph", "M"},
                                {"name", "thread_name"},
                                {"pid", static_cast<int>(cta)},
                                {"tid", static_cast<int>(track)},
                                {"args", Object{{"name", title}}}});
  }
  void add(unsigned cta, unsigned track, const std::string &title, std::uint32_t place, double begin,
           double end, std::uint32_t bytes = 0) {
    Object arguments{{"line", short_place(t_.program.places[place].where)}};
    if (bytes)
      arguments.emplace_back("bytes", static_cast<double>(bytes));
    events_.emplace_back(Object{{"ph", "X"},
                                {"name", title},
                                {"pid", static_cast<int>(cta)},
                                {"tid", static_cast<int>(track)},
                                {"ts", microseconds(begin)},
                                {"dur", microseconds(end - begin)},
                                {"args", std::move(arguments)}});
  }
  // What is under way at the same time stands in different tracks.
  unsigned free_track(const Transfer &transfer) {
    std::vector<double> &ends = ends_[{transfer.cta, transfer.is_store}];
    std::size_t i = 0;
    while (i < ends.size() && ends[i] > transfer.begin)
      ++i;
    if (i == ends.size())
      ends.push_back(0);
    ends[i] = transfer.end;
    return (transfer.is_store ? store_tracks : copy_tracks) + static_cast<unsigned>(i);
  }

  const Traced &t_;
  json::Array events_;
  std::set<std::pair<unsigned, unsigned>> named_;
  std::map<std::pair<unsigned, bool>, std::vector<double>> ends_;
};

}   // namespace

std::string trace_events(const Traced &traced) { return Events(traced).text(); }

}   // namespace tile::timeline

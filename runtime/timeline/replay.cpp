// SPDX-License-Identifier: MIT
// The steps of all warps in the order of time. A warp takes a step when its time has come; the step says when
// the next one may begin, or what the warp waits for.
#include "runtime/timeline/meetings.h"
#include "runtime/timeline/multiprocessor.h"
#include "runtime/timeline/products.h"
#include "runtime/timeline/timeline.h"
#include "runtime/timeline/warp_state.h"

#include "runtime/simulator/recorder.h"

#include <cmath>
#include <optional>
#include <queue>
#include <unordered_map>

namespace tile::timeline {
namespace {

using simulator::Act;
using simulator::Step;

// Work is done in parts, so that the warps of a quarter take part in its units alike.
constexpr double cycles_of_part = 48;

class Replay {
 public:
  Replay(const simulator::Program &program, const simulator::ClusterRecord &record, const GpuModel &model,
         const Conditions &conditions)
      : program_(program), model_(model), record_(record), multiprocessors_(record.ctas.size()),
        cycles_of_byte_(
            std::max({1 / model.most_bytes, conditions.active_share / model.bytes_from_l2,
                      conditions.active_share * conditions.miss_share / model.bytes_from_memory})),
        load_latency_(mixed(model.load_latency, model.miss_latency, conditions.miss_share)),
        meetings_(model, record.warps.size(),
                  [this](std::size_t warp, double time, State state) { wake(warp, time, state); }),
        products_(model, result_,
                  [this](std::size_t warp, double time, State state) { wake(warp, time, state); }) {
    result_.warps.reserve(record.warps.size());
    for (unsigned copy = 0; copy < static_cast<unsigned>(conditions.resident_ctas); ++copy)
      for (const simulator::WarpRecord &warp : record.warps) {
        WarpState state{.record = &warp, .copy = copy, .quarter = warp.warp % 4};
        if (copy == 0) {
          result_.warps.push_back({.cta = warp.cta, .warp = warp.warp});
          state.timeline = &result_.warps.back();
        }
        warps_.push_back(std::move(state));
      }
  }

  Timeline run() {
    for (std::size_t i = 0; i < warps_.size(); ++i)
      resume(i, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.is_landing)
        event.arrivals ? meetings_.arrive(event.mbarrier, event.arrivals, 0, event.time)
                       : meetings_.land(event.mbarrier, event.bytes, event.time);
      else
        step(event.warp, event.time);
    }
    finish();
    return std::move(result_);
  }

 private:
  struct Event {
    double time;
    std::uint64_t number;   // those of one time come in the order in which they were made
    std::size_t warp = 0;
    bool is_landing = false;
    std::uint64_t mbarrier = 0;
    std::int64_t bytes = 0, arrivals = 0;
    bool operator>(const Event &other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };
  static double mixed(double hit, double miss, double share) { return hit + (miss - hit) * share; }
  static std::uint64_t key_of(unsigned copy, std::uint64_t object) {
    return std::uint64_t{copy} << 40 | object;
  }

  void resume(std::size_t warp, double time) {
    events_.push({.time = time, .number = ++numbers_, .warp = warp});
  }
  void span(WarpState &w, double begin, double end, State state, std::uint32_t place) {
    if (!w.timeline || end <= begin)
      return;
    std::vector<Span> &spans = w.timeline->spans;
    if (!spans.empty() && spans.back().state == state && spans.back().place == place &&
        begin - spans.back().end < 1)
      spans.back().end = end;
    else
      spans.push_back({begin, end, state, place});
  }
  Multiprocessor &multiprocessor_of(const WarpState &w) { return multiprocessors_[w.record->cta]; }

  // ---- steps. Each gives the time at which the next one may begin, or none if others decide it.

  void step(std::size_t number, double now) {
    WarpState &w = warps_[number];
    if (w.next == w.record->steps.size()) {
      if (w.timeline)
        w.timeline->end = now;
      result_.cycles = std::max(result_.cycles, now);
      return;
    }
    const Step &step = w.record->steps[w.next];
    if (step.act == Act::work) {
      const double next = work(w, step, now);
      if (w.parts == 0)
        ++w.next;
      return resume(number, next);
    }
    ++w.next;
    if (const std::optional<double> next = operate(number, w, step, now))
      resume(number, *next);
  }

  double work(WarpState &w, const Step &step, double now) {
    const simulator::Place &place = program_.places[step.place];
    const simulator::Arithmetic &a = place.work;
    const double alone =
        std::max<double>({a.issued * model_.instruction_interval, a.fma, a.alu, a.special, a.depth});
    if (w.parts == 0) {
      for (const std::uint32_t needed : place.needed)
        if (const auto found = w.pending.find(needed); found != w.pending.end()) {
          if (found->second.time > now) {
            span(w, now, found->second.time, found->second.state, needed);
            now = found->second.time;
          }
          w.pending.erase(found);
        }
      if (alone == 0)
        return now;
      w.parts = static_cast<int>(std::ceil(alone / cycles_of_part));
      w.parts_of_all = w.parts;
      return now;
    }
    Quarter &quarter = multiprocessor_of(w).quarters[w.quarter];
    const double part = 1.0 / w.parts_of_all;
    const std::pair<Unit *, float> taken[] = {{&quarter.issue, a.issued},
                                              {&quarter.fma, a.fma},
                                              {&quarter.alu, a.alu},
                                              {&quarter.special, a.special}};
    double begin = now;
    for (const auto &[unit, cycles] : taken)
      if (cycles > 0)
        begin = std::max(begin, unit->free());
    for (const auto &[unit, cycles] : taken)
      if (cycles > 0)
        unit->take(begin, cycles * part);
    --w.parts;
    const double end = begin + alone * part;
    span(w, now, begin, State::units, step.place);
    span(w, begin, end, State::computing, step.place);
    return end;
  }

  double wait_until(WarpState &w, double now, double time, State state, std::uint32_t place) {
    span(w, now, time, state, place);
    return std::max(now, time);
  }

  std::optional<double> operate(std::size_t number, WarpState &w, const Step &step, double now) {
    Multiprocessor &m = multiprocessor_of(w);
    const double issued = m.quarters[w.quarter].issue.take(now, 1) + model_.issue;
    switch (step.act) {
    case Act::work:
      break;
    case Act::shared: {
      const double begin = m.shared.take(issued, step.amount);
      w.pending[step.place] = {begin + step.amount + model_.shared_latency, State::shared};
      constexpr double queue = 64;   // accesses wait there, and not their warp
      return wait_until(w, issued, begin - queue, State::shared, step.place);
    }
    case Act::shuffle:
      w.pending[step.place] = {m.shared.take(issued, 1) + model_.shuffle_latency, State::shared};
      return issued;
    case Act::multiply:
      w.pending[step.place] = {m.quarters[w.quarter].matrix.take(issued, model_.multiply_cycles) +
                                   model_.multiply_latency,
                               State::products};
      m.matrix.count(model_.multiply_cycles / 4);
      return issued;
    case Act::globalLoad:
    case Act::globalUpdate: {
      const double begin = incoming(m, issued, 32.0 * step.amount);
      w.pending[step.place] = {begin + load_latency_, State::results};
      return wait_until(w, issued, begin - longest_queue, State::results, step.place);
    }
    case Act::globalStore: {
      const double begin = outgoing(m, issued, 32.0 * step.amount);
      return wait_until(w, issued, begin - longest_queue, State::stores, step.place);
    }
    case Act::copy: {
      const double begin = incoming(m, issued, 32.0 * step.amount);
      m.shared.take(issued, step.amount / 4.0);
      w.copies.add(begin + load_latency_);
      return wait_until(w, issued, begin - longest_queue, State::results, step.place);
    }
    case Act::copyCommit:
      w.copies.commit();
      return issued;
    case Act::copyWait:
      return wait_until(w, issued, w.copies.done(step.amount), State::copies, step.place);
    case Act::copyArrive: {
      const std::uint64_t at = key_of(w.copy, step.object);
      if (step.amount)   // otherwise each makes the phase longer by one, and ends that
        land(std::max(w.copies.open(), issued), at, 0, step.amount);
      return issued;
    }
    case Act::barrier:
      if (step.more)
        w.since = issued;
      meetings_.meet(key_of(w.copy, std::uint64_t{w.record->cta} << 8 | step.object), number, step.amount,
                     step.more != 0, issued);
      return step.more ? std::nullopt : std::optional(issued);
    case Act::mbarrierInit:
      meetings_.initialise(key_of(w.copy, step.object), step.amount);
      return issued;
    case Act::mbarrierExpect:
      meetings_.arrive(key_of(w.copy, step.object), 0, static_cast<std::int32_t>(step.amount), issued);
      return issued;
    case Act::mbarrierArrive:
      meetings_.arrive(key_of(w.copy, step.object), step.amount, static_cast<std::int32_t>(step.more),
                       issued);
      return issued;
    case Act::mbarrierWait:
      w.since = issued;
      if (meetings_.wait(key_of(w.copy, step.object), number, step.amount))
        return issued + model_.mbarrier_latency / 2;
      return std::nullopt;
    case Act::load:
      load(w, step, issued);
      return issued + model_.bulk_issue;
    case Act::store: {
      const double read = m.shared.take(issued, step.amount / 128.0) + step.amount / 128.0;
      const double begin = outgoing(m, issued, step.amount);
      const double done = std::max(read, begin) + step.amount / model_.stored_bytes;
      w.store_reads.add(std::max(read, begin) + 60);
      w.stores.add(done + model_.store_latency);
      if (w.timeline)
        result_.transfers.push_back({issued, done, step.place, step.amount, 0, w.record->cta, true});
      return issued + model_.bulk_issue;
    }
    case Act::storeCommit:
      w.store_reads.commit();
      w.stores.commit();
      return issued;
    case Act::storeWait:
      return wait_until(w, issued, (step.more ? w.store_reads : w.stores).done(step.amount), State::stores,
                        step.place);
    case Act::product:
      products_.begin(w, m, step, issued);
      return issued;
    case Act::productCommit:
      w.product_groups.push_back(w.products);
      return issued;
    case Act::productWait:
      w.since = issued;
      if (const std::optional<double> done = products_.done(w, number, step.amount))
        return wait_until(w, issued, *done, State::products, step.place);
      return std::nullopt;
    case Act::clusterArrive:
      meetings_.arrive_at_cluster(w.copy, issued);
      return issued;
    case Act::clusterWait:
      w.since = issued;
      if (meetings_.wait_for_cluster(w.copy, number, ++w.cluster_phases))
        return issued;
      return std::nullopt;
    }
    return issued;
  }

  // ---- waiting for others

  void wake(std::size_t number, double time, State state) {
    WarpState &w = warps_[number];
    span(w, w.since, time, state, w.record->steps[w.next - 1].place);
    resume(number, std::max(w.since, time));
  }
  // At this time, bytes have landed under the mbarrier, or copies of a warp have.
  void land(double time, std::uint64_t mbarrier, std::int64_t bytes, std::int64_t arrivals) {
    meetings_.is_filled_by_copies(mbarrier);
    events_.push({.time = time,
                  .number = ++numbers_,
                  .is_landing = true,
                  .mbarrier = mbarrier,
                  .bytes = bytes,
                  .arrivals = arrivals});
  }

  // ---- memory

  static constexpr double longest_queue = 2000;   // of accesses that were issued, in cycles
  // Gives the time at which the last byte comes, but for the latency.
  double incoming(Multiprocessor &m, double now, double bytes) {
    return m.incoming.take(now, bytes * cycles_of_byte_) + bytes * cycles_of_byte_;
  }
  double outgoing(Multiprocessor &m, double now, double bytes) {
    return m.outgoing.take(now, bytes / model_.stored_bytes);
  }
  void load(WarpState &w, const Step &step, double now) {
    const double done = incoming(multiprocessor_of(w), now, step.cached) + model_.bulk_latency;
    const unsigned signals = simulator::Recorder::rankOf(step.object);
    const bool is_multicast = (step.more & (step.more - 1)) != 0;
    for (unsigned rank = 0; rank < record_.ctas.size(); ++rank)
      if (step.more >> rank & 1) {
        const std::uint32_t offset = step.object & 0xFFFF;
        const std::uint64_t at = key_of(w.copy, std::uint64_t{is_multicast ? rank : signals} << 16 | offset);
        land(done, at, step.amount, 0);
      }
    if (w.timeline)
      result_.transfers.push_back({now, done, step.place, step.amount, step.object, w.record->cta, false});
  }

  void finish() {
    const Multiprocessor &m = multiprocessors_.front();
    for (const WarpState &w : warps_)
      result_.cycles = std::max(result_.cycles, w.stores.done(0));
    result_.matrix_busy = m.matrix.busy();
    result_.shared_busy = m.shared.busy();
    result_.memory_busy = m.incoming.busy();
    for (const Quarter &quarter : m.quarters)
      result_.issue_busy += quarter.issue.busy() / 4;
  }

  const simulator::Program &program_;
  const GpuModel &model_;
  const simulator::ClusterRecord &record_;
  std::vector<Multiprocessor> multiprocessors_;   // by the rank of their CTAs
  const double cycles_of_byte_, load_latency_;
  std::vector<WarpState> warps_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t numbers_ = 0;
  Timeline result_;
  Meetings meetings_;
  Products products_;
};

}   // namespace

Timeline replay(const simulator::Program &program, const simulator::ClusterRecord &record,
                const GpuModel &model, const Conditions &conditions) {
  return Replay(program, record, model, conditions).run();
}

}   // namespace tile::timeline

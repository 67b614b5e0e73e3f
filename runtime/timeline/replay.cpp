// SPDX-License-Identifier: MIT
// The steps of all warps in the order of time. A warp takes a step when its time has come; the step says when
// the next one may begin, or what the warp waits for.
#include "runtime/timeline/multiprocessor.h"
#include "runtime/timeline/timeline.h"

#include "runtime/simulator/recorder.h"

#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <unordered_map>

namespace tile::timeline {
namespace {

using simulator::Act;
using simulator::Step;

// Work is done in parts, so that the warps of a quarter take part in its units alike.
constexpr double cycles_of_part = 48;

// Results that are on their way, in the order of their places.
struct Pending {
  double time = 0;
  State state = State::results;
};

// Groups of asynchronous operations of a warp, by the time at which all of a group are done.
class Groups {
 public:
  void add(double done) { open_ = std::max(open_, done); }
  void commit() { closed_.push_back(std::exchange(open_, 0.0)); }
  // When no more than `pending` groups are on their way.
  double done(std::uint32_t pending) const {
    double time = 0;
    for (std::size_t i = 0; i + pending < closed_.size(); ++i)
      time = std::max(time, closed_[i]);
    return time;
  }
  double open() const { return open_; }

 private:
  std::vector<double> closed_;
  double open_ = 0;
};

struct WarpState {
  const simulator::WarpRecord *record = nullptr;
  unsigned copy = 0, quarter = 0;   // `copy`: of the CTA, on the same multiprocessor
  std::size_t next = 0;
  double now = 0;
  int parts = 0, parts_of_all = 1;   // of the work at this place: those to be done, and all
  std::unordered_map<std::uint32_t, Pending> pending;
  Groups copies, store_reads, stores;
  std::uint32_t products = 0;                  // begun
  std::uint32_t cluster_phases = 0;            // barriers of the cluster that it has waited at
  std::vector<std::uint32_t> product_groups;   // the number behind the last product of each
  // While it waits for others.
  double since = 0;
  WarpTimeline *timeline = nullptr;   // none: a copy
};

// The wgmma of four warps: it begins when all have come.
struct ProductState {
  unsigned arrived = 0;
  std::optional<double> done;
  std::vector<std::size_t> waiting;
};

class Replay {
 public:
  Replay(const simulator::Program &program, const simulator::ClusterRecord &record, const GpuModel &model,
         const Conditions &conditions)
      : program_(program), model_(model), record_(record), multiprocessors_(record.ctas.size()),
        cycles_of_byte_(
            std::max({1 / model.most_bytes, conditions.active_share / model.bytes_from_l2,
                      conditions.active_share * conditions.miss_share / model.bytes_from_memory})),
        load_latency_(mixed(model.load_latency, model.miss_latency, conditions.miss_share)),
        bulk_latency_(mixed(model.bulk_latency, model.bulk_miss_latency, conditions.miss_share)) {
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
        land(event);
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
    warps_[warp].now = time;
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
      if (w.timeline) {
        result_.wavefronts += step.amount;
        result_.least_wavefronts += step.more;
      }
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
      const double begin = incoming(w, m, issued, 32.0 * step.amount);
      w.pending[step.place] = {begin + load_latency_, State::results};
      return wait_until(w, issued, begin - longest_queue, State::results, step.place);
    }
    case Act::globalStore: {
      const double begin = outgoing(w, m, issued, 32.0 * step.amount);
      return wait_until(w, issued, begin - longest_queue, State::stores, step.place);
    }
    case Act::copy: {
      const double begin = incoming(w, m, issued, 32.0 * step.amount);
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
      mbarriers_[at].is_filled_by_copies = true;
      if (step.amount)   // otherwise each makes the phase longer by one, and ends that
        land(std::max(w.copies.open(), issued), at, 0, step.amount);
      return issued;
    }
    case Act::barrier:
      return meet(number, w, step, issued);
    case Act::mbarrierInit:
      mbarriers_[key_of(w.copy, step.object)].expected = step.amount;
      return issued;
    case Act::mbarrierExpect:
    case Act::mbarrierArrive: {
      MBarrierState &barrier = mbarriers_[key_of(w.copy, step.object)];
      const bool arrives = step.act == Act::mbarrierArrive;
      const std::uint32_t bytes = arrives ? step.more : step.amount;
      barrier.is_filled_by_copies |= bytes != 0;
      barrier.bytes += static_cast<std::int32_t>(bytes);
      barrier.arrived += arrives ? step.amount : 0;
      settle(barrier, issued);
      return issued;
    }
    case Act::mbarrierWait: {
      MBarrierState &barrier = mbarriers_[key_of(w.copy, step.object)];
      if (barrier.phases >= step.amount)
        return issued + model_.mbarrier_latency / 2;
      w.since = issued;
      barrier.waiting.push_back({number, step.amount});
      return std::nullopt;
    }
    case Act::load:
      load(w, step, issued);
      return issued + model_.bulk_issue;
    case Act::store: {
      const double read = m.shared.take(issued, step.amount / 128.0) + step.amount / 128.0;
      const double begin = outgoing(w, m, issued, step.amount);
      const double done = std::max(read, begin) + step.amount / model_.stored_bytes;
      w.store_reads.add(std::max(read, begin) + 60);
      w.stores.add(done + model_.store_latency);
      if (w.timeline)
        result_.transfers.push_back(
            {issued, done, step.place, step.amount, 0, w.record->cta, w.record->warp, true});
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
      begin(w, step, issued);
      return issued;
    case Act::productCommit:
      w.product_groups.push_back(w.products);
      return issued;
    case Act::productWait:
      return await_products(number, w, step, issued);
    case Act::clusterArrive:
      if (++clusters_[w.copy].arrived == record_.warps.size()) {
        clusters_[w.copy].arrived = 0;
        ++cluster_phases_[w.copy];
        for (const std::size_t other : std::exchange(clusters_[w.copy].waiting, {}))
          wake(other, issued + model_.cluster_latency, State::cluster);
      }
      return issued;
    case Act::clusterWait:
      if (cluster_phases_[w.copy] > w.cluster_phases++)
        return issued;
      w.since = issued;
      clusters_[w.copy].waiting.push_back(number);
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
  std::optional<double> meet(std::size_t number, WarpState &w, const Step &step, double now) {
    BarrierState &barrier = barriers_[key_of(w.copy, std::uint64_t{w.record->cta} << 8 | step.object)];
    barrier.arrived += 32;
    if (step.more) {
      w.since = now;
      barrier.waiting.push_back(number);
    }
    if (barrier.arrived >= step.amount) {
      barrier.arrived = 0;
      for (const std::size_t other : std::exchange(barrier.waiting, {}))
        wake(other, now + model_.barrier_latency, State::barrier);
    }
    return step.more ? std::nullopt : std::optional(now);
  }
  void settle(MBarrierState &barrier, double now) {
    while (barrier.is_over() && barrier.expected > 0) {
      barrier.arrived -= barrier.expected;
      ++barrier.phases;
      std::vector<Waiting> still;
      for (const Waiting &one : std::exchange(barrier.waiting, {})) {
        if (one.phases > barrier.phases)
          still.push_back(one);
        else
          wake(one.warp, now + model_.mbarrier_latency,
               barrier.is_filled_by_copies ? State::data : State::slot);
      }
      barrier.waiting = std::move(still);
    }
  }
  void land(double time, std::uint64_t mbarrier, std::int64_t bytes, std::int64_t arrivals) {
    events_.push({.time = time,
                  .number = ++numbers_,
                  .is_landing = true,
                  .mbarrier = mbarrier,
                  .bytes = bytes,
                  .arrivals = arrivals});
  }
  void land(const Event &event) {
    MBarrierState &barrier = mbarriers_[event.mbarrier];
    barrier.bytes -= event.bytes;
    barrier.arrived += event.arrivals;
    settle(barrier, event.time);
  }

  // ---- memory

  static constexpr double longest_queue = 2000;   // of accesses that were issued, in cycles
  // Gives the time at which the last byte comes, but for the latency.
  double incoming(const WarpState &w, Multiprocessor &m, double now, double bytes) {
    if (w.timeline)
      result_.loaded_bytes += bytes;
    return m.incoming.take(now, bytes * cycles_of_byte_) + bytes * cycles_of_byte_;
  }
  double outgoing(const WarpState &w, Multiprocessor &m, double now, double bytes) {
    if (w.timeline)
      result_.stored_bytes += bytes;
    return m.outgoing.take(now, bytes / model_.stored_bytes);
  }
  void load(WarpState &w, const Step &step, double now) {
    const double done = incoming(w, multiprocessor_of(w), now, step.cached) + bulk_latency_;
    const unsigned signals = simulator::Recorder::rankOf(step.object);
    const bool is_multicast = (step.more & (step.more - 1)) != 0;
    for (unsigned rank = 0; rank < record_.ctas.size(); ++rank)
      if (step.more >> rank & 1) {
        const std::uint32_t offset = step.object & 0xFFFF;
        const std::uint64_t at = key_of(w.copy, std::uint64_t{is_multicast ? rank : signals} << 16 | offset);
        mbarriers_[at].is_filled_by_copies = true;
        land(done, at, step.amount, 0);
      }
    if (w.timeline)
      result_.transfers.push_back(
          {now, done, step.place, step.amount, step.object, w.record->cta, w.record->warp, false});
  }

  // ---- products

  std::uint64_t product_key(const WarpState &w, std::uint32_t product) const {
    return key_of(w.copy, (std::uint64_t{w.record->cta} << 8 | w.record->warp / 4) << 24 | product);
  }
  void begin(WarpState &w, const Step &step, double now) {
    ProductState &product = products_[product_key(w, w.products++)];
    if (++product.arrived < 4)
      return;
    Multiprocessor &m = multiprocessor_of(w);
    const double cycles = model_.product(step.amount, step.more != 0);
    const double begin = m.matrix.take(now, cycles);
    m.shared.count((step.more ? 0 : 16) + step.amount / 4.0);
    product.done = begin + cycles;
    if (w.timeline)
      result_.products.push_back({begin, *product.done, step.place, w.record->cta, w.record->warp / 4});
    for (const std::size_t other : std::exchange(product.waiting, {}))
      wake(other, *product.done + model_.product_latency, State::products);
  }
  std::optional<double> await_products(std::size_t number, WarpState &w, const Step &step, double now) {
    if (w.product_groups.size() <= step.amount)
      return now;
    const std::uint32_t end = w.product_groups[w.product_groups.size() - step.amount - 1];
    if (end == 0)
      return now;
    ProductState &last = products_[product_key(w, end - 1)];
    if (last.done)
      return wait_until(w, now, *last.done + model_.product_latency, State::products, step.place);
    w.since = now;
    last.waiting.push_back(number);
    return std::nullopt;
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
    result_.loaded_bytes /= static_cast<double>(record_.ctas.size());
    result_.stored_bytes /= static_cast<double>(record_.ctas.size());
  }

  const simulator::Program &program_;
  const GpuModel &model_;
  const simulator::ClusterRecord &record_;
  std::vector<Multiprocessor> multiprocessors_;   // by the rank of their CTAs
  const double cycles_of_byte_, load_latency_, bulk_latency_;
  std::vector<WarpState> warps_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t numbers_ = 0;
  std::unordered_map<std::uint64_t, MBarrierState> mbarriers_;
  std::unordered_map<std::uint64_t, BarrierState> barriers_, clusters_;
  std::unordered_map<std::uint64_t, std::uint32_t> cluster_phases_;
  std::unordered_map<std::uint64_t, ProductState> products_;
  Timeline result_;
};

}   // namespace

Timeline replay(const simulator::Program &program, const simulator::ClusterRecord &record,
                const GpuModel &model, const Conditions &conditions) {
  return Replay(program, record, model, conditions).run();
}

}   // namespace tile::timeline

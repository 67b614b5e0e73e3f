// SPDX-License-Identifier: MIT
#include "runtime/simulator/cluster.h"

#include <fmt/format.h>
#include <utility>

namespace tile::simulator {

// Of a thread's stack, beside the kernel's own frame: what the kernel calls, writing a report included.
static constexpr std::size_t bytesForCalls = 256 << 10;

Cluster::Cluster(std::shared_ptr<const Program> program, Simulation &simulation,
                 std::shared_ptr<Workspace> workspace)
    : copies(*this), kept_(std::move(program)), workspace_(std::move(workspace)), program_(*kept_),
      simulation_(simulation) {
  workspace_->stacks.fit(std::size_t{program_.threads} * program_.ctas(),
                         program_.frameBytes + bytesForCalls);
  for (unsigned rank = 0; rank < program_.ctas(); ++rank)
    ctas.push_back(std::make_unique<Cta>(*this, program_, rank));
}

void Cluster::run(host::Launched &launch, std::int64_t index) {
  launch_ = &launch;
  index_ = index;
  const auto [cx, cy, cz] = program_.cluster;
  const std::int64_t x = launch.grid.x / cx, y = launch.grid.y / cy;
  id_ = {static_cast<std::int32_t>(index % x), static_cast<std::int32_t>(index / x % y),
         static_cast<std::int32_t>(index / x / y)};
  random_ = (options().seed * 2654435761u) ^ static_cast<std::uint32_t>(index * 40503 + 1);
  random_ += random_ == 0;
  isRandom_ = options().schedule_seed.has_value();
  if (isRandom_)
    schedule_.begin(*options().schedule_seed ^ static_cast<std::uint32_t>(index * 2246822519u),
                    program_.threads / 32 * program_.ctas());
  failure = {};
  abandoned = false;
  ended = arrived_ = gone_ = idlePolls_ = phase_ = 0;
  gathering_.clear();
  copies.begin();
  maps.begin();
  watch.begin();
  if (program_.hasPartialOrder) {
    order.begin(program_.threads * program_.ctas());
    readers.begin();
  }
  for (const auto &cta : ctas) {
    const unsigned rank = cta->rank();
    cta->begin({static_cast<std::int32_t>(id_[0] * static_cast<std::int64_t>(cx) + rank % cx),
                static_cast<std::int32_t>(id_[1] * static_cast<std::int64_t>(cy) + rank / cx % cy),
                static_cast<std::int32_t>(id_[2] * static_cast<std::int64_t>(cz) + rank / cx / cy)});
  }
  recorder_ = options().recorded_ctas.empty()
                  ? nullptr
                  : std::make_unique<Recorder>(index, program_.threads / 32, program_.ctas());
  for (const auto &cta : ctas)
    cta->recorder = recorder_.get();
  const Thread &first = ctas[0]->threads().front();
  // Only an order knows of several CTAs.
  tracksGlobal_ =
      program_.tracksGlobal && options().check_bounds && (program_.hasPartialOrder || program_.ctas() == 1);
  if (tracksGlobal_)
    writes_.begin(program_.hasPartialOrder ? &order : nullptr);
  racing_ = options().check_races ? simulation_.races.begin(ctas[0]->id()) : nullptr;
  running = isRandom_ ? schedule_.pick(*this, first, false) : ctas[0]->threads().data();
  host_.switchTo(running->fiber);
  if (recorder_) {   // also of what has failed
    records_.push_back(recorder_->take());
    for (const auto &cta : ctas)
      records_.back().ctas.push_back(cta->id());
  }
  if (abandoned)
    throw host::Abandoned{};
  if (failure.thread)
    throw failure.thread->cta->explained(failure.compose(failure.composer), failure.thread);
  if (ended != program_.threads * program_.ctas()) {
    std::vector<Error::Note> notes;
    for (const auto &cta : ctas)
      cta->describeWaits(notes);
    tile::Location where = notes.empty() ? tile::Location() : notes.front().where;
    std::string message = "deadlock: no thread can go on";
    if (ended)
      message += fmt::format("; {} of {} threads have ended", ended, program_.threads * program_.ctas());
    throw ctas[0]->explained(Error(message, where, std::move(notes)), nullptr);
  }
  // Also where a check has failed: the shared memory is another program's then.
  if (const BulkLoad *load = copies.first())
    throw load->cta->explained(load->cta->at(load->site, "is still in flight when the kernel ends"), nullptr);
  for (const auto &cta : ctas)
    if (cta->failedCheck())
      throw cta->failedCheckError();
}

Cta *Cluster::owner(const void *at, std::size_t bytes) const {
  std::size_t offset;
  for (const auto &cta : ctas)
    if (cta->shared.contains(at, bytes, offset))
      return cta.get();
  return nullptr;
}

void Cluster::finish() {
  if (!records_.empty())
    simulation_.record(kept_, launch_->grid, std::exchange(records_, {}));
  racing_ = nullptr;
  simulation_.races.clear();
  for (const auto &cta : ctas) {
    simulation_.counters.add(std::exchange(cta->counters, {}));
    if (cta->accesses)
      cta->accesses->take([&](unsigned site, AccessKind kind, const AccessCounts &counts) {
        simulation_.accesses.add(program_.sites[site], kind, counts);
      });
  }
}

std::uint32_t Cluster::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

Thread *Cluster::somebody(const Thread &after, bool skipWarp) {
  if (isRandom_) [[unlikely]]
    return schedule_.pick(*this, after, skipWarp);
  if (Thread *t = after.cta->ready(after.warp(), skipWarp))
    return t;
  for (std::size_t i = 1; i < ctas.size(); ++i)
    if (Thread *t = ctas[(after.cta->rank() + i) % ctas.size()]->ready(0, true))
      return t;
  return nullptr;
}

// When nobody can go on, what is on its way arrives, one after the other; then those who only ask are told
// that what they ask for is not there.
Thread *Cluster::next(const Thread &after, bool skipWarp) {
  for (;;) {
    if (Thread *t = somebody(after, skipWarp))
      return t;
    if (!copies.empty())
      copies.landAny(*running);
    else if (!wakePolls())
      return nullptr;
  }
}

bool Cluster::wakePolls() {
  constexpr unsigned patience = 1000;   // rounds in which nothing has happened
  bool any = false;
  if (++idlePolls_ > patience)
    return false;
  for (const auto &cta : ctas)
    for (Thread &t : cta->threads())
      if (!t.ended && t.wait == Wait::poll) {
        cta->wake(t);
        t.wait = Wait::poll;   // nothing has happened: see Cta::block
        any = true;
      }
  return any;
}

void Cluster::leave(Thread &t, bool forGood) {
  Thread *to = next(t, false);
  if (to == &t)
    return;
  running = to;
  t.fiber.switchTo(to ? to->fiber : host_, forGood);
  running = &t;
}

void Cluster::switchTo(Thread &t, Thread &to) {
  running = &to;
  t.fiber.switchTo(to.fiber);
  running = &t;
}

void Cluster::mayInterrupt(Thread &t) {
  if (!schedule_.interrupts())
    return;
  if (Thread *to = somebody(t, false); to != &t)   // the thread itself can go on
    switchTo(t, *to);
}

bool Cluster::pause(Thread &t) {
  Thread *to = next(t, true);
  if (!to || to == &t)
    return false;
  switchTo(t, *to);
  return true;
}

void Cluster::leaveForHost() {
  running->fiber.switchTo(host_, /*forGood=*/true);
  std::abort();   // the host starts the fiber anew
}

// ---- the barrier of the cluster

void Cluster::arrive(Thread &t, bool isRelaxed, unsigned site) {
  if (t.arrivedAtCluster)
    t.cta->fail(t, [&] { return t.cta->at(site, "is reached twice without a wait in between"); });
  t.arrivedAtCluster = true;
  t.clusterPhase = phase_;
  if (!isRelaxed)
    order.release(t.actor, gathering_);
  else if (t.initFence)   // that fence releases, but only what mbarriers were made into
    gathering_.see(static_cast<Actor>(t.actor), t.initFence);
  ++arrived_;
  settle();
}

void Cluster::ends(const Thread &t) {
  ++ended;
  gone_ += !t.arrivedAtCluster || t.clusterPhase != phase_;
  settle();
}

void Cluster::settle() {
  if (arrived_ == 0 || arrived_ + gone_ < program_.threads * program_.ctas())
    return;
  arrived_ = 0;
  gone_ = ended;
  ++phase_;
  released_ = std::move(gathering_);
  gathering_.clear();
  for (const auto &cta : ctas)
    for (Thread &other : cta->threads())
      if (other.wait == Wait::cluster)
        cta->wake(other);
  progressed();
}

void Cluster::wait(Thread &t, unsigned site) {
  if (!t.arrivedAtCluster)
    t.cta->fail(t, [&] { return t.cta->at(site, "is reached without an arrival before it"); });
  if (t.clusterPhase == phase_)
    t.cta->block(t, Wait::cluster, site);
  t.arrivedAtCluster = false;
  t.begunCtas = ~0u;
  order.acquire(t.actor, released_);
}

}   // namespace tile::simulator

// SPDX-License-Identifier: MIT
// Before each launch that is timed alone, memory twice as large as the second cache is written: what the
// launch reads comes from memory, as in a program that does other things between. The filling also takes
// longer than the host needs to queue what follows, so that no event waits for the host.
//
//   stream:  fill | event launch event | fill | event launch event | ...
//
// A series is a graph of launches between two events: 40 launches of 3 us cost the host one.
#include "runtime/cuda/stopwatch.h"

#include "runtime/cuda/machine.h"
#include "runtime/cuda/nvml.h"

#include <array>
#include <deque>
#include <optional>
#include <utility>

namespace tile::cuda {
namespace {

using SharedContext = std::shared_ptr<const PrimaryContext>;
using SharedStream = std::shared_ptr<const OwnedStream>;

void awaitWithin(double seconds, TimedEvent &event) {
  if (seconds < any_time && !event.comesWithin(std::chrono::duration<double>(seconds)))
    throw NotDone();
}

class EventSeries final : public Series {
 public:
  EventSeries(const SharedContext &context, Stream stream, SharedStream own, std::function<void(int)> call,
              int calls)
      : context_(context), stream_(stream), own_(std::move(own)), call_(std::move(call)), calls_(calls),
        start_(context), end_(context) {
    try {
      graph_.emplace(context, stream, [&] { callAll(); });
    } catch (const Error &) {   // a library that may not be recorded; what is wrong with the call, run() says
      graph_.reset();
    }
  }

  double run(double limit) override {
    start_.record(stream_);
    if (graph_) {
      graph_->replay(stream_);
    } else {
      const Current current(*context_);
      callAll();
    }
    end_.record(stream_);
    awaitWithin(limit, end_);
    return end_.millisecondsSince(start_) * 1e-3;
  }
  bool is_recorded() const override { return graph_.has_value(); }

 private:
  void callAll() {
    for (int i = 0; i < calls_; ++i)
      call_(i);
  }

  SharedContext context_;
  Stream stream_;
  SharedStream own_;
  std::function<void(int)> call_;
  int calls_;
  TimedEvent start_, end_;
  std::optional<RecordedGraph> graph_;
};

class EventStopwatch final : public Stopwatch {
 public:
  EventStopwatch(SharedContext context, Stream stream, SharedStream own)
      : context_(std::move(context)), stream_(stream), own_(std::move(own)) {
    const Current current(*context_);
    filledBytes_ = 2 * machineOf(*context_).cache_bytes;
    if (filledBytes_)
      check(Driver::get().memAlloc(&filled_, filledBytes_), "allocate memory that clears the cache");
  }
  ~EventStopwatch() override {
    const Driver &driver = Driver::get();
    Context before = nullptr;
    driver.ctxGetCurrent(&before);   // no exception may leave here
    if (driver.ctxSetCurrent(context_->handle()) == Result::Success)
      driver.memFree(filled_);
    driver.ctxSetCurrent(before);
  }
  EventStopwatch(const EventStopwatch &) = delete;
  EventStopwatch &operator=(const EventStopwatch &) = delete;

  std::vector<double> time(const std::function<void()> &call, int calls, double limit) override {
    while (events_.size() < static_cast<std::size_t>(calls)) {
      auto &[start, end] = events_.emplace_back();
      start = std::make_unique<TimedEvent>(context_);
      end = std::make_unique<TimedEvent>(context_);
    }
    for (int i = 0; i < calls; ++i) {
      clearCache();
      auto &[start, end] = events_[static_cast<std::size_t>(i)];
      start->record(stream_);
      with_context(call);
      end->record(stream_);
    }
    if (calls > 0)
      awaitWithin(limit, *events_[static_cast<std::size_t>(calls) - 1].second);
    std::vector<double> seconds;
    for (int i = 0; i < calls; ++i) {
      auto &[start, end] = events_[static_cast<std::size_t>(i)];
      seconds.push_back(end->millisecondsSince(*start) * 1e-3);
    }
    return seconds;
  }

  std::unique_ptr<Series> series(std::function<void(int)> call, int calls) override {
    return std::make_unique<EventSeries>(context_, stream_, own_, std::move(call), calls);
  }

  bool done_within(double seconds) override {
    TimedEvent end(context_);
    end.record(stream_);
    return end.comesWithin(std::chrono::duration<double>(seconds));
  }

  bench::Machine machine() const override {
    bench::Machine is = machineOf(*context_);
    if (const Nvml *nvml = management()) {
      is.driver = nvml->driverVersion();
      if (const double highest = nvml->highestClock(); highest > 0)
        is.clock_hertz = highest;
    }
    int cuda = 0;
    if (is.driver.empty() && Driver::get().driverGetVersion(&cuda) == Result::Success)
      is.driver = "CUDA " + std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
    return is;
  }
  bench::Telemetry telemetry() override {
    const Nvml *nvml = management();
    return nvml ? nvml->read() : bench::Telemetry();
  }

  // But for what this stopwatch clears the caches with.
  std::size_t free_bytes() override {
    const Current current(*context_);
    std::size_t free = 0, all = 0;
    check(Driver::get().memGetInfo(&free, &all), "ask how much memory is free");
    return free + filledBytes_;
  }

  void with_context(const std::function<void()> &work) override {
    const Current current(*context_);
    work();
  }

 private:
  // Opened by who asks for it: that takes longer than a tuner's measurement.
  const Nvml *management() const {
    if (!isAsked_) {
      isAsked_ = true;
      std::array<char, 32> id{};
      if (Driver::get().deviceGetPCIBusId(id.data(), static_cast<int>(id.size()), context_->device()) ==
          Result::Success)
        nvml_ = Nvml::open(id.data());
    }
    return nvml_.get();
  }
  void clearCache() {
    const Driver &driver = Driver::get();
    const Current current(*context_);
    if (filledBytes_)
      check(driver.memsetD8Async(filled_, 0, filledBytes_, stream_), "clear the cache");
  }

  SharedContext context_;
  Stream stream_;
  SharedStream own_;
  mutable bool isAsked_ = false;
  mutable std::unique_ptr<Nvml> nvml_;
  Address filled_ = 0;
  std::size_t filledBytes_ = 0;
  std::deque<std::pair<std::unique_ptr<TimedEvent>, std::unique_ptr<TimedEvent>>> events_;
};

}   // namespace

std::unique_ptr<Stopwatch> make_stopwatch(std::shared_ptr<const PrimaryContext> context, Stream stream,
                                          std::shared_ptr<const OwnedStream> own) {
  return std::make_unique<EventStopwatch>(std::move(context), stream, std::move(own));
}

}   // namespace tile::cuda

// SPDX-License-Identifier: MIT
// Before each launch memory twice as large as the second cache is written: what the launch reads comes from
// memory, as in a program that does other things between. The filling also takes longer than the host needs
// to queue what follows, so that no event waits for the host.
//
//   stream:  fill | event launch event | fill | event launch event | ...
#include "runtime/cuda/stopwatch.h"

#include "runtime/cuda/stream.h"

#include <deque>
#include <utility>

namespace tile::cuda {
namespace {

constexpr int L2CacheBytes = 38;   // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE

class EventStopwatch final : public Stopwatch {
 public:
  EventStopwatch(std::shared_ptr<const PrimaryContext> context, Stream stream)
      : context_(std::move(context)), stream_(stream) {
    const Driver &driver = Driver::get();
    const Current current(*context_);
    int cache = 0;
    check(driver.deviceGetAttribute(&cache, L2CacheBytes, context_->device()),
          "ask for the size of the cache");
    filled_bytes_ = 2 * static_cast<std::size_t>(cache);
    if (filled_bytes_)
      check(driver.memAlloc(&filled_, filled_bytes_), "allocate memory that clears the cache");
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

  std::vector<double> time(const std::function<void()> &launch, int launches) override {
    while (events_.size() < static_cast<std::size_t>(launches)) {
      auto &[start, end] = events_.emplace_back();
      start = std::make_unique<TimedEvent>(context_);
      end = std::make_unique<TimedEvent>(context_);
    }
    for (int i = 0; i < launches; ++i) {
      clear_cache();
      auto &[start, end] = events_[static_cast<std::size_t>(i)];
      start->record(stream_);
      launch();
      end->record(stream_);
    }
    std::vector<double> seconds;
    for (int i = 0; i < launches; ++i) {
      auto &[start, end] = events_[static_cast<std::size_t>(i)];
      seconds.push_back(end->millisecondsSince(*start) * 1e-3);
    }
    return seconds;
  }

  bool done_within(double seconds) override {
    TimedEvent end(context_);
    end.record(stream_);
    return end.comesWithin(std::chrono::duration<double>(seconds));
  }

 private:
  void clear_cache() {
    const Current current(*context_);
    if (filled_bytes_)
      check(Driver::get().memsetD8Async(filled_, 0, filled_bytes_, stream_), "clear the cache");
  }

  std::shared_ptr<const PrimaryContext> context_;
  Stream stream_;
  Address filled_ = 0;
  std::size_t filled_bytes_ = 0;
  std::deque<std::pair<std::unique_ptr<TimedEvent>, std::unique_ptr<TimedEvent>>> events_;
};

}   // namespace

std::unique_ptr<Stopwatch> make_stopwatch(std::shared_ptr<const PrimaryContext> context, Stream stream) {
  return std::make_unique<EventStopwatch>(std::move(context), stream);
}

}   // namespace tile::cuda

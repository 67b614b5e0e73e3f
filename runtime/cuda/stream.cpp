// SPDX-License-Identifier: MIT
#include "runtime/cuda/stream.h"

#include <algorithm>
#include <thread>

namespace tile::cuda {

constexpr unsigned NonBlocking = 1;     // CU_STREAM_NON_BLOCKING: not ordered with the legacy default stream
constexpr unsigned WithoutTiming = 2;   // CU_EVENT_DISABLE_TIMING
// CUstreamCaptureMode.
constexpr int CaptureThreadLocal = 1, CaptureRelaxed = 2;

Stream makeStream(const PrimaryContext &context) {
  Current current(context);
  Stream stream = nullptr;
  check(Driver::get().streamCreate(&stream, NonBlocking), "make a stream");
  return stream;
}

void waitFor(const PrimaryContext &context, Stream later, Stream earlier) {
  const Driver &driver = Driver::get();
  Current current(context);
  Event event = nullptr;
  check(driver.eventCreate(&event, WithoutTiming), "make an event");
  Result result = driver.eventRecord(event, earlier);
  if (result == Result::Success)
    result = driver.streamWaitEvent(later, event, 0);
  driver.eventDestroy(event);   // once it has come
  check(result, "let a stream wait for another");
}

OwnedStream::OwnedStream(std::shared_ptr<const PrimaryContext> context)
    : context_(std::move(context)), stream_(makeStream(*context_)) {}

OwnedStream::~OwnedStream() { Driver::get().streamDestroy(stream_); }

Result OwnedStream::copyIn(Address to, const void *from, std::size_t bytes) const {
  const Driver &driver = Driver::get();
  const Result result = driver.memcpyHtoDAsync(to, from, bytes, stream_);
  return result == Result::Success ? driver.streamSynchronize(stream_) : result;
}

Result OwnedStream::copyOut(void *to, Address from, std::size_t bytes) const {
  const Driver &driver = Driver::get();
  const Result result = driver.memcpyDtoHAsync(to, from, bytes, stream_);
  return result == Result::Success ? driver.streamSynchronize(stream_) : result;
}

BesideRecordings::BesideRecordings() : mode_(CaptureRelaxed) {
  check(Driver::get().threadExchangeStreamCaptureMode(&mode_),
        "leave the recordings of other threads undisturbed");
}
BesideRecordings::~BesideRecordings() { Driver::get().threadExchangeStreamCaptureMode(&mode_); }

TimedEvent::TimedEvent(std::shared_ptr<const PrimaryContext> context) : context_(std::move(context)) {
  Current current(*context_);
  check(Driver::get().eventCreate(&event_, 0), "make an event");
}

TimedEvent::~TimedEvent() { Driver::get().eventDestroy(event_); }

void TimedEvent::record(Stream stream) {
  Current current(*context_);
  check(Driver::get().eventRecord(event_, stream), "record an event");
}

bool TimedEvent::comesWithin(std::chrono::duration<double> limit) {
  using namespace std::chrono_literals;
  const Driver &driver = Driver::get();
  Current current(*context_);
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const Result result = driver.eventQuery(event_);
    if (result != Result::NotReady) {
      check(result, "wait for the kernels before an event");
      return true;
    }
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited >= limit)
      return false;
    // Long work is not asked for often, and none is waited for much longer than it takes: so tuners wait.
    std::this_thread::sleep_for(std::clamp<std::chrono::nanoseconds>(waited / 16, 20us, 2ms));
  }
}

double TimedEvent::millisecondsSince(const TimedEvent &start) {
  const Driver &driver = Driver::get();
  Current current(*context_);
  check(driver.eventSynchronize(event_), "wait for the kernels before an event");
  float milliseconds = 0;
  check(driver.eventElapsedTime(&milliseconds, start.event_, event_), "take the time between two events");
  return milliseconds;
}

RecordedGraph::Capture::Capture(const PrimaryContext &context, Stream stream)
    : current_(context), stream_(stream) {
  check(Driver::get().streamBeginCapture(stream, CaptureThreadLocal), "begin to record a stream");
}

RecordedGraph::Capture::~Capture() {
  if (!open_)
    return;
  Graph graph = nullptr;
  const Driver &driver = Driver::get();
  if (driver.streamEndCapture(stream_, &graph) == Result::Success && graph)
    driver.graphDestroy(graph);
}

GraphExec RecordedGraph::Capture::finish() {
  const Driver &driver = Driver::get();
  Graph graph = nullptr;
  open_ = false;
  check(driver.streamEndCapture(stream_, &graph), "end recording a stream");
  GraphExec executable = nullptr;
  Result result = driver.graphInstantiate(&executable, graph, 0);
  driver.graphDestroy(graph);
  check(result, "prepare a recorded stream for replay");
  return executable;
}

RecordedGraph::~RecordedGraph() {
  if (executable_)
    Driver::get().graphExecDestroy(executable_);
}

void RecordedGraph::replay(Stream stream) {
  Current current(*context_);
  check(Driver::get().graphLaunch(executable_, stream), "replay a recorded stream");
}

}   // namespace tile::cuda

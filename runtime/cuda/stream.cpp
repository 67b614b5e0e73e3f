// SPDX-License-Identifier: MIT
#include "runtime/cuda/stream.h"

namespace tile::cuda {

constexpr unsigned NonBlocking = 1;     // CU_STREAM_NON_BLOCKING: not ordered with the legacy default stream
constexpr int CaptureThreadLocal = 1;   // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

OwnedStream::OwnedStream(std::shared_ptr<const PrimaryContext> context) : context_(std::move(context)) {
  Current current(*context_);
  check(Driver::get().streamCreate(&stream_, NonBlocking), "make a stream");
}

OwnedStream::~OwnedStream() { Driver::get().streamDestroy(stream_); }

TimedEvent::TimedEvent(std::shared_ptr<const PrimaryContext> context) : context_(std::move(context)) {
  Current current(*context_);
  check(Driver::get().eventCreate(&event_, 0), "make an event");
}

TimedEvent::~TimedEvent() { Driver::get().eventDestroy(event_); }

void TimedEvent::record(Stream stream) {
  Current current(*context_);
  check(Driver::get().eventRecord(event_, stream), "record an event");
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

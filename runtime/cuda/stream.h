// SPDX-License-Identifier: MIT
// Queues of work on a GPU, points in time on them, and recorded queues that replay as one launch.
#pragma once

#include "runtime/cuda/context.h"

#include <chrono>
#include <cstdint>
#include <memory>

namespace tile::cuda {

// Not ordered with CUDA's default stream.
Stream makeStream(const PrimaryContext &context);
// What comes on `later` begins after what is on `earlier` now.
void waitFor(const PrimaryContext &context, Stream later, Stream earlier);
// The stream that this thread has chosen for the device by an OnStream (runtime/cuda/launch_stream.h), else
// `own`.
Stream streamOfThread(std::uint64_t device, Stream own);

class OwnedStream {
 public:
  explicit OwnedStream(std::shared_ptr<const PrimaryContext> context);
  ~OwnedStream();
  OwnedStream(const OwnedStream &) = delete;
  OwnedStream &operator=(const OwnedStream &) = delete;
  Stream handle() const { return stream_; }

  // Copies that wait for what is on this stream, where those without a stream wait for others, too, and break
  // what these record. The context is current.
  Result copyIn(Address to, const void *from, std::size_t bytes) const;
  Result copyOut(void *to, Address from, std::size_t bytes) const;

 private:
  std::shared_ptr<const PrimaryContext> context_;
  Stream stream_ = nullptr;
};

// While it lives, this thread may do what it could not while another one records in CUDA's global mode, and
// does not break that: allocate, load modules, ask for events. What is recorded are single streams; none of
// these calls puts anything on one of another thread.
class BesideRecordings {
 public:
  BesideRecordings();
  ~BesideRecordings();
  BesideRecordings(const BesideRecordings &) = delete;
  BesideRecordings &operator=(const BesideRecordings &) = delete;

 private:
  int mode_;
};

class TimedEvent {
 public:
  explicit TimedEvent(std::shared_ptr<const PrimaryContext> context);
  ~TimedEvent();
  TimedEvent(const TimedEvent &) = delete;
  TimedEvent &operator=(const TimedEvent &) = delete;
  void record(Stream stream);
  // Waits for this event, at most so long; whether it has come.
  bool comesWithin(std::chrono::duration<double> limit);
  // Waits for this event; the time since `start`.
  double millisecondsSince(const TimedEvent &start);

 private:
  std::shared_ptr<const PrimaryContext> context_;
  Event event_ = nullptr;
};

// What `record` queues on the stream becomes a graph that `replay` launches.
class RecordedGraph {
 public:
  template <class Work> RecordedGraph(std::shared_ptr<const PrimaryContext> context, Stream stream,
                                      Work &&work)
      : context_(std::move(context)) {
    Capture capture(*context_, stream);
    work();
    executable_ = capture.finish();
  }
  ~RecordedGraph();
  RecordedGraph(const RecordedGraph &) = delete;
  RecordedGraph &operator=(const RecordedGraph &) = delete;
  void replay(Stream stream);

 private:
  // Ends the capture when `work` throws, so that the stream stays usable.
  class Capture {
   public:
    Capture(const PrimaryContext &context, Stream stream);
    ~Capture();
    Capture(const Capture &) = delete;
    Capture &operator=(const Capture &) = delete;
    GraphExec finish();

   private:
    Current current_;
    Stream stream_;
    bool open_ = true;
  };
  std::shared_ptr<const PrimaryContext> context_;
  GraphExec executable_ = nullptr;
};

}   // namespace tile::cuda

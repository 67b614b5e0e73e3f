// SPDX-License-Identifier: MIT
// The stream of a thread is looked up where work is queued. It is no argument of Device and Executable: those
// of the CPU have no use for one, and libraries of kernels need not pass it on.
#include "runtime/cuda/launch_stream.h"

#include "runtime/cuda/device.h"

namespace tile {
namespace {

thread_local const OnStream *innermost = nullptr;

cuda::CudaDevice *gpu(Device &device) { return dynamic_cast<cuda::CudaDevice *>(&device); }

cuda::Stream stream(void *handle) { return static_cast<cuda::Stream>(handle); }

}   // namespace

struct StreamOfThread {
  static const OnStream *on(std::uint64_t device) {
    const OnStream *chosen = innermost;
    while (chosen && chosen->id_ != device)
      chosen = chosen->outer_;
    return chosen;
  }
  static void *handle(const OnStream &chosen) { return chosen.handle_; }
};

cuda::Stream cuda::streamOfThread(std::uint64_t device, Stream own) {
  if (!innermost)
    return own;
  const OnStream *chosen = StreamOfThread::on(device);
  return chosen ? stream(StreamOfThread::handle(*chosen)) : own;
}

Stream::Stream(Device &device) : Stream(device, nullptr, nullptr) {
  if (const cuda::CudaDevice *on = gpu(device)) {
    auto made = std::make_shared<const cuda::OwnedStream>(on->context());
    handle_ = made->handle();
    owner_ = std::move(made);
  }
}

Stream Stream::own(Device &device) {
  const cuda::CudaDevice *on = gpu(device);
  return on ? Stream(device, on->ownStream()->handle(), on->ownStream()) : wrap(device, nullptr);
}

void Stream::synchronize() const {
  const OnStream here(*this);
  device().synchronize();
}

void Stream::wait_for(const Stream &other) const {
  Device &here = device();
  if (&here != &other.device())
    throw Error("a stream can wait only for a stream of the same device", {});
  if (const cuda::CudaDevice *on = gpu(here))
    cuda::waitFor(*on->context(), stream(handle_), stream(other.handle_));
}

OnStream::OnStream(const Stream &stream, std::source_location where)
    : device_(stream.device_), id_(stream.device().id()), handle_(stream.handle_), owner_(stream.owner_),
      where_(where), outer_(innermost) {
  innermost = this;
}

OnStream::~OnStream() { innermost = outer_; }

}   // namespace tile

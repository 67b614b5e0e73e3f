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
    while (chosen && chosen->device_.id() != device)
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

Stream::Stream(Device &device) : Stream(device, nullptr, false) {
  if (const cuda::CudaDevice *on = gpu(device)) {
    handle_ = cuda::makeStream(*on->context());
    is_owner_ = true;
  }
}

Stream Stream::own(Device &device) {
  const cuda::CudaDevice *on = gpu(device);
  return wrap(device, on ? on->ownStream() : nullptr);
}

Stream::~Stream() {
  if (is_owner_)
    cuda::Driver::get().streamDestroy(stream(handle_));   // what is queued still runs
}

void Stream::synchronize() const {
  const OnStream here(*this);
  device_->synchronize();
}

void Stream::wait_for(const Stream &other) const {
  if (device_ != other.device_)
    throw Error("a stream waits for one of the same device only", {});
  if (const cuda::CudaDevice *on = gpu(*device_))
    cuda::waitFor(*on->context(), stream(handle_), stream(other.handle_));
}

OnStream::OnStream(const Stream &stream, std::source_location where)
    : device_(stream.device()), handle_(stream.handle()), where_(where), outer_(innermost) {
  innermost = this;
}

OnStream::~OnStream() { innermost = outer_; }

}   // namespace tile

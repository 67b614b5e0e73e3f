// SPDX-License-Identifier: MIT
#include "runtime/cuda/context.h"

namespace tile::cuda {

PrimaryContext::PrimaryContext(int ordinal) {
  const Driver &driver = Driver::get();
  int count = 0;
  check(driver.deviceGetCount(&count), "count the GPUs");
  if (ordinal < 0 || ordinal >= count)
    throw Error("there is no GPU " + std::to_string(ordinal) + ": this machine has " + std::to_string(count) +
                    ", numbered from 0",
                {});
  check(driver.deviceGet(&device_, ordinal), "open GPU " + std::to_string(ordinal));
  check(driver.primaryCtxRetain(&context_, device_), "make a context on GPU " + std::to_string(ordinal));
}

PrimaryContext::~PrimaryContext() { Driver::get().primaryCtxRelease(device_); }

Current::Current(const PrimaryContext &context) {
  const Driver &driver = Driver::get();
  check(driver.ctxGetCurrent(&before_), "ask for the current context");
  if (before_ == context.handle())
    return;
  check(driver.ctxSetCurrent(context.handle()), "make the context current");
  changed_ = true;
}

Current::~Current() {
  if (changed_)
    Driver::get().ctxSetCurrent(before_);
}

}   // namespace tile::cuda

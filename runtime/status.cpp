// SPDX-License-Identifier: MIT
#include "runtime/status.h"

#include <exception>
#include <new>

namespace tile {

static constexpr const char *no_memory = "error: the host has no memory left";

static Error error_of_exception() {
  try {
    throw;
  } catch (const Error &error) {
    return error;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &error) {
    return Error(error.what(), {}).with_code(ErrorCode::internal);
  } catch (...) {
    return Error("something was thrown that is not a std::exception", {}).with_code(ErrorCode::internal);
  }
}

Status Status::of_exception() noexcept {
  try {
    auto error = std::make_shared<const Error>(error_of_exception());
    const ErrorCode code = error->code();
    return {code, std::move(error)};
  } catch (...) {
    return {ErrorCode::out_of_memory, nullptr};
  }
}

const char *Status::text() const noexcept {
  if (!failed_)
    return "";
  return error_ ? error_->what() : no_memory;
}

void Status::check() const {
  if (!failed_)
    return;
  if (error_)
    throw Error(*error_);
  throw std::bad_alloc();
}

}   // namespace tile

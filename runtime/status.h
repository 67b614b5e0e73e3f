// SPDX-License-Identifier: MIT
// The outcome of a function that throws nothing, and a way to call one that throws:
//
//   tile::Status status = tile::attempt([&] { kernels::gemm(*device, a, b, c); });
//   if (!status.is_ok())
//     std::fputs(status.text(), stderr);
#pragma once

#include <tile/error.h>

#include <memory>

namespace tile {

class [[nodiscard]] Status {
 public:
  Status() = default;   // success
  // Of the exception that is being handled.
  static Status of_exception() noexcept;

  bool is_ok() const noexcept { return !failed_; }
  ErrorCode code() const noexcept { return code_; }   // of a failure
  const char *text() const noexcept;                  // as Error::what(); empty: success
  void check() const;                                 // throws the error again

 private:
  Status(ErrorCode code, std::shared_ptr<const Error> error)
      : failed_(true), code_(code), error_(std::move(error)) {}
  bool failed_ = false;
  ErrorCode code_ = ErrorCode::internal;
  std::shared_ptr<const Error> error_;   // null for a failure: the host had no memory for the error
};

template <class F> Status attempt(F &&call) noexcept {
  try {
    call();
    return {};
  } catch (...) {
    return Status::of_exception();
  }
}

}   // namespace tile

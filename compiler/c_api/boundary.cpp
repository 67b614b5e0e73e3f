// SPDX-License-Identifier: MIT
#include "compiler/c_api/boundary.h"

#include "compiler/c_api/tile.h"
#include "runtime/status.h"

#include <new>

namespace tile::c_api {
namespace {

thread_local std::string text_of_last_error;

// 0 is success, so that the codes of C are one higher.
constexpr int status_of(ErrorCode code) { return static_cast<int>(code) + 1; }
static_assert(status_of(ErrorCode::invalid_argument) == TILE_INVALID_ARGUMENT);
static_assert(status_of(ErrorCode::unsupported) == TILE_UNSUPPORTED);
static_assert(status_of(ErrorCode::not_prepared) == TILE_NOT_PREPARED);
static_assert(status_of(ErrorCode::out_of_memory) == TILE_OUT_OF_MEMORY);
static_assert(status_of(ErrorCode::compilation_refused) == TILE_COMPILATION_REFUSED);
static_assert(status_of(ErrorCode::device_lost) == TILE_DEVICE_LOST);
static_assert(status_of(ErrorCode::hung) == TILE_HUNG);
static_assert(status_of(ErrorCode::input_output) == TILE_INPUT_OUTPUT);
static_assert(status_of(ErrorCode::internal) == TILE_INTERNAL);

}   // namespace

int status_of_exception() noexcept {
  const Status status = Status::of_exception();
  try {
    text_of_last_error = status.text();
  } catch (const std::bad_alloc &) {   // the code says enough
    text_of_last_error.clear();
  }
  return status_of(status.code());
}

const std::string &last_error() { return text_of_last_error; }

}   // namespace tile::c_api

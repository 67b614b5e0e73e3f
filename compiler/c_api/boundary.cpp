// SPDX-License-Identifier: MIT
#include "compiler/c_api/boundary.h"

#include "compiler/c_api/tile.h"
#include "runtime/error.h"

#include <exception>
#include <new>

namespace tile::c_api {
namespace {

thread_local std::string text_of_last_error;

tile_status status_of(ErrorCode code) {
  switch (code) {
  case ErrorCode::invalid_argument:
    return TILE_INVALID_ARGUMENT;
  case ErrorCode::unsupported:
    return TILE_UNSUPPORTED;
  case ErrorCode::not_prepared:
    return TILE_NOT_PREPARED;
  case ErrorCode::out_of_memory:
    return TILE_OUT_OF_MEMORY;
  case ErrorCode::compilation_refused:
    return TILE_COMPILATION_REFUSED;
  case ErrorCode::device_lost:
    return TILE_DEVICE_LOST;
  case ErrorCode::hung:
    return TILE_HUNG;
  case ErrorCode::input_output:
    return TILE_INPUT_OUTPUT;
  case ErrorCode::internal:
    return TILE_INTERNAL;
  }
  return TILE_INTERNAL;
}

int keep(tile_status status, const char *text) noexcept {
  try {
    text_of_last_error = text;
  } catch (const std::bad_alloc &) {   // the code says enough
    text_of_last_error.clear();
  }
  return status;
}

}   // namespace

int status_of_exception() noexcept {
  try {
    throw;
  } catch (const Error &error) {
    return keep(status_of(error.code()), error.what());
  } catch (const std::bad_alloc &) {
    return keep(TILE_OUT_OF_MEMORY, "error: the host has no memory left");
  } catch (const std::exception &error) {
    return keep(TILE_INTERNAL, error.what());
  } catch (...) {
    return keep(TILE_INTERNAL, "error: something was thrown that is not a std::exception");
  }
}

const std::string &last_error() { return text_of_last_error; }

}   // namespace tile::c_api

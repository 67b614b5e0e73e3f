// SPDX-License-Identifier: MIT
// Calls that come through tvm-ffi's C interface. Its library is not linked. It is in the process of every
// caller, and found there.
#include "compiler/c_api/tvm_ffi.h"

#include "compiler/c_api/boundary.h"
#include "compiler/c_api/exported_function.h"
#include "runtime/environment.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tile::exporting {
namespace {

using tvm_ffi::Argument, tvm_ffi::Type;

template <class Cell> const Cell *cell_of(const void *object) {
  return reinterpret_cast<const Cell *>(static_cast<const std::byte *>(object) +
                                        tvm_ffi::object_header_bytes);
}

Value value_of(const Argument &argument) {
  switch (argument.type) {
  case Type::integer:
    return {.is = Value::Is::integer, .integer = argument.integer};
  case Type::boolean:
    return {.is = Value::Is::boolean, .integer = argument.integer};
  case Type::floating:
    return {.is = Value::Is::floating, .floating = argument.floating};
  case Type::borrowed_tensor:
    return Value::of(static_cast<const tile_tensor *>(argument.pointer));
  case Type::tensor_object:
    return Value::of(cell_of<tile_tensor>(argument.pointer));
  case Type::raw_text:
    return Value::of(static_cast<const char *>(argument.pointer));
  case Type::small_text:
    return {.is = Value::Is::text, .text = {argument.small_text, argument.small_length}};
  case Type::text_object: {
    const auto *const text = cell_of<tvm_ffi::TextCell>(argument.pointer);
    return {.is = Value::Is::text, .text = {text->data, text->size}};
  }
  case Type::nothing:
    return {};
  default:
    throw Error("an argument has type " + std::to_string(argument.type) +
                    " of tvm-ffi; tensors, numbers, bools and texts are taken",
                {});
  }
}

// Functions of tvm-ffi's library; null: it has none of the name.
struct Library {
  void *(*stream_of)(std::int32_t type, std::int32_t number);
  void (*raise)(const char *kind, const char *text);

  static const Library &get() {
    static const Library library = [] {
      void *const loaded = dlopen("libtvm_ffi.so", RTLD_NOLOAD | RTLD_LAZY);
      void *const in = loaded ? loaded : RTLD_DEFAULT;
      return Library{reinterpret_cast<decltype(stream_of)>(dlsym(in, "TVMFFIEnvGetStream")),
                     reinterpret_cast<decltype(raise)>(dlsym(in, "TVMFFIErrorSetRaisedFromCStr"))};
    }();
    return library;
  }
};

// The devices of all calls: opened when they are first needed, and never closed, because calls may come until
// the process ends.
std::shared_ptr<c_api::OpenDevice> device_named(const std::string &name) {
  static std::mutex &mutex = *new std::mutex;
  static auto &devices = *new std::map<std::string, std::shared_ptr<c_api::OpenDevice>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<c_api::OpenDevice> &place = devices[name];
  if (!place)
    place = std::make_shared<c_api::OpenDevice>(open_device(name), named_device(name));
  return place;
}

// What runs functions for tensors of the CPU: TILE_DEVICE, if that is no GPU, else the simulator.
std::string name_of_cpu_device() {
  const std::string wanted = environment::device();
  return wanted == "interpreter" ? wanted : "simulator";
}

// The first tensor decides.
c_api::OpenStream stream_for(std::span<const Value> values) {
  for (const Value &value : values) {
    if (value.is != Value::Is::tensor || !value.tensor)
      continue;
    const auto [type, number] = value.tensor->device;
    const bool is_on_gpu = type == TILE_ON_CUDA;
    std::shared_ptr<c_api::OpenDevice> open =
        device_named(is_on_gpu ? "cuda:" + std::to_string(number) : name_of_cpu_device());
    Device &device = *open->device;
    auto *const stream_of = Library::get().stream_of;
    return {std::move(open),
            is_on_gpu && stream_of ? Stream::wrap(device, stream_of(type, number)) : Stream::own(device)};
  }
  throw Error("no argument is a tensor, which would say on which device the function runs", {});
}

}   // namespace

int call_from_tvm_ffi(const Function &function, const void *values, std::int32_t count,
                      void *result) noexcept {
  const int status = c_api::guarded([&] {
    std::vector<Value> given;
    for (std::int32_t i = 0; i < count; ++i)
      given.push_back(value_of(static_cast<const Argument *>(values)[i]));
    call_on(function, stream_for(given), given);
  });
  if (status == TILE_OK) {
    if (result)
      std::memset(result, 0, sizeof(Argument));
    return 0;
  }
  if (auto *const raise = Library::get().raise)
    raise(status == TILE_INVALID_ARGUMENT ? "ValueError" : "RuntimeError", tile_error_text());
  return -1;
}

}   // namespace tile::exporting

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

template <class F> F *find(const char *name) {
  static void *const library = [] {
    void *const loaded = dlopen("libtvm_ffi.so", RTLD_NOLOAD | RTLD_LAZY);
    return loaded ? loaded : RTLD_DEFAULT;
  }();
  return reinterpret_cast<F *>(dlsym(library, name));
}

// The devices of all calls: opened when they are first needed, and never closed, because calls may come until
// the process ends.
const c_api::OpenDevice &device_named(const std::string &name, std::shared_ptr<c_api::OpenDevice> &owner) {
  static std::mutex &mutex = *new std::mutex;
  static auto &devices = *new std::map<std::string, std::shared_ptr<c_api::OpenDevice>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<c_api::OpenDevice> &place = devices[name];
  if (!place)
    place = std::make_shared<c_api::OpenDevice>(open_device(name), named_device(name));
  owner = place;
  return *place;
}

// What runs functions for tensors of the CPU: TILE_DEVICE, if that is no GPU, else the simulator.
std::string name_of_cpu_device() {
  const std::string wanted = environment::device();
  return wanted == "interpreter" ? wanted : "simulator";
}

// The first tensor decides.
c_api::OpenStream stream_for(std::span<const Value> values) {
  std::shared_ptr<c_api::OpenDevice> owner;
  for (const Value &value : values) {
    if (value.is != Value::Is::tensor || !value.tensor)
      continue;
    const auto [type, number] = value.tensor->device;
    if (type != TILE_ON_CUDA) {
      const c_api::OpenDevice &open = device_named(name_of_cpu_device(), owner);
      return {owner, Stream::own(*open.device)};
    }
    const c_api::OpenDevice &open = device_named("cuda:" + std::to_string(number), owner);
    auto *const stream_of = find<void *(std::int32_t, std::int32_t)>("TVMFFIEnvGetStream");
    return {owner,
            stream_of ? Stream::wrap(*open.device, stream_of(type, number)) : Stream::own(*open.device)};
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
  if (auto *const raise = find<void(const char *, const char *)>("TVMFFIErrorSetRaisedFromCStr"))
    raise(status == TILE_INVALID_ARGUMENT ? "ValueError" : "RuntimeError", tile_error_text());
  return -1;
}

}   // namespace tile::exporting

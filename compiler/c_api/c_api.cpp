// SPDX-License-Identifier: MIT
#include "compiler/c_api/boundary.h"
#include "compiler/c_api/handles.h"
#include "compiler/c_api/tensor_argument.h"
#include "compiler/c_api/tile.h"
#include "runtime/pack/packs.h"

#include "tile/version.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tile::c_api {
namespace {

template <class T> T &given(T *pointer, const char *name) {
  if (!pointer)
    throw Error("`" + std::string(name) + "` is null", {});
  return *pointer;
}
// The same for an object behind a void pointer, which must exist if it has bytes.
void check_memory(const void *memory, std::size_t bytes, const char *name) {
  if (!memory && bytes > 0)
    throw Error("`" + std::string(name) + "` is null, and " + std::to_string(bytes) + " bytes are asked for",
                {});
}

int open_stream(tile_device device, tile_stream *stream, auto make) {
  return guarded([&] {
    tile_stream &result = given(stream, "stream");
    std::shared_ptr<OpenDevice> owner = device_of(device);
    Stream made = make(*owner->device);
    result = keep(std::make_shared<OpenStream>(std::move(owner), std::move(made)));
  });
}

}   // namespace
}   // namespace tile::c_api

using namespace tile;
using namespace tile::c_api;

int tile_c_version() { return TILE_C_VERSION; }
const char *tile_version_name() { return headers_version; }
const char *tile_error_text() { return last_error().c_str(); }

const char *tile_status_name(int status) {
  if (status == TILE_OK)
    return "ok";
  if (status < TILE_OK || status > TILE_INTERNAL)
    return "unknown";
  // The codes of C are those of C++, one higher.
  return name_of(static_cast<ErrorCode>(status - 1)).data();
}

int tile_open_device(const char *name, tile_device *device) {
  return guarded([&] {
    tile_device &result = given(device, "device");
    const std::string wanted = &given(name, "name");
    auto opened = std::make_shared<OpenDevice>(open_device(wanted), named_device(wanted));
    result = keep(std::move(opened));
  });
}
int tile_close_device(tile_device device) {
  return guarded([&] { c_api::close(device); });
}
int tile_describe_device(tile_device device, char *text, std::size_t size) {
  return guarded([&] {
    const std::string description = device_of(device)->device->description();
    if (size == 0)
      return;
    const std::size_t count = std::min(size - 1, description.size());
    std::copy_n(description.data(), count, &given(text, "text"));
    text[count] = '\0';
  });
}

int tile_allocate(tile_device device, std::size_t bytes, void **memory) {
  return guarded([&] { given(memory, "memory") = device_of(device)->device->allocate(bytes, "memory"); });
}
int tile_release(tile_device device, void *memory) {
  return guarded([&] { device_of(device)->device->release(memory); });
}
int tile_copy_in(tile_device device, void *to, const void *from_host, std::size_t bytes) {
  return guarded([&] {
    check_memory(to, bytes, "to");
    check_memory(from_host, bytes, "from_host");
    if (const auto open = device_of(device); bytes > 0)
      open->device->copy_in(to, from_host, bytes);
  });
}
int tile_copy_out(tile_device device, void *to_host, const void *from, std::size_t bytes) {
  return guarded([&] {
    check_memory(to_host, bytes, "to_host");
    check_memory(from, bytes, "from");
    if (const auto open = device_of(device); bytes > 0)
      open->device->copy_out(to_host, from, bytes);
  });
}

int tile_own_stream(tile_device device, tile_stream *stream) {
  return open_stream(device, stream, [](Device &of) { return Stream::own(of); });
}
int tile_new_stream(tile_device device, tile_stream *stream) {
  return open_stream(device, stream, [](Device &of) { return Stream(of); });
}
int tile_wrap_stream(tile_device device, void *cuda_stream, tile_stream *stream) {
  return open_stream(device, stream, [&](Device &of) { return Stream::wrap(of, cuda_stream); });
}
int tile_close_stream(tile_stream stream) {
  return guarded([&] { c_api::close(stream); });
}
int tile_synchronize(tile_stream stream) {
  return guarded([&] { stream_of(stream)->stream.synchronize(); });
}

int tile_load_pack(const char *path) {
  return guarded([&] { load_pack(&given(path, "path")); });
}
int tile_add_pack(const void *bytes, std::size_t size, const char *name) {
  return guarded([&] {
    check_memory(bytes, size, "bytes");
    add_pack({static_cast<const std::byte *>(bytes), size}, name ? name : "a pack");
  });
}
int tile_prepare(tile_device device, std::size_t *loaded) {
  return guarded([&] {
    const std::size_t count = prepare(*device_of(device)->device);
    if (loaded)
      *loaded = count;
  });
}
int tile_compile_never(bool never) {
  return guarded([&] {
    Policy changed = policy();
    changed.compile = never ? Compile::never : Compile::when_needed;
    set_policy(changed);
  });
}

int tile_tensor_of_dlpack(const void *managed_tensor_versioned, bool is_written, const tile_tensor **tensor) {
  return guarded([&] {
    const tile_tensor *&result = given(tensor, "tensor");
    check_memory(managed_tensor_versioned, 1, "managed_tensor_versioned");
    result = &tensor_of_dlpack(managed_tensor_versioned, is_written);
  });
}

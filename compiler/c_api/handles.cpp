// SPDX-License-Identifier: MIT
#include "compiler/c_api/handles.h"

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace tile::c_api {
namespace {

struct Table {
  std::shared_mutex mutex;
  std::uintptr_t next = 1;
  std::unordered_map<std::uintptr_t, std::shared_ptr<OpenDevice>> devices;
  std::unordered_map<std::uintptr_t, std::shared_ptr<OpenStream>> streams;

  // Never destroyed, because threads may use it when the program ends.
  static Table &only() {
    static Table &table = *new Table;
    return table;
  }
};

template <class Handle> std::uintptr_t number_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

[[noreturn]] void refuse(const Table &table, std::uintptr_t number, const std::string &what) {
  const std::string because = !number                          ? "the handle is null"
                              : table.devices.contains(number) ? "the handle is that of a device"
                              : table.streams.contains(number) ? "the handle is that of a stream"
                              : number < table.next            ? "the handle was closed"
                                                               : "the handle was never given";
  throw Error("no " + what + ": " + because, {})
      .add_help(
          "a handle of a " + what + " comes from tile_" +
          (what == "device" ? "open_device()" : "own_stream(), tile_new_stream() or tile_wrap_stream()"));
}

template <class Map, class Handle> auto look_up(Map Table::*map, Handle handle, const char *what) {
  Table &table = Table::only();
  const std::shared_lock lock(table.mutex);
  const auto found = (table.*map).find(number_of(handle));
  if (found == (table.*map).end())
    refuse(table, number_of(handle), what);
  return found->second;
}

template <class Handle, class Map, class Object> Handle add(Map Table::*map, Object object) {
  Table &table = Table::only();
  const std::unique_lock lock(table.mutex);
  const std::uintptr_t number = table.next++;
  (table.*map).emplace(number, std::move(object));
  return reinterpret_cast<Handle>(number);
}

}   // namespace

std::shared_ptr<OpenDevice> device_of(tile_device handle) {
  return look_up(&Table::devices, handle, "device");
}
std::shared_ptr<OpenStream> stream_of(tile_stream handle) {
  return look_up(&Table::streams, handle, "stream");
}

tile_device keep(std::shared_ptr<OpenDevice> device) {
  return add<tile_device>(&Table::devices, std::move(device));
}
tile_stream keep(std::shared_ptr<OpenStream> stream) {
  return add<tile_stream>(&Table::streams, std::move(stream));
}

void close(tile_device handle) {
  Table &table = Table::only();
  // Destroyed without the lock: a device waits for its work.
  std::unordered_map<std::uintptr_t, std::shared_ptr<OpenStream>> streams;
  std::shared_ptr<OpenDevice> device;
  const std::unique_lock lock(table.mutex);
  const auto found = table.devices.find(number_of(handle));
  if (found == table.devices.end())
    refuse(table, number_of(handle), "device");
  device = std::move(found->second);
  table.devices.erase(found);
  for (auto each = table.streams.begin(); each != table.streams.end();)
    if (each->second->owner == device)
      streams.insert(table.streams.extract(each++));
    else
      ++each;
}

void close(tile_stream handle) {
  Table &table = Table::only();
  std::shared_ptr<OpenStream> stream;
  const std::unique_lock lock(table.mutex);
  const auto found = table.streams.find(number_of(handle));
  if (found == table.streams.end())
    refuse(table, number_of(handle), "stream");
  stream = std::move(found->second);
  table.streams.erase(found);
}

}   // namespace tile::c_api

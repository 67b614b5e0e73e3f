// SPDX-License-Identifier: MIT
// Where the lines go that programs print. The application may take them with a callback, which is foreign
// code: it may throw, and it may try to use the device that waits for it.
#pragma once

#include "runtime/error.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace tile {

class Printer {
 public:
  using Line = std::function<void(std::string_view line)>;
  explicit Printer(Line line);   // none: to stdout
  // Line by line; those of other programs do not come between. Throws only tile::Error: where the callback
  // throws, with the place of what prints unless the error has one. The lines behind it are dropped.
  void print(std::string_view text, const Location &where = {});
  // Whether this thread is in the callback.
  bool is_calling() const { return caller_ == std::this_thread::get_id(); }

 private:
  void call(std::string_view line, const Location &where);

  Line line_;
  std::mutex mutex_;
  std::atomic<std::thread::id> caller_{};   // whoever is in the callback
};

}   // namespace tile

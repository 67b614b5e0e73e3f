// SPDX-License-Identifier: MIT
// Where the lines go that programs print.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>

namespace tile {

class Printer {
 public:
  using Line = std::function<void(std::string_view line)>;
  explicit Printer(Line line);   // none: to stdout
  // Line by line; those of other programs do not come between.
  void print(std::string_view text);

 private:
  Line line_;
  std::mutex mutex_;
};

}   // namespace tile

// SPDX-License-Identifier: MIT
// What a compilation leaves for people: the IR after each pass in numbered files (TILE_DUMP) and a table
// of where the time went (TILE_TIMING). Both off unless asked for.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class PassManager;
}

namespace tile {

class CompileLog {
 public:
  // `what` names the compilation in file names and in the table's title: "matmul-sm_90".
  explicit CompileLog(std::string what);
  ~CompileLog();   // prints the table
  CompileLog(const CompileLog &) = delete;
  CompileLog &operator=(const CompileLog &) = delete;

  // From now on the manager's passes are logged. The log outlives the manager.
  void watch(mlir::PassManager &passes);

  // A step that is no pass: timed, and its text written.
  std::string step(std::string_view name, std::string_view extension,
                   const std::function<std::string()> &work);

  // Used by the watcher.
  bool dumps() const { return !folder_.empty(); }
  void write(std::string_view name, std::string_view extension, std::string_view text);
  void spent(std::string_view name, std::chrono::nanoseconds time);

 private:
  static void say(const std::string &text);

  std::string what_, folder_;
  bool timing_, cannotWrite_ = false;
  int next_ = 0;
  struct Step {
    std::string name;
    std::chrono::nanoseconds time;
  };
  std::vector<Step> steps_;
};

}   // namespace tile

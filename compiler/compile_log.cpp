// SPDX-License-Identifier: MIT
#include "compiler/compile_log.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

using namespace mlir;

namespace tile {
namespace {

using Clock = std::chrono::steady_clock;

class Watcher : public PassInstrumentation {
 public:
  explicit Watcher(CompileLog &log) : log_(log) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (!isAdaptor(pass))
      start_ = Clock::now();
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass))
      return;
    log_.spent(pass->getArgument(), Clock::now() - start_);
    if (log_.dumps())
      log_.write(pass->getArgument(), "mlir", textOf(op));
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    if (!isAdaptor(pass) && log_.dumps())
      log_.write((pass->getArgument() + "-failed").str(), "mlir", textOf(op));
  }

 private:
  // What runs the passes of functions on each function: it has no name of its own.
  static bool isAdaptor(Pass *pass) { return pass->getArgument().empty(); }
  static std::string textOf(Operation *op) {
    std::string text;
    llvm::raw_string_ostream out(text);
    // A failed pass may leave what its own verifier refuses: that is printed all the same.
    op->print(out, OpPrintingFlags().useLocalScope());
    out << '\n';
    return text;
  }

  CompileLog &log_;
  Clock::time_point start_;
};

}   // namespace

// The user's names are no paths: what follows from "../x" lies in the folder, too.
static std::string asFileName(llvm::StringRef name) {
  constexpr size_t most = 100;   // with a number and an extension it stays below what file systems take
  std::string result;
  for (char c : name.take_front(most))
    result += llvm::isAlnum(c) || llvm::StringRef("_-+=.").contains(c) ? c : '_';
  if (result.empty() || result.front() == '.')
    result.insert(0, 1, '_');
  return result;
}

// Every compilation has a folder of its own: two of the same kernel must not mix.
static std::string newFolder(const std::string &base, const std::string &name) {
  auto refuse = [&](const std::string &folder, std::error_code problem) {
    throw Error("TILE_DUMP=" + base + ": cannot make the folder " + folder + ": " + problem.message(), {})
        .add_help("name a folder that can be written to");
  };
  if (std::error_code problem = llvm::sys::fs::create_directories(base))
    refuse(base, problem);
  constexpr int most = 1'000'000;
  for (int attempt = 0;; ++attempt) {
    llvm::SmallString<128> folder(base);
    llvm::sys::path::append(folder, attempt == 0 ? name : name + "." + std::to_string(attempt));
    std::error_code problem = llvm::sys::fs::create_directory(folder, /*IgnoreExisting=*/false);
    if (!problem)
      return std::string(folder);
    if (problem != std::errc::file_exists || attempt == most)
      refuse(std::string(folder), problem);
  }
}

CompileLog::CompileLog(std::string what)
    : what_(std::move(what)), folder_(environment::dump()), timing_(environment::timing()) {
  if (!folder_.empty())
    folder_ = newFolder(folder_, asFileName(what_));
}

CompileLog::~CompileLog() {
  if (!timing_)
    return;
  std::chrono::nanoseconds all{0};
  for (const Step &step : steps_)
    all += step.time;
  auto milliseconds = [](std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; };
  std::string table = llvm::formatv("{0}: {1:f2} ms\n", what_, milliseconds(all)).str();
  for (const Step &step : steps_)
    table += llvm::formatv("  {0,9:f2} ms  {1}\n", milliseconds(step.time), step.name).str();
  say(table);
}

// Not by LLVM's stream, which ends the process where it cannot write.
void CompileLog::say(const std::string &text) { std::fputs(text.c_str(), stderr); }

void CompileLog::watch(PassManager &passes) {
  if (timing_ || dumps())
    passes.addInstrumentation(std::make_unique<Watcher>(*this));
}

std::string CompileLog::step(std::string_view name, std::string_view extension,
                             const std::function<std::string()> &work) {
  Clock::time_point start = Clock::now();
  std::string text = work();
  spent(name, Clock::now() - start);
  if (dumps())
    write(name, extension, text);
  return text;
}

void CompileLog::write(std::string_view name, std::string_view extension, std::string_view text) {
  if (cannotWrite_)
    return;
  std::string number = std::to_string(next_++);
  llvm::SmallString<128> path(folder_);
  llvm::sys::path::append(path, std::string(number.size() < 2 ? "0" : "") + number + "-" + std::string(name) +
                                    "." + std::string(extension));
  std::error_code problem;
  llvm::raw_fd_ostream out(path, problem);
  out << llvm::StringRef(text);
  out.close();
  if (problem || out.has_error()) {
    cannotWrite_ = true;
    say("warning: TILE_DUMP: cannot write " + std::string(path) +
        ", and no later file is written: " + (problem ? problem : out.error()).message() + "\n");
    out.clear_error();
  }
}

void CompileLog::spent(std::string_view name, std::chrono::nanoseconds time) {
  if (timing_)
    steps_.push_back({std::string(name), time});
}

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "runtime/printer.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

namespace tile {
namespace {

void to_stdout(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

}   // namespace

Printer::Printer(Line line) : line_(line ? std::move(line) : to_stdout) {}

void Printer::call(std::string_view line, const Location &where) {
  struct Calling {
    std::atomic<std::thread::id> &caller;
    ~Calling() { caller = std::thread::id(); }
  };
  caller_ = std::this_thread::get_id();
  const Calling calling{caller_};
  const auto failed = [&](const std::string &how) {
    return Error("the callback that takes printed lines " + how, where)
        .add_context("it was given the line `" + std::string(line) + "`")
        .add_help("catch exceptions inside the callback: a launch throws only errors of the kernel");
  };
  try {
    line_(line);
  } catch (const Error &error) {   // of the device: what the callback has asked of it
    if (error.where().known() || !where.known())
      throw;
    throw error.at(where);
  } catch (const std::exception &error) {
    throw failed(std::string("threw: ") + error.what());
  } catch (...) {
    throw failed("threw an object that is not a std::exception");
  }
}

void Printer::print(std::string_view text, const Location &where) {
  const std::lock_guard lock(mutex_);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    call(text.substr(at, end - at), where);
    at = end + 1;
  }
}

}   // namespace tile

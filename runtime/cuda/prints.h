// SPDX-License-Identifier: MIT
// What kernels on a GPU print. They write records into memory that the host shares (compiler/lowering/
// compiler/lowering/ptx/prints.cpp draws it); the next synchronisation makes lines of them. The memory is the
// host's, so that what a kernel printed before it crashed can still be read.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/printer.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tile::cuda {

// Prints the lines of the records that `words` hold. A record that makes no sense ends
// them; whether there was one.
bool print_records(const std::uint32_t *words, std::size_t count, const std::vector<std::string> &formats,
                   Printer &printer);

// Of one device.
class Prints {
 public:
  explicit Prints(Printer::Line print) : printer_(std::move(print)) {}
  ~Prints();
  Prints(const Prints &) = delete;
  Prints &operator=(const Prints &) = delete;

  // The variable `tile_prints` of a module that prints by these formats. The context is current.
  struct Variable {
    std::uint64_t memory, first_format, words;
  };
  Variable add(const std::vector<std::string> &formats);
  // Prints what is there. All work that prints is over: so it waits for the context, which is current, if
  // there is any that might. What the callback threw that takes the lines, which loses the lines behind: the
  // caller may know of something worse.
  std::optional<Error> flush();
  const Printer &printer() const { return printer_; }

 private:
  static constexpr std::size_t Words = 1 << 20;
  std::vector<std::uint32_t> taken(std::vector<std::string> &formats, bool &all);

  Printer printer_;
  std::mutex printing_;   // lines keep their order; the callback runs under this one alone
  std::mutex mutex_;
  std::vector<std::string> formats_;   // of all modules
  std::uint64_t *used_ = nullptr;      // then the words
};

}   // namespace tile::cuda

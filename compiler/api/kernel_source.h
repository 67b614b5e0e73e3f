// SPDX-License-Identifier: MIT
// What a kernel's module is made of. Nothing here knows MLIR: whoever compiles or looks at the kernel makes
// the module (compiler/kernel_ir_module.h), and a launch that finds the code in the cache makes none.
#pragma once

#include "compiler/api/kernel_ir.h"

#include <memory>
#include <mutex>
#include <string>

namespace tile {

class KernelIR::Source {
 public:
  Source() = default;
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;
  virtual ~Source() = default;
  // Bytes that say all that the module depends on, with lines and without columns of the user's source. They
  // cost no module.
  virtual std::string fingerprint() const = 0;

  // What those who only look at the module have in common: made by the first of them.
  template <class Make> const std::shared_ptr<void> &view(Make make) const {
    std::call_once(once_, [&] { view_ = make(); });
    return view_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::shared_ptr<void> view_;
};

// Text of the tile dialect.
class TextSource final : public KernelIR::Source {
 public:
  TextSource(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}
  std::string fingerprint() const override { return "text " + text_; }
  const std::string &text() const { return text_; }
  const std::string &file() const { return file_; }   // as places name it

 private:
  std::string text_, file_;
};

}   // namespace tile

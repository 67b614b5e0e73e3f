// SPDX-License-Identifier: MIT
// What a kernel's module is made of. Nothing here knows MLIR: whoever compiles or looks at the kernel makes
// the module (compiler/kernel_ir_module.h), and a launch that finds the code in the cache makes none.
#pragma once

#include "compiler/api/kernel_ir.h"
#include "runtime/checksum.h"

#include <memory>
#include <mutex>
#include <optional>
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
  // A hash of the same without places and without classes of arguments.
  virtual std::string computation() const = 0;

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
  // `traced`: what the trace says of itself that the text was made from, in another library.
  TextSource(std::string text, std::string file, std::optional<TraceIdentity> traced = {})
      : text_(std::move(text)), file_(std::move(file)), traced_(std::move(traced)) {}
  std::string fingerprint() const override { return traced_ ? traced_->fingerprint : "text " + text_; }
  std::string computation() const override { return traced_ ? traced_->computation : digest(text_); }
  const std::string &text() const { return text_; }
  const std::string &file() const { return file_; }   // as places name it

 private:
  std::string text_, file_;
  std::optional<TraceIdentity> traced_;
};

}   // namespace tile

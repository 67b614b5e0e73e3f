// SPDX-License-Identifier: MIT
// One thread's means of running programs: a frame with the values of the program it is at, and
// the way to the launch that all threads share.
#pragma once

#include "compiler/interpreter/program.h"
#include "compiler/interpreter/unfenced.h"
#include "runtime/host/grid.h"
#include "runtime/host/memory_view.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tile::interpreter {

using host::Pointer;

struct Checks {
  bool bounds = true, overflow = true, asserts = true;
};

class Machine final : public host::Runner {
 public:
  Machine(const Program &program, const Checks &checks);

  void run(host::Launched &launch, std::int64_t index) override;
  void run(BlockId block) {
    for (const Instruction &instruction : program_.blocks[block])
      instruction.run(instruction, *this);
  }
  // Called on every way back of a loop.
  void checkpoint() {
    if (launch_->failure.ends(index_)) [[unlikely]]
      throw host::Abandoned{};
    if (--patience_ == 0) [[unlikely]]
      lookAtTime();
  }
  // What leaves loops when the time of the launch is up: each adds where it is, from the inside out.
  struct TimeIsUp {
    struct Loop {
      std::uint32_t where;
      std::uint64_t count;
    };
    std::vector<Loop> loops;
  };

  template <class T> T *at(Place place) const { return reinterpret_cast<T *>(frame_.get() + place); }
  template <class T> const T &scalar(Place place) const { return *at<T>(place); }

  const Program &program() const { return program_; }
  const Checks &checks() const { return checks_; }
  Printer &printer() const { return launch_->engine.printer; }
  const std::array<std::int32_t, 3> &id() const { return id_; }
  const std::array<std::int32_t, 3> &programs() const { return programs_; }

  // Which lanes of a value stem from arithmetic that wrapped (wrapped.h).
  bool hasWrapped(const Wrapped &w) const { return wrapped_[w.flag] != 0; }
  void setWrapped(const Wrapped &w, bool any) { wrapped_[w.flag] = any; }
  // Operands of a lane that wrapped, the last time the operation did it.
  struct WrappedOperands {
    std::int64_t a, b;
  };
  std::vector<WrappedOperands> wrappedOperands;   // by number of the operation

  Unfenced unfenced;   // kept only when the program may load what it has stored

  host::MemoryView memory;

 private:
  struct Release {
    void operator()(std::byte *memory) const { ::operator delete[](memory, std::align_val_t(64)); }
  };

  void lookAtTime();   // throws TimeIsUp
  [[noreturn]] void failInLoop(const TimeIsUp &up) const;

  const Program &program_;
  const Checks checks_;
  host::Launched *launch_ = nullptr;
  std::unique_ptr<std::byte[], Release> frame_;
  std::vector<std::uint8_t> wrapped_;
  std::array<std::int32_t, 3> id_{}, programs_{};
  std::int64_t index_ = 0;
  static constexpr unsigned patience = 64;
  unsigned patience_ = patience;   // ways back until somebody looks at the time
};

}   // namespace tile::interpreter

// SPDX-License-Identifier: MIT
// What threads that are on both sides of their channels have to wait for, and where they have to meet: it
// follows from the order of the steps, along every path.
//
// Copies by cp.async arrive in the order in which a thread committed them, whichever channel they are for. A
// wait names how many of the youngest groups may still be on their way. With two channels of two slots:
//
//    commit a0, commit b0
//    for … {                     under way at the loop's begin: a0 b0 (later: ai bi)
//      wait a: one may be        b0
//      commit a1                 b0 a1
//      wait b: one may be        a1
//      commit b1                 a1 b1
//    }
//
// A slot is full for a thread once all threads have met since their own copies for it arrived. Most waits are
// such a meeting; one is not where the wait for another channel was for its copies, too.
//
// Where each thread reads what it has copied, it has waited for all that it needs to.
//
// A slot that was read may be overwritten once all threads have met after its release. Where they have not,
// the acquire is a meeting. So is the first acquire of a channel that rested: other channels and exchanges
// use its memory in turn, also behind the last meeting.
#pragma once

#include "compiler/lowering/distribute/channel_plan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace tile::gpu {

class ChannelSchedule {
 public:
  // Fails, with a diagnostic at the step, where a step could never be taken.
  static mlir::FailureOr<ChannelSchedule> of(mlir::func::FuncOp kernel, const ChannelPlan &plan);

  // How many groups of copies may be on their way after a wait or a drain; nothing where none has to arrive.
  std::optional<unsigned> underWay(mlir::Operation *step) const { return found_.lookup(step).underWay; }
  // Whether the threads have to meet before what an acquire or behind what a wait allows.
  bool meets(mlir::Operation *step) const { return found_.lookup(step).meets; }
  // Whether matrix units, too, are to see behind such a meeting what the threads have written.
  bool showsToUnits(mlir::Operation *step) const { return found_.lookup(step).shows; }

 private:
  explicit ChannelSchedule(const ChannelPlan &plan) : plan_(&plan) {}

  // A slot that was committed and not waited for.
  struct Full {
    std::optional<unsigned> younger;   // so many groups at least were committed since; none: it has arrived
    bool met = false;                  // threads have met since it arrived
    bool operator==(const Full &) const = default;
  };
  // Where a channel stands at some point of the program.
  struct Standing {
    mlir::SmallVector<Full> full;   // the oldest first
    std::int64_t taken = 0;         // slots that were acquired and not released
    std::int64_t unsafe = 0;        // slots that some thread may still be looking at, or that are taken
    bool rests = true;              // others have its memory, and may have used it since threads last met
    bool known = true;              // false where paths differ: then a wait is for everything
    bool operator==(const Standing &) const = default;
  };
  using State = llvm::SmallVector<Standing>;   // by the plan's numbers
  struct Finding {
    std::optional<unsigned> underWay;
    bool meets = false;
    bool shows = false;   // since the last meeting something arrived that units read
    std::string mistake;
  };

  static State merged(const State &a, const State &b);
  void go(mlir::Block &block, State &state);
  void goAround(mlir::Block &body, State &state);
  void goAround(mlir::scf::WhileOp loop, State &state);
  void step(mlir::Operation *op, State &state);
  Standing &of(mlir::Operation *step, State &state) const;
  bool isOfOneThread(mlir::Operation *step) const;   // its channel; of an acquire or a wait
  static std::optional<unsigned> arrived(State &state, std::optional<unsigned> younger);
  bool meet(State &state) const;   // whether something that units read arrived since the last one

  const ChannelPlan *plan_;
  llvm::MapVector<mlir::Operation *, Finding> found_;
};

}   // namespace tile::gpu

// SPDX-License-Identifier: MIT
// The threads that one program of a kernel is for, and what each of them computes from its own number. Lanes
// and warps count within the role: a layout of four warps is the same in all roles of four warps.
#pragma once

#include "dialects/tile_gpu/dialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>
#include <vector>

namespace tile::gpu {

// Warps that run one program: all of the CTA, or some of them beside others that run another one.
struct Role {
  std::int64_t firstWarp = 0, warps = 0;   // no warps: all threads of the CTA
  bool isAlone = false;                    // one of its threads runs the program

  bool isWholeCta() const { return warps == 0; }
  bool operator<(const Role &other) const {
    return std::pair(firstWarp, warps) < std::pair(other.firstWarp, other.warps);
  }
};

class Threads {
 public:
  // `builder`: of what is asked for. What depends on the thread alone is computed once, at the start of
  // `entry`.
  Threads(mlir::ImplicitLocOpBuilder &builder, Role role, mlir::Block *entry, mlir::Location entryLoc);

  const Role &role() const { return role_; }
  mlir::Value lane();
  mlir::Value warp();
  mlir::Value isFirst();   // whether it is the role's first thread
  // The role's warp as a number that the assembler knows to be one for all lanes: what the warp does as a
  // whole depends on it, as roles and the places of matrices do.
  mlir::Value uniformWarp();

  // A linear function of the thread's lane and warp, by its columns. i32, computed at the entry.
  mlir::Value ofThread(const std::vector<std::uint64_t> &lanes, const std::vector<std::uint64_t> &warps);
  // `thread` XOR the constant `own`, where the thread's part reaches the bits of `reach`.
  mlir::Value withConstant(mlir::Value thread, std::uint64_t reach, std::int64_t own);

  // What lane and warp give to a coordinate along an axis, and which bits of it they reach.
  struct Part {
    mlir::Value value;   // null where they reach none
    std::uint64_t reach = 0;
  };
  Part part(const layout::TileLayout &layout, unsigned axis);
  // The coordinate, along an axis, of what this thread holds in a register. i32.
  mlir::Value coordinate(const layout::TileLayout &layout, unsigned axis, std::int64_t reg);
  // Whether this thread's replica is the one that counts; null where there are no replicas.
  mlir::Value ownsReplica(const layout::TileLayout &layout);

 private:
  mlir::Value constant(std::int64_t value);
  mlir::Value atEntry(mlir::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &)> make);

  mlir::ImplicitLocOpBuilder &builder_;
  Role role_;
  mlir::Block *entry_;
  mlir::Location entryLoc_;
  mlir::Operation *lastAtEntry_ = nullptr;
  mlir::Value lane_, warp_, uniformWarp_;
  // The functions of the thread that are there, by their columns.
  std::map<std::vector<std::uint64_t>, mlir::Value> known_;
};

}   // namespace tile::gpu

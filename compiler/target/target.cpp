// SPDX-License-Identifier: MIT
#include "compiler/target/target.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace tile {
namespace {

template <class T> std::vector<T> with(std::vector<T> first, const std::vector<T> &then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

// The oldest first. Shared memory: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", 1 KiB less than the SM has. Products of 8-bit floats stand where the unit multiplies them as
// they are: where the assembler would make products of f16 of them, the compiler does so itself.
const std::vector<TargetDescription> &rows() {
  using enum Feature;
  static const std::vector<TargetDescription> table = [] {
    const std::vector<MatrixUnit> &warps = mmaSyncUnits(), &groups = wgmmaUnits();
    const std::vector<MatrixUnit> warpsFp8 = with(warps, mmaSyncFloat8Units());
    const std::vector<Feature> none, since89 = {Float8Casts},
                                     since90 = {IntegersToBF16, MatrixStores, BF16AtomicAdd, VectorAtomicAdd,
                                                Clusters,       EarlyStart,   Float8Casts},
                                     since90a = with(since90, {ChangedMaps});
    const std::optional<ThreadCopies> copies = AsyncCopies;
    const std::optional<BoxCopies> noBoxes, boxes = TensorCopies;
    return std::vector<TargetDescription>{
        {"sm_80", 8, 0, false, 163, "+ptx80", none, warps, copies, noBoxes},
        {"sm_86", 8, 6, false, 99, "+ptx80", none, warps, copies, noBoxes},
        {"sm_89", 8, 9, false, 99, "+ptx84", since89, warpsFp8, copies, noBoxes},
        {"sm_90", 9, 0, false, 227, "+ptx84", since90, warps, copies, boxes},
        {"sm_90a", 9, 0, true, 227, "+ptx84", since90a, with(groups, warps), copies, boxes},
        // Code for one GPU alone could use `unusedUnit`. While it does not, a GPU gets the code of the row
        // behind, which newer ones run, too.
        {"sm_100a", 10, 0, true, 227, "+ptx86", since90a, warps, copies, boxes, "tcgen05"},
        {"sm_103a", 10, 3, true, 227, "+ptx88", since90a, warps, copies, boxes, "tcgen05"},
        {"sm_100", 10, 0, false, 227, "+ptx86", since90, warps, copies, boxes, "tcgen05"},
        {"sm_120a", 12, 0, true, 99, "+ptx87", since90a, warpsFp8, copies, boxes},
        {"sm_120", 12, 0, false, 99, "+ptx87", since90, warpsFp8, copies, boxes},
    };
  }();
  return table;
}

struct Added {
  std::mutex mutex;
  std::deque<TargetDescription> descriptions;   // which stay where they are
};
Added &added() {
  static Added all;
  return all;
}

const TargetDescription *find(std::string_view name, const auto &descriptions) {
  auto at = std::find_if(descriptions.begin(), descriptions.end(),
                         [&](const TargetDescription &row) { return row.name == name; });
  return at == descriptions.end() ? nullptr : &*at;
}

}   // namespace

const std::vector<std::string> &Target::knownTargets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const TargetDescription &row : rows())
      result.push_back(row.name);
    return result;
  }();
  return names;
}

std::optional<Target> Target::parse(std::string_view name) {
  if (const TargetDescription *row = find(name, rows()))
    return Target(*row);
  Added &others = added();
  std::lock_guard lock(others.mutex);
  if (const TargetDescription *row = find(name, others.descriptions))
    return Target(*row);
  return std::nullopt;
}

Target Target::oldest() { return Target(rows().front()); }

std::optional<Target> Target::bestFor(int major, int minor) {
  std::optional<Target> best;
  for (const TargetDescription &row : rows()) {
    auto least = std::pair(row.major, row.minor), gpu = std::pair(major, minor);
    if (row.onlyThere ? least == gpu : least <= gpu)
      best = Target(row);
  }
  return best;
}

Target Target::add(TargetDescription description) {
  Added &others = added();
  std::lock_guard lock(others.mutex);
  return Target(others.descriptions.emplace_back(std::move(description)));
}

bool Target::has(Feature feature) const {
  return std::find(description_->features.begin(), description_->features.end(), feature) !=
         description_->features.end();
}

bool Target::has(const MatrixUnit &unit) const {
  return std::any_of(matrixUnits().begin(), matrixUnits().end(), [&](const MatrixUnit &own) {
    return own.instruction == unit.instruction && own.a.element == unit.a.element &&
           own.b.element == unit.b.element && own.sum == unit.sum;
  });
}

}   // namespace tile

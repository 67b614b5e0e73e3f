// SPDX-License-Identifier: MIT
#include "compiler/target/target.h"

#include <algorithm>

namespace tile {
namespace {

struct Row {
  const char *name;
  Target target;
  int sharedKiB;   // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 1 KiB
                   // less than the SM has
  const char *ptx;
  bool fp8Products;
};

const Row Rows[] = {
    {"sm_80", {8, 0, false}, 163, "+ptx80", false}, {"sm_86", {8, 6, false}, 99, "+ptx80", false},
    {"sm_89", {8, 9, false}, 99, "+ptx84", true},   {"sm_90", {9, 0, false}, 227, "+ptx84", false},
    {"sm_90a", {9, 0, true}, 227, "+ptx84", false}, {"sm_100", {10, 0, false}, 227, "+ptx86", false},
    {"sm_120", {12, 0, false}, 99, "+ptx87", true},
};

const Row *find(const Target &target) {
  auto same = [&](const Row &row) { return row.target.version() == target.version(); };
  const Row *row = std::find_if(std::begin(Rows), std::end(Rows), same);
  return row == std::end(Rows) ? nullptr : row;
}

}   // namespace

const std::vector<std::string> &Target::knownTargets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Row &row : Rows)
      result.emplace_back(row.name);
    return result;
  }();
  return names;
}

std::optional<Target> Target::parse(std::string_view name) {
  for (const Row &row : Rows)
    if (name == row.name)
      return row.target;
  return std::nullopt;
}

std::string Target::name() const { return "sm_" + std::to_string(version()) + (specific ? "a" : ""); }

int Target::sharedBytesPerBlock() const {
  const Row *row = find(*this);
  return (row ? row->sharedKiB : 48) * 1024;
}

bool Target::hasFp8Products() const {
  const Row *row = find(*this);
  return row && row->fp8Products;
}

std::string Target::ptxFeature() const {
  const Row *row = find(*this);
  return row ? row->ptx : "+ptx80";
}

}   // namespace tile

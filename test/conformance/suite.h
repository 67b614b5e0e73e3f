// SPDX-License-Identifier: MIT
// The conformance suite: what a kernel must compute, whatever runs it. A case is a name and a
// function over a device; the suite is a list of them. It is a library so that the same cases
// run from the build tree, from `tile test` and on machines that have nothing but a GPU.
#pragma once

#include <tile/device.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tile {
class Progress;
}

namespace tile::conformance {

class Context;

// What a case may need that not every device offers. A device that lacks it skips the case,
// and the skip is counted.
enum class Needs : unsigned {
  nothing = 0,
  host_memory = 1,   // kernels reach memory of the process: huge sparse mappings
  asserts = 2,       // device_assert stops a launch
  printing = 4,      // what print() writes can be captured
  throughput = 8,    // products of 10^12 operations take seconds
};
constexpr Needs operator|(Needs a, Needs b) {
  return static_cast<Needs>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool covers(Needs offered, Needs wanted) {
  return (static_cast<unsigned>(wanted) & ~static_cast<unsigned>(offered)) == 0;
}

enum class Tier { fast, nightly };

struct Case {
  std::string id;   // "EL1/add/i32/tile_literal": the row of docs/conformance.md first
  Tier tier = Tier::fast;
  Needs needs = Needs::nothing;
  std::function<void(Context &)> run;
};

class Suite {
 public:
  void add(std::string id, std::function<void(Context &)> run) {
    add(std::move(id), Tier::fast, std::move(run));
  }
  void add(std::string id, Tier tier, std::function<void(Context &)> run) {
    cases_.push_back({std::move(id), tier, Needs::nothing, std::move(run)});
  }
  void add_needing(std::string id, Needs needs, std::function<void(Context &)> run, Tier tier = Tier::fast) {
    cases_.push_back({std::move(id), tier, needs, std::move(run)});
  }
  const std::vector<Case> &cases() const { return cases_; }

 private:
  std::vector<Case> cases_;
};

// All cases of all families, in the order of docs/conformance.md.
const Suite &whole_suite();

// A device under test, opened once per worker thread.
struct Target {
  std::unique_ptr<Device> device;
  Needs offers = Needs::nothing;
  std::shared_ptr<std::vector<std::string>> printed;   // lines of print(), with Needs::printing
};
using OpenTarget = std::function<Target()>;

struct RunOptions {
  std::string filter = "*";   // a glob over ids: * and ?
  bool nightly = false;
  int jobs = 1;
  bool verbose = false;           // a line per case with its time
  Progress *progress = nullptr;   // shows how far the run is
};
struct Totals {
  int passed = 0, failed = 0, skipped = 0;
};

// What the filter and the tier leave, in the suite's order.
std::vector<const Case *> chosen(const Suite &suite, const RunOptions &options);
// Prints failures as they happen and `N passed, N failed, N skipped` last. What `open` throws is passed on.
Totals run_cases(const std::vector<const Case *> &cases, const OpenTarget &open, const RunOptions &options);
bool matches(std::string_view glob, std::string_view text);

// The page docs/conformance.md.
std::string describe(const Suite &suite);

}   // namespace tile::conformance

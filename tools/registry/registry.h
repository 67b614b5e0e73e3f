// SPDX-License-Identifier: MIT
// The kernels by name, each with what may be chosen about it on a command line: what `tile list`, `tile run`
// and `tile dump` are made of.
#pragma once

#include "compiler/api/kernel_ir.h"
#include "runtime/device.h"
#include "tools/reference/compare.h"
#include "tools/reference/rows.h"
#include "tools/registry/problem.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tile::registry {

// A choice that does not exist. The message is one line: what is wrong and what is accepted.
class BadSetting : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::optional<std::int64_t> parse_count(std::string_view text);   // from 0 to 2^40

// One setting, `--name value` on the command line.
struct Parameter {
  enum class Form : std::uint8_t {
    count,    // a whole number, 0 or more
    number,   // any number
    extent,   // a count, or a product or sum of counts and of other settings: m*k
    rows,     // of the products of a group: group_rows.h
  };
  std::string name, help, fallback;   // no fallback: it has to be given
  std::vector<std::string> choices;   // where there are any, one of them and no number
  Form form = Form::count;
};

// The values of one run.
class Settings {
 public:
  explicit Settings(std::vector<Parameter> parameters);
  void set(std::string_view name, std::string value);   // throws BadSetting

  bool has(std::string_view name) const;
  std::int64_t size(std::string_view name) const;   // of a count or an extent
  double number(std::string_view name) const;
  const std::string &choice(std::string_view name) const;
  std::string text() const;   // "m=333 n=271 k=205 dtype=f16"

  std::uint64_t seed = 1;
  std::string config;              // "block_m=64,launch.num_warps=8"
  std::string classes;             // "x=16,n=1": what the kernel of a library is specialised for
  bool any_rows = false;           // what a specialised trace leaves open: rows, such as of a batch
  bool verify = true;              // off: the reference is not computed
  reference::Effort effort = {};   // of the reference: of larger results some rows are compared

 private:
  std::vector<Parameter> parameters_;
  std::map<std::string, std::string, std::less<>> values_;
};

struct Outcome {
  double seconds = 0;   // from the launch to its end; tracing included
  std::string config;   // as it was asked for, or "the kernel's own choice"
  std::string tolerance;
  double operations = 0;   // products and additions, or bytes moved where nothing is multiplied
  std::string unit;        // of operations: "FLOP", "B"
  reference::Verdict verdict;
};

class LibraryKernel;

struct Entry {
  std::string name, summary;
  std::vector<Parameter> parameters;
  // Allocates random inputs and poisoned outputs, runs, compares: shipped kernels with float64, those of a
  // library with what the interpreter computes.
  std::function<Outcome(Device &device, const Settings &settings)> run;
  // Specialised: for contiguous, aligned operands, as most launches have them.
  std::function<KernelIR(const Settings &settings, bool specialized)> trace;
  // The other kernels that a launch with this config makes; empty: none.
  std::function<std::vector<KernelIR>(const Settings &settings, bool specialized)> beside;
  // What the kernel's own list has for such operands, each as Settings::config takes it.
  std::function<std::vector<std::string>(const Settings &settings)> configs;
  // A launch on dense operands, to be timed beside libraries; those of a library of kernels have none.
  std::function<Problem(const Settings &settings)> problem;
  // Of a library's kernel, which takes Settings::classes.
  std::shared_ptr<const LibraryKernel> library_kernel;
  bool is_of_library() const { return library_kernel != nullptr; }
  const Parameter *parameter(std::string_view name) const;
};

const std::vector<Entry> &entries();         // in the order of the tutorial
const Entry &entry(std::string_view name);   // throws BadSetting with the nearest name
// The same among others, for messages named: "no kernel `x` in libmine.so".
const Entry &entry_among(const std::vector<Entry> &entries, std::string_view name,
                         std::string_view where = {});

// " (did you mean `gemm`?)" or "", for messages about a name that is not among the candidates; the
// prefix belongs to all of them.
std::string did_you_mean(std::string_view name, const std::vector<std::string> &candidates,
                         std::string_view prefix = {});
std::string joined(const std::vector<std::string> &names);   // "a, b and c"

}   // namespace tile::registry

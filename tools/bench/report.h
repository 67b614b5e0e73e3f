// SPDX-License-Identifier: MIT
// What a bench has found out: a plain value, from which table, files and page are written.
#pragma once

#include "runtime/bench/bench.h"
#include "runtime/launch/launch_description.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tile::bench {

// One provider at one shape.
struct Row {
  enum class Outcome : std::uint8_t {
    timed,
    failed,     // an error
    wrong,      // it computes something else
    left_out,   // it cannot take part, which is nobody's mistake
  };
  std::string provider, config;
  Outcome outcome = Outcome::timed;
  std::string reason;   // one line, where it was not timed
  Timing timing;
  double error = -1;                          // the largest against float64; less than 0: not compared
  bool is_measured_here = true;               // or read from a file
  std::optional<KernelResources> resources;   // of a user's kernel
};

// All that was measured at one shape of one kernel.
struct Case {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  std::string kernel;
  Settings sizes, choices;   // "m" "4096", ...; "dtype" "f16", ...
  Work work;
  double roof_seconds = 0;   // the least that the device can take; 0: not known
  bool is_memory_bound = false;
  int sets = 1;
  double input_bytes = 0;   // of all sets
  std::string skipped;      // why nothing was measured
  std::string checked;      // of a user's kernel: with what it was compared before it was timed
  std::vector<Row> rows;    // ours first
  Telemetry state;          // while it ran
  // Where there is no clock: what the simulator counted.
  struct Counts {
    std::uint64_t global_instructions, sectors, least_sectors, shared_instructions, wavefronts,
        least_wavefronts, matrix_instructions;
  };
  std::optional<Counts> counts;

  std::string shape() const;     // "4096 x 4096 x 4096"
  std::string variant() const;   // "f16 nn": the choices that are not what they are if nothing is said
  Settings unusual;              // those choices
};

struct Report {
  std::string date, command, device, driver, toolchain;
  Machine machine;
  bool has_clock = true;                // or what was done is counted
  bool is_of_library = false;           // the kernels are a user's
  Options how;                          // rounds and the like
  std::vector<std::string> providers;   // of the table's columns, ours first
  std::vector<std::string> versions;    // of libraries, a line each
  std::vector<std::string> notes;       // what could not be had
  std::vector<Case> cases;
  bool interrupted = false;
  double seconds = 0;   // that all of it took
};

// Ours over the peer's speed: more than 1 is faster. Empty where one of the two was not timed.
std::optional<double> ratio(const Case &at, const std::string &peer);
const Row *best_row(const Case &at, const std::string &provider);   // null: not timed there

struct Comparison {
  std::string peer;
  double mean = 0, worst = 0;   // geometric
  std::string worst_shape;
  int shapes = 0;
};
std::vector<Comparison> comparisons(const Report &report);
bool has_failures(const Report &report);
// Who takes part at none of these shapes, for one reason, said once: "cublas: left out: ...". Their rows need
// not be shown.
std::vector<std::string> left_out_everywhere(std::span<const Case> cases);
bool is_left_out_everywhere(std::span<const Case> cases, const Row &row);

// Of a case: TFLOPS or TB/s.
struct Rate {
  double value;
  const char *unit;
};
Rate rate(const Case &at, double seconds);

}   // namespace tile::bench

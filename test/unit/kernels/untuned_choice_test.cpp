// SPDX-License-Identifier: MIT
// The config that an untuned launch takes is the one with the least cost. Held to docs/results/sweeps: how
// fast is it beside the fastest config of each sweep?
#include "runtime/json.h"
#include "test/unit/kernels/gemm_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tile::kernels {
namespace {

const Machine h100{.name = "NVIDIA H100 80GB HBM3",
                   .multiprocessors = 132,
                   .capability = 90,
                   .clock_hertz = 1.98e9,
                   .memory_bytes_per_second = 3.3523e12,
                   .cache_bytes = 50 << 20,
                   .memory_bytes = std::size_t{79} << 30,
                   .shared_bytes = 232448};

// All configs that were measured for one product.
struct Sweep {
  std::string group;   // of products of one kind, as "square"
  int m = 0, n = 0, k = 0;
  std::string trans;
  std::vector<std::pair<std::string, double>> measured;   // config, microseconds
  std::string text() const {
    return group + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + " " +
           trans;
  }
};

struct Recorded {
  std::vector<std::string> configs;   // that the file measures: the list of its day, or with others
  std::vector<Sweep> sweeps;
};

Recorded recorded_sweeps(const std::string &file) {
  std::ifstream in(TILE_SOURCE_DIR "/docs/results/sweeps/" + file);
  Recorded recorded;
  auto &[configs, sweeps] = recorded;
  for (std::string line; std::getline(in, line);) {
    const json::Value row = json::parse(line);
    const auto number = [&](const char *name) { return static_cast<int>(*row.find(name)->number()); };
    if (*row.find("type")->string() == "run") {
      for (const json::Value &each : *row.find("configs")->array())
        configs.push_back(*each.string());
      continue;
    }
    Sweep &sweep = sweeps.emplace_back(Sweep{.group = *row.find("class")->string(),
                                             .m = number("m"),
                                             .n = number("n"),
                                             .k = number("k"),
                                             .trans = *row.find("trans")->string(),
                                             .measured = {}});
    for (const json::Value &each : *row.find("measured")->array()) {
      const auto &pair = *each.array();
      sweep.measured.emplace_back(configs.at(static_cast<std::size_t>(*pair[0].number())), *pair[1].number());
    }
  }
  return recorded;
}

// What an untuned launch takes, beside the fastest.
struct Choice {
  std::string taken;
  double expected;                       // microseconds
  std::optional<double> of_taken = {};   // nothing: the sweep had no time for it
  std::string fastest = {};
  double of_fastest = std::numeric_limits<double>::infinity();
};

// Of the configs that are in the list and in the file: those that came into the list later have no time
// there.
Choice choice_of(const Machine &machine, const std::vector<std::string> &configs, const Sweep &sweep) {
  const auto problem = GemmProblem::parse(sweep.m, sweep.n, sweep.k, sweep.trans);
  const auto text_of = [&](const std::string &config) {
    return describe_config(parse_config(config, problem.base()));
  };
  std::set<std::string> in_file, in_list;
  for (const std::string &config : configs)
    in_file.insert(text_of(config));
  for (const GemmConfig &config : gemm_kernel<bf16>.configs)
    in_list.insert(describe_config(config));
  const Untuned untuned = untuned_choice<bf16>(
      machine, problem, [&](const GemmConfig &config) { return in_file.contains(describe_config(config)); });
  Choice choice{.taken = describe_config(*untuned.config), .expected = untuned.seconds * 1e6};
  for (const auto &[config, time] : sweep.measured) {
    const std::string text = text_of(config);
    if (text == choice.taken)
      choice.of_taken = time;
    if (time < choice.of_fastest && in_list.contains(text)) {
      choice.of_fastest = time;
      choice.fastest = text;
    }
  }
  return choice;
}

struct Summary {
  int count = 0, slow = 0;   // slow: below 0.93 of the fastest
  int unknown = 0;           // the sweep had no time for the config that is taken
  double sum_of_logs = 0, worst = 1;
  double mean() const { return std::exp(sum_of_logs / count); }
  void add(double part) {
    ++count;
    slow += part < 0.93;
    sum_of_logs += std::log(part);
    worst = std::min(worst, part);
  }
};

Summary summary_of(const Machine &machine, const std::string &file) {
  std::map<std::string, Summary> groups;
  Summary all;
  const Recorded recorded = recorded_sweeps(file);
  for (const Sweep &sweep : recorded.sweeps) {
    const Choice choice = choice_of(machine, recorded.configs, sweep);
    if (!choice.of_taken) {
      ++all.unknown;
      continue;
    }
    const double part = choice.of_fastest / *choice.of_taken;
    all.add(part);
    groups[sweep.group + " " + sweep.trans].add(part);
    if (part < 0.93)
      std::cout << sweep.text() << ": " << part << " of the fastest; takes " << choice.taken << ", "
                << *choice.of_taken << " us (expected: " << choice.expected << "), the fastest is "
                << choice.fastest << ", " << choice.of_fastest << " us\n";
  }
  for (const auto &[name, group] : groups)
    std::cout << name << ": " << group.mean() << ", worst " << group.worst << "\n";
  std::cout << "all: " << all.mean() << ", worst " << all.worst << "; " << all.slow << " of " << all.count
            << " below 0.93; of " << all.unknown << " the config that is taken was not measured\n";
  return all;
}

// What the costs must reach; the list that is printed shows where they do not.
struct Bounds {
  int sweeps;
  double mean, slow, worst;   // slow: the part of the sweeps that may be below 0.93
};
void hold(const Summary &all, const Bounds &bounds) {
  EXPECT_GE(all.count, bounds.sweeps);
  EXPECT_GE(all.mean(), bounds.mean);
  EXPECT_LE(all.slow, bounds.slow * all.count);
  EXPECT_GE(all.worst, bounds.worst);
}

TEST(UntunedChoice, IsNearlyTheFastestWhereItWasFitted) {
  hold(summary_of(h200, "2026-11-27-gemm-h200.jsonl"), {250, 0.965, 1.0 / 7, 0.7});
}

TEST(UntunedChoice, IsNearlyTheFastestOfOtherProducts) {
  hold(summary_of(h200, "2026-11-27-gemm-h200-others.jsonl"), {55, 0.965, 1.0 / 7, 0.8});
}

// Products at which the list was slower than cublasLt.
TEST(UntunedChoice, IsNotFarFromTheFastestOfNewTiles) {
  hold(summary_of(h200, "2026-11-27-gemm-h200-trials.jsonl"), {85, 0.94, 0.3, 0.7});
}

// Rows that begin at multiples of 16, 32 or 64 bytes: no part of the fit.
TEST(UntunedChoice, IsNotFarFromTheFastestOfUnalignedRows) {
  hold(summary_of(h200, "2026-11-27-gemm-h200-unaligned.jsonl"), {40, 0.94, 0.35, 0.6});
}

TEST(UntunedChoice, IsNearlyTheFastestOnAnotherGpu) {
  hold(summary_of(h100, "2026-11-27-gemm-h100.jsonl"), {250, 0.955, 1.0 / 5, 0.55});
  hold(summary_of(h100, "2026-11-27-gemm-h100-others.jsonl"), {34, 0.93, 1.0 / 4, 0.7});
}

}   // namespace
}   // namespace tile::kernels

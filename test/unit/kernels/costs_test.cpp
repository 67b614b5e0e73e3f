// SPDX-License-Identifier: MIT
// What shipped kernels expect of their configs, held to what an H200 did: of the configs that docs/results
// has for a shape, the best of those that are expected to be the fastest is about as fast as the fastest.
#include "runtime/json.h"
#include "test/unit/kernels/gemm_problem.h"

#include <tile/attention.h>
#include <tile/batched_gemm.h>
#include <tile/error.h>
#include <tile/gemm.h>
#include <tile/grouped_gemm.h>
#include <tile/layer_norm.h>
#include <tile/matmul.h>
#include <tile/shipped_tunings.h>
#include <tile/size_bucket.h>
#include <tile/softmax.h>
#include <tile/vector_add.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tile::kernels {
namespace {

// A tuner that is short of time measures so many configs, in the order of their costs.
constexpr std::size_t first = 8;
// The best of them may be so much slower than the fastest, on all but so many of the shapes.
constexpr double within = 1.02, misses_allowed = 0.05;

// One problem, with every config that some run measured.
struct Case {
  std::string kernel;
  json::Value settings;
  std::vector<std::pair<std::string, double>> measured;   // config and seconds, the newest last
  std::int64_t size(const char *name) const {
    const json::Value *value = settings.find(name);
    if (!value)
      return 1;
    return value->number() ? std::llround(*value->number()) : std::stoll(*value->string());
  }
  std::string text(const char *name) const {
    const json::Value *value = settings.find(name);
    return value && value->string() ? *value->string() : "";
  }
  // Whether a choice is the usual one, which older records do not name.
  bool is_usual(const char *choice, const char *usual) const {
    return text(choice).empty() || text(choice) == usual;
  }
};

// Records keep the names that fields had when they were measured.
std::string in_todays_names(const std::string &config) {
  static const std::map<std::string, std::string> names{{"describe_result", "store_by_descriptor"},
                                                        {"group", "group_m"},
                                                        {"splits", "split_k"},
                                                        {"turned", "swap_ab"}};
  std::istringstream in(config);
  std::string result, field;
  while (std::getline(in, field, ',')) {
    const std::size_t end = std::min(field.find('='), field.size());
    const auto renamed = names.find(field.substr(0, end));
    result +=
        (result.empty() ? "" : ",") + (renamed == names.end() ? field : renamed->second + field.substr(end));
  }
  return result;
}

const std::filesystem::path results = TILE_SOURCE_DIR "/docs/results";

// The names of files begin with the time of the run.
std::set<std::filesystem::path> all_runs() {
  std::set<std::filesystem::path> files;
  for (const auto &file : std::filesystem::directory_iterator(results))
    files.insert(file.path());
  return files;
}

// From runs that name their GPU.
std::vector<Case> measured_cases(const std::set<std::filesystem::path> &files) {
  std::map<std::string, Case> cases;
  for (const std::filesystem::path &file : files) {
    std::ifstream in(file);
    std::string line, device;
    while (std::getline(in, line)) {
      const json::Value row = json::parse(line);
      const auto text = [&](const char *name) {
        const json::Value *value = row.find(name);
        return value && value->string() ? *value->string() : std::string();
      };
      if (text("type") == "run")
        device = text("device");
      if (text("type") != "row" || text("provider") != "tile" || text("outcome") != "timed" ||
          !device.starts_with("NVIDIA H200,") || text("config").find(' ') != std::string::npos)
        continue;   // with a space: it was another kernel's
      const json::Value &settings = *row.find("settings");
      Case &of =
          cases.try_emplace(text("kernel") + " " + settings.text(), text("kernel"), settings).first->second;
      of.measured.emplace_back(in_todays_names(text("config")), *row.find("median")->number());
    }
  }
  std::vector<Case> all;
  for (auto &[name, each] : cases)
    all.push_back(std::move(each));
  return all;
}

// How the costs do on a case.
struct Verdict {
  std::string fastest;     // of the configs that were measured and are in the list; empty: no such config
  double seconds = 0;      // of the fastest
  double expected = 0;     // by its cost
  std::size_t place = 0;   // of the fastest in the order of costs, from 1
  double best_of_first = std::numeric_limits<double>::infinity();   // seconds; infinite: none was measured
  double taken = 0;   // seconds of the one that an untuned launch takes; 0: it was not measured
};

TEST(Costs, RecordsOfFieldsThatWereRenamedCount) {
  EXPECT_EQ(in_todays_names("block_m=64,turned=true,launch.num_warps=4"),
            "block_m=64,swap_ab=true,launch.num_warps=4");
  EXPECT_EQ(in_todays_names("splits=2,group=4,describe_result=false"),
            "split_k=2,group_m=4,store_by_descriptor=false");
  EXPECT_EQ(in_todays_names("default"), "default");
}

// As a tuner orders them.
template <class K, class... Arguments>
Verdict judge(const K &kernel, const Case &of, typename K::Config base, const Arguments &...arguments) {
  if (kernel.complete)
    base = kernel.complete(base, arguments...);
  std::map<std::string, double> seconds;   // by the config's whole text; the newest counts
  std::map<std::string, std::string> name;
  for (const auto &[config, measured] : of.measured)
    try {
      const std::string whole = describe_config(parse_config(config == "default" ? "" : config, base));
      seconds[whole] = measured;
      name[whole] = config;
    } catch (const Error &) {   // a field that configs do not have any more
    }
  struct Entry {
    double cost;
    std::string config;
  };
  std::vector<Entry> entries;
  for (auto each : kernel.configs) {
    if (kernel.complete)
      each = kernel.complete(each, arguments...);
    if (!kernel.keep || kernel.keep(each, arguments...))
      entries.push_back({kernel.cost(each, h200, arguments...), describe_config(each)});
  }
  std::ranges::stable_sort(entries, {}, &Entry::cost);
  Verdict verdict;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto found = seconds.find(entries[i].config);
    if (found == seconds.end())
      continue;
    if (i == 0)
      verdict.taken = found->second;
    if (i < first)
      verdict.best_of_first = std::min(verdict.best_of_first, found->second);
    if (verdict.fastest.empty() || found->second < verdict.seconds)
      verdict = {name[found->first],    found->second, entries[i].cost, i + 1,
                 verdict.best_of_first, verdict.taken};
  }
  return verdict;
}

template <class In, class Out> Verdict judge_gemm(const Case &w) {
  const auto problem = GemmProblem::parse(w.size("m"), w.size("n"), w.size("k"), w.text("trans"));
  return problem.with<In, Out>(
      [&](const auto &...arguments) { return judge(gemm_kernel<In, Out>, w, problem.base(), arguments...); });
}
template <class T> Verdict judge_matmul(const Case &w) {
  const T *in = nullptr;
  T *out = nullptr;
  const std::int64_t m = w.size("m"), n = w.size("n"), k = w.size("k"), one = 1;
  return judge(matmul_kernel<T>, w, {}, in, in, out, int(m), int(n), int(k), k, one, n, one, n, one);
}
template <class T> Verdict judge_grouped(const Case &w) {
  static const auto kernel = [] {
    auto of_16 = grouped_gemm_kernel<T>;
    of_16.configs = detail::grouped_gemm_configs(16, true);
    return of_16;
  }();
  const T *const *in = nullptr;
  T *const *out = nullptr;
  const std::int64_t groups = w.size("groups");
  const bool is_uneven = w.text("m").ends_with('u');   // so many rows of all groups
  return judge(
      kernel, w, {.alignment = 16, .alike = true}, in, in, out, static_cast<const i32 *>(nullptr),
      static_cast<const i64 *>(nullptr), int(groups),
      detail::size_class(is_uneven ? w.size("m") / groups : w.size("m"), w.size("n"), w.size("k"), is_uneven),
      int(w.size("n")), int(w.size("k")), w.size("k"), w.size("n"), w.size("n"));
}
Verdict judge_attention(const Case &w) {
  const f16 *in = nullptr;
  f16 *out = nullptr;
  f32 *const no_sums = nullptr;
  const f32 *const no_slopes = nullptr;
  const int heads = int(w.size("heads")), queries = int(w.size("m")), keys = int(w.size("n")),
            length = int(w.size("head_dim"));
  const std::int64_t of_queries = std::int64_t{queries} * length, of_keys = std::int64_t{keys} * length,
                     none = 0;
  const bool is_causal = w.text("causal") == "yes";
  return judge(attention_kernel<f16>, w, {}, in, in, in, out, no_sums, no_slopes, in, heads, queries, keys,
               heads, 1, 1, length, length, detail::no_bound, is_causal ? 0 : detail::no_bound, 1.0f, 0.0f,
               of_queries, length, of_keys, length, of_keys, length, of_queries, length, none, none, 0);
}

// Nothing: of types that this test has not.
std::optional<Verdict> judge_case(const Case &w) {
  const std::string dtype = w.text("dtype");
  const std::int64_t m = w.size("m"), n = w.size("n"), one = 1;
  const f16 *in = nullptr;
  f16 *out = nullptr;
  if (w.kernel == "gemm" && dtype == "f16")
    return judge_gemm<f16, f16>(w);
  if (w.kernel == "gemm" && dtype == "bf16")
    return judge_gemm<bf16, bf16>(w);
  if (w.kernel == "gemm" && dtype == "e4m3")
    return judge_gemm<e4m3, f16>(w);
  if (w.kernel == "grouped_gemm" && dtype == "bf16")
    return judge_grouped<bf16>(w);
  if (w.kernel == "matmul" && dtype == "f16")
    return judge_matmul<f16>(w);
  if (w.kernel == "attention" && w.size("sharing") == 1 && w.is_usual("value_dim", "same") &&
      w.is_usual("window", "all") && w.is_usual("scores", "plain"))
    return judge_attention(w);
  if (w.kernel == "softmax" && dtype == "f16")
    return judge(softmax_kernel<f16>, w, {}, in, out, m, n, n, one, n, one);
  if (w.kernel == "layer_norm" && dtype == "f16")
    return judge(layer_norm_kernel<f16>, w, {}, in, in, in, out, static_cast<f32 *>(nullptr),
                 static_cast<f32 *>(nullptr), m, n, n, one, n, one, 1e-5f);
  if (w.kernel == "vector_add" && dtype == "f16")
    return judge(vector_add_kernel<f16>, w, {}, in, in, out, n);
  return std::nullopt;
}

// Measured on an H200 on 2026-11-28, bf16: rotary_embedding of 8192 tokens with 128 heads of 128 elements,
// and gated_activation of 32768 x 1024.
TEST(Costs, ProgramsAreBegunOneAfterTheOther) {
  const Machine h200{.multiprocessors = 132, .clock_hertz = 1.98e9, .memory_bytes_per_second = 4.8143e12};
  const Launch launch{.num_warps = 1};
  auto rotary = [&](int heads) {
    return detail::tile_seconds(h200, {{8192, 1}, {128, heads}, {128, 128, false}}, 4.0 * 8192 * 128 * 128,
                                launch);
  };
  auto gates = [&](int columns) {
    return detail::tile_seconds(h200, {{32768, 1}, {1024, columns}}, 6.0 * 32768 * 1024, launch);
  };
  EXPECT_NEAR(rotary(2), 634e-6, 10e-6);
  EXPECT_NEAR(rotary(4), 317e-6, 5e-6);
  EXPECT_NEAR(rotary(8), 158.6e-6, 5e-6);
  EXPECT_LT(rotary(16), 145e-6);   // 132: memory is what it waits for
  EXPECT_NEAR(gates(512), 79.5e-6, 2e-6);
  EXPECT_LT(gates(1024), 55e-6);
}

// Measured on an H200 on 2026-11-28, bf16: rms_norm and log_softmax, with a program for each row.
TEST(Costs, ShortRowsWaitForTheirPrograms) {
  const auto seconds = [](const RowConfig &cfg, std::int64_t rows, std::int64_t cols) {
    return detail::row_seconds(cfg, h200, {rows, cols, 2});
  };
  const Launch launch{.num_warps = 2};
  const RowConfig of_one{.block = 1024, .whole_row = true, .launch = launch};
  EXPECT_NEAR(seconds(of_one, 32768, 1024), 39.8e-6, 1e-6);
  EXPECT_NEAR(seconds(of_one, 16384, 768), 20.6e-6, 1e-6);
  EXPECT_NEAR(seconds({.block = 4096, .whole_row = true, .launch = {.num_warps = 8}}, 8192, 4096), 33.4e-6,
              1e-6);
  // Memory is what several rows wait for, if there are enough of them for all multiprocessors.
  const RowConfig of_four{.rows = 4, .block = 1024, .whole_row = true, .launch = {.num_warps = 4}};
  EXPECT_LT(seconds(of_four, 32768, 1024), 36e-6);
  EXPECT_GT(seconds(of_four, 128, 1024), 1.2 * seconds(of_one, 128, 1024));
  // Programs that go over rows, as those of gradients of norms, begin once.
  EXPECT_LT(detail::row_seconds(h200, {32768, 1024, 2}, 1024, true, launch), 36e-6);
}

// The config that an untuned launch of softmax takes, or of a kernel that moves so many matrices.
RowConfig row_config_taken(const Machine &machine, std::int64_t rows, std::int64_t cols, double moved = 2) {
  std::vector<RowConfig> kept = detail::row_configs();
  std::erase_if(kept, [&](const RowConfig &cfg) { return !detail::keep_row_config(cfg, cols); });
  return *std::ranges::min_element(kept, {}, [&](const RowConfig &cfg) {
    return detail::row_seconds(cfg, machine, {rows, cols, 2, 2, moved});
  });
}

TEST(Costs, ProgramsTakeSeveralShortRows) {
  const auto taken = [](std::int64_t rows, std::int64_t cols) { return row_config_taken(h200, rows, cols); };
  for (const auto &[rows, cols] :
       {std::pair{32768, 1024}, {32768, 1000}, {16384, 768}, {65536, 512}, {131072, 256}, {100000, 100}}) {
    EXPECT_GE(taken(rows, cols).rows, 4) << rows << " x " << cols;
    EXPECT_LT(taken(rows, cols).block, 2 * cols) << rows << " x " << cols;
  }
  EXPECT_EQ(describe_config(taken(8192, 4096)),
            describe_config(RowConfig{.block = 4096, .whole_row = true, .launch = {.num_warps = 8}}));
  for (const int rows : {1, 8, 128})
    EXPECT_EQ(taken(rows, 1024).rows, 1) << "few rows are for all multiprocessors: " << rows;
}

// Measured on an H200 on 2026-11-29, softmax, bf16. A loop reads rows of this length twice from memory.
TEST(Costs, CtasShareLongRows) {
  const auto seconds = [](const RowConfig &cfg, std::int64_t rows, std::int64_t cols) {
    return detail::row_seconds(cfg, h200, {rows, cols, 2, 2});
  };
  const RowConfig loop{.block = 4096, .launch = {.num_warps = 8}};
  EXPECT_NEAR(seconds(loop, 4096, 65536), 413e-6, 25e-6);
  EXPECT_NEAR(seconds(loop, 4096, 32768), 198e-6, 12e-6);
  EXPECT_NEAR(
      seconds({.block = 65536, .whole_row = true, .launch = {.num_warps = 8, .num_ctas = 8}}, 4096, 65536),
      280e-6, 15e-6);
  for (const auto &[rows, cols] : {std::pair{4096, 65536}, {4096, 32768}, {2048, 131072}, {40, 50000}})
    EXPECT_GT(row_config_taken(h200, rows, cols).launch.num_ctas, 1) << rows << " x " << cols;
  for (const auto &[rows, cols] : {std::pair{4096, 14336}, {8192, 4096}, {32768, 1024}})
    EXPECT_EQ(row_config_taken(h200, rows, cols).launch.num_ctas, 1) << rows << " x " << cols;
  // Two matrices leave one CTA of 16 warps alone on a multiprocessor: 110 us, and 89 in a cluster.
  EXPECT_GT(row_config_taken(h200, 4096, 14336, 3).launch.num_ctas, 1);
  // A GPU without clusters.
  Machine a100 = h200;
  a100.capability = 80;
  EXPECT_EQ(row_config_taken(a100, 4096, 65536).launch.num_ctas, 1);
}

// Measured on an H200 on 2026-11-29, cross_entropy, bf16: 18.0 us with 4 warps and 24.5 with 8. In loops over
// 14336 columns 34.0 with blocks that cover them and 38.5 with longer ones, over 65536 columns 145 and 135.
TEST(Costs, RowsThatAreOnlyReadTakeFewThreads) {
  EXPECT_EQ(describe_config(row_config_taken(h200, 8192, 4096, 1)),
            describe_config(RowConfig{.block = 4096, .whole_row = true, .launch = {.num_warps = 4}}));
  const auto loop = [](int block, int warps, std::int64_t cols) {
    return detail::row_seconds({.block = block, .launch = {.num_warps = warps}}, h200, {4096, cols, 2, 2, 1});
  };
  EXPECT_LT(loop(1024, 4, 14336), loop(4096, 8, 14336));
  EXPECT_GT(loop(1024, 4, 65536), loop(4096, 8, 65536));
}

// A miss stays in the records: it shows where the costs are wrong. More misses than allowed: mend the costs.
TEST(Costs, TheFirstAreAboutAsFastAsTheFastest) {
  std::size_t seen = 0, gone = 0, slower = 0, far = 0;
  for (const Case &each : measured_cases(all_runs())) {
    const std::optional<Verdict> found = judge_case(each);
    if (!found)
      continue;
    if (found->fastest.empty()) {
      ++gone;
      continue;
    }
    ++seen;
    const std::string what = each.kernel + " " + each.settings.text() + ": " + found->fastest;
    if (!(found->best_of_first <= within * found->seconds)) {
      ++slower;
      std::cout << what << " is the fastest and comes at place " << found->place << "; of the first " << first
                << " "
                << (std::isinf(found->best_of_first)
                        ? "none was measured"
                        : "the best takes " + std::to_string(found->best_of_first / found->seconds) +
                              " of its time")
                << "\n";
    }
    // Only the order counts, but what is far off has its place by chance.
    if (found->expected < 0.6 * found->seconds || found->expected > 1.6 * found->seconds) {
      ++far;
      std::cout << what << " is expected to take " << found->expected / found->seconds
                << " of what it took\n";
    }
  }
  std::cout << seen << " cases, " << slower << " misses, " << far << " far off; " << gone
            << " cases have no config that the kernels still have\n";
  EXPECT_LE(double(slower), misses_allowed * double(seen)) << "see the list above";
  EXPECT_LE(double(far), misses_allowed * double(seen)) << "see the list above";
  EXPECT_GE(seen, 60u) << "records with configs that the kernels do not have any more?";
}

// How fast the config is that an untuned launch takes, beside the fastest one of a sweep: the geometric mean
// of all cases, and the worst.
struct OfFastest {
  double mean = 0, worst = 1;
  int cases = 0;
};
OfFastest judge_sweep(const char *file) {
  OfFastest result;
  double logarithms = 0;
  for (const Case &each : measured_cases({results / "sweeps" / file})) {
    const std::optional<Verdict> found = judge_case(each);
    if (!found || found->taken <= 0) {
      ADD_FAILURE() << each.settings.text();
      continue;
    }
    const double speed = found->seconds / found->taken;
    if (speed < 0.97)
      std::cout << each.settings.text() << ": " << speed << " of " << found->fastest << "\n";
    logarithms += std::log(speed);
    result.worst = std::min(result.worst, speed);
    ++result.cases;
  }
  result.mean = std::exp(logarithms / result.cases);
  return result;
}

// All configs of attention on an H200: heads of 64 to 256, full and causal, long and short, few and many
// tiles.
TEST(Costs, UntunedAttentionIsNearTheFastest) {
  const OfFastest all = judge_sweep("2026-11-30-attention-h200.jsonl");
  ASSERT_EQ(all.cases, 44);
  EXPECT_GT(all.mean, 0.985);
  EXPECT_GT(all.worst, 0.85);
}

// Problems that are alike, with even and uneven rows. The sweep times one config after the other, so large
// ones run while the clock falls: configs that come early in the list look up to 10% faster there.
TEST(Costs, UntunedGroupsAreNearTheFastest) {
  const OfFastest all = judge_sweep("2026-11-30-grouped-alike-h200.jsonl");
  ASSERT_EQ(all.cases, 14);
  EXPECT_GT(all.mean, 0.96);
  EXPECT_GT(all.worst, 0.85);
}

// The config that a launch takes at an untuned shape, where nobody has measured: as a person would choose.
TEST(Costs, WhatIsTakenWhereNothingWasMeasured) {
  const auto taken = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return *untuned_choice<bf16>(h200, {m, n, k}).config;
  };
  EXPECT_GE(taken(4096, 4096, 4096).block_m * taken(4096, 4096, 4096).block_n, 128 * 256);
  EXPECT_LE(taken(8, 4096, 4096).block_n, 64) << "a few rows: as many CTAs as there can be";
  const GemmConfig of_few = taken(512, 512, 16384);
  EXPECT_LE(of_few.block_m * of_few.block_n / of_few.split_k, 128 * 64) << "few tiles";
  EXPECT_EQ(taken(3072, 3072, 3072).block_n % 192, 0) << "16 x 24 tiles of 192 columns are three waves";
}

TEST(Costs, WhatDoesNotFitIsInfinite) {
  const detail::Product product{4096, 4096, 4096};
  const detail::ProductTile tile{256, 256, 64, {.num_warps = 8, .num_stages = 4}};
  EXPECT_TRUE(std::isinf(detail::product_seconds(h200, product, tile)));
  Machine large = h200;
  large.shared_bytes *= 2;
  EXPECT_FALSE(std::isinf(detail::product_seconds(large, product, tile)));
}

// Nothing to multiply still is a launch; a sum of nothing is a result that is stored.
TEST(Costs, OfNothing) {
  for (int warps : {4, 8}) {
    const detail::ProductTile tile{128, 128, 64, {.num_warps = warps, .num_stages = 3}};
    const double least = detail::product_seconds(h200, {0, 0, 0, 0}, tile);
    EXPECT_GT(least, 0);
    for (const detail::Product &product :
         {detail::Product{0, 64, 64}, detail::Product{64, 0, 64}, detail::Product{64, 64, 64, 0}})
      EXPECT_EQ(detail::product_seconds(h200, product, tile), least);
    const double stored = detail::product_seconds(h200, {64, 64, 0}, tile);
    EXPECT_TRUE(std::isfinite(stored) && stored > least) << stored;
  }
}

// A GPU without group products, of which nothing was recorded: the units it has are slower.
TEST(Costs, OfAnotherGpu) {
  Machine older = h200;
  older.capability = 80;
  older.multiprocessors = 108;
  const detail::Product product{4096, 4096, 4096};
  const detail::ProductTile tile{128, 128, 64, {.num_warps = 8, .num_stages = 3}};
  EXPECT_GT(detail::product_seconds(older, product, tile),
            1.5 * detail::product_seconds(h200, product, tile));
}

TEST(Buckets, FewHoldAllSizes) {
  std::set<std::int64_t> seen;
  for (std::int64_t m = 1; m <= 8192; ++m) {
    const std::int64_t bucket = detail::size_bucket(m);
    EXPECT_GE(bucket, m);
    EXPECT_LE(bucket, std::max<std::int64_t>(m + 15, m * 5 / 4));
    EXPECT_EQ(detail::size_bucket(bucket), bucket);
    seen.insert(bucket);
  }
  EXPECT_EQ(seen.size(), 5u + 7 * 4);
  for (std::int64_t size : {8, 16, 64, 128, 4096, 1 << 20})
    EXPECT_EQ(detail::size_bucket(size), size) << "usual sizes are the largest of theirs";
  EXPECT_EQ(detail::size_bucket(0), 0);
  EXPECT_EQ(detail::size_bucket(129), 160);
}

TEST(Buckets, OfRowsOfProductsAreSmall) {
  std::set<std::int64_t> seen;
  for (std::int64_t m = 1; m <= 8192; ++m) {
    const std::int64_t bucket = detail::row_bucket(m);
    EXPECT_GE(bucket, m);
    EXPECT_LE(bucket, m + std::max<std::int64_t>(15, m / 16));
    EXPECT_EQ(detail::row_bucket(bucket), bucket);
    seen.insert(bucket);
  }
  EXPECT_EQ(seen.size(), 97u);
  EXPECT_EQ(detail::row_bucket(0), 0);
  EXPECT_EQ(detail::row_bucket(3000), 3072);
  EXPECT_EQ(detail::row_bucket(2880), 2944);
}

TEST(Buckets, OfGroupsAsOneNumber) {
  for (std::int64_t size : {0, 1, 16, 17, 64, 65, 96, 333, 520, 1000, 4096, 5000, 1 << 30}) {
    const detail::Product product = detail::product_of_class(detail::size_class(size, 4096, size));
    const std::int64_t bucket = size == 0 ? 0 : std::max<std::int64_t>(16, detail::size_bucket(size));
    EXPECT_EQ(product.m, bucket);
    EXPECT_EQ(product.n, 4096);
    EXPECT_EQ(product.k, bucket);
    EXPECT_FALSE(product.is_uneven);
    const detail::Product uneven = detail::product_of_class(detail::size_class(size, 4096, size, true));
    EXPECT_EQ(uneven.m, bucket);
    EXPECT_TRUE(uneven.is_uneven);
  }
}

TEST(Keeps, WideTilesInTurnForWholeUnitsAlone) {
  GroupedGemmConfig wide{.block_m = 128,
                         .block_n = 192,
                         .alignment = 16,
                         .alike = true,
                         .launch = {.num_warps = 4, .ping_pong = true}};
  const bf16 *const *in = nullptr;
  bf16 *const *out = nullptr;
  const auto kept = [&](int n) {
    return grouped_gemm_kernel<bf16>.keep(wide, in, in, out, static_cast<const i32 *>(nullptr),
                                          static_cast<const i64 *>(nullptr), 4, i64{0}, n, 64, i64{64},
                                          i64{n}, i64{n});
  };
  EXPECT_TRUE(kept(208));
  EXPECT_FALSE(kept(200));
  wide.block_n = 128;
  EXPECT_TRUE(kept(200));
}

// Where rows differ, half of an expert's last tile is missing in the mean, and no expert takes less than a
// tile.
TEST(Costs, OfUnevenRows) {
  detail::Product even{.m = 256, .n = 4096, .k = 4096, .count = 64}, uneven = even, few = even;
  uneven.is_uneven = true;
  few.m = 8;
  const detail::ProductTile tile{
      .block_m = 128, .block_n = 256, .block_k = 64, .launch = {.num_warps = 8, .num_stages = 4}};
  const Machine &machine = h200;
  EXPECT_NEAR(detail::product_seconds(machine, uneven, tile) / detail::product_seconds(machine, even, tile),
              1.25, 0.1);
  detail::Product one_tile_each = few;
  one_tile_each.is_uneven = true;
  EXPECT_EQ(detail::product_seconds(machine, few, tile),
            detail::product_seconds(machine, one_tile_each, tile));
}

// Configs that not every size of a bucket takes: such sizes have another key.
TEST(Buckets, AConfigIsForEverySizeOfItsKey) {
  const f16 *in = nullptr;
  f16 *out = nullptr;
  std::map<std::vector<std::int64_t>, std::vector<bool>> kept, kept_gemm, kept_batched;
  const auto numbers = [](const Key &key) {
    return std::vector<std::int64_t>(key.values().begin(), key.values().end());
  };
  for (int m = 1; m <= 2048; ++m) {
    const std::int64_t n = 1024, k = 512, one = 1, apart = m * n;
    std::vector<bool> now, plain, batched;
    for (const auto &each : matmul_kernel<f16>.configs)
      now.push_back(matmul_kernel<f16>.keep(each, in, in, out, m, 1024, 512, k, one, n, one, n, one));
    EXPECT_EQ(kept.try_emplace(
                      numbers(matmul_kernel<f16>.key(in, in, out, m, 1024, 512, k, one, n, one, n, one)), now)
                  .first->second,
              now)
        << m;
    for (const auto &each : gemm_kernel<f16>.configs)
      plain.push_back(
          gemm_kernel<f16>.keep(each, in, in, out, m, 1024, 512, k, one, n, one, n, one, nullptr, 0, n));
    EXPECT_EQ(kept_gemm
                  .try_emplace(numbers(gemm_kernel<f16>.key(in, in, out, m, 1024, 512, k, one, n, one, n, one,
                                                            nullptr, 0, n)),
                               plain)
                  .first->second,
              plain)
        << m;
    const auto with = [&](const auto &callback, auto &&...first) {
      return callback(first..., in, in, out, 4, m, 1024, 512, 4, m * k, k, one, 4, k * n, n, one, 4 * m,
                      apart, n, one);
    };
    for (const auto &each : batched_gemm_kernel<f16>.configs)
      batched.push_back(with(batched_gemm_kernel<f16>.keep, each));
    EXPECT_EQ(kept_batched.try_emplace(numbers(with(batched_gemm_kernel<f16>.key)), batched).first->second,
              batched)
        << m;
  }
  EXPECT_LT(kept.size(), 200u);
}

// Of each line of the tables there is a kernel, and of each kernel such a config: an edit of a list shows
// here.
TEST(ShippedTunings, NameConfigsThatThereAre) {
  std::istringstream lines{std::string(detail::shipped_tunings())};
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json::Value tuning = json::parse(line);
    const auto text = [&](const char *name) { return *tuning.find(name)->string(); };
    const auto has = [&](const auto &configs) {
      using Config = std::remove_cvref_t<decltype(configs[0])>;
      const std::string wanted = describe_config(parse_config<Config>(text("config")));
      return std::ranges::any_of(configs,
                                 [&](const Config &config) { return describe_config(config) == wanted; });
    };
    SCOPED_TRACE(line);
    EXPECT_TRUE(text("kernel") == "gemm" ? has(detail::gemm_configs())
                                         : text("kernel") == "matmul" && has(matmul_kernel<f16>.configs));
  }
  EXPECT_GE(count, 30u);
}

}   // namespace
}   // namespace tile::kernels

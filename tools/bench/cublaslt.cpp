// SPDX-License-Identifier: MIT
// The fastest product that a user of cuBLAS can get: every algorithm that cublasLt's heuristic names is a
// candidate, for b as it is stored and for b stored the other way. Sums stay in float32: an algorithm that
// adds parts of a sum in the type of the result computes less.
#include "tools/bench/cublas_functions.h"
#include "tools/bench/library.h"
#include "tools/bench/peers.h"
#include "tools/bench/product_call.h"

#include "runtime/cuda/launch_stream.h"

#include <fmt/format.h>

#include <array>

namespace tile::bench {
namespace {

using namespace blas;

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
constexpr int most_algorithms = 256;
constexpr std::array versions{13, 12, 11};

struct Functions {
  explicit Functions(const Library &library)
      : create(library.function<LtCreate>("cublasLtCreate")),
        destroy(library.function<LtDestroy>("cublasLtDestroy")),
        version(library.function<LtVersion>("cublasLtGetVersion")),
        desc_create(library.function<LtDescCreate>("cublasLtMatmulDescCreate")),
        desc_destroy(library.function<LtDescDestroy>("cublasLtMatmulDescDestroy")),
        desc_set(library.function<LtDescSet>("cublasLtMatmulDescSetAttribute")),
        layout_create(library.function<LtLayoutCreate>("cublasLtMatrixLayoutCreate")),
        layout_set(library.function<LtLayoutSet>("cublasLtMatrixLayoutSetAttribute")),
        layout_destroy(library.function<LtLayoutDestroy>("cublasLtMatrixLayoutDestroy")),
        preference_create(library.function<LtPreferenceCreate>("cublasLtMatmulPreferenceCreate")),
        preference_destroy(library.function<LtPreferenceDestroy>("cublasLtMatmulPreferenceDestroy")),
        preference_set(library.function<LtPreferenceSet>("cublasLtMatmulPreferenceSetAttribute")),
        heuristics(library.function<LtHeuristics>("cublasLtMatmulAlgoGetHeuristic")),
        config_get(library.find<LtConfigGet>("cublasLtMatmulAlgoConfigGetAttribute")),
        matmul(library.function<LtMatmul>("cublasLtMatmul")),
        text(library.find<StatusText>("cublasLtGetStatusString")) {}
  LtCreate *create;
  LtDestroy *destroy;
  LtVersion *version;
  LtDescCreate *desc_create;
  LtDescDestroy *desc_destroy;
  LtDescSet *desc_set;
  LtLayoutCreate *layout_create;
  LtLayoutSet *layout_set;
  LtLayoutDestroy *layout_destroy;
  LtPreferenceCreate *preference_create;
  LtPreferenceDestroy *preference_destroy;
  LtPreferenceSet *preference_set;
  LtHeuristics *heuristics;
  LtConfigGet *config_get;   // null: an older version
  LtMatmul *matmul;
  StatusText *text;   // null likewise

  void check(Status status, const char *call) const {
    if (status != Success)
      throw Error(fmt::format("{} failed: {} ({})", call, text ? text(status) : "status", status), {});
  }
};

// Descriptors of one product, for as long as a candidate needs them.
struct Described {
  Described(const Functions &f, const ProductCall &call) : functions(f), call(call) {
    try {
      f.check(f.desc_create(&desc, call.computeType, call.scaleType), "cublasLtMatmulDescCreate");
      set(DescTransA, call.transFirst);
      set(DescTransB, call.transSecond);
      layout(&first, call.inType, call.transFirst == Normal ? call.m : call.k,
             call.transFirst == Normal ? call.k : call.m, call.ldFirst, call.stepFirst);
      layout(&second, call.inType, call.transSecond == Normal ? call.k : call.n,
             call.transSecond == Normal ? call.n : call.k, call.ldSecond, call.stepSecond);
      layout(&result, call.outType, call.m, call.n, call.ldResult, call.stepResult);
    } catch (...) {
      release();
      throw;
    }
  }
  ~Described() { release(); }
  Described(const Described &) = delete;
  Described &operator=(const Described &) = delete;

  const Functions &functions;
  ProductCall call;
  void *desc = nullptr, *first = nullptr, *second = nullptr, *result = nullptr;

 private:
  void set(int attribute, std::int32_t value) {
    functions.check(functions.desc_set(desc, attribute, &value, sizeof value),
                    "cublasLtMatmulDescSetAttribute");
  }
  void layout(void **made, int type, std::int64_t rows, std::int64_t cols, std::int64_t ld,
              std::int64_t step) {
    functions.check(functions.layout_create(made, type, static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(cols), ld),
                    "cublasLtMatrixLayoutCreate");
    if (call.batch == 1)
      return;
    const auto batch = static_cast<std::int32_t>(call.batch);
    functions.check(functions.layout_set(*made, LayoutBatch, &batch, sizeof batch),
                    "cublasLtMatrixLayoutSetAttribute");
    functions.check(functions.layout_set(*made, LayoutBatchStep, &step, sizeof step),
                    "cublasLtMatrixLayoutSetAttribute");
  }
  void release() {
    for (void *made : {first, second, result})
      if (made)
        functions.layout_destroy(made);
    if (desc)
      functions.desc_destroy(desc);
  }
};

class CublasLt final : public Provider {
 public:
  CublasLt(Device &device, Stopwatch &stopwatch)
      : stopwatch_(stopwatch), library_(library_files("cublasLt", versions)), functions_(library_),
        stream_(Stream::own(device).handle()), workspace_(device, workspace_bytes, "workspace of cublasLt") {
    stopwatch.with_context([&] { functions_.check(functions_.create(&handle_), "cublasLtCreate"); });
  }
  ~CublasLt() override {
    is_released(stopwatch_, [this] { functions_.destroy(handle_); });
  }
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  std::string name() const override { return "cublaslt-best"; }
  std::string version() const override {
    return fmt::format("cublasLt {}, {}", version_text(functions_.version()), library_.path());
  }

  std::vector<Candidate> candidates(const Job &job) override {
    std::vector<Candidate> all;
    add(job, job.problem, all);
    if (job.other_layout)
      add(job, *job.other_layout, all);
    if (all.empty())
      throw Cannot(name() + " has no such product");
    return all;
  }

 private:
  void add(const Job &job, const registry::Problem &problem, std::vector<Candidate> &to) {
    const ProductCall call = product_call(problem, name());
    if (call.rows.size() != 1)
      throw Cannot(name() + " is asked for one product at a time");
    const auto described = std::make_shared<const Described>(functions_, call);
    const std::vector<LtHeuristic> found = algorithms(*described);
    for (std::size_t i = 0; i < found.size(); ++i)
      to.push_back({fmt::format("{} {}, {} of {}", layout_name(problem), algorithm_text(found[i].algorithm),
                                i + 1, found.size()),
                    [this, described, algorithm = found[i].algorithm, &data = job.data](int set) {
                      multiply(*described, algorithm, data.operands(set));
                    },
                    &problem});
  }

  std::vector<LtHeuristic> algorithms(const Described &product) const {
    const Functions &f = functions_;
    void *preference = nullptr;
    f.check(f.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    std::vector<LtHeuristic> results(most_algorithms);
    int count = 0;
    Status status = Success;
    const std::uint64_t workspace = workspace_bytes;
    stopwatch_.with_context([&] {
      status = f.preference_set(preference, PreferenceWorkspace, &workspace, sizeof workspace);
      if (status == Success)
        status = f.preference_set(preference, PreferenceReductions, &ReductionInComputeType,
                                  sizeof ReductionInComputeType);
      if (status == Success)
        status = f.heuristics(handle_, product.desc, product.first, product.second, product.result,
                              product.result, preference, most_algorithms, results.data(), &count);
    });
    f.preference_destroy(preference);
    if (status == NotSupported)
      return {};
    f.check(status, "cublasLtMatmulAlgoGetHeuristic");
    results.resize(static_cast<std::size_t>(std::max(count, 0)));
    std::erase_if(results, [](const LtHeuristic &result) { return result.state != Success; });
    return results;
  }

  std::string algorithm_text(const LtAlgorithm &algorithm) const {
    const auto get = [&](int attribute) {
      std::int32_t value = 0;
      std::size_t written = 0;
      const bool known = functions_.config_get && functions_.config_get(&algorithm, attribute, &value,
                                                                        sizeof value, &written) == Success;
      return known ? value : -1;
    };
    std::string text =
        fmt::format("algorithm {}, tile {}, stages {}", get(ConfigId), get(ConfigTile), get(ConfigStages));
    if (const std::int32_t parts = get(ConfigSplitK); parts > 1)
      text += fmt::format(", K in {}", parts);
    return text;
  }

  void multiply(const Described &product, const LtAlgorithm &algorithm, std::span<void *const> at) {
    const ProductCall &call = product.call;
    functions_.check(functions_.matmul(handle_, product.desc, call.one(), at[1], product.first, at[0],
                                       product.second, call.zero(), at[2], product.result, at[2],
                                       product.result, &algorithm, workspace_.data(), workspace_bytes,
                                       stream_),
                     "cublasLtMatmul");
  }

  Stopwatch &stopwatch_;
  Library library_;
  Functions functions_;
  void *stream_;
  Buffer<std::byte> workspace_;
  void *handle_ = nullptr;
};

}   // namespace

std::unique_ptr<Provider> make_cublaslt(Device &device, Stopwatch &stopwatch) {
  return std::make_unique<CublasLt>(device, stopwatch);
}

}   // namespace tile::bench

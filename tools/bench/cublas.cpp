// SPDX-License-Identifier: MIT
// cuBLAS as most programs call it: cublasGemmEx, its own choice of an algorithm, sums in float32.
#include "tools/bench/cublas_functions.h"
#include "tools/bench/library.h"
#include "tools/bench/peers.h"
#include "tools/bench/product_call.h"

#include "runtime/cuda/launch_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tile::bench {
namespace {

using namespace blas;

// What cuBLAS takes by itself on Hopper. A recorded call needs memory that stays.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
constexpr std::array versions{13, 12, 11};

class Cublas final : public Provider {
 public:
  Cublas(Device &device, Stopwatch &stopwatch)
      : stopwatch_(stopwatch), library_(library_files("cublas", versions)),
        set_stream_(library_.function<SetStream>("cublasSetStream_v2")),
        multiply_(library_.function<GemmEx>("cublasGemmEx")),
        multiply_batch_(library_.function<GemmStridedBatchedEx>("cublasGemmStridedBatchedEx")),
        destroy_(library_.function<Destroy>("cublasDestroy_v2")),
        text_(library_.find<StatusText>("cublasGetStatusString")),
        workspace_(device, workspace_bytes, "workspace of cuBLAS") {
    auto *create = library_.function<Create>("cublasCreate_v2");
    auto *set_workspace = library_.function<SetWorkspace>("cublasSetWorkspace_v2");
    auto *set_math_mode = library_.function<SetMathMode>("cublasSetMathMode");
    auto *get_version = library_.function<GetVersion>("cublasGetVersion_v2");
    stopwatch.with_context([&] {
      check(create(&handle_), "cublasCreate");
      try {
        // Setting a stream takes the workspace away, so the stream comes first.
        check(set_stream_(handle_, Stream::own(device).handle()), "cublasSetStream");
        check(set_workspace(handle_, workspace_.data(), workspace_bytes), "cublasSetWorkspace");
        check(set_math_mode(handle_, DisallowReducedPrecisionReduction), "cublasSetMathMode");
        check(get_version(handle_, &version_), "cublasGetVersion");
      } catch (...) {
        destroy_(handle_);
        throw;
      }
    });
  }
  ~Cublas() override {
    is_released(stopwatch_, [this] { destroy_(handle_); });
  }
  Cublas(const Cublas &) = delete;
  Cublas &operator=(const Cublas &) = delete;

  std::string name() const override { return "cublas"; }
  std::string version() const override {
    return fmt::format("cuBLAS {}, {}", version_text(version_), library_.path());
  }

  std::vector<Candidate> candidates(const Job &job) override {
    const ProductCall call = product_call(job.problem, name());
    const auto once = [this, call, &data = job.data](int set) {
      for (std::size_t g = 0; g < call.rows.size(); ++g)
        if (call.rows[g] != 0)
          check(multiply(call, g, data.operands(set)), function_of(call));
    };
    // Whether it has such a product shows when it is called.
    Status status = Success;
    const std::ptrdiff_t calls = std::ssize(call.rows) - std::ranges::count(call.rows, 0);
    const auto first = std::ranges::find_if(call.rows, [](std::int64_t rows) { return rows != 0; });
    stopwatch_.with_context([&] {
      status = multiply(call, static_cast<std::size_t>(first - call.rows.begin()), job.data.operands(0));
    });
    if (status == NotSupported)
      throw Cannot(name() + " has no such product");
    check(status, function_of(call));
    return {{call.rows.size() == 1 ? layout_name(job.problem) : fmt::format("{} calls", calls), once}};
  }

 private:
  static const char *function_of(const ProductCall &call) {
    return call.batch == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx";
  }
  Status multiply(const ProductCall &call, std::size_t group, std::span<void *const> operands) const {
    const std::span<void *const> at = operands.subspan(3 * group);
    const int m = static_cast<int>(call.m), n = static_cast<int>(call.rows[group]),
              k = static_cast<int>(call.k), ld_first = static_cast<int>(call.ldFirst),
              ld_second = static_cast<int>(call.ldSecond), ld_result = static_cast<int>(call.ldResult);
    if (call.batch == 1)
      return multiply_(handle_, call.transFirst, call.transSecond, m, n, k, call.one(), at[1], call.inType,
                       ld_first, at[0], call.inType, ld_second, call.zero(), at[2], call.outType, ld_result,
                       call.computeType, DefaultAlgorithm);
    return multiply_batch_(handle_, call.transFirst, call.transSecond, m, n, k, call.one(), at[1],
                           call.inType, ld_first, call.stepFirst, at[0], call.inType, ld_second,
                           call.stepSecond, call.zero(), at[2], call.outType, ld_result, call.stepResult,
                           static_cast<int>(call.batch), call.computeType, DefaultAlgorithm);
  }
  void check(Status status, const char *call) const {
    if (status != Success)
      throw Error(fmt::format("{} failed: {} ({})", call, text_ ? text_(status) : "status", status), {});
  }

  Stopwatch &stopwatch_;
  Library library_;
  SetStream *set_stream_;
  GemmEx *multiply_;
  GemmStridedBatchedEx *multiply_batch_;
  Destroy *destroy_;
  StatusText *text_;
  Buffer<std::byte> workspace_;
  void *handle_ = nullptr;
  int version_ = 0;
};

}   // namespace

std::unique_ptr<Provider> make_cublas(Device &device, Stopwatch &stopwatch) {
  return std::make_unique<Cublas>(device, stopwatch);
}

}   // namespace tile::bench

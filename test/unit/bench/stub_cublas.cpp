// SPDX-License-Identifier: MIT
// cuBLAS and cublasLt as far as `tile bench` calls them, for operands of f16, f32 and i8 in the host's
// memory.
#include "test/unit/bench/stub.h"
#include "tools/bench/cublas_functions.h"
#include "tools/bench/elements.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

using namespace tile;
using namespace tile::bench::blas;

namespace {

testing::Stub stub;

ElementType type_of(int type) {
  switch (type) {
  case R16F:
    return element_type<f16>;
  case R8I:
    return element_type<i8>;
  case R32I:
    return element_type<i32>;
  default:
    return element_type<f32>;
  }
}

std::vector<double> numbers(int type, const void *at, std::size_t count) {
  std::vector<double> all(count);
  tile::bench::to_numbers(type_of(type), static_cast<const std::byte *>(at), all);
  return all;
}

// c = op(a) * op(b), stored by columns.
void multiply(bool transA, bool transB, long m, long n, long k, const void *a, int aType, long lda,
              const void *b, int bType, long ldb, void *c, int cType, long ldc, bool wrong) {
  ++stub.calls;
  if (stub.writes_nothing || (stub.computes && !*stub.computes))
    return;
  const auto left = numbers(aType, a, static_cast<std::size_t>(lda * (transA ? m : k)));
  const auto right = numbers(bType, b, static_cast<std::size_t>(ldb * (transB ? k : n)));
  for (long j = 0; j < n; ++j) {
    std::vector<double> column(static_cast<std::size_t>(m));
    for (long i = 0; i < m; ++i) {
      double sum = wrong ? 1 : 0;
      for (long l = 0; l < k; ++l)
        sum += left[static_cast<std::size_t>(transA ? l + i * lda : i + l * lda)] *
               right[static_cast<std::size_t>(transB ? j + l * ldb : l + j * ldb)];
      column[static_cast<std::size_t>(i)] = sum;
    }
    const std::vector<std::byte> bytes = tile::bench::from_numbers(type_of(cType), column);
    std::memcpy(static_cast<std::byte *>(c) + static_cast<std::size_t>(j * ldc) * type_of(cType).bytes(),
                bytes.data(), bytes.size());
  }
}

// Matrix `i` of those that begin so many elements from one to the next.
template <class T> T *matrix(T *at, int type, long i, std::int64_t step) {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return static_cast<Byte *>(at) + i * step * static_cast<long>(type_of(type).bytes());
}

void pass(double seconds) {
  if (stub.clock)
    *stub.clock += seconds;
}

struct Desc {
  int computeType = 0, scaleType = 0;
  std::int32_t transA = 0, transB = 0;
};
struct Layout {
  int type;
  long rows, cols, ld;
  std::int32_t batch = 1;
  std::int64_t step = 0;
};
int handle;

}   // namespace

#define STUB extern "C" __attribute__((visibility("default")))

STUB testing::Stub *tile_stub() { return &stub; }

STUB Status cublasCreate_v2(void **made) {
  *made = &handle;
  stub.open_handles += stub.status_of_create == 0;
  return stub.status_of_create;
}
STUB Status cublasDestroy_v2(void *) {
  --stub.open_handles;
  return Success;
}
STUB Status cublasGetVersion_v2(void *, int *version) {
  *version = 130102;
  return Success;
}
STUB Status cublasSetStream_v2(void *, void *stream) {
  stub.stream = stream;
  return Success;
}
STUB Status cublasSetWorkspace_v2(void *, void *, std::size_t bytes) {
  stub.workspace = bytes;
  return Success;
}
STUB Status cublasSetMathMode(void *, int mode) {
  stub.math_mode = mode;
  return Success;
}
STUB const char *cublasGetStatusString(Status) { return "CUBLAS_STATUS_OF_THE_STUB"; }
STUB Status cublasGemmEx(void *, int transA, int transB, int m, int n, int k, const void *, const void *a,
                         int aType, int lda, const void *b, int bType, int ldb, const void *, void *c,
                         int cType, int ldc, int, int) {
  if (stub.status)
    return stub.status;
  if (n == 0)
    return 7;   // the library says success then, whether it has such a product or not: nobody should ask
  multiply(transA, transB, m, n, k, a, aType, lda, b, bType, ldb, c, cType, ldc, stub.is_wrong);
  pass(stub.seconds);
  return Success;
}
STUB Status cublasGemmStridedBatchedEx(void *, int transA, int transB, int m, int n, int k, const void *,
                                       const void *a, int aType, int lda, long long stepA, const void *b,
                                       int bType, int ldb, long long stepB, const void *, void *c, int cType,
                                       int ldc, long long stepC, int batch, int, int) {
  if (stub.status)
    return stub.status;
  for (int i = 0; i < batch; ++i)
    multiply(transA, transB, m, n, k, matrix(a, aType, i, stepA), aType, lda, matrix(b, bType, i, stepB),
             bType, ldb, matrix(c, cType, i, stepC), cType, ldc, stub.is_wrong);
  pass(stub.seconds);
  return Success;
}

STUB Status cublasLtCreate(void **made) {
  *made = &handle;
  stub.open_handles += stub.status_of_create == 0;
  return stub.status_of_create;
}
STUB Status cublasLtDestroy(void *) {
  --stub.open_handles;
  return Success;
}
STUB std::size_t cublasLtGetVersion() { return 130102; }
STUB Status cublasLtMatmulDescCreate(void **made, int computeType, int scaleType) {
  ++stub.open_descriptors;
  *made = new Desc{computeType, scaleType};
  return Success;
}
STUB Status cublasLtMatmulDescDestroy(void *desc) {
  --stub.open_descriptors;
  delete static_cast<Desc *>(desc);
  return Success;
}
STUB Status cublasLtMatmulDescSetAttribute(void *desc, int attribute, const void *value, std::size_t) {
  auto &to = attribute == DescTransA ? static_cast<Desc *>(desc)->transA : static_cast<Desc *>(desc)->transB;
  std::memcpy(&to, value, sizeof to);
  return Success;
}
STUB Status cublasLtMatrixLayoutCreate(void **made, int type, std::uint64_t rows, std::uint64_t cols,
                                       std::int64_t ld) {
  ++stub.open_descriptors;
  *made = new Layout{type, static_cast<long>(rows), static_cast<long>(cols), ld};
  return Success;
}
STUB Status cublasLtMatrixLayoutSetAttribute(void *layout, int attribute, const void *value,
                                             std::size_t bytes) {
  auto &to = *static_cast<Layout *>(layout);
  std::memcpy(attribute == LayoutBatch ? static_cast<void *>(&to.batch) : &to.step, value, bytes);
  return Success;
}
STUB Status cublasLtMatrixLayoutDestroy(void *layout) {
  --stub.open_descriptors;
  delete static_cast<Layout *>(layout);
  return Success;
}
STUB Status cublasLtMatmulPreferenceCreate(void **made) {
  ++stub.open_descriptors;
  *made = new int;
  return Success;
}
STUB Status cublasLtMatmulPreferenceDestroy(void *preference) {
  --stub.open_descriptors;
  delete static_cast<int *>(preference);
  return Success;
}
STUB Status cublasLtMatmulPreferenceSetAttribute(void *, int attribute, const void *value,
                                                 std::size_t bytes) {
  if (attribute == PreferenceWorkspace && bytes == sizeof stub.workspace)
    std::memcpy(&stub.workspace, value, sizeof stub.workspace);
  return Success;
}
STUB Status cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *, void *, void *, void *, int wanted,
                                           LtHeuristic *results, int *found) {
  *found = std::min(wanted, stub.algorithms + 1);
  for (int i = 0; i < *found; ++i) {
    results[i] = {};
    results[i].algorithm.data[0] = static_cast<std::uint64_t>(i);
    results[i].state = i == stub.algorithms ? NotSupported : Success;   // the last one is not to be taken
  }
  return stub.status;
}
STUB Status cublasLtMatmulAlgoConfigGetAttribute(const LtAlgorithm *algorithm, int attribute, void *value,
                                                 std::size_t, std::size_t *written) {
  const auto number = static_cast<std::int32_t>(algorithm->data[0] * 10) + attribute;
  std::memcpy(value, &number, sizeof number);
  *written = sizeof number;
  return Success;
}
STUB Status cublasLtMatmul(void *, void *desc, const void *, const void *a, void *aLayout, const void *b,
                           void *bLayout, const void *, const void *, void *, void *d, void *dLayout,
                           const LtAlgorithm *algorithm, void *, std::size_t, void *stream) {
  const auto &of = *static_cast<Desc *>(desc);
  const auto &first = *static_cast<Layout *>(aLayout), &second = *static_cast<Layout *>(bLayout),
             &result = *static_cast<Layout *>(dLayout);
  const int which = static_cast<int>(algorithm->data[0]);
  stub.stream = stream;
  for (long i = 0; i < result.batch; ++i)
    multiply(of.transA, of.transB, result.rows, result.cols, of.transA ? first.rows : first.cols,
             matrix(a, first.type, i, first.step), first.type, first.ld,
             matrix(b, second.type, i, second.step), second.type, second.ld,
             matrix(d, result.type, i, result.step), result.type, result.ld,
             stub.is_wrong || which == stub.wrong_algorithm);
  const bool is_lucky = which == stub.lucky_algorithm;
  const double luck = !is_lucky ? 1 : stub.lucky_calls-- > 0 ? 0.5 : 2;
  pass(stub.seconds * stub.factors[which % 4] * luck);
  return Success;
}

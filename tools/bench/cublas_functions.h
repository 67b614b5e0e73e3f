// SPDX-License-Identifier: MIT
// The few functions, numbers and structures of cuBLAS and cublasLt that are called. Declared here, so that
// building needs no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tile::bench::blas {

using Status = int;
constexpr Status Success = 0, NotSupported = 15;

constexpr int Normal = 0, Transposed = 1;   // cublasOperation_t
// cudaDataType
constexpr int R32F = 0, R64F = 1, R16F = 2, R8I = 3, R32I = 10, R16BF = 14, R8E4M3 = 28, R8E5M2 = 29;
// cublasComputeType_t
constexpr int Compute32F = 68, Compute64F = 70, Compute32I = 72, Compute32FFastTF32 = 77;
constexpr int DisallowReducedPrecisionReduction = 16;   // of cublasMath_t
constexpr int DefaultAlgorithm = -1;

using Create = Status(void **handle);
using Destroy = Status(void *handle);
using GetVersion = Status(void *handle, int *version);
using SetStream = Status(void *handle, void *stream);
using SetWorkspace = Status(void *handle, void *memory, std::size_t bytes);
using SetMathMode = Status(void *handle, int mode);
using StatusText = const char *(Status status);
using GemmEx = Status(void *handle, int transA, int transB, int m, int n, int k, const void *alpha,
                      const void *a, int aType, int lda, const void *b, int bType, int ldb, const void *beta,
                      void *c, int cType, int ldc, int computeType, int algorithm);
using GemmStridedBatchedEx = Status(void *handle, int transA, int transB, int m, int n, int k,
                                    const void *alpha, const void *a, int aType, int lda, long long strideA,
                                    const void *b, int bType, int ldb, long long strideB, const void *beta,
                                    void *c, int cType, int ldc, long long strideC, int batch,
                                    int computeType, int algorithm);

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct LtAlgorithm {
  std::uint64_t data[8];
};
struct LtHeuristic {
  LtAlgorithm algorithm;
  std::size_t workspaceBytes;
  Status state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(LtHeuristic) == 96);

constexpr int DescTransA = 3, DescTransB = 4;                      // cublasLtMatmulDescAttributes_t
constexpr int LayoutBatch = 5, LayoutBatchStep = 6;                // cublasLtMatrixLayoutAttribute_t
constexpr int PreferenceWorkspace = 1, PreferenceReductions = 3;   // cublasLtMatmulPreferenceAttributes_t
constexpr std::uint32_t ReductionInComputeType = 2;                // cublasLtReductionScheme_t
constexpr int ConfigId = 0, ConfigTile = 1, ConfigSplitK = 2,
              ConfigStages = 6;   // ..MatmulAlgoConfigAttributes_t

using LtCreate = Status(void **handle);
using LtDestroy = Status(void *handle);
using LtVersion = std::size_t();
using LtDescCreate = Status(void **desc, int computeType, int scaleType);
using LtDescDestroy = Status(void *desc);
using LtDescSet = Status(void *desc, int attribute, const void *value, std::size_t bytes);
using LtLayoutCreate = Status(void **layout, int type, std::uint64_t rows, std::uint64_t cols,
                              std::int64_t ld);
using LtLayoutSet = Status(void *layout, int attribute, const void *value, std::size_t bytes);
using LtLayoutDestroy = Status(void *layout);
using LtPreferenceCreate = Status(void **preference);
using LtPreferenceDestroy = Status(void *preference);
using LtPreferenceSet = Status(void *preference, int attribute, const void *value, std::size_t bytes);
using LtHeuristics = Status(void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference,
                            int wanted, LtHeuristic *results, int *found);
using LtConfigGet = Status(const LtAlgorithm *algorithm, int attribute, void *value, std::size_t bytes,
                           std::size_t *written);
using LtMatmul = Status(void *handle, void *desc, const void *alpha, const void *a, void *aLayout,
                        const void *b, void *bLayout, const void *beta, const void *c, void *cLayout, void *d,
                        void *dLayout, const LtAlgorithm *algorithm, void *workspace, std::size_t bytes,
                        void *stream);

}   // namespace tile::bench::blas

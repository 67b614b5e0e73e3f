// SPDX-License-Identifier: MIT
// The few functions and numbers of cuDNN that are used. Declared here, so that building needs no cuDNN.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tile::bench::dnn {

using Status = int;
constexpr Status Success = 0;
constexpr int Float = 0, Half = 2, BFloat16 = 9;   // cudnnDataType_t
constexpr int Nchw = 0;                            // cudnnTensorFormat_t
constexpr int SoftmaxAccurate = 1;                 // cudnnSoftmaxAlgorithm_t
constexpr int SoftmaxOfInstance = 0;               // cudnnSoftmaxMode_t: over all but the first axis

using Create = Status(void **handle);
using Destroy = Status(void *handle);
using Version = std::size_t();
using SetStream = Status(void *handle, void *stream);
using StatusText = const char *(Status status);
using TensorCreate = Status(void **tensor);
using TensorDestroy = Status(void *tensor);
using TensorSet = Status(void *tensor, int format, int type, int n, int c, int h, int w);
using Softmax = Status(void *handle, int algorithm, int mode, const void *alpha, void *xTensor, const void *x,
                       const void *beta, void *yTensor, void *y);

// The graph interface: descriptors that are made, get attributes and are finalized.
// cudnnBackendDescriptorType_t
constexpr int EngineConfig = 3, EngineHeuristic = 4, ExecutionPlan = 5, OperationGraph = 15, VariantPack = 16,
              Tensor = 17, OperationNormForward = 29;
// cudnnBackendAttributeType_t
constexpr int TypeHandle = 0, TypeDataType = 1, TypeBoolean = 2, TypeInt64 = 3, TypePointer = 6,
              TypeHeuristicMode = 8, TypeDescriptor = 15, TypeNormMode = 27, TypeNormPhase = 28;
// cudnnBackendAttributeName_t
constexpr int HeuristicMode = 200, HeuristicGraph = 201, HeuristicResults = 202;
constexpr int PlanHandle = 400, PlanConfig = 401, PlanWorkspace = 402;
constexpr int GraphHandle = 800, GraphOperations = 801;
constexpr int TensorAlignment = 900, TensorType = 901, TensorDims = 902, TensorStrides = 903, TensorId = 906,
              TensorByValue = 908;
constexpr int PackIds = 1000, PackPointers = 1001, PackWorkspace = 1003;
constexpr int NormMode = 2000, NormPhase = 2001, NormX = 2002, NormScale = 2005, NormBias = 2006,
              NormEpsilon = 2007, NormY = 2013;
constexpr int LayerNormMode = 0;                       // cudnnBackendNormMode_t
constexpr int Inference = 0;                           // cudnnBackendNormFwdPhase_t
constexpr int HeuristicFallback = 2, HeuristicA = 3;   // cudnnBackendHeurMode_t

using BackendCreate = Status(int kind, void **descriptor);
using BackendDestroy = Status(void *descriptor);
using BackendSet = Status(void *descriptor, int attribute, int type, std::int64_t count, const void *values);
using BackendGet = Status(void *descriptor, int attribute, int type, std::int64_t wanted, std::int64_t *found,
                          void *values);
using BackendFinalize = Status(void *descriptor);
using BackendExecute = Status(void *handle, void *plan, void *variantPack);

}   // namespace tile::bench::dnn

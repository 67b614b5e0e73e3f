// SPDX-License-Identifier: MIT
// cuDNN as far as `tile bench` calls it, for operands in the host's memory. Its graphs are one layer
// normalisation, which it computes by what the descriptors say: dimensions, types, and operands by their
// numbers.
#include "test/unit/bench/stub.h"
#include "tools/bench/cudnn_functions.h"
#include "tools/bench/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

using namespace tile;
using namespace tile::bench::dnn;

namespace {

testing::Stub stub;
int handle;
constexpr int NotSupported = 3000;

ElementType type_of(int type) {
  return type == Half ? element_type<f16> : type == BFloat16 ? element_type<bf16> : element_type<f32>;
}
std::size_t bytes_of(int type, std::int64_t count) {
  return type_of(type).bytes() * static_cast<std::size_t>(count);
}
std::vector<double> numbers(int type, const void *at, std::int64_t count) {
  std::vector<double> all(static_cast<std::size_t>(count));
  tile::bench::to_numbers(type_of(type), static_cast<const std::byte *>(at), all);
  return all;
}
void put(int type, void *to, const std::vector<double> &values) {
  const std::vector<std::byte> bytes = tile::bench::from_numbers(type_of(type), values);
  std::memcpy(to, bytes.data(), bytes.size());
}
// Takes its time; whether there is something to compute.
bool pass() {
  ++stub.calls;
  if (stub.clock)
    *stub.clock += stub.seconds;
  return !stub.computes || *stub.computes;
}

struct TensorDescriptor {
  int type = 0, n = 0, c = 0;
};

struct Descriptor {
  int kind;
  bool is_finalized = false;
  std::map<int, std::vector<std::byte>> attributes;
  template <class T> T get(int name, std::size_t at = 0) const {
    T value{};
    std::memcpy(static_cast<void *>(&value), attributes.at(name).data() + at * sizeof(T), sizeof(T));
    return value;
  }
  const Descriptor &node(int name) const { return *get<Descriptor *>(name); }
};

std::size_t size_of(int type) {
  return type == TypeBoolean ? 1
         : type == TypeDataType || type == TypeHeuristicMode || type == TypeNormMode || type == TypeNormPhase
             ? 4
             : 8;
}

}   // namespace

#define STUB extern "C" __attribute__((visibility("default")))

STUB testing::Stub *tile_stub() { return &stub; }

STUB Status cudnnCreate(void **made) {
  *made = &handle;
  stub.open_handles += stub.status_of_create == 0;
  return stub.status_of_create;
}
STUB Status cudnnDestroy(void *) {
  --stub.open_handles;
  return Success;
}
STUB std::size_t cudnnGetVersion() { return 91002; }
STUB Status cudnnSetStream(void *, void *stream) {
  stub.stream = stream;
  return Success;
}
STUB const char *cudnnGetErrorString(Status) { return "CUDNN_STATUS_OF_THE_STUB"; }
STUB Status cudnnCreateTensorDescriptor(void **made) {
  ++stub.open_descriptors;
  *made = new TensorDescriptor;
  return Success;
}
STUB Status cudnnDestroyTensorDescriptor(void *tensor) {
  --stub.open_descriptors;
  delete static_cast<TensorDescriptor *>(tensor);
  return Success;
}
STUB Status cudnnSetTensor4dDescriptor(void *tensor, int format, int type, int n, int c, int h, int w) {
  *static_cast<TensorDescriptor *>(tensor) = {type, n, c};
  return format == Nchw && h == 1 && w == 1 ? Success : NotSupported;
}
STUB Status cudnnSoftmaxForward(void *, int algorithm, int mode, const void *, void *tensor, const void *x,
                                const void *, void *, void *y) {
  if (stub.status || algorithm != SoftmaxAccurate || mode != SoftmaxOfInstance)
    return stub.status ? stub.status : NotSupported;
  if (!pass())
    return Success;
  const auto &t = *static_cast<TensorDescriptor *>(tensor);
  for (int row = 0; row < t.n; ++row) {
    const std::size_t offset = bytes_of(t.type, std::int64_t{row} * t.c);
    std::vector<double> values = numbers(t.type, static_cast<const std::byte *>(x) + offset, t.c);
    double sum = 0;
    for (double &value : values)
      sum += value = std::exp(value);
    for (double &value : values)
      value /= stub.is_wrong ? 2 * sum : sum;
    put(t.type, static_cast<std::byte *>(y) + offset, values);
  }
  return Success;
}

STUB Status cudnnBackendCreateDescriptor(int kind, void **made) {
  ++stub.open_descriptors;
  *made = new Descriptor{kind, false, {}};
  return Success;
}
STUB Status cudnnBackendDestroyDescriptor(void *descriptor) {
  --stub.open_descriptors;
  delete static_cast<Descriptor *>(descriptor);
  return Success;
}
STUB Status cudnnBackendSetAttribute(void *descriptor, int name, int type, std::int64_t count,
                                     const void *values) {
  auto &to = *static_cast<Descriptor *>(descriptor);
  if (to.is_finalized)
    return 1;
  const auto *bytes = static_cast<const std::byte *>(values);
  to.attributes[name].assign(bytes, bytes + size_of(type) * static_cast<std::size_t>(count));
  return Success;
}
STUB Status cudnnBackendFinalize(void *descriptor) {
  auto &d = *static_cast<Descriptor *>(descriptor);
  if (d.kind == OperationNormForward) {
    stub.weight_type = d.node(NormScale).get<int>(TensorType);
    for (const int operand : {NormX, NormScale, NormBias, NormEpsilon, NormY})
      if (!d.node(operand).is_finalized)
        return 1;
  }
  if (d.kind == ExecutionPlan && stub.finalize_fails > 0) {
    --stub.finalize_fails;
    return NotSupported;
  }
  if (d.kind == ExecutionPlan)   // the config is gone before the plan runs
    for (const auto &[name, value] : d.node(PlanConfig).attributes)
      d.attributes.emplace(name, value);
  d.is_finalized = true;
  return Success;
}
STUB Status cudnnBackendGetAttribute(void *descriptor, int name, int, std::int64_t wanted,
                                     std::int64_t *found, void *values) {
  auto &d = *static_cast<Descriptor *>(descriptor);
  if (name == PlanWorkspace) {
    const std::int64_t bytes = 64;
    std::memcpy(values, &bytes, sizeof bytes);
    *found = 1;
    return Success;
  }
  if (name != HeuristicResults)
    return NotSupported;
  *found = std::min<std::int64_t>(wanted, 2);   // engines
  // The graph is gone before the plan runs: what it says is kept.
  const Descriptor &operation = d.node(HeuristicGraph).node(GraphOperations);
  for (std::int64_t i = 0; i < *found; ++i) {
    auto *config = static_cast<Descriptor **>(values)[i];
    config->attributes[1] = operation.node(NormX).attributes.at(TensorDims);
    config->attributes[2] = operation.node(NormX).attributes.at(TensorType);
    config->attributes[3] = operation.node(NormScale).attributes.at(TensorType);
    for (int n = 0; n < 5; ++n)
      config->attributes[10 + n] =
          operation
              .node(std::vector{NormX, NormScale, NormBias, NormEpsilon, NormY}[static_cast<std::size_t>(n)])
              .attributes.at(TensorId);
  }
  return Success;
}
STUB Status cudnnBackendExecute(void *, void *planned, void *packed) {
  if (stub.status)
    return stub.status;
  if (!pass())
    return Success;
  const auto &config = *static_cast<Descriptor *>(planned);
  const auto &pack = *static_cast<Descriptor *>(packed);
  const auto rows = config.get<std::int64_t>(1, 0), cols = config.get<std::int64_t>(1, 1);
  const int type = config.get<int>(2), weight_type = config.get<int>(3);
  const auto operand = [&](int which) {
    const auto id = config.get<std::int64_t>(10 + which);
    for (std::size_t i = 0; i < 5; ++i)
      if (pack.get<std::int64_t>(PackIds, i) == id)
        return pack.get<std::byte *>(PackPointers, i);
    return static_cast<std::byte *>(nullptr);
  };
  const auto weight = numbers(weight_type, operand(1), cols), bias = numbers(weight_type, operand(2), cols);
  float epsilon;
  std::memcpy(&epsilon, operand(3), sizeof epsilon);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> x = numbers(type, operand(0) + bytes_of(type, row * cols), cols);
    double mean = 0, variance = 0;
    for (const double value : x)
      mean += value / static_cast<double>(cols);
    for (const double value : x)
      variance += (value - mean) * (value - mean) / static_cast<double>(cols);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = (x[i] - mean) / std::sqrt(variance + epsilon) * weight[i] + bias[i];
    put(type, operand(4) + bytes_of(type, row * cols), x);
  }
  return Success;
}

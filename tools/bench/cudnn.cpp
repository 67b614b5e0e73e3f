// SPDX-License-Identifier: MIT
// cuDNN's softmax, and its layer normalisation by the graph interface, which is the only one that has it.
#include "tools/bench/cudnn_functions.h"
#include "tools/bench/elements.h"
#include "tools/bench/library.h"
#include "tools/bench/peers.h"

#include "runtime/cuda/launch_stream.h"

#include <fmt/format.h>

#include <array>

namespace tile::bench {
namespace {

using namespace dnn;

constexpr std::array versions{9, 8};

struct Functions {
  explicit Functions(const Library &library)
      : create(library.function<Create>("cudnnCreate")), destroy(library.function<Destroy>("cudnnDestroy")),
        version(library.function<Version>("cudnnGetVersion")),
        set_stream(library.function<SetStream>("cudnnSetStream")),
        text(library.function<StatusText>("cudnnGetErrorString")),
        tensor_create(library.function<TensorCreate>("cudnnCreateTensorDescriptor")),
        tensor_destroy(library.function<TensorDestroy>("cudnnDestroyTensorDescriptor")),
        tensor_set(library.function<TensorSet>("cudnnSetTensor4dDescriptor")),
        softmax(library.function<Softmax>("cudnnSoftmaxForward")),
        backend_create(library.function<BackendCreate>("cudnnBackendCreateDescriptor")),
        backend_destroy(library.function<BackendDestroy>("cudnnBackendDestroyDescriptor")),
        backend_set(library.function<BackendSet>("cudnnBackendSetAttribute")),
        backend_get(library.function<BackendGet>("cudnnBackendGetAttribute")),
        backend_finalize(library.function<BackendFinalize>("cudnnBackendFinalize")),
        backend_execute(library.function<BackendExecute>("cudnnBackendExecute")) {}
  Create *create;
  Destroy *destroy;
  Version *version;
  SetStream *set_stream;
  StatusText *text;
  TensorCreate *tensor_create;
  TensorDestroy *tensor_destroy;
  TensorSet *tensor_set;
  Softmax *softmax;
  BackendCreate *backend_create;
  BackendDestroy *backend_destroy;
  BackendSet *backend_set;
  BackendGet *backend_get;
  BackendFinalize *backend_finalize;
  BackendExecute *backend_execute;

  void check(Status status, const char *call) const {
    if (status != Success)
      throw Error(fmt::format("{} failed: {} ({})", call, text(status), status), {});
  }
};

int data_type(ElementType type) {
  switch (type.kind) {
  case Kind::F16:
    return Half;
  case Kind::BF16:
    return BFloat16;
  case Kind::F32:
    return Float;
  default:
    throw Cannot("cudnn has no such elements");
  }
}

// A descriptor of the graph interface.
class Node {
 public:
  Node(const Functions &functions, int kind) : functions_(functions) {
    functions.check(functions.backend_create(kind, &handle_), "cudnnBackendCreateDescriptor");
  }
  ~Node() {
    if (handle_)
      functions_.backend_destroy(handle_);
  }
  Node(Node &&other) noexcept
      : functions_(other.functions_), handle_(std::exchange(other.handle_, nullptr)) {}
  Node &operator=(Node &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  template <class T> Node &set(int attribute, int type, const std::vector<T> &values) {
    functions_.check(functions_.backend_set(handle_, attribute, type,
                                            static_cast<std::int64_t>(values.size()),
                                            static_cast<const void *>(values.data())),
                     "cudnnBackendSetAttribute");
    return *this;
  }
  Node &set(int attribute, const Node &node) {
    return set(attribute, TypeDescriptor, std::vector<void *>{node.handle_});
  }
  Node &finalize() {
    functions_.check(functions_.backend_finalize(handle_), "cudnnBackendFinalize");
    return *this;
  }
  void *handle() const { return handle_; }

 private:
  const Functions &functions_;
  void *handle_ = nullptr;
};

// What the operands of a layer normalisation are called in a graph.
enum : std::int64_t { X = 1, Weight, Bias, Epsilon, Y };

class Cudnn;

// A plan for one normalisation.
class LayerNorm {
 public:
  LayerNorm(const Functions &functions, void *cudnn, const registry::Problem &problem, int weight_type)
      : functions_(functions), plan_(functions, ExecutionPlan),
        epsilon_(static_cast<float>(problem.epsilon)) {
    const registry::Operand &x = problem.operands[0];
    const int type = data_type(x.type);
    const std::int64_t m = x.rows, n = x.cols;
    const Node in = tensor(X, type, m, n), weight = tensor(Weight, weight_type, 1, n),
               bias = tensor(Bias, weight_type, 1, n), out = tensor(Y, type, m, n),
               epsilon = tensor(Epsilon, Float, 1, 1, true);
    Node operation(functions, OperationNormForward);
    operation.set(NormMode, TypeNormMode, std::vector<int>{LayerNormMode})
        .set(NormPhase, TypeNormPhase, std::vector<int>{Inference})
        .set(NormX, in)
        .set(NormScale, weight)
        .set(NormBias, bias)
        .set(NormEpsilon, epsilon)
        .set(NormY, out)
        .finalize();
    Node graph(functions, OperationGraph);
    graph.set(GraphHandle, TypeHandle, std::vector<void *>{cudnn}).set(GraphOperations, operation).finalize();
    choose_engine(cudnn, graph);
    std::int64_t bytes = 0, count = 0;
    functions.check(functions.backend_get(plan_.handle(), PlanWorkspace, TypeInt64, 1, &count, &bytes),
                    "cudnnBackendGetAttribute");
    workspace_bytes_ = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
  }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  // A launch on operands at these addresses.
  std::shared_ptr<const Node> pack(void *x, void *weight, void *bias, void *y, void *workspace) {
    auto pack = std::make_shared<Node>(functions_, VariantPack);
    pack->set(PackPointers, TypePointer, std::vector<void *>{x, weight, bias, &epsilon_, y})
        .set(PackIds, TypeInt64, std::vector<std::int64_t>{X, Weight, Bias, Epsilon, Y})
        .set(PackWorkspace, TypePointer, std::vector<void *>{workspace})
        .finalize();
    return pack;
  }
  void run(void *cudnn, const Node &pack) const {
    functions_.check(functions_.backend_execute(cudnn, plan_.handle(), pack.handle()), "cudnnBackendExecute");
  }

 private:
  Node tensor(std::int64_t id, int type, std::int64_t rows, std::int64_t cols, bool by_value = false) const {
    constexpr std::int64_t alignment = 16;
    Node node(functions_, Tensor);
    node.set(TensorType, TypeDataType, std::vector<int>{type})
        .set(TensorDims, TypeInt64, std::vector<std::int64_t>{rows, cols, 1, 1})
        .set(TensorStrides, TypeInt64, std::vector<std::int64_t>{cols, 1, cols, cols})
        .set(TensorId, TypeInt64, std::vector<std::int64_t>{id})
        .set(TensorAlignment, TypeInt64, std::vector<std::int64_t>{alignment});
    if (by_value)
      node.set(TensorByValue, TypeBoolean, std::vector<char>{1});
    node.finalize();
    return node;
  }

  // The first engine of the heuristic's list that takes the graph.
  void choose_engine(void *cudnn, const Node &graph) {
    for (const int mode : {HeuristicA, HeuristicFallback}) {
      Node heuristic(functions_, EngineHeuristic);
      heuristic.set(HeuristicGraph, graph).set(HeuristicMode, TypeHeuristicMode, std::vector<int>{mode});
      if (functions_.backend_finalize(heuristic.handle()) != Success)
        continue;
      constexpr int most = 8;
      std::vector<Node> configs;
      std::vector<void *> handles;
      for (int i = 0; i < most; ++i)
        handles.push_back(configs.emplace_back(functions_, EngineConfig).handle());
      std::int64_t found = 0;
      if (functions_.backend_get(heuristic.handle(), HeuristicResults, TypeDescriptor, most, &found,
                                 static_cast<void *>(handles.data())) != Success)
        continue;
      for (std::size_t i = 0; i < static_cast<std::size_t>(std::clamp<std::int64_t>(found, 0, most)); ++i) {
        Node plan(functions_, ExecutionPlan);
        plan.set(PlanHandle, TypeHandle, std::vector<void *>{cudnn}).set(PlanConfig, configs[i]);
        if (functions_.backend_finalize(plan.handle()) == Success) {
          plan_ = std::move(plan);
          return;
        }
      }
    }
    throw Cannot("cudnn has no engine for it");
  }

  const Functions &functions_;
  Node plan_;
  float epsilon_;
  std::size_t workspace_bytes_ = 0;
};

class Cudnn final : public Provider {
 public:
  Cudnn(Device &device, Stopwatch &stopwatch)
      : stopwatch_(stopwatch), library_(library_files("cudnn", versions)), functions_(library_) {
    stopwatch.with_context([&] {
      functions_.check(functions_.create(&handle_), "cudnnCreate");
      if (const Status status = functions_.set_stream(handle_, Stream::own(device).handle());
          status != Success) {
        functions_.destroy(handle_);
        functions_.check(status, "cudnnSetStream");
      }
    });
  }
  ~Cudnn() override {
    is_released(stopwatch_, [this] { functions_.destroy(handle_); });
  }
  Cudnn(const Cudnn &) = delete;
  Cudnn &operator=(const Cudnn &) = delete;

  std::string name() const override { return "cudnn"; }
  std::string version() const override {
    const std::size_t v = functions_.version();
    const std::size_t major = v >= 90000 ? 10000 : 1000;
    return fmt::format("cuDNN {}.{}.{}, {}", v / major, v % major / 100, v % 100, library_.path());
  }

  std::vector<Candidate> candidates(const Job &job) override {
    std::vector<Candidate> one;
    stopwatch_.with_context([&] {
      if (job.problem.kind == registry::Problem::Kind::softmax)
        one.push_back({"accurate", softmax(job)});
      else if (job.problem.kind == registry::Problem::Kind::layer_norm)
        one.push_back(layer_norm(job));
      else
        throw Cannot("cudnn is compared with in softmax and layer_norm");
    });
    return one;
  }

 private:
  std::function<void(int)> softmax(const Job &job) {
    const registry::Operand &x = job.problem.operands[0];
    void *made = nullptr;
    functions_.check(functions_.tensor_create(&made), "cudnnCreateTensorDescriptor");
    const std::shared_ptr<void> tensor(made, [f = functions_](void *t) { f.tensor_destroy(t); });
    functions_.check(functions_.tensor_set(made, Nchw, data_type(x.type), static_cast<int>(x.rows),
                                           static_cast<int>(x.cols), 1, 1),
                     "cudnnSetTensor4dDescriptor");
    return [this, tensor, &data = job.data](int set) {
      constexpr float one = 1, zero = 0;
      const std::span<void *const> at = data.operands(set);
      functions_.check(functions_.softmax(handle_, SoftmaxAccurate, SoftmaxOfInstance, &one, tensor.get(),
                                          at[0], &zero, tensor.get(), at[1]),
                       "cudnnSoftmaxForward");
    };
  }

  // Weight and bias in the elements' type, or, where no engine takes them, as f32.
  Candidate layer_norm(const Job &job) {
    const ElementType type = job.problem.operands[0].type;
    try {
      return layer_norm(job, type);
    } catch (const Cannot &) {
      if (type == element_type<f32>)
        throw;
    } catch (const Error &) {
      if (type == element_type<f32>)
        throw;
    }
    return layer_norm(job, element_type<f32>);
  }

  Candidate layer_norm(const Job &job, ElementType weight_type) {
    const registry::Operand &weight = job.problem.operands[1], &bias = job.problem.operands[2];
    const auto plan = std::make_shared<LayerNorm>(functions_, handle_, job.problem, data_type(weight_type));
    const auto workspace =
        std::make_shared<Buffer<std::byte>>(job.device, plan->workspace_bytes(), "workspace of cuDNN");
    std::shared_ptr<Buffer<std::byte>> converted;
    const std::size_t bytes = static_cast<std::size_t>(weight.rows) * weight_type.bytes();
    constexpr std::size_t apart = 256;
    const std::size_t second = (bytes + apart - 1) / apart * apart;
    if (weight_type != weight.type) {
      converted = std::make_shared<Buffer<std::byte>>(job.device, second + bytes, "weight and bias of cuDNN");
      for (const auto &[operand, index, offset] :
           {std::tuple{&weight, std::size_t{1}, std::size_t{0}}, {&bias, std::size_t{2}, second}}) {
        std::vector<double> values(static_cast<std::size_t>(operand->rows));
        for (std::size_t i = 0; i < values.size(); ++i)
          job.data.read_input(*operand, index, static_cast<std::int64_t>(i), std::span(values).subspan(i, 1));
        const std::vector<std::byte> raw = from_numbers(weight_type, values);
        job.device.copy_in(converted->data() + offset, raw.data(), raw.size());
      }
    }
    std::vector<std::shared_ptr<const Node>> packs;
    for (int set = 0; set < job.data.sets(); ++set) {
      const std::span<void *const> at = job.data.operands(set);
      packs.push_back(plan->pack(at[0], converted ? converted->data() : at[1],
                                 converted ? converted->data() + second : at[2], at[3], workspace->data()));
    }
    return {converted ? "weights as f32" : "weights as the elements",
            [this, plan, workspace, converted, packs](int set) {
              plan->run(handle_, *packs[static_cast<std::size_t>(set)]);
            }};
  }

  Stopwatch &stopwatch_;
  Library library_;
  Functions functions_;
  void *handle_ = nullptr;
};

}   // namespace

std::unique_ptr<Provider> make_cudnn(Device &device, Stopwatch &stopwatch) {
  return std::make_unique<Cudnn>(device, stopwatch);
}

}   // namespace tile::bench

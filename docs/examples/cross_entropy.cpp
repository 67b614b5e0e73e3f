// SPDX-License-Identifier: MIT
// Cross entropy with label smoothing, and its gradient, row by row in one pass over memory per direction: the
// loss of a row is log(sum of exp) - (1 - s) x[label] - s mean(x). Rows with a label below 0 are left out.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct LossConfig {
  int block = 256;
};

void cross_entropy_kernel(Ptr<const f32> x, Ptr<const i32> labels, Ptr<f32> loss, Ptr<f32> gradient,
                          Dynamic<Int>, Int classes, Int64 row_stride, Float smoothing,
                          const LossConfig &cfg) {
  auto row = program_id(0);
  auto from = x + row * row_stride;
  Int label = load(labels + row);

  // The sum of exponentials relative to the largest so far, and the sum of the logits.
  Float largest = -INFINITY, total = 0.0f, plain = 0.0f;
  for (auto begin : range(0, classes, cfg.block)) {
    auto c = begin + arange(0, cfg.block);
    auto v = load(from + c, c < classes, -INFINITY);
    Float grown = maximum(largest, max(v, 0));
    total = total * exp(largest - grown) + sum(exp(v - grown), 0);
    plain += sum(where(c < classes, v, 0.0f), 0);
    largest = grown;
  }
  Float log_total = largest + log(total), count = cast<f32>(classes);

  Bool counts = label >= 0;
  Float at_label = load(from + label, counts);
  store(loss + row,
        where(counts, log_total - (1.0f - smoothing) * at_label - smoothing * plain / count, 0.0f));
  for (auto begin : range(0, classes, cfg.block)) {
    auto c = begin + arange(0, cfg.block);
    auto probability = exp(load(from + c, c < classes) - log_total);
    auto wanted = smoothing / count + where(c == label, 1.0f - smoothing, 0.0f);
    store(gradient + row * row_stride + c, where(counts, probability - wanted, 0.0f), c < classes);
  }
}

const Kernel<&cross_entropy_kernel> cross_entropy{
    .name = "cross_entropy",
    .parameters = {"x", "labels", "loss", "gradient", "rows", "classes", "row_stride", "smoothing"},
    .grid = [](auto &, auto, auto, auto, auto, int rows, auto...) { return Grid{rows}; },
};

int main() {
  const int rows = 9, classes = 700;
  const float smoothing = 0.1f;
  std::vector<f32> x(static_cast<std::size_t>(rows * classes));
  std::vector<i32> labels(rows);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i * i % 97) / 9.0f - 5.0f;
  for (int r = 0; r < rows; ++r)
    labels[static_cast<std::size_t>(r)] = r == 4 ? -1 : 83 * r;

  auto device = open_device();
  Buffer<f32> dx(*device, x, "x"), loss(*device, labels.size(), "loss"),
      gradient(*device, x.size(), "gradient");
  Buffer<i32> dl(*device, labels, "labels");
  cross_entropy(*device, dx, dl, loss, gradient, rows, classes, std::int64_t{classes}, smoothing);

  double worst = 0;
  const std::vector<f32> losses = loss.to_host(), gradients = gradient.to_host();
  for (int r = 0; r < rows; ++r) {
    const f32 *v = x.data() + r * classes;
    const int label = labels[static_cast<std::size_t>(r)];
    double total = 0, plain = 0;
    for (int c = 0; c < classes; ++c) {
      total += std::exp(static_cast<double>(v[c]));
      plain += static_cast<double>(v[c]);
    }
    const double s = smoothing,
                 wanted = label < 0 ? 0 : std::log(total) - (1 - s) * v[label] - s * plain / classes;
    worst = std::max(worst, std::abs(losses[static_cast<std::size_t>(r)] - wanted));
    for (int c = 0; c < classes; ++c) {
      const double g =
          label < 0 ? 0
                    : std::exp(static_cast<double>(v[c])) / total - s / classes - (c == label ? 1 - s : 0);
      worst = std::max(worst, std::abs(gradients[static_cast<std::size_t>(r * classes + c)] - g));
    }
  }
  std::printf("cross_entropy of %d x %d: off by at most %.1e, %s\n", rows, classes, worst,
              worst < 1e-4 ? "correct" : "WRONG");
  return worst < 1e-4 ? 0 : 1;
}

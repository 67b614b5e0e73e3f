// SPDX-License-Identifier: MIT
// The largest element of each row and its column: what greedy decoding does with logits. Several rows
// are one program; the columns are walked in blocks and the best so far is carried along.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cstdio>
#include <limits>
#include <vector>

using namespace tile;

struct Top1Config {
  int rows = 4, cols = 128;   // of a block
  Launch launch{.num_warps = 4};
};

void top1_program(Ptr<const f32> logits, Ptr<f32> best, Ptr<i32> index, Int rows, Int cols,
                  const Top1Config &cfg) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  auto row = program_id(0) * cfg.rows + arange(0, cfg.rows);
  auto first = cast<i64>(row) * cast<i64>(cols);

  auto value = full<f32>({cfg.rows}, lowest);
  auto at = zeros<i32>({cfg.rows});
  for (auto begin : range(0, cols, cfg.cols)) {
    auto col = begin + arange(0, cfg.cols);
    auto v = load(logits + (first[all, none] + cast<i64>(col)[none, all]),
                  (row[all, none] < rows) & (col[none, all] < cols), lowest);
    auto [block_value, block_at] = max_with_index(v, 1);   // of equal elements the first
    auto better = block_value > value;
    at = where(better, begin + block_at, at);
    value = where(better, block_value, value);
  }
  store(best + row, value, row < rows);
  store(index + row, at, row < rows);
}

const Kernel<&top1_program> top1{
    .name = "top1",
    .parameters = {"logits", "best", "index", "rows", "cols"},
    .grid = [](auto &cfg, auto, auto, auto, int rows, int) { return Grid{cdiv(rows, cfg.rows)}; },
    .configs = {{.rows = 4, .cols = 128}, {.rows = 1, .cols = 1024}}};

int main() {
  const int rows = 11, cols = 1000;
  std::vector<f32> logits(rows * cols);
  unsigned state = 1;
  for (f32 &l : logits) {
    state = state * 1664525u + 1013904223u;
    l = static_cast<f32>(state >> 20);   // 4,096 values: there are ties
  }

  auto device = open_device();
  Buffer<f32> input(*device, logits, "logits"), best(*device, rows, "best");
  Buffer<i32> index(*device, rows, "index");
  top1(*device, input, best, index, rows, cols);

  const std::vector<f32> values = best.to_host();
  const std::vector<i32> columns = index.to_host();
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    int expected = 0;
    for (int c = 1; c < cols; ++c)
      if (logits[r * cols + c] > logits[r * cols + expected])
        expected = c;
    wrong += columns[r] != expected || values[r] != logits[r * cols + expected];
  }
  std::printf("top1 of %d x %d: %d rows wrong, %s\n", rows, cols, wrong, wrong ? "WRONG" : "correct");
  return wrong ? 1 : 0;
}

// SPDX-License-Identifier: MIT
// A page as `tile bench` writes it, of invented figures like those of an H200: what the page is tested and
// looked at with. usage: bench_page html|json|svg|table
#include "tools/bench/page.h"
#include "tools/bench/roofline.h"
#include "tools/bench/text.h"

#include <array>
#include <cstdio>
#include <string_view>

using namespace tile;
using namespace tile::bench;

namespace {

Row timed(const char *provider, const char *config, double seconds, double spread) {
  Row row;
  row.provider = provider;
  row.config = config;
  row.error = 0.0078;
  row.timing.median = seconds;
  row.timing.spread = spread;
  row.timing.calls = 24;
  row.timing.is_recorded = true;
  row.timing.samples = {seconds * (1 - spread), seconds, seconds * (1 + spread)};
  return row;
}

Case product(const Machine &machine, std::array<int, 3> size, std::array<double, 4> tflops) {
  Case at;
  at.kernel = "gemm";
  const char *names[] = {"m", "n", "k"};
  for (std::size_t i = 0; i < 3; ++i)
    at.sizes.emplace_back(names[i], std::to_string(size[i]));
  at.choices = {{"dtype", "f16"}, {"out", "auto"}, {"act", "none"}, {"trans", "nn"}};
  const double m = size[0], n = size[1], k = size[2];
  at.work = {2 * m * n * k, 2 * (m * k + k * n + m * n)};
  const Roof least = roof(machine, at.work, element_type<f16>, false);
  at.roof_seconds = least.seconds;
  at.is_memory_bound = least.is_memory_bound;
  at.sets = 4;
  at.input_bytes = 2.1e8;
  at.state = {1.41e9, 3.2e9, 688, 700, 61, "power cap"};
  const auto seconds = [&](double rate) { return at.work.flop / rate * 1e-12; };
  at.rows.push_back(timed("tile", "block_k=32,launch.num_warps=4", seconds(tflops[0]), 0.012));
  at.rows.push_back(timed("cublas", "nn", seconds(tflops[1]), 0.006));
  at.rows.push_back(
      timed("cublaslt-best", "nt algorithm 66, tile 23, stages 36, 4 of 57", seconds(tflops[2]), 0.008));
  if (tflops[3] > 0) {
    at.rows.push_back(timed("torch", "", seconds(tflops[3]), 0.007));
    at.rows.back().is_measured_here = false;
  }
  return at;
}

Case rows(const char *kernel, const Machine &machine, int m, int n, double ours, double peer) {
  Case at;
  at.kernel = kernel;
  at.sizes = {{"m", std::to_string(m)}, {"n", std::to_string(n)}};
  at.choices = {{"dtype", "f16"}};
  at.work = {0, 4.0 * m * n};
  at.roof_seconds = roof(machine, at.work, element_type<f16>, false).seconds;
  at.is_memory_bound = true;
  at.state = {1.98e9, 3.2e9, 540, 700, 52, ""};
  at.rows = {timed("tile", "block=4096,whole_row=1,launch.num_warps=8", at.work.bytes / ours * 1e-12, 0.004),
             timed("copy", "", at.work.bytes / peer * 1e-12, 0.002)};
  return at;
}

Report sample() {
  Report report;
  report.date = "2026-11-22";
  report.command =
      "tile bench gemm softmax --compare cublas,cublaslt-best,copy --peer torch.jsonl --html report.html";
  report.device = "NVIDIA H200, sm_90, 132 multiprocessors, 139 GiB";
  report.driver = "580.159.04";
  report.toolchain = "tile 0.1.0";
  report.machine = {"NVIDIA H200",         "580.159.04",          132, 90, 1.98e9, 4.917e12,
                    std::size_t{60} << 20, std::size_t{139} << 30};
  report.providers = {"tile", "cublas", "cublaslt-best", "copy", "torch"};
  report.versions = {"cuBLAS 13.1.0, /usr/local/cuda/lib64/libcublas.so.13",
                     "cublasLt 13.1.0, /usr/local/cuda/lib64/libcublasLt.so.13"};
  report.notes = {"cudnn is not compared with: there is no libcudnn.so on this machine; if it is installed, "
                  "set TILE_LIBRARY_PATH to its folder"};
  const Machine &m = report.machine;
  report.cases = {product(m, {512, 512, 512}, {31, 77.3, 82.5, 77}),
                  product(m, {1024, 1024, 1024}, {181, 356, 364, 355}),
                  product(m, {2048, 2048, 2048}, {398, 678, 694, 0}),
                  product(m, {4096, 4096, 4096}, {437, 664, 689, 661}),
                  product(m, {8192, 8192, 8192}, {421, 631, 655, 640}),
                  product(m, {64, 4096, 4096}, {74, 186, 195, 181}),
                  product(m, {4096, 4096, 512}, {366, 543, 597, 541}),
                  product(m, {512, 512, 16384}, {66, 453, 470, 448}),
                  product(m, {1111, 1333, 1040}, {214, 68, 68.4, 68}),
                  product(m, {131072, 131072, 131072}, {1, 1, 1, 0}),
                  rows("softmax", m, 4096, 1024, 3.32, 3.9),
                  rows("softmax", m, 8192, 4096, 3.95, 4.18),
                  rows("softmax", m, 8192, 16384, 2.87, 4.26)};
  report.cases[9].rows.clear();
  report.cases[9].skipped = "needs 192.0 GiB for 2 sets of operands, the device has 139.8 GiB";
  Row wrong;
  wrong.provider = "cublaslt-best";
  wrong.config = "nn algorithm 6, tile 20, stages 8, 31 of 57";
  wrong.outcome = Row::Outcome::wrong;
  wrong.reason = "312 of 2097152 elements are wrong: c[17, 5] is 3.125, expected 2.87 <nan & more>";
  report.cases[2].rows.push_back(wrong);
  Row left_out;
  left_out.provider = "cublas";
  left_out.outcome = Row::Outcome::left_out;
  left_out.reason = "cublas has no such function";
  for (const std::size_t i : {10, 11, 12})
    report.cases[i].rows.push_back(left_out);
  left_out.provider = "cublaslt-best";
  left_out.reason = "it is tired";
  report.cases[11].rows.push_back(left_out);
  return report;
}

}   // namespace

int main(int argc, char **argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const Report report = sample();
  const std::string text = what == "html"    ? page(report)
                           : what == "json"  ? json_lines(report)
                           : what == "svg"   ? speed_chart(report)
                           : what == "table" ? table(report)
                                             : "";
  std::fputs(text.c_str(), stdout);
  return text.empty();
}

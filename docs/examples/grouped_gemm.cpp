// SPDX-License-Identifier: MIT
// Many products of different sizes in one launch. Sizes and addresses are in device memory, and every program
// finds its tiles there: a loop over the problems, and a while loop over the tiles of each.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct GroupedConfig {
  int block_m = 64, block_n = 64, block_k = 32;
  int programs = 132;   // as many as the device has multiprocessors
  Launch launch{.num_warps = 4, .num_stages = 4};
};

// Ptr<const T *const> is an array of pointers: a load from it gives a Ptr<const T>.
template <class T>
void grouped_gemm_kernel(Ptr<const T *const> as, Ptr<const T *const> bs, Ptr<T *const> cs,
                         Ptr<const i32> sizes, Int problems, const GroupedConfig &cfg) {
  const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;

  Int mine = program_id(0);   // the next tile of this program, counted over all problems
  Int end = 0;                // one past the last tile of the problems seen so far
  for (auto p : range(problems)) {
    Int m = load(sizes + 3 * p), n = load(sizes + (3 * p + 1)), k = load(sizes + (3 * p + 2));
    Int columns = cdiv(n, BN);
    Int begin = end;
    end += cdiv(m, BM) * columns;

    while_([&] { return mine < end; },
           [&] {
             Ptr<const T> a = load(as + p), b = load(bs + p);
             Ptr<T> c = load(cs + p);
             auto rm = (mine - begin) / columns * BM + arange(0, BM);
             auto rn = (mine - begin) % columns * BN + arange(0, BN);
             auto rk = arange(0, BK);
             auto row_inside = rm[all, none] < m, column_inside = rn[none, all] < n;
             auto pa = a + cast<i64>(rm)[all, none] * cast<i64>(k) + rk[none, all];
             auto pb = b + cast<i64>(rk)[all, none] * cast<i64>(n) + rn[none, all];
             auto acc = zeros<f32>({BM, BN});
             for (auto step : range(cdiv(k, BK))) {
               Int left = k - step * BK;
               auto x = load(pa, row_inside & (rk[none, all] < left));
               auto y = load(pb, (rk[all, none] < left) & column_inside);
               acc = dot(x, y, acc);
               pa += BK;
               pb += BK * cast<i64>(n);
             }
             store(c + cast<i64>(rm)[all, none] * cast<i64>(n) + rn[none, all], cast<T>(acc),
                   row_inside & column_inside);
             mine += num_programs(0);
           });
  }
}

template <class T>
const Kernel<&grouped_gemm_kernel<T>> grouped_gemm{
    .name = "grouped_gemm",
    .parameters = {"as", "bs", "cs", "sizes", "problems"},
    .grid = [](auto &cfg, auto...) { return Grid{cfg.programs}; },
};

struct Problem {
  int m, n, k;
  Buffer<f16> a, b, c;
};

Problem make_problem(Device &device, int m, int n, int k) {
  std::vector<f16> a(m * k), b(k * n);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = f16(static_cast<int>(i * 7 % 9) - 4);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = f16(static_cast<int>(i * 5 % 7) - 3);
  return {m, n, k, Buffer<f16>(device, a, "a"), Buffer<f16>(device, b, "b"), Buffer<f16>(device, m * n, "c")};
}

double largest_error(const Problem &p) {
  std::vector<f16> a = p.a.to_host(), b = p.b.to_host(), c = p.c.to_host();
  double worst = 0;
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) {
      double want = 0;
      for (int l = 0; l < p.k; ++l)
        want += static_cast<double>(a[i * p.k + l]) * static_cast<double>(b[l * p.n + j]);
      worst = std::max(worst, std::abs(static_cast<double>(c[i * p.n + j]) - want) / (1 + std::abs(want)));
    }
  return worst;
}

int main() {
  auto device = open_device();
  std::vector<Problem> problems;
  problems.push_back(make_problem(*device, 100, 70, 129));
  problems.push_back(make_problem(*device, 0, 64, 64));   // an empty one has no tiles
  problems.push_back(make_problem(*device, 1, 200, 31));
  problems.push_back(make_problem(*device, 64, 64, 0));   // K = 0 still writes zeros

  std::vector<const f16 *> as, bs;
  std::vector<f16 *> cs;
  std::vector<i32> sizes;
  for (const Problem &p : problems) {
    as.push_back(p.a.data());
    bs.push_back(p.b.data());
    cs.push_back(p.c.data());
    sizes.insert(sizes.end(), {p.m, p.n, p.k});
  }
  Buffer<const f16 *> das(*device, as, "as"), dbs(*device, bs, "bs");
  Buffer<f16 *> dcs(*device, cs, "cs");
  Buffer<i32> dsizes(*device, sizes, "sizes");
  grouped_gemm<f16>(*device, das, dbs, dcs, dsizes, static_cast<int>(problems.size()));

  double worst = 0;
  for (const Problem &p : problems)
    worst = std::max(worst, largest_error(p));
  std::printf("grouped_gemm of %zu problems on %s: largest error %.1e\n", problems.size(),
              device->description().c_str(), worst);
  return !(worst < 1e-3);
}

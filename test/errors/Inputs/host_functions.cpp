// SPDX-License-Identifier: MIT
// The standard library's functions on device values.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

using namespace tile;

struct Sizes {
  int m = 128;
};

void kernel(Ptr<f32> p, [[maybe_unused]] Ptr<f16> h, Ptr<i32> q, Int n, const Sizes &cfg) {
  auto r = arange(0, cfg.m);
  auto x = load(p + r);
#if FAIL == __LINE__   // expect: std::exp computes on the host, and a device value has no number while
                       // tracing: write tile::exp
  auto y = std::exp(x);
#endif
#if FAIL == __LINE__   // expect: std::floor computes on the host
  x = std::floor(x + 1.0f);
#endif
#if FAIL == __LINE__   // expect: std::abs computes on the host
  r = std::abs(r);
#endif
#if FAIL == __LINE__   // expect: std::pow computes on the host
  auto y = std::pow(2.0f, x);
#endif
#if FAIL == __LINE__   // expect: std::fmax computes on the host, and a device value has no number while
                       // tracing: write tile::maximum(a, b)
  auto y = std::fmax(x, 0.0f);
#endif
#if FAIL == __LINE__   // expect: std::isnan computes on the host
  auto y = std::isnan(load(h));
#endif
#if FAIL == __LINE__   // expect: std::to_string computes on the host
  std::string text = std::to_string(n);
#endif
#if FAIL == __LINE__   // expect: a device value has no text while tracing: tile::print("x", x)
  std::cout << x;
#endif
#if FAIL == __LINE__   // expect: a device value has no text while tracing: tile::print("x", x)
  std::cerr << "n is " << n << ", x is " << x << "\n";
#endif
#if FAIL == __LINE__   // expect: printf is a function of the host
  printf("%f\n", x);
#endif
#if FAIL == __LINE__   // expect: std::printf computes on the host
  std::printf("%d %d\n", cfg.m, n);
#endif
#if FAIL == __LINE__   // expect: fprintf is a function of the host
  fprintf(stderr, "%d\n", n);
#endif
  store(p + r, x + static_cast<float>(std::sqrt(cfg.m)));
  store(q, n);
}

// Numbers of the host, and the language's functions where both are named.
namespace both {
using namespace std;
void good(Ptr<f32> p) {
  auto x = load(p);
  store(p, exp(x) + floor(x) + abs(x) + pow(x, 2.0f) + fma(x, x, 1.0f) +
               static_cast<float>(exp(1.0) + pow(2, 3)));
  cout << exp(1.0f) << 1 << "\n";
  printf("%d %s\n", 5, to_string(7).c_str());
}
}   // namespace both

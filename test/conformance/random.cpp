// SPDX-License-Identifier: MIT
// RN1: counter-based random numbers, bit by bit as Salmon et al. published them.
#include "context.h"
#include "families.h"
#include "types.h"

#include <cmath>
#include <limits>

namespace tile::conformance {

namespace {

using Counter = std::array<std::uint32_t, 4>;

// Ten rounds; the two constants of each kind are the paper's.
Counter philox_on_host(std::uint64_t seed, Counter c) {
  std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * c[0], b = std::uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

enum class Draw { bits, bits4, uniform, uniform4, normal, normal4 };
struct RandomConfig {
  Draw kind = Draw::bits;
  int block = 1024;
};

void draw(Ptr<u32> bits, Ptr<f32> numbers, Int64 seed, const RandomConfig &cfg) {
  const Int i = program_id(0) * cfg.block + arange(0, cfg.block);
  switch (cfg.kind) {
  case Draw::bits:
    return store(bits + i, bitcast<u32>(randint(seed, i)));
  case Draw::uniform:
    return store(numbers + i, rand(seed, i));
  case Draw::normal:
    return store(numbers + i, randn(seed, i));
  case Draw::bits4: {
    const auto words = randint4x(seed, i);
    for (int k = 0; k < 4; ++k)
      store(bits + (i * 4 + k), bitcast<u32>(words[static_cast<std::size_t>(k)]));
    return;
  }
  case Draw::uniform4:
  case Draw::normal4: {
    const auto four = cfg.kind == Draw::uniform4 ? rand4x(seed, i) : randn4x(seed, i);
    for (int k = 0; k < 4; ++k)
      store(numbers + (i * 4 + k), four[static_cast<std::size_t>(k)]);
    return;
  }
  }
}

void all_counters(Ptr<u32> z, Int64 seed, const RandomConfig &cfg) {
  const Tensor<u32> i = cast<u32>(arange(0, cfg.block));
  const auto words = philox(seed, i, i * 7, i + 0x80000000u, ~i);
  for (int k = 0; k < 4; ++k)
    store(z + (arange(0, cfg.block) * 4 + k), words[static_cast<std::size_t>(k)]);
}

void check_bits(Context &t, std::int64_t seed, bool four) {
  const std::size_t n = t.nightly() || !four ? std::size_t{1} << 20 : std::size_t{1} << 16;
  const std::size_t words = four ? 4 : 1;
  Array expected(element_type<u32>, n * words);
  for (std::size_t i = 0; i < n; ++i) {
    const Counter c =
        philox_on_host(static_cast<std::uint64_t>(seed), {static_cast<std::uint32_t>(i), 0, 0, 0});
    for (std::size_t k = 0; k < words; ++k)
      expected.set_bits(i * words + k, c[k]);
  }
  Memory &out = t.output<u32>(n * words), &unused = t.output<f32>(1);
  t.run<&draw>({four ? Draw::bits4 : Draw::bits}, {static_cast<std::int64_t>(n / 1024)}, {out, unused, seed});
  t.exact(out, expected);
}

void check_distribution(Context &t, std::int64_t seed, Draw kind) {
  const bool normal = kind == Draw::normal || kind == Draw::normal4;
  const std::size_t words = kind == Draw::uniform4 || kind == Draw::normal4 ? 4 : 1;
  const std::size_t n = (std::size_t{1} << 18) * words;
  Memory &unused = t.output<u32>(1), &out = t.output<f32>(n);
  t.run<&draw>({kind}, {static_cast<std::int64_t>(n / words / 1024)}, {unused, out, seed});
  const Array got = out.read();
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<double>(got.real(i));
    t.require(normal ? std::isfinite(x) : x >= 0 && x < 1,
              "number " + std::to_string(i) + " is " + got.text(i));
    sum += x;
    squares += x * x;
  }
  // Six standard errors: a false alarm in a thousand million, a wrong distribution far outside.
  const double mean = sum / static_cast<double>(n), variance = squares / static_cast<double>(n) - mean * mean;
  const double true_mean = normal ? 0 : 0.5, true_variance = normal ? 1 : 1.0 / 12;
  const double fourth = normal ? 3 : 1.0 / 80;   // central moment
  const double root = std::sqrt(static_cast<double>(n));
  t.require(std::fabs(mean - true_mean) < 6 * std::sqrt(true_variance) / root,
            "the mean is " + std::to_string(mean));
  t.require(std::fabs(variance - true_variance) <
                6 * std::sqrt(fourth - true_variance * true_variance) / root,
            "the variance is " + std::to_string(variance));
}

}   // namespace

void add_random_cases(Suite &suite) {
  const std::pair<const char *, std::int64_t> seeds[] = {
      {"0", 0}, {"42", 42}, {"2^32-1", 0xFFFFFFFF}, {"64_bits", 0x123456789ABCDEF0}};
  for (auto [name, seed] : seeds) {
    const std::string suffix = std::string("/seed_") + name;
    suite.add("RN1/randint" + suffix, [=, seed = seed](Context &t) { check_bits(t, seed, false); });
    suite.add("RN1/randint4x" + suffix, [=, seed = seed](Context &t) { check_bits(t, seed, true); });
    suite.add("RN1/rand" + suffix,
              [=, seed = seed](Context &t) { check_distribution(t, seed, Draw::uniform); });
    suite.add("RN1/randn" + suffix,
              [=, seed = seed](Context &t) { check_distribution(t, seed, Draw::normal); });
    suite.add("RN1/rand4x" + suffix,
              [=, seed = seed](Context &t) { check_distribution(t, seed, Draw::uniform4); });
    suite.add("RN1/randn4x" + suffix,
              [=, seed = seed](Context &t) { check_distribution(t, seed, Draw::normal4); });
  }
  suite.add("RN1/philox/known_answers", [](Context &t) {
    // From the published test vectors of philox4x32-10: counter and key all zeros, all ones.
    t.require(philox_on_host(0, {0, 0, 0, 0}) == Counter{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8} &&
                  philox_on_host(~std::uint64_t{0}, {~0u, ~0u, ~0u, ~0u}) ==
                      Counter{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD},
              "the reference itself is wrong");
    const std::int64_t seed = -2;
    Array expected(element_type<u32>, 4096);
    for (std::uint32_t i = 0; i < 1024; ++i) {
      const Counter c = philox_on_host(static_cast<std::uint64_t>(seed), {i, i * 7, i + 0x80000000u, ~i});
      for (std::size_t k = 0; k < 4; ++k)
        expected.set_bits(i * 4 + k, c[k]);
    }
    Memory &out = t.output<u32>(4096);
    t.run<&all_counters>({}, {1}, {out, seed});
    t.exact(out, expected);
  });
}

}   // namespace tile::conformance

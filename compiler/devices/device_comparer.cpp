// SPDX-License-Identifier: MIT
// A program looks at every so manieth block and leaves one number; the host takes the least, or the sum, of
// those. Arithmetic is float64, as the host's is. Nothing is specialised for arguments, so that each kernel
// is compiled once: that takes longer than what it would be faster by.
#include "compiler/devices/device_comparer.h"

#include "compiler/dsl/dsl.h"
#include "runtime/buffer.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

namespace tile {
namespace {

constexpr std::int64_t most_programs = 1024;

struct CompareConfig {
  int block = 2048;
  Launch launch{.num_warps = 8};
};

// body(places, which are inside) for the blocks of a program.
template <class Body> void for_each_block(const Int64 &n, const CompareConfig &cfg, const Body &body) {
  auto lane = cast<i64>(arange(0, cfg.block));
  Int64 begin = cast<i64>(program_id(0)) * cfg.block, step = cast<i64>(num_programs(0)) * cfg.block;
  for (auto from : range(begin, n, step)) {
    auto at = from + lane;
    body(at, at < n);
  }
}

template <class T> Tensor<f64> widened(const Tensor<T> &x) {
  if constexpr (std::is_same_v<T, f64>)
    return x;
  else
    return cast<f64>(cast<f32>(x));
}

// The sum of the absolute values of finite elements, and how many these are.
template <class T>
void size_program(Dynamic<Ptr<const T>> x, Dynamic<Ptr<f64>> sums, Dynamic<Ptr<i64>> counts, Dynamic<Int64> n,
                  const CompareConfig &cfg) {
  auto sum_of = zeros<f64>({cfg.block});
  auto count = zeros<i64>({cfg.block});
  for_each_block(n, cfg, [&](const auto &at, const auto &inside) {
    auto size = abs(widened<T>(load(x + at, inside)));
    auto counts_too = inside & (size < std::numeric_limits<double>::infinity());
    sum_of = sum_of + where(counts_too, size, 0.0);
    count = count + cast<i64>(cast<i32>(counts_too));
  });
  auto place = cast<i64>(program_id(0));
  store(sums + place, sum(sum_of, 0));
  store(counts + place, sum(count, 0));
}

template <class T>
void difference_program(Dynamic<Ptr<const T>> got, Dynamic<Ptr<const T>> expected, Dynamic<Ptr<i64>> firsts,
                        Dynamic<Int64> n, Scalar<f64> tolerance, Scalar<f64> mean, const CompareConfig &cfg) {
  auto first = full<i64>({cfg.block}, std::numeric_limits<i64>::max());
  for_each_block(n, cfg, [&](const auto &at, const auto &inside) {
    auto a = load(got + at, inside), b = load(expected + at, inside);
    if constexpr (std::is_integral_v<T>) {
      first = minimum(first, where(a != b, at, first));
    } else {
      auto g = widened<T>(a), e = widened<T>(b);
      auto same = (g == e) | (isnan(g) & isnan(e)) | (abs(g - e) <= tolerance * (abs(e) + mean));
      first = minimum(first, where(same, first, at));
    }
  });
  store(firsts + cast<i64>(program_id(0)), min(first, 0));
}

void unread_program(Dynamic<Ptr<const u8>> a, Dynamic<Ptr<const u8>> b, Dynamic<Ptr<const u8>> was,
                    Dynamic<Ptr<i64>> firsts, Dynamic<Int64> n, Dynamic<Int> poison,
                    const CompareConfig &cfg) {
  auto first = full<i64>({cfg.block}, std::numeric_limits<i64>::max());
  for_each_block(n, cfg, [&](const auto &at, const auto &inside) {
    auto x = load(a + at, inside), y = load(b + at, inside), before = load(was + at, inside);
    auto is_unread = (x == y) | ((cast<i32>(y) == poison) & (x == before));
    first = minimum(first, where(is_unread, first, at));
  });
  store(firsts + cast<i64>(program_id(0)), min(first, 0));
}

std::int64_t programs_for(std::int64_t n) {
  return std::clamp<std::int64_t>(cdiv(n, std::int64_t{CompareConfig().block}), 1, most_programs);
}

template <class T>
const Kernel<&size_program<T>> sizes{
    .name = "tuner_sizes",
    .parameters = {"x", "sums", "counts", "n"},
    .grid = [](auto &, auto, auto, auto, std::int64_t n) { return Grid{programs_for(n)}; }};
template <class T>
const Kernel<&difference_program<T>> differences{
    .name = "tuner_differences",
    .parameters = {"got", "expected", "firsts", "n", "tolerance", "mean"},
    .grid = [](auto &, auto, auto, auto, std::int64_t n, auto...) { return Grid{programs_for(n)}; }};
const Kernel<&unread_program> unread{
    .name = "tuner_unread",
    .parameters = {"a", "b", "was", "firsts", "n", "poison"},
    .grid = [](auto &, auto, auto, auto, auto, std::int64_t n, auto) { return Grid{programs_for(n)}; }};

class DeviceComparer final : public Comparer {
 public:
  explicit DeviceComparer(Device &device) : link_(device) {}

  std::size_t first_difference(ElementType type, const void *got, const void *expected, std::size_t count,
                               double tolerance) override {
    if (!type.is_float() || tolerance == 0)
      return first_of<u8>(got, expected, count * type.bytes(), 0) / type.bytes();
    switch (type.kind) {
    case Kind::F16:
      return first_of<f16>(got, expected, count, tolerance);
    case Kind::BF16:
      return first_of<bf16>(got, expected, count, tolerance);
    case Kind::E4M3:
      return first_of<e4m3>(got, expected, count, tolerance);
    case Kind::E5M2:
      return first_of<e5m2>(got, expected, count, tolerance);
    case Kind::F64:
      return first_of<f64>(got, expected, count, tolerance);
    default:
      return first_of<f32>(got, expected, count, tolerance);
    }
  }

  bool are_unread(const void *a, const void *b, const void *was, unsigned char poison,
                  std::size_t bytes) override {
    const auto n = static_cast<std::int64_t>(bytes);
    Device &device = link_.get("what compares results");
    Buffer<i64> firsts(device, static_cast<std::size_t>(programs_for(n)), "what a comparison finds");
    const auto *first = static_cast<const u8 *>(a), *second = static_cast<const u8 *>(b);
    unread(device, first, second, static_cast<const u8 *>(was), firsts, n, int{poison});
    return least(firsts) >= n;
  }

 private:
  static std::int64_t least(const Buffer<i64> &firsts) {
    const std::vector<i64> all = firsts.to_host();
    return *std::ranges::min_element(all);
  }

  template <class T>
  std::size_t first_of(const void *got, const void *expected, std::size_t count, double tolerance) {
    const auto n = static_cast<std::int64_t>(count);
    const auto programs = static_cast<std::size_t>(programs_for(n));
    const T *ours = static_cast<const T *>(got), *theirs = static_cast<const T *>(expected);
    Device &device = link_.get("what compares results");
    double mean = 0;
    if constexpr (!std::is_integral_v<T>) {
      Buffer<f64> sums(device, programs, "what a comparison sums up");
      Buffer<i64> counts(device, programs, "what a comparison counts");
      sizes<T>(device, theirs, sums, counts, n);
      double sum = 0, finite = 0;
      for (double part : sums.to_host())
        sum += part;
      for (i64 part : counts.to_host())
        finite += static_cast<double>(part);
      mean = finite > 0 ? sum / finite : 0;
    }
    Buffer<i64> firsts(device, programs, "what a comparison finds");
    differences<T>(device, ours, theirs, firsts, n, tolerance, mean);
    return std::min(count, static_cast<std::size_t>(least(firsts)));
  }

  DeviceLink link_;
};

}   // namespace

std::unique_ptr<Comparer> make_device_comparer(Device &device) {
  return std::make_unique<DeviceComparer>(device);
}

}   // namespace tile

// SPDX-License-Identifier: MIT
#include "tools/fuzz/kernel_calls.h"

#include "tools/fuzz/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>

namespace tile::fuzz {
namespace {

class Caller {
 public:
  explicit Caller(std::uint64_t seed) : random_(seed) {}

  KernelCall call() {
    KernelCall call;
    call.kernel = one_of<std::string>({"gemm", "gemm", "grouped_gemm", "batched_gemm"});
    call.seed = 1 + below(9999);
    call.order = static_cast<unsigned>(one_in(5) ? 0 : 1 + below(1 << 20));
    const bool is_grouped = call.kernel == "grouped_gemm";
    const auto set = [&](const std::string &name, const auto &value) {
      call.settings.emplace_back(name, fmt::format("{}", value));
    };
    const std::string type = one_of<std::string>(
        {"f16", "f16", "bf16", "bf16", "bf16", "tf32", "e4m3", "e5m2", "i8", one_in(4) ? "f32" : "f16"});
    const bool is_wide = type == "f16" || type == "bf16";
    set("dtype", type);
    if (one_in(4))
      set("out", type == "i8" ? "i32" : "f32");
    if (one_in(4))
      set("act", type == "i8" ? "leaky_relu" : one_of<std::string>({"leaky_relu", "gelu"}));
    if (is_grouped) {
      set("groups", 1 + below(6));
      set("m", size(300));
      set("n", size(300));
      set("k", size(300));
    } else {
      set("m", std::max(1, size(500)));
      set("n", std::max(1, size(500)));
      set("k", size(500));
      // Elements of 16 bits in any order, others as units of groups of warps take them, mostly.
      set("trans", is_wide || one_in(6) ? one_of<std::string>({"nn", "nt", "tn", "tt"}) : "nt");
    }
    if (call.kernel == "batched_gemm") {
      set("batch", 1 + below(3));
      if (one_in(4))
        set("shared", one_of<std::string>({"a", "b"}));
    }
    const auto trans = std::ranges::find(call.settings, "trans", [](auto &setting) { return setting.first; });
    const bool is_along_k = trans != call.settings.end() && trans->second == "nt";
    call.config = config(call.kernel, type, is_wide || (is_along_k && type != "f32"));
    return call;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T> T one_of(std::initializer_list<T> all) { return all.begin()[below(all.size())]; }

  // Mostly around where tiles end.
  int size(int most) {
    return one_in(2) ? static_cast<int>(below(static_cast<std::size_t>(most) + 1))
                     : one_of({0, 1, 7, 63, 64, 65, 127, 128, 129, 192, 256});
  }

  // `is_for_groups`: units of groups of warps may take these types, as they lie.
  std::string config(const std::string &kernel, const std::string &type, bool is_for_groups) {
    const bool is_grouped = kernel == "grouped_gemm", may_pair = kernel == "gemm";
    const bool is_swapped = !is_grouped && one_in(4);
    const int warps = one_of({4, 4, 4, 8, 8, 16});
    int block_m = one_of({64, 64, 128, 128, 192, 256}), block_n = 0;
    // A row of a block has 16 bytes at least, and products of bytes 32 of them.
    const bool has_bytes = type == "i8" || type == "e4m3" || type == "e5m2";
    const int least = has_bytes ? 16 : 8, block_k = one_of({2 * least, 32, 32, 64, 64, 96, 128});
    if (is_swapped) {
      block_m = one_of({least, 16, 24, 32, 48, 64, 96});
      block_n = one_of({64, 64, 128, 192});
    } else {
      block_n = one_of({least, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 208, 224, 256});
    }
    // Sums of a thread and slots that fit, mostly.
    while (block_m * block_n > 208 * 32 * warps)
      (block_m > block_n && block_m > 64 ? block_m : block_n) /= 2;
    const int bytes = has_bytes ? 1 : type == "f32" || type == "tf32" ? 4 : 2;
    const int most = 140 * 1024 / ((block_m + block_n) * block_k * bytes);
    const int stages = std::clamp(static_cast<int>(1 + below(5)), 1, std::max(1, most));
    std::string text =
        fmt::format("block_m={},block_n={},block_k={},launch.num_warps={},launch.num_stages={}", block_m,
                    block_n, block_k, warps, stages);
    // What asks for groups of warps is refused where they have nothing to multiply.
    const int rows = is_swapped ? block_n : block_m, columns = is_swapped ? block_m : block_n;
    const auto part = [](int extent) { return 1 << std::countr_zero(static_cast<unsigned>(extent)); };
    const auto is_divided = [&](int ctas) {
      const int groups = warps / 4, over_rows = std::min(groups, part(rows / ctas) / 64);
      return is_for_groups && block_k != 96 && over_rows > 0 && part(columns) >= 8 * groups / over_rows;
    };
    if (warps < 16 && is_divided(1) && one_in(2))
      text += ",launch.ping_pong=true";
    const bool is_pair = may_pair && rows % 128 == 0 && is_divided(2) && one_in(2);
    if (is_pair)
      text += ",launch.num_ctas=2";
    if (is_swapped)
      text += ",swap_ab=true";
    if (one_in(4))
      text += fmt::format(",group_m={}", 1 + below(4));
    if (!is_grouped && !is_pair && one_in(8))
      text += ",store_by_descriptor=false";
    if (is_grouped)
      text += fmt::format(",programs={},alignment=16", 1 + below(6));
    return text;
  }

  std::mt19937_64 random_;
};

std::string environment_of(unsigned number) {
  const std::optional<SimulatedOrder> order = order_of(number);
  if (!order)
    return "";
  std::string text;
  if (order->schedule_seed)
    text += fmt::format("TILE_SCHEDULE=random:{} ", *order->schedule_seed);
  if (order->copies != Completion::latest)
    text += "TILE_SIMULATED_COPIES=" +
            (order->copies == Completion::eager ? "eager" : std::to_string(order->seed)) + " ";
  return text;
}

}   // namespace

KernelCall generate_call(std::uint64_t seed) { return Caller(seed).call(); }

std::string command(const KernelCall &call) {
  std::string text = environment_of(call.order) + "tile run " + call.kernel + " --device simulator";
  for (const auto &[name, value] : call.settings)
    text += " --" + name + " " + value;
  return text + " --config " + call.config + fmt::format(" --seed {}", call.seed);
}

}   // namespace tile::fuzz

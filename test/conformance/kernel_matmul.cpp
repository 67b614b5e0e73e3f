// SPDX-License-Identifier: MIT
// KE1 and KE5: many products in one launch, and one product by many programs.
#include "families.h"
#include "gemm_loop.h"

namespace tile::conformance {

namespace {

// Pointers, sizes (m, n, k) and leading dimensions (of a, b, c) of each group are in memory.
template <class T, class C>
void grouped(Ptr<const T *const> as, Ptr<const T *const> bs, Ptr<C *const> cs, Ptr<const i32> sizes,
             Ptr<const i32> strides, Int groups, const GemmConfig &cfg) {
  Int tile = program_id(0), end_of_last = constant<i32>(0);
  for (auto group : range(0, groups)) {
    const Int m = load(sizes + group * 3), n = load(sizes + (group * 3 + 1)),
              k = load(sizes + (group * 3 + 2));
    const Int columns = cdiv(n, cfg.block_n), tiles = cdiv(m, cfg.block_m) * columns;
    while_([&] { return tile < end_of_last + tiles; },
           [&] {
             const Ptr<const T> a = load(as + group), b = load(bs + group);
             const Ptr<C> c = load(cs + group);
             const Int lda = load(strides + group * 3), ldb = load(strides + (group * 3 + 1)),
                       ldc = load(strides + (group * 3 + 2));
             const Int inside = tile - end_of_last;
             const Int rm = inside / columns * cfg.block_m + arange(0, cfg.block_m);
             const Int rn = inside % columns * cfg.block_n + arange(0, cfg.block_n),
                       rk = arange(0, cfg.block_k);
             Tensor<f32> acc = zeros<f32>({cfg.block_m, cfg.block_n});
             for (auto k0 : range(0, k, cfg.block_k).stages(cfg.stages)) {
               const Int at = rk + k0;
               const Tensor<T> x =
                   load(a + (rm(all, none) * lda + at(none, all)), (rm(all, none) < m) & (at(none, all) < k));
               const Tensor<T> y =
                   load(b + (at(all, none) * ldb + rn(none, all)), (at(all, none) < k) & (rn(none, all) < n));
               acc = dot(x, y, acc);
             }
             store(c + (rm(all, none) * ldc + rn(none, all)), cast<C>(acc),
                   (rm(all, none) < m) & (rn(none, all) < n));
             tile += num_programs(0);
           });
    end_of_last += tiles;
  }
}

template <class T, class C> void check_grouped(Context &t, const std::vector<GemmSize> &groups,
                                               int programs) {
  struct Group {
    Array a, b, c;
    Memory *out;
  };
  std::vector<Group> made;
  Array as(element_type<u64>, groups.size()), bs = as, cs = as;
  Array sizes(element_type<i32>, 3 * groups.size()), strides = sizes;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto m = static_cast<std::size_t>(groups[g].m), n = static_cast<std::size_t>(groups[g].n),
               k = static_cast<std::size_t>(groups[g].k);
    const std::size_t lda = k + 3, ldb = n + 1, ldc = n + 5;   // the gaps stay poisoned
    const Array a = t.numbers<T>(m * lda + 1, Inputs::integers),
                b = t.numbers<T>(k * ldb + 1, Inputs::integers);
    const std::vector<double> product = multiply({&a, lda, 1}, {&b, ldb, 1}, nullptr, m, n, k);
    Array c = poisoned(element_type<C>, m * ldc + 1);
    for (std::size_t i = 0; i < m * n; ++i)
      c.set_real(i / n * ldc + i % n, product[i]);
    Memory &out = t.output<C>(c.size());
    as.set_bits(g, t.input(a).address());
    bs.set_bits(g, t.input(b).address());
    cs.set_bits(g, out.address());
    const std::size_t lengths[] = {m, n, k}, leading[] = {lda, ldb, ldc};
    for (std::size_t i = 0; i < 3; ++i) {
      sizes.set_integer(3 * g + i, static_cast<Wide>(lengths[i]));
      strides.set_integer(3 * g + i, static_cast<Wide>(leading[i]));
    }
    made.push_back({a, b, c, &out});
  }
  Memory &in_as = t.input(as), &in_bs = t.input(bs), &in_cs = t.input(cs), &in_sizes = t.input(sizes),
         &in_strides = t.input(strides);
  t.run<&grouped<T, C>>({.block_m = 32, .block_n = 64, .block_k = 32, .stages = 3}, {programs},
                        {in_as, in_bs, in_cs, in_sizes, in_strides, static_cast<int>(groups.size())});
  for (const Group &group : made)
    t.exact(*group.out, group.c);
}

const std::vector<GemmSize> one_group{{129, 127, 100}};
const std::vector<GemmSize> three_groups{{1, 64, 33}, {0, 70, 64}, {127, 65, 8}};
std::vector<GemmSize> sixteen_groups() {
  std::vector<GemmSize> groups;
  for (int g = 0; g < 16; ++g)
    groups.push_back({std::array{0, 1, 127, 129}[static_cast<std::size_t>(g % 4)], 16 + 13 * g,
                      std::array{0, 1, 31, 96}[static_cast<std::size_t>(g / 4)]});
  return groups;
}

template <class T, class C> void add_grouped(Suite &suite, const std::string &name) {
  for (int programs : {1, 3, 50}) {
    const std::string suffix = "/" + name + "/programs_" + std::to_string(programs);
    suite.add("KE1/1_group" + suffix, [=](Context &t) { check_grouped<T, C>(t, one_group, programs); });
    suite.add("KE1/3_groups" + suffix, [=](Context &t) { check_grouped<T, C>(t, three_groups, programs); });
    suite.add("KE1/16_groups" + suffix,
              [=](Context &t) { check_grouped<T, C>(t, sixteen_groups(), programs); });
  }
}

struct SplitConfig {
  int block_m = 32, block_n = 32, block_k = 32, split = 1;
  Launch launch{};
};

// Each of `split` programs takes a share of K and adds its part to c.
void split_k(Ptr<const f16> a, Ptr<const f16> b, Ptr<f32> c, Int m, Int n, Int k, const SplitConfig &cfg) {
  const Int rm = program_id(0) * cfg.block_m + arange(0, cfg.block_m),
            rn = program_id(1) * cfg.block_n + arange(0, cfg.block_n);
  const Int rk = arange(0, cfg.block_k);
  Tensor<f32> acc = zeros<f32>({cfg.block_m, cfg.block_n});
  for (auto k0 : range(program_id(2) * cfg.block_k, k, cfg.split * cfg.block_k)) {
    const Int at = rk + k0;
    acc = dot(load(a + (rm(all, none) * k + at(none, all)), (rm(all, none) < m) & (at(none, all) < k)),
              load(b + (at(all, none) * n + rn(none, all)), (at(all, none) < k) & (rn(none, all) < n)), acc);
  }
  atomic_add(c + (rm(all, none) * n + rn(none, all)), acc, (rm(all, none) < m) & (rn(none, all) < n));
}

// The steps of all tiles in one row, dealt out evenly: a program may end one tile and begin the next.
void stream_k(Ptr<const f16> a, Ptr<const f16> b, Ptr<f32> c, Int m, Int n, Int k, const SplitConfig &cfg) {
  const Int columns = cdiv(n, cfg.block_n), steps_per_tile = cdiv(k, cfg.block_k);
  const Int steps = cdiv(m, cfg.block_m) * columns * steps_per_tile, share = cdiv(steps, num_programs(0));
  Int step = program_id(0) * share;
  const Int last = minimum(step + share, steps);
  while_(
      [&] { return step < last; },
      [&] {
        const Int tile = step / steps_per_tile, first = step % steps_per_tile;
        const Int until = minimum(steps_per_tile, first + (last - step));
        const Int rm = tile / columns * cfg.block_m + arange(0, cfg.block_m);
        const Int rn = tile % columns * cfg.block_n + arange(0, cfg.block_n), rk = arange(0, cfg.block_k);
        Tensor<f32> acc = zeros<f32>({cfg.block_m, cfg.block_n});
        for (auto i : range(first, until)) {
          const Int at = rk + i * cfg.block_k;
          acc = dot(load(a + (rm(all, none) * k + at(none, all)), (rm(all, none) < m) & (at(none, all) < k)),
                    load(b + (at(all, none) * n + rn(none, all)), (at(all, none) < k) & (rn(none, all) < n)),
                    acc);
        }
        atomic_add(c + (rm(all, none) * n + rn(none, all)), acc, (rm(all, none) < m) & (rn(none, all) < n));
        step += until - first;
      });
}

void check_split(Context &t, int split, bool stream) {
  const GemmSize size{70, 90, 300};
  for (bool integers : {true, false}) {
    t.section(integers ? "inputs=integers" : "inputs=uniform");
    const GemmInputs inputs = gemm_inputs<f16, f16>(t, size, integers);
    Memory &in_a = t.input(inputs.a), &in_b = t.input(inputs.b),
           &out = t.in_out(Array(element_type<f32>, 70 * 90));
    if (stream)
      t.run<&stream_k>({.split = split}, {split}, {in_a, in_b, out, size.m, size.n, size.k});
    else
      t.run<&split_k>({.split = split}, {cdiv(size.m, 32), cdiv(size.n, 32), split},
                      {in_a, in_b, out, size.m, size.n, size.k});
    t.close(out, inputs.expected, integers ? Tolerance{} : Tolerance{1e-2, 1e-2});
  }
}

}   // namespace

void add_matmul_kernel_cases(Suite &suite) {
  add_grouped<f16, f16>(suite, "f16");
  add_grouped<bf16, f32>(suite, "bf16_to_f32");
  add_grouped<e4m3, f32>(suite, "e4m3_to_f32");
  for (int split : {1, 2, 3, 8}) {
    suite.add("KE5/split_k/" + std::to_string(split), [=](Context &t) { check_split(t, split, false); });
    suite.add("KE5/stream_k/" + std::to_string(split), [=](Context &t) { check_split(t, split, true); });
  }
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// DO8: products whose operands are one tile, as it is or transposed; several products of one tile; a tile
// that is multiplied and read otherwise. The compiler copies such a tile once, or keeps it in registers.
#include "families.h"
#include "gemm_loop.h"

namespace tile::conformance {

namespace {

enum class Sharing { same, loaded_twice, transposed, transposed_first, of_two, read_otherwise };
constexpr std::array all_sharing{Sharing::same,       Sharing::loaded_twice,
                                 Sharing::transposed, Sharing::transposed_first,
                                 Sharing::of_two,     Sharing::read_otherwise};
const char *name_of(Sharing sharing) {
  switch (sharing) {
  case Sharing::same:
    return "same";
  case Sharing::loaded_twice:
    return "loaded_twice";
  case Sharing::transposed:
    return "transposed";
  case Sharing::transposed_first:
    return "transposed_first";
  case Sharing::of_two:
    return "of_two";
  case Sharing::read_otherwise:
    return "read_otherwise";
  }
  return "";
}

struct SharedConfig {
  int size = 64;
  Sharing sharing = Sharing::same;
  Access2D access = Access2D::pointers;
  bool loops = false;
  int stages = 1;
  Launch launch{};
};

// `p` is a stack of square matrices, one more than there are steps.
template <class T, class C> void shared_product(Ptr<const T> p, Ptr<C> z, Int steps,
                                                const SharedConfig &cfg) {
  const int n = cfg.size;
  const Int i = arange(0, n), j = arange(0, n);
  const auto block = [&](const Int &step) -> Tensor<T> {
    if (cfg.access == Access2D::descriptors)
      return descriptor(p, {(steps + 1) * n, n}, {n, 1}, {n, n}).load({step * n, 0});
    return load(p + ((i + step * n)(all, none) * n + j(none, all)));
  };
  Tensor<C> sums = zeros<C>({n, n});
  const auto multiply = [&](const Int &step) {
    const Tensor<T> x = block(step);
    switch (cfg.sharing) {
    case Sharing::same:
      sums = dot(x, x, sums);
      break;
    case Sharing::loaded_twice:
      sums = dot(x, block(step), sums);
      break;
    case Sharing::transposed:
      sums = dot(x, trans(x), sums);
      break;
    case Sharing::transposed_first:
      sums = dot(trans(x), x, sums);
      break;
    case Sharing::of_two: {
      const Tensor<T> next = block(step + 1);
      sums = dot(next, x, dot(x, next, sums));
      break;
    }
    case Sharing::read_otherwise:
      sums = dot(x, trans(x), sums) + cast<C>(x);
      break;
    }
  };
  if (cfg.loops)
    for (auto step : range(0, steps).stages(cfg.stages))
      multiply(step);
  else
    multiply(Int(0));
  store(z + (i(all, none) * n + j(none, all)), sums);
}

template <class T, class C> void check_sharing(Context &t, Sharing sharing, Access2D access) {
  struct Form {
    int size, warps, stages;   // no stages: no loop
  };
  for (const auto [size, warps, stages] :
       {Form{64, 4, 0}, Form{64, 4, 1}, Form{64, 4, 3}, Form{128, 8, 0}, Form{128, 8, 2}, Form{32, 2, 2}}) {
    if (size == 128 && sizeof(T) == 4)   // two tiles and two slots are more than a CTA's memory
      continue;
    t.section("size=" + std::to_string(size) + " warps=" + std::to_string(warps) +
              " stages=" + std::to_string(stages));
    const int steps = stages == 0 ? 1 : 3;
    const auto n = static_cast<std::size_t>(size), matrix = n * n;
    const Array all = exact_inputs(t, element_type<T>, matrix * static_cast<std::size_t>(steps + 1));
    std::vector<double> expected(matrix);
    for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step) {
      const MatrixView x{&all, n, 1, step * matrix}, transposed{&all, 1, n, step * matrix},
          next{&all, n, 1, (step + 1) * matrix};
      const auto add = [&](const MatrixView &a, const MatrixView &b) {
        const std::vector<double> product = conformance::multiply(a, b, nullptr, n, n, n);
        for (std::size_t at = 0; at < matrix; ++at)
          expected[at] += product[at];
      };
      switch (sharing) {
      case Sharing::same:
      case Sharing::loaded_twice:
        add(x, x);
        break;
      case Sharing::transposed:
        add(x, transposed);
        break;
      case Sharing::transposed_first:
        add(transposed, x);
        break;
      case Sharing::of_two:
        add(x, next);
        add(next, x);
        break;
      case Sharing::read_otherwise:
        add(x, transposed);
        for (std::size_t at = 0; at < matrix; ++at)
          expected[at] += static_cast<double>(all.real(step * matrix + at));
        break;
      }
    }
    const SharedConfig cfg{.size = size,
                           .sharing = sharing,
                           .access = access,
                           .loops = stages != 0,
                           .stages = std::max(stages, 1),
                           .launch = {.num_warps = warps}};
    Memory &in = t.input(all), &out = t.output<C>(matrix);
    t.run<&shared_product<T, C>>(cfg, {1}, {in, out, steps});
    t.close(out, expected, {});
  }
}

template <class T, class C> void add_sharing(Suite &suite) {
  for (Sharing sharing : all_sharing)
    for (Access2D access : {Access2D::pointers, Access2D::descriptors})
      suite.add("DO8/" + type_name<T>() + "/" + name_of(sharing) +
                    (access == Access2D::pointers ? "/pointers" : "/descriptors"),
                [=](Context &t) { check_sharing<T, C>(t, sharing, access); });
}

}   // namespace

void add_shared_dot_cases(Suite &suite) {
  add_sharing<f16, f32>(suite);
  add_sharing<bf16, f32>(suite);
  add_sharing<f32, f32>(suite);
  add_sharing<i8, i32>(suite);
  add_sharing<e4m3, f32>(suite);
  add_sharing<e5m2, f32>(suite);
}

}   // namespace tile::conformance

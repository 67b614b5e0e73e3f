// SPDX-License-Identifier: MIT
// PL2, PL3, PL5, PL6, PL7, PL9: loops whose trip counts, conditions, stores and nesting stand in the
// way of a pipeline, and of unrolling.
#include "families.h"
#include "gemm_loop.h"

namespace tile::conformance {

namespace {

struct LoopConfig {
  int stages = 1;
  int unroll = 1;   // of the innermost loop
  Launch launch{};
};
LoopConfig with_stages(int stages) { return {.stages = stages, .launch = {.num_stages = stages}}; }

void sum_blocks(Ptr<const f32> x, Ptr<f32> z, Int trips, const LoopConfig &cfg) {
  const Int i = arange(0, 64);
  Tensor<f32> acc = full<f32>({64}, 1);
  for (auto step : range(0, trips).stages(cfg.stages))
    acc += load(x + (step * 64 + i));
  store(z + i, acc);
}

void check_trip_counts(Context &t, int stages) {
  for (int trips : {0, 1, stages - 1, stages, stages + 1, 2 * stages + 2}) {
    t.section("trips=" + std::to_string(trips));
    const Array x = t.numbers<f32>(static_cast<std::size_t>(64 * trips + 1), Inputs::integers);
    Array expected(element_type<f32>, 64);
    for (std::size_t i = 0; i < 64; ++i) {
      long double sum = 1;
      for (std::size_t step = 0; step < static_cast<std::size_t>(trips); ++step)
        sum += x.real(step * 64 + i);
      expected.set_real(i, sum);
    }
    Memory &in = t.input(x), &out = t.output<f32>(64);
    t.run<&sum_blocks>(with_stages(stages), {1}, {in, out, trips});
    t.exact(out, expected);
  }
  t.section("a product over K = 0");
  const GemmConfig cfg{.stages = stages};
  const Array empty(element_type<f32>, 1);
  t.exact(gemm_on_device<f32, f32, f32>(t, empty, empty, {32, 32, 0}, cfg), Array(element_type<f32>, 1024));
}

// What a step adds depends on the steps before it: their order, number and values.
void fold_blocks(Ptr<const f32> x, Ptr<f32> z, Ptr<i32> last, Int first, Int end, const LoopConfig &cfg) {
  const Int i = arange(0, 64);
  Tensor<f32> acc = full<f32>({64}, 1);
  Int seen = full<i32>({}, -1);
  for (auto step : range(first, end, 3).stages(cfg.stages).unroll(cfg.unroll)) {
    acc = acc * 0.5f + load(x + (step * 64 + i));
    seen = step;
  }
  store(z + i, acc);
  store(last, seen);
}

void check_unrolled(Context &t, int unroll, int stages) {
  for (int trips : {0, 1, unroll - 1, unroll, unroll + 1, 2 * unroll, 3 * unroll + 1})
    for (int first : {0, 2}) {
      t.section("trips=" + std::to_string(trips) + " first=" + std::to_string(first));
      const int end = first + 3 * trips - (trips ? 1 : 0);   // not a multiple of the step
      const Array x =
          t.numbers<f32>(static_cast<std::size_t>(64 * (first + 3 * trips + 1)), Inputs::integers);
      Array expected(element_type<f32>, 64), last(element_type<i32>, 1);
      last.set_integer(0, trips ? first + 3 * (trips - 1) : -1);
      for (std::size_t i = 0; i < 64; ++i) {
        long double value = 1;   // of integers and halves: exact in 24 bits for these few steps
        for (int step = first; step < end; step += 3)
          value = static_cast<float>(value * 0.5L + x.real(static_cast<std::size_t>(step) * 64 + i));
        expected.set_real(i, value);
      }
      LoopConfig cfg = with_stages(stages);
      cfg.unroll = unroll;
      Memory &in = t.input(x), &out = t.output<f32>(64), &out_last = t.output<i32>(1);
      t.run<&fold_blocks>(cfg, {1}, {in, out, out_last, first, end});
      t.exact(out, expected);
      t.exact(out_last, last);
    }
}

// Rows come in, rows go out: the store is the pipeline's last stage.
void add_ten(Ptr<const f32> x, Ptr<f32> z, Int rows, Int columns, const LoopConfig &cfg) {
  const Int i = arange(0, 128);
  for (auto row : range(program_id(0), rows, num_programs(0)).stages(cfg.stages)) {
    const Tensor<f32> value = load(x + (row * columns + i), i < columns);
    store(z + (row * columns + i), value + 10.0f, i < columns);
  }
}

void check_epilogue(Context &t, int stages) {
  for (int rows : {0, 1, 2, 3}) {
    t.section("rows=" + std::to_string(rows));
    const std::size_t n = static_cast<std::size_t>(rows) * 78 + 1;   // one more, which stays poisoned
    const Array x = t.numbers<f32>(n, Inputs::uniform);
    Array expected = poisoned(element_type<f32>, n);
    for (std::size_t i = 0; i + 1 < n; ++i)
      expected.set_real(i, static_cast<float>(x.real(i)) + 10.0f);
    Memory &in = t.input(x), &out = t.output<f32>(n);
    t.run<&add_ten>(with_stages(stages), {2}, {in, out, rows, 78});
    t.exact(out, expected);
  }
}

// Only where flags[step] is set are x read and z written; the pointers of other steps are wild.
void conditional(Ptr<const f32> x, Ptr<const i32> flags, Ptr<f32> z, Ptr<f32> total, Int steps,
                 const LoopConfig &cfg) {
  const Int i = arange(0, 32);
  Tensor<f32> acc = zeros<f32>({32});
  for (auto step : range(0, steps).stages(cfg.stages)) {
    const Int flag = load(flags + step);
    const Int offset = where(flag != 0, step * 32, 1000000000);
    TILE_IF (flag != 0) {
      const Tensor<f32> value = load(x + (offset + i));
      acc += value;
      store(z + (offset + i), value * 2.0f);
    }
  }
  store(total + i, acc);
}

void check_conditional(Context &t, int stages) {
  for (int pattern = 0; pattern < 4; ++pattern) {
    t.section("pattern " + std::to_string(pattern));
    const std::size_t steps = 9;
    const Array x = t.numbers<f32>(steps * 32, Inputs::integers);
    Array flags(element_type<i32>, steps), written = poisoned(element_type<f32>, steps * 32),
                                           total(element_type<f32>, 32);
    for (std::size_t step = 0; step < steps; ++step) {
      const bool taken = pattern == 0   ? step % 2 == 0
                         : pattern == 1 ? step >= 5
                         : pattern == 2 ? false
                                        : t.between(0, 1) == 1;
      flags.set_integer(step, taken ? 1 : 0);
      for (std::size_t i = 0; taken && i < 32; ++i) {
        written.set_real(step * 32 + i, 2 * x.real(step * 32 + i));
        total.set_real(i, total.real(i) + x.real(step * 32 + i));
      }
    }
    Memory &in = t.input(x), &in_flags = t.input(flags), &out = t.output<f32>(steps * 32),
           &out_total = t.output<f32>(32);
    t.run<&conditional>(with_stages(stages), {1}, {in, in_flags, out, out_total, static_cast<int>(steps)});
    t.exact(out, written);
    t.exact(out_total, total);
  }
}

// Two loads from one buffer, one of them shifted, a plain store and a scatter in every step.
void store_and_scatter(Ptr<const f32> x, Ptr<const i32> places, Ptr<f32> z, Ptr<f32> w, Int steps,
                       const LoopConfig &cfg) {
  const Int i = arange(0, 32);
  for (auto step : range(0, steps).stages(cfg.stages)) {
    const Tensor<f32> first = load(x + (step * 32 + i)), second = load(x + (step * 32 + 16 + i));
    store(z + (step * 32 + i), first - second);
    store(w + load(places + (step * 32 + i)), second);
  }
}

void check_scatter(Context &t, int stages) {
  const std::size_t steps = 7, n = steps * 32;
  const Array x = t.numbers<f32>(n + 16, Inputs::integers);
  Array places(element_type<i32>, n), plain(element_type<f32>, n), scattered(element_type<f32>, n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place = i * 101 % n;   // 101 and 224 share no factor: a permutation
    places.set_integer(i, static_cast<Wide>(place));
    plain.set_real(i, x.real(i) - x.real(i + 16));
    scattered.set_real(place, x.real(i + 16));
  }
  Memory &in = t.input(x), &in_places = t.input(places), &out = t.output<f32>(n),
         &out_scattered = t.output<f32>(n);
  t.run<&store_and_scatter>(with_stages(stages), {1},
                            {in, in_places, out, out_scattered, static_cast<int>(steps)});
  t.exact(out, plain);
  t.exact(out_scattered, scattered);
}

// The descriptor changes from one iteration to the next: which matrix is read depends on the step.
void alternating(Ptr<const f16> x, Ptr<const f16> y, Ptr<f32> z, Int steps, const LoopConfig &cfg) {
  const Int row = arange(0, 16), column = arange(0, 32);
  auto current = descriptor(x, {64, 32}, {32, 1}, {16, 32});
  const auto other = descriptor(y, {64, 32}, {32, 1}, {16, 32});
  Tensor<f32> acc = zeros<f32>({16, 32});
  for (auto step : range(0, steps).stages(cfg.stages)) {
    acc = acc * 2.0f + cast<f32>(current.load({step * 8, 0}));
    current = other;
  }
  store(z + (row(all, none) * 32 + column(none, all)), acc);
}

void check_alternating(Context &t, int stages) {
  const Array x = t.numbers<f16>(64 * 32, Inputs::integers), y = t.numbers<f16>(64 * 32, Inputs::integers);
  for (int steps : {0, 1, 2, 7}) {
    t.section("steps=" + std::to_string(steps));
    Array expected(element_type<f32>, 16 * 32);
    for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step)
      for (std::size_t i = 0; i < 16 * 32; ++i) {
        const std::size_t row = step * 8 + i / 32;
        expected.set_real(i, 2 * expected.real(i) +
                                 (row < 64 ? (step == 0 ? x : y).real(row * 32 + i % 32) : 0));
      }
    Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output<f32>(16 * 32);
    t.run<&alternating>(with_stages(stages), {1}, {in_x, in_y, out, steps});
    t.exact(out, expected);
  }
}

// The inner trip count varies with the outer index and may be 0.
void nested(Ptr<const f32> x, Ptr<const i32> counts, Ptr<f32> z, Int outer, const LoopConfig &cfg) {
  const Int i = arange(0, 16);
  for (auto o : range(0, outer)) {
    Tensor<f32> acc = cast<f32>(o + i * 0);
    const auto inner = range(0, load(counts + o)).stages(cfg.stages);
    for (auto k : cfg.unroll > 1 ? inner.unroll(cfg.unroll) : inner)
      acc = acc * 0.5f + load(x + ((o + k) * 16 + i));
    store(z + (o * 16 + i), acc);
  }
}

void check_nested(Context &t, int stages, int unroll) {
  for (int kind : {0, 1, 2, 3}) {   // trip counts: all 0, all 1, rising, mixed
    t.section("kind " + std::to_string(kind));
    const std::size_t outer = 6;
    const Array x = t.numbers<f32>(16 * 16, Inputs::integers);
    Array counts(element_type<i32>, outer), expected(element_type<f32>, outer * 16);
    for (std::size_t o = 0; o < outer; ++o) {
      const auto trips = kind < 2    ? static_cast<std::size_t>(kind)
                         : kind == 2 ? o
                                     : static_cast<std::size_t>(t.between(0, 5));
      counts.set_integer(o, static_cast<Wide>(trips));
      for (std::size_t i = 0; i < 16; ++i) {
        long double acc = static_cast<long double>(o);
        for (std::size_t k = 0; k < trips; ++k)
          acc = acc * 0.5L + x.real((o + k) * 16 + i);
        expected.set_real(o * 16 + i, acc);
      }
    }
    LoopConfig cfg = with_stages(stages);
    cfg.unroll = unroll;
    Memory &in = t.input(x), &in_counts = t.input(counts), &out = t.output<f32>(outer * 16);
    t.run<&nested>(cfg, {1}, {in, in_counts, out, static_cast<int>(outer)});
    t.exact(out, expected);
  }
}

}   // namespace

void add_pipelined_loop_cases(Suite &suite) {
  for (int stages : {1, 2, 3, 4, 5}) {
    const std::string suffix = "/stages_" + std::to_string(stages);
    suite.add("PL2/trip_counts" + suffix, [=](Context &t) { check_trip_counts(t, stages); });
    suite.add("PL3/epilogue" + suffix, [=](Context &t) { check_epilogue(t, stages); });
    if (stages <= 3)
      suite.add("PL5/conditional" + suffix, [=](Context &t) { check_conditional(t, stages); });
    suite.add("PL6/scatter" + suffix, [=](Context &t) { check_scatter(t, stages); });
    suite.add("PL6/loop_carried_descriptor" + suffix, [=](Context &t) { check_alternating(t, stages); });
    for (int unroll : {1, 2, 3})
      suite.add("PL9/unroll_" + std::to_string(unroll) + suffix,
                [=](Context &t) { check_nested(t, stages, unroll); });
    for (int unroll : {2, 3, 4, 8})
      suite.add("PL7/steps/unroll_" + std::to_string(unroll) + suffix,
                [=](Context &t) { check_unrolled(t, unroll, stages); });
  }
}

}   // namespace tile::conformance

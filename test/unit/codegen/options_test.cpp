// SPDX-License-Identifier: MIT
// Nothing that is declared is ignored: every option of a launch, a loop, an access, a product and a trace
// changes what is compiled, or is an error. The options are enumerated from their declarations, so that a new
// one fails here until a row says what it does.
#include "compiler/api/compile.h"

#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tile {
namespace {

using testing::HasSubstr;

std::string ptx_of(const KernelIR &kernel, const char *target = "sm_90") {
  return text_after(Stage::Ptx, kernel, *Target::parse(target));
}

std::size_t count(const std::string &text, const std::string &word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    ++n;
  return n;
}

template <class Options> std::set<std::string> fields_of() {
  std::set<std::string> names;
  for (const detail::Field &field : detail::field_table<Options>().fields)
    names.insert(field.path);
  return names;
}

// ---- a product loop, for what launches, loops and products can be told

struct ProductConfig {
  int stages = 0, unroll = 0;
  DotOptions product{};
  Launch launch{};
};

template <class T>
void product_program(Ptr<const T> a, Ptr<const T> b, Ptr<f32> c, Int steps, Float scale,
                     const ProductConfig &cfg) {
  const auto i = arange(0, 64), k = arange(0, 64);
  const auto at = i(all, none) * 64 + k(none, all);
  Tensor<f32> acc = zeros<f32>({64, 64});
  auto loop = range(0, steps);
  if (cfg.stages)
    loop = loop.stages(cfg.stages);
  if (cfg.unroll)
    loop = loop.unroll(cfg.unroll);
  for (auto step : loop)
    acc = dot(load(a + (at + step * 4096)), load(b + (at + step * 4096)), acc, cfg.product);
  store(c + at, acc * scale + scale);
}
template <class T>
const Kernel<&product_program<T>> product_kernel{.name = "product",
                                                 .parameters = {"a", "b", "c", "steps", "scale"}};

template <class T> std::string product_ptx(const ProductConfig &config, const char *target = "sm_90") {
  const auto by16 = ArgClass::divisible_by_16;
  return ptx_of(product_kernel<T>.trace(config, {by16, by16, by16}), target);
}

TEST(LaunchOptions, EachActsOrIsRefused) {
  // What is asked for, and what the PTX or the error then has that the default's has not.
  const std::map<std::string, std::pair<std::string, std::string>> rows{
      {"num_warps", {"8", ".reqntid 256"}},
      {"num_stages", {"4", "cp.async.wait_group \t2"}},
      {"num_ctas", {"2", "this kernel cannot be shared by 2 CTAs on"}},
      {"ping_pong", {"true", "this kernel cannot run in ping-pong on"}},
      {"max_registers", {"96", ".maxnreg 96"}},
      {"fp_fusion", {"false", "add.rn.f32"}}};
  const std::string usual = product_ptx<f16>({});
  for (const std::string &name : fields_of<Launch>()) {
    SCOPED_TRACE(name);
    const auto row = rows.find(name);
    ASSERT_NE(row, rows.end()) << "a new option of launches: what does it do?";
    const auto &[value, shows] = row->second;
    const auto config = parse_config<ProductConfig>("launch." + name + "=" + value);
    std::string text;
    try {
      text = product_ptx<f16>(config);
    } catch (const Error &error) {
      text = error.what();
    }
    EXPECT_GT(count(text, shows), 0u) << text.substr(0, 500);
    EXPECT_EQ(count(usual, shows), 0u);
  }
  EXPECT_EQ(rows.size(), fields_of<Launch>().size());
}

// The methods of a range that give a range with an option, by the header that declares them.
std::set<std::string> methods_of_ranges() {
  std::ifstream header(TILE_SOURCE_DIR "/compiler/dsl/control_flow.h");
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(header, line);) {
    inside = (inside || line.ends_with("class Range {")) && line != "};";
    if (const std::string start = "  Range "; inside && line.starts_with(start))
      names.insert(line.substr(start.size(), line.find('(') - start.size()));
  }
  return names;
}

TEST(LoopOptions, AllAreCoveredHere) {
  EXPECT_EQ(fields_of<detail::LoopOptions>(),
            (std::set<std::string>{"stages", "unroll", "specialize_warps"}));
  EXPECT_EQ(methods_of_ranges(), (std::set<std::string>{"stages", "unroll", "specialize_warps"}));
}

TEST(LoopOptions, StagesCountMoreThanTheLaunchs) {
  EXPECT_NE(product_ptx<f16>({.stages = 2}), product_ptx<f16>({}));
  EXPECT_EQ(product_ptx<f16>({.stages = 2}), product_ptx<f16>({.launch = {.num_stages = 2}}));
  EXPECT_EQ(product_ptx<f16>({.stages = 2, .launch = {.num_stages = 5}}),
            product_ptx<f16>({.launch = {.num_stages = 2}}));
}

// The products of four iterations stand one behind the other in a loop, those of one in a second loop.
TEST(LoopOptions, UnrolledProductsAreInThePtx) {
  const std::size_t once = count(product_ptx<f16>({}), "mma.sync");
  ASSERT_GT(once, 0u);
  EXPECT_EQ(count(product_ptx<f16>({.unroll = 4}), "mma.sync"), 5 * once);
  EXPECT_EQ(product_ptx<f16>({.unroll = 1}), product_ptx<f16>({}));
}

// Copies of a product take turns in the slots of one channel.
TEST(LoopOptions, UnrollingTakesNoMoreSharedMemory) {
  auto bytes = [](const ProductConfig &config) {
    return compile(product_kernel<f16>.trace(config), *Target::parse("sm_90")).shared_bytes;
  };
  EXPECT_GT(bytes({}), 0u);
  EXPECT_EQ(bytes({.unroll = 4}), bytes({}));
}

// A kernel that only this config makes too large: programs try another one.
TEST(LoopOptions, TooMuchSharedMemoryIsRefusedWithItsCode) {
  try {
    compile(product_kernel<f16>.trace({.launch = {.num_stages = 14}}), *Target::parse("sm_86"));
    FAIL() << "14 slots of blocks do not fit";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::compilation_refused) << error.what();
  }
}

// The promise lets the copies of one iteration run ahead of what another one stores.
template <bool Promises> void over_tiles(Ptr<const f16> a, Ptr<f16> b, Int n, const ProductConfig &) {
  auto A = descriptor(a, {n, n}, {64, 1}, {64, 64});
  auto B = descriptor(b, {n, n}, {64, 1}, {64, 64});
  auto loop = range(0, n);
  for (auto i : Promises ? loop.specialize_warps() : loop)
    B.store({i * 64, 0}, cast<f16>(dot(A.load({i * 64, 0}), A.load({0, 0}), zeros<f32>({64, 64}))));
}
TEST(LoopOptions, PromisesSpecializeWarps) {
  const auto ptx = [](const KernelIR &kernel) { return ptx_of(kernel, "sm_90a"); };
  EXPECT_EQ(count(ptx(Kernel<&over_tiles<false>>{.name = "over_tiles"}.trace({})), "cp.async.bulk.tensor"),
            0u);
  EXPECT_GT(count(ptx(Kernel<&over_tiles<true>>{.name = "over_tiles"}.trace({})), "cp.async.bulk.tensor"),
            0u);
}

// ---- products

TEST(ProductOptions, EachActs) {
  EXPECT_EQ(fields_of<DotOptions>(), (std::set<std::string>{"precision", "max_imprecise_acc"}));
  std::map<std::string, std::string> programs;   // text, then which precision it is of
  for (const detail::Field &field : detail::field_table<DotOptions>().fields)
    for (const detail::Enumerator &precision : field.enumerators) {
      const std::string name(precision.name);
      const auto [other, is_new] =
          programs.emplace(product_ptx<f32>(parse_config<ProductConfig>("product.precision=" + name)), name);
      EXPECT_TRUE(is_new) << name << " is compiled like " << other->second;
    }
  EXPECT_GE(programs.size(), 5u);
  // Only the unit's own sums of 8-bit floats are imprecise.
  EXPECT_NE(product_ptx<e4m3>({.product = {.max_imprecise_acc = 32}}, "sm_89"),
            product_ptx<e4m3>({}, "sm_89"));
}

// ---- accesses

struct AccessConfig {
  Access load{}, store{};
};
void copy_program(Ptr<const f32> x, Ptr<f32> y, const AccessConfig &cfg) {
  const auto i = arange(0, 128);
  store(y + i, load(x + i, cfg.load), cfg.store);
}
std::string copy_ptx(const std::string &config) {
  try {
    return ptx_of(Kernel<&copy_program>{.name = "copy"}.trace(parse_config<AccessConfig>(config)));
  } catch (const Error &error) {
    return error.what();
  }
}

TEST(AccessOptions, EachActsOrIsRefused) {
  std::map<std::string, std::string> outcomes{{copy_ptx(""), "the default"}};
  int refused = 0;
  for (const detail::Field &field : detail::field_table<AccessConfig>().fields) {
    std::vector<std::string> values;
    for (const detail::Enumerator &e : field.enumerators)
      if (e.value != 0)
        values.emplace_back(e.name);
    if (field.kind == detail::Field::Kind::boolean)
      values = {"true"};
    ASSERT_FALSE(values.empty()) << field.path << ": a new kind of option";
    for (const std::string &value : values) {
      const std::string option = field.path + "=" + value;
      const std::string outcome = copy_ptx(option);
      const bool is_ptx = outcome.find(".entry") != outcome.npos;
      refused += !is_ptx;
      if (!is_ptx)
        EXPECT_THAT(outcome, HasSubstr("the cache operators of a "));
      else if (const auto [other, is_new] = outcomes.emplace(outcome, option); !is_new)
        ADD_FAILURE() << option << " is compiled like " << other->second;
    }
  }
  EXPECT_EQ(refused, 5) << "loads have no wb, cs and wt, stores no ca and cv";
}

// ---- traces

struct None {};
void ordered(Ptr<const i32> x, Ptr<i32> y, Int n, const None &) {
  const Int late = n * 7;
  const Int early = load(x + n);
  store(y + early, late);
}

TEST(TraceOptions, EachActs) {
  const std::map<std::string, TraceOptions> rows{{"locations", {.locations = false}},
                                                 {"canonical_order", {.canonical_order = false}}};
  auto text = [](TraceOptions options) {
    return Kernel<&ordered>{.name = "ordered"}.trace({}, {}, options).text({.locations = true});
  };
  for (const std::string &name : fields_of<TraceOptions>()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(rows.contains(name)) << "a new option of traces: what does it do?";
    EXPECT_NE(text(rows.at(name)), text({}));
  }
}

}   // namespace
}   // namespace tile

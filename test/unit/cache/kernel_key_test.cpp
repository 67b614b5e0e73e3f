// SPDX-License-Identifier: MIT
// Whether two kernels share an entry of the cache: those that are the same module, for the same machine, made
// by the same tools.
#include "compiler/api/kernel_key.h"
#include "runtime/cache/kernel_cache.h"
#include "test/unit/runtime/scratch_folder.h"
#include "tools/registry/registry.h"

#include <tile/dsl.h>
#include <tile/environment.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

namespace tile {
namespace {

const Target hopper = *Target::parse("sm_90a");

CacheKey key(const KernelIR &kernel) { return key_of(kernel, hopper, "sm_90a", std::nullopt); }

// With lines and without columns.
std::string text(const KernelIR &kernel) {
  static const std::regex column(R"((loc\("[^"]*":\d+):\d+(?: to :\d+)?)");
  return std::regex_replace(kernel.text({.locations = true}), column, "$1");
}

// Every config of every shipped kernel, for both kinds of arguments: one fingerprint for one text.
TEST(KernelKeys, AreEqualWhereTheModulesAre) {
  std::map<std::string, std::string> fingerprints, texts;
  std::size_t count = 0;
  for (const registry::Entry &entry : registry::entries()) {
    registry::Settings settings(entry.parameters);
    std::vector<std::string> configs = entry.configs(settings);
    configs.resize(std::min<std::size_t>(configs.size(), 8));
    for (const std::string &config : configs)
      for (const bool specialized : {false, true}) {
        settings.config = config;
        const KernelIR kernel = entry.trace(settings, specialized),
                       again = entry.trace(settings, specialized);
        EXPECT_EQ(kernel.fingerprint(), again.fingerprint());
        EXPECT_EQ(fingerprints.try_emplace(text(kernel), kernel.fingerprint()).first->second,
                  kernel.fingerprint());
        EXPECT_EQ(texts.try_emplace(kernel.fingerprint(), text(kernel)).first->second, text(kernel));
        ++count;
      }
  }
  EXPECT_GT(count, 60u);
}

// One kernel in many variants, each with one thing that is another one.
struct Variant {
  int block = 64, stages = 0, unroll = 0, order = 0;
  bool promises = false, adds = true, casts = false, masks = true, checks = false, is_other = false,
       is_volatile = false;
  float number = 1;
  Evict evict = Evict::normal;
  Cache cache = Cache::none;
  Precision precision = Precision::tf32;
  Nan nan = Nan::ignore;
  Padding padding = Padding::zero;
  Launch launch{};
};

Variant now;   // not a config: what its text says must not tell variants apart

struct Fixed {
  Launch launch{};
};

void variant(Ptr<const f32> x, Ptr<f32> y, Int n, const Fixed &) {
  auto i = program_id(0) * now.block + arange(0, now.block);
  auto mask = i < n;
  if (now.checks)
    device_assert(n > 0, now.is_other ? "another message" : "a message");
  auto v = now.masks
               ? load(x + i, mask, {.cache = now.cache, .evict = now.evict, .is_volatile = now.is_volatile})
               : load(x + i);
  auto loop = range(0, n);
  if (now.stages)
    loop = loop.stages(now.stages);
  if (now.unroll)
    loop = loop.unroll(now.unroll);
  if (now.promises)
    loop = loop.specialize_warps();
  for (auto k : loop)
    v = now.adds ? v + now.number : v - now.number;
  if (now.casts)
    v = cast<f32>(cast<f16>(v));
  v = maximum(v, 0.f, now.nan);
  auto D = descriptor(x, {n, n}, {n, 1}, {16, 16}, now.padding);
  auto t = D.load({0, 0});
  auto p = dot(t, now.order ? permute(t, {1, 0}) : t, zeros<f32>({16, 16}),
               DotOptions{.precision = now.precision});
  store(y + i, v + sum(sum(p, 1), 0), mask);
}

template <class Change> KernelIR changed(Change &&change) {
  now = {};
  change(now);
  return Kernel<&variant>{.name = "variant"}.trace({});
}

TEST(KernelKeys, TellEveryPartOfATraceApart) {
  std::map<std::string, std::string> seen;
  const auto add = [&](const char *what, auto &&change) {
    const KernelIR kernel = changed(change);
    const auto [known, is_new] = seen.try_emplace(kernel.fingerprint(), what);
    EXPECT_TRUE(is_new) << what << " has the key of " << known->second;
  };
  add("itself", [](Variant &) {});
  add("block", [](Variant &v) { v.block = 128; });
  add("stages", [](Variant &v) { v.stages = 2; });
  add("unroll", [](Variant &v) { v.unroll = 2; });
  add("promises", [](Variant &v) { v.promises = true; });
  add("subtracts", [](Variant &v) { v.adds = false; });
  add("casts", [](Variant &v) { v.casts = true; });
  add("masks", [](Variant &v) { v.masks = false; });
  add("checks", [](Variant &v) { v.checks = true; });
  add("message", [](Variant &v) { v.checks = v.is_other = true; });
  add("number", [](Variant &v) { v.number = 2; });
  add("negative zero", [](Variant &v) { v.number = -0.f; });
  add("zero", [](Variant &v) { v.number = 0.f; });
  add("evict", [](Variant &v) { v.evict = Evict::first; });
  add("cache", [](Variant &v) { v.cache = Cache::cg; });
  add("volatile", [](Variant &v) { v.is_volatile = true; });
  add("precision", [](Variant &v) { v.precision = Precision::ieee; });
  add("nan", [](Variant &v) { v.nan = Nan::propagate; });
  add("padding", [](Variant &v) { v.padding = Padding::nan; });
  add("order", [](Variant &v) { v.order = 1; });
}

// clang-format off
void left(Ptr<f32> x, const Fixed &) { store(x, 1.f); } void right(Ptr<f32> x, const Fixed &) { store(x, 1.f); }
void below(Ptr<f32> x, const Fixed &) { store(x, 1.f); }
// clang-format on

TEST(KernelKeys, KnowLinesAndNoColumns) {
  const std::string one = Kernel<&left>{.name = "k"}.trace({}).fingerprint();
  EXPECT_EQ(Kernel<&right>{.name = "k"}.trace({}).fingerprint(), one);
  EXPECT_NE(Kernel<&below>{.name = "k"}.trace({}).fingerprint(), one);
}

TEST(KernelKeys, TellLaunchesArgumentsAndNamesApart) {
  now = {};
  const Kernel<&variant> kernel{.name = "variant"}, other{.name = "other"};
  using enum ArgClass;
  std::map<std::string, std::string> seen;
  const auto add = [&](const char *what, const KernelIR &ir) {
    const auto [known, is_new] = seen.try_emplace(key(ir).bytes(), what);
    EXPECT_TRUE(is_new) << what << " has the key of " << known->second;
  };
  add("itself", kernel.trace({}));
  add("name", other.trace({}));
  add("num_warps", kernel.trace({.launch = {.num_warps = 8}}));
  add("num_stages", kernel.trace({.launch = {.num_stages = 4}}));
  add("num_ctas", kernel.trace({.launch = {.num_ctas = 2}}));
  add("ping_pong", kernel.trace({.launch = {.ping_pong = true}}));
  add("max_registers", kernel.trace({.launch = {.max_registers = 64}}));
  add("fp_fusion", kernel.trace({.launch = {.fp_fusion = false}}));
  add("aligned", kernel.trace({}, {divisible_by_16, generic, generic}));
  add("other aligned", kernel.trace({}, {generic, divisible_by_16, generic}));
  add("one", kernel.trace({}, {generic, generic, one}));
}

TEST(KernelKeys, TellMachinesAndToolsApart) {
  now = {};
  const KernelIR kernel = Kernel<&variant>{.name = "variant"}.trace({});
  testing::ScratchFolder scratch;
  testing::EnvironmentGuard guard;
  guard.set("TILE_LOST_SPEED", nullptr);
  const std::string ptxas = scratch.write("ptxas", "one"), second = scratch.write("second", "one");
  std::map<std::string, std::string> seen;
  const auto add = [&](const char *what, const CacheKey &key) {
    const auto [known, is_new] = seen.try_emplace(key.bytes(), what);
    EXPECT_TRUE(is_new) << what << " has the key of " << known->second;
  };
  const Assembler assembler{.path = ptxas};
  add("the driver's", key_of(kernel, hopper, "sm_90a", std::nullopt));
  add("target", key_of(kernel, *Target::parse("sm_90"), "sm_90a", std::nullopt));
  add("machine", key_of(kernel, hopper, "sm_90", std::nullopt));
  add("assembler", key_of(kernel, hopper, "sm_90a", assembler));
  add("another assembler", key_of(kernel, hopper, "sm_90a", Assembler{.path = second}));
  scratch.write("ptxas", "newer");
  add("a newer assembler", key_of(kernel, hopper, "sm_90a", assembler));
  guard.set("TILE_LOST_SPEED", "warning");
  add("lost speed", key_of(kernel, hopper, "sm_90a", std::nullopt));
  // What changes nothing: who is asked, and how loudly.
  guard.set("TILE_LOST_SPEED", "error");
  guard.set("TILE_TIMING", "1");
  guard.set("TILE_CHECK", "none");
  EXPECT_EQ(seen.count(key_of(kernel, hopper, "sm_90a", std::nullopt).bytes()), 1u);
}

// Each field by itself makes a miss, and nothing else does; a new field comes here.
TEST(KernelKeys, MissByEachOfTheirFieldsAndOnlyThen) {
  now = {};
  const KernelIR ir = Kernel<&variant>{.name = "variant"}.trace({});
  const CacheKey real = key(ir);
  const auto with = [&](std::string_view changed) {
    CacheKey other;
    for (const auto &[name, value] : real.fields())
      other.add(name, std::string(value) + (name == changed ? "x" : ""));
    return other;
  };
  std::vector<std::string_view> names;
  for (const CacheKey::Field &field : real.fields())
    names.push_back(field.name);
  EXPECT_THAT(names, ::testing::ElementsAre("kernel", "config", "target", "machine", "assembler", "compiler",
                                            "LLVM", "TILE_LOST_SPEED", "parameters", "computation", "trace"));
  for (std::string_view name : {"compiler", "LLVM", "trace", "parameters"})
    EXPECT_NE(real.value(name), "") << name;
  testing::ScratchFolder scratch;
  KernelCache cache((scratch.path() / "kernels").string(), /*writes=*/true, KernelCache::mib);
  LoweredKernel kernel;
  kernel.target = "sm_90a";
  kernel.set_text("code");
  cache.insert(real, kernel);
  EXPECT_EQ(cache.find(with("")), kernel);
  for (const std::string_view name : names)
    EXPECT_EQ(cache.find(with(name)), std::nullopt) << name;
  EXPECT_EQ(cache.find(real), kernel) << "the misses have left it there";
}

TEST(KernelKeys, HoldTheVariablesThatAreSaidToBeInThem) {
  const std::map<std::string_view, const char *> others{{"TILE_CACHE", "off"},
                                                        {"TILE_CACHE_DIR", "/elsewhere"},
                                                        {"TILE_CACHE_SIZE", "7"},
                                                        {"TILE_CHECK", "none"},
                                                        {"TILE_COLOR", "never"},
                                                        {"TILE_COMPILE", "never"},
                                                        {"TILE_DEVICE", "simulator"},
                                                        {"TILE_DUMP", "/elsewhere"},
                                                        {"TILE_JOBS", "3"},
                                                        {"TILE_LIBRARY_PATH", "/elsewhere"},
                                                        {"TILE_LIMIT", "none"},
                                                        {"TILE_LOST_SPEED", "warning"},
                                                        {"TILE_PACKS", "/elsewhere"},
                                                        {"TILE_PTXAS", "driver"},
                                                        {"TILE_REMARKS", "1"},
                                                        {"TILE_SCHEDULE", "random:1"},
                                                        {"TILE_SIMULATED_COPIES", "1"},
                                                        {"TILE_SIMULATED_GPU", "sm_80"},
                                                        {"TILE_SOURCE_ROOT", "/"},
                                                        {"TILE_STAND_INS", "never"},
                                                        {"TILE_TIMING", "1"},
                                                        {"TILE_TUNE", "never"},
                                                        {"TILE_TUNE_LIMIT", "7"},
                                                        {"TILE_TUNE_LOG", "1"},
                                                        {"TILE_VERIFY", "1"}};
  now = {};
  const KernelIR kernel = Kernel<&variant>{.name = "variant"}.trace({});
  testing::EnvironmentGuard guard;
  for (const environment::Variable &variable : environment::variables())
    guard.set(std::string(variable.name), nullptr);
  const CacheKey before = key(kernel);
  std::size_t changing = 0;
  for (const environment::Variable &variable : environment::variables()) {
    guard.set(std::string(variable.name), others.at(variable.name));
    EXPECT_NE(variable.effective(), variable.default_value) << variable.name;
    EXPECT_EQ(key(kernel) != before, variable.is_in_key) << variable.name;
    guard.set(std::string(variable.name), nullptr);
    changing += variable.is_in_key;
  }
  EXPECT_GT(changing, 0u);
}

}   // namespace
}   // namespace tile

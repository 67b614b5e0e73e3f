// SPDX-License-Identifier: MIT
// Every shipped kernel with the configs of its list, compiled and assembled: no error, no warning, and no
// register in memory other than expected_spills.txt says.
//
//   tile_assembly_tests          each kernel, element type and target with the kernel's own config, or the
//                                first of the others that the target takes: a minute; what spills is
//                                exactly what expected_spills.txt lists
//   tile_assembly_tests --full   every element type x config x order of operands x specialisation x target:
//                                an hour of two cores; what else spills is printed, and no failure, because
//                                tuning chooses among these by their speed
//
// A config that needs more shared memory than the target has is refused by the compiler; that is no failure.
#include "assembles.h"

#include "tools/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

namespace tile::codegen_test {
namespace {

using registry::Entry;
using registry::Settings;

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t every = 20;   // of so many cases one: the compiler is ten times slower
#else
constexpr std::size_t every = 1;
#endif

struct Case {
  const Entry *kernel;
  std::string dtype, trans;            // trans: "" where a kernel has none
  std::optional<std::string> config;   // none: the first one that the target takes
  bool specialized;
  std::string target;

  Settings settings() const {
    Settings s(kernel->parameters);
    s.set("dtype", dtype);
    if (!trans.empty())
      s.set("trans", trans);
    return s;
  }
  std::string name() const {
    std::string text = dtype + (trans.empty() ? "" : " " + trans);
    text += " " + (!config ? "first that fits" : config->empty() ? "default" : *config);
    return text + (specialized ? " specialized " : " generic ") + target;
  }
};

struct Counts {
  int assembled = 0, refused = 0, spilling = 0;
} counts;

// The number after the last `before` in front of `after`.
std::int64_t number_between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t end = text.find(after);
  const std::size_t start = end == text.npos ? text.npos : text.rfind(before, end);
  std::int64_t value = -1;
  if (start != text.npos)
    std::from_chars(text.data() + start + before.size(), text.data() + end, value);
  return value;
}

// The PTX, or nothing where the config needs more shared memory than there is.
std::optional<std::string> compiled(const Case &c, const std::string &config) {
  const Target target = *Target::parse(c.target);
  Settings settings = c.settings();
  settings.config = config;
  try {
    return text_after(Stage::Ptx, c.kernel->trace(settings, c.specialized), target);
  } catch (const Error &error) {
    const std::string said = error.what();
    const std::int64_t needed =
        number_between(said, "needs ", " bytes of shared memory for a CTA, " + c.target);
    EXPECT_GT(needed, target.sharedBytesPerBlock()) << said;
    return std::nullopt;
  }
}

const std::map<std::string, int> &expected_spills() {
  static const std::map<std::string, int> all = [] {
    std::map<std::string, int> spills;
    std::ifstream file(TILE_EXPECTED_SPILLS);
    for (std::string line; std::getline(file, line);)
      if (const std::size_t colon = line.rfind(": "); !line.starts_with('#') && colon != line.npos)
        spills[line.substr(0, colon)] = std::stoi(line.substr(colon + 2));
    return spills;
  }();
  return all;
}

// Whether the numbers of expected_spills.txt are this assembler's.
bool is_known_assembler() {
  static const bool known = [] {
    std::ifstream file(TILE_EXPECTED_SPILLS);
    const std::string of = "# ptxas ";
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(of))
        return assembler_version().find(line.substr(of.size())) != std::string::npos;
    return false;
  }();
  return known;
}

// What ptxas -v says of one kernel: information only, and how much it spills.
void expect_assembled(const std::string &name, const std::string &said, bool one_of_all_configs) {
  for (std::size_t begin = 0, end; begin < said.size(); begin = end + 1) {
    end = std::min(said.find('\n', begin), said.size());
    const std::string line = said.substr(begin, end - begin);
    EXPECT_TRUE(line.starts_with("ptxas info ") || line.starts_with("    ")) << line;
    EXPECT_EQ(line.find("Performance"), line.npos) << line;
  }
  const std::int64_t bytes = number_between(said, ", ", " bytes spill stores");
  ASSERT_GE(bytes, 0) << said;
  ++counts.assembled;
  if (bytes > 0) {
    ++counts.spilling;
    fmt::print("spill: {}: {}\n", name, bytes);
  }
  const auto expected = expected_spills().find(name);
  const bool listed = expected != expected_spills().end();
  if (listed ? is_known_assembler() : !one_of_all_configs) {
    EXPECT_EQ(bytes, listed ? expected->second : 0)
        << "bytes of registers that ptxas puts into memory; where this is as it has to be, say so in "
           "expected_spills.txt:\n"
        << name << ": " << bytes;
  }
}

class Assembly : public testing::Test {
 public:
  explicit Assembly(Case c) : case_(std::move(c)) {}
  void TestBody() override {
    std::vector<std::string> configs{case_.config.value_or("")};
    if (!case_.config)
      for (const std::string &config : case_.kernel->configs(case_.settings()))
        if (!config.empty())   // the kernel's own choice stays first
          configs.push_back(config);
    for (const std::string &config : configs) {
      const std::optional<std::string> ptx = compiled(case_, config);
      if (!ptx)
        continue;
      if (!has_assembler())
        GTEST_SKIP() << without_ptxas();
      Case of = case_;
      of.config = config;
      expect_assembled(case_.kernel->name + " " + of.name(), said_by_assembler(*ptx, case_.target, "-v"),
                       case_.config.has_value());
      return;
    }
    // The smallest tiles of the list take 96 KiB and their exchanges: too much where a CTA has 99.
    const bool known = case_.kernel->name == "grouped_gemm" && case_.dtype == "tf32" &&
                       Target::parse(case_.target)->sharedBytesPerBlock() == 99 * 1024;
    EXPECT_TRUE(case_.config || known) << "no config of the list has its memory on " << case_.target;
    ++counts.refused;
  }

 private:
  Case case_;
};

const std::vector<std::string> &choices(const Entry &kernel, std::string_view parameter) {
  static const std::vector<std::string> none{""};
  const registry::Parameter *p = kernel.parameter(parameter);
  return p ? p->choices : none;
}

std::vector<Case> cases_of(const Entry &kernel, bool full) {
  std::vector<Case> cases;
  const std::vector<std::string> &dtypes = choices(kernel, "dtype"), &targets = Target::knownTargets();
  // How operands are stored is a matter of the config of gemm and batched_gemm, and of matmul's arguments.
  const bool is_config = kernel.name == "gemm" || kernel.name == "batched_gemm";
  const std::vector<std::string> &orders = choices(kernel, is_config ? "trans" : "");
  for (const std::string &dtype : dtypes)
    for (const std::string &target : targets)
      cases.push_back({&kernel, dtype, orders.front(), std::nullopt, cases.size() % 2 == 0, target});

  if (!full)
    return cases;
  for (const std::string &trans : orders)
    for (std::size_t d = 0; d < dtypes.size(); ++d) {
      Settings settings(kernel.parameters);
      settings.set("dtype", dtypes[d]);
      if (!trans.empty())
        settings.set("trans", trans);
      for (const std::string &config : kernel.configs(settings))
        for (const std::string &target : targets)
          for (const bool specialized : {false, true})
            cases.push_back({&kernel, dtypes[d], trans, config, specialized, target});
    }
  return cases;
}

void register_cases(bool full) {
  std::size_t count = 0;
  for (const Entry &kernel : registry::entries())
    for (const Case &c : cases_of(kernel, full))
      if (count++ % every == 0)
        testing::RegisterTest(("Assembly_" + kernel.name).c_str(), c.name().c_str(), nullptr, nullptr,
                              __FILE__, __LINE__, [c]() -> testing::Test * { return new Assembly(c); });
}

// Texts of configs say what differs from the config that an empty text is.
TEST(Configs, OfAKernelAsTexts) {
  const Entry &add = registry::entry("vector_add");
  const std::vector<std::string> configs = add.configs(Settings(add.parameters));
  ASSERT_GE(configs.size(), 2u);
  EXPECT_EQ(std::count(configs.begin(), configs.end(), ""), 1);   // one is the config as it is without a word
}

// What this program believes of what it reads.
TEST(Configs, NumbersInMessages) {
  EXPECT_EQ(number_between("config needs 12 bytes of x", "needs ", " bytes of x"), 12);
  EXPECT_EQ(number_between("8 bytes stack frame, 40 bytes spill stores, 4", ", ", " bytes spill stores"), 40);
  EXPECT_EQ(number_between("nothing", "needs ", " bytes"), -1);
}

}   // namespace
}   // namespace tile::codegen_test

int main(int argc, char **argv) {
  using namespace tile::codegen_test;
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  if (full)
    argv[1] = argv[0], ++argv, --argc;
  register_cases(full);
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  fmt::print("{} assembled, {} of them spill; {} refused for their shared memory\n", counts.assembled,
             counts.spilling, counts.refused);
  return result;
}

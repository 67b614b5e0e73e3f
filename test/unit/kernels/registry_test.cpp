// SPDX-License-Identifier: MIT
// Settings and what they refuse; every choice that the registry offers, run.
#include "tools/registry/registry.h"
#include "on_device.h"
#include "tools/registry/group_rows.h"

#include <algorithm>
#include <numeric>

namespace tile::registry {
namespace {

template <class F> std::string refused(F f) {
  try {
    f();
  } catch (const BadSetting &wrong) {
    return wrong.what();
  }
  return "not refused";
}

TEST(Registry, Names) {
  EXPECT_EQ(entry("gemm").name, "gemm");
  EXPECT_EQ(
      refused([] { entry("gem"); }),
      "no kernel `gem` (did you mean `gemm`?); there are vector_add, softmax, log_softmax, "
      "softmax_backward, log_softmax_backward, layer_norm, rms_norm, layer_norm_backward, rms_norm_backward, "
      "cross_entropy, top_k, gated_activation, gated_activation_backward, rotary_embedding, quantize_rows, "
      "quantize_blocks, quantize_by, matmul, gemm, batched_gemm, grouped_gemm, expert_gemm, "
      "scaled_gemm, attention, attention_backward and sequence_attention");
  EXPECT_EQ(did_you_mean("nothing like it", {"gemm", "softmax"}), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"a", "b", "c"}), "a, b and c");
}

TEST(Registry, Settings) {
  Settings settings(entry("gemm").parameters);
  settings.set("m", "12");
  EXPECT_EQ(settings.size("m"), 12);
  const std::string range = "--m takes a whole number from 0 to 1099511627776, not ";
  for (const char *wrong : {"-5", "twelve", "12x", "", "1e3", "99999999999999999999", "0x10"})
    EXPECT_EQ(refused([&] { settings.set("m", wrong); }), range + "`" + wrong + "`");
  EXPECT_EQ(settings.size("m"), 12);
  EXPECT_EQ(refused([&] { settings.set("dtype", "fp16"); }),
            "--dtype does not take `fp16` (did you mean `f16`?); accepted are f16, bf16, f32, tf32, e4m3, "
            "e5m2, i8, bf16x6 and bf16x3");
}

TEST(Registry, RowsOfGroups) {
  EXPECT_FALSE(parse_group_rows("200")->is_dealt);
  EXPECT_TRUE(parse_group_rows("200u")->is_dealt);
  EXPECT_EQ(parse_group_rows("200u")->rows, 200);
  Settings settings(entry("grouped_gemm").parameters);
  for (const char *wrong : {"", "u", "-1u", "7v", "7uu", "99999999999999999999u"})
    EXPECT_EQ(refused([&] { settings.set("m", wrong); }),
              "--m takes a whole number from 0 to 1099511627776 for each product, or one followed by u for "
              "all of them, dealt unevenly, not `" +
                  std::string(wrong) + "`");
  EXPECT_EQ(refused([] { Settings(entry("gemm").parameters).set("m", "7u"); }),
            "--m takes a whole number from 0 to 1099511627776, not `7u`");
}

// What tools/peers/torch_peers.py says, too: test/tools/peers.test.
TEST(Registry, DealtRowsAreTheSameEverywhere) {
  EXPECT_EQ(dealt_rows(100, 6), (std::vector<std::int64_t>{4, 12, 25, 19, 24, 16}));
  EXPECT_EQ(dealt_rows(7, 1), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(dealt_rows(7, 0), (std::vector<std::int64_t>{}));
  const std::vector<std::int64_t> many = dealt_rows(8192, 64);
  EXPECT_EQ(many.size(), 64u);
  EXPECT_EQ(std::accumulate(many.begin(), many.end(), std::int64_t{0}), 8192);
  EXPECT_LT(std::ranges::min(many), 10);
  EXPECT_GT(std::ranges::max(many), 400);
}

// Every kernel with every type and function it offers: traced, and where it is offered, run.
struct Choice {
  std::string name, value;
};

void expect_runs(const Entry &kernel, const std::vector<Choice> &choices) {
  Settings settings(kernel.parameters);
  std::string text = kernel.name;
  for (const Choice &choice : choices) {
    settings.set(choice.name, choice.value);
    text += " " + choice.name + "=" + choice.value;
  }
  SCOPED_TRACE(text);
  for (bool specialized : {false, true}) {
    const KernelIR ir = kernel.trace(settings, specialized);
    const bool multiplies_terms = kernel.name == "gemm" && settings.choice("dtype").starts_with("bf16x");
    if (multiplies_terms) {
      EXPECT_EQ(ir.name(), "gemm_of_terms");
    } else if (kernel.name != "attention_backward") {   // it has several kernels
      EXPECT_EQ(ir.name(), kernel.name);
    }
    EXPECT_NE(ir.text().find("@" + ir.name()), std::string::npos);
  }
  const Outcome outcome = kernel.run(device(), settings);
  EXPECT_TRUE(outcome.verdict.passed()) << outcome.verdict.first_wrong;
  EXPECT_GT(outcome.verdict.elements, 0);
}

std::vector<Choice> small_sizes(const Entry &kernel) {
  std::vector<Choice> sizes;
  for (const Parameter &p : kernel.parameters)
    if (p.choices.empty())
      sizes.push_back({p.name, p.name == "groups" || p.name == "batch" ? "3" : "37"});
  return sizes;
}

TEST(Registry, EveryChoiceOfEveryKernel) {
  for (const Entry &kernel : entries())
    for (const Parameter &p : kernel.parameters)
      for (const std::string &value : p.choices) {
        if (p.name == "out")
          continue;   // not every element type of the result goes with every one of the operands: below
        std::vector<Choice> choices = small_sizes(kernel);
        choices.push_back({p.name, value});
        expect_runs(kernel, choices);
      }
}

TEST(Registry, ResultsOfProducts) {
  const Entry &gemm = entry("gemm");
  for (const auto &[dtype, out] :
       {std::pair{"f16", "f32"}, {"bf16", "f32"}, {"e4m3", "f32"}, {"e5m2", "f32"}}) {
    std::vector<Choice> choices = small_sizes(gemm);
    choices.push_back({"dtype", dtype});
    choices.push_back({"out", out});
    expect_runs(gemm, choices);
  }
  auto with = [&](const char *dtype, const char *out, const char *act) {
    Settings settings(gemm.parameters);
    settings.set("dtype", dtype);
    settings.set("out", out);
    settings.set("act", act);
    return refused([&] { gemm.trace(settings, false); });
  };
  EXPECT_EQ(with("i8", "f32", "none"), "--out f32 does not go with --dtype i8; accepted are auto, i32");
  EXPECT_EQ(with("f16", "bf16", "none"),
            "--out bf16 does not go with --dtype f16; accepted are auto, f16 and f32");
  EXPECT_EQ(with("i8", "auto", "gelu"),
            "--act gelu needs float elements; of i8 products, none and leaky_relu are accepted");
}

TEST(Registry, Configs) {
  const Entry &matmul = entry("matmul");
  auto with = [&](const char *config) {
    Settings settings(matmul.parameters);
    for (const char *size : {"m", "n", "k"})
      settings.set(size, "40");
    settings.config = config;
    return refused([&] {
      const Outcome outcome = matmul.run(device(), settings);
      EXPECT_TRUE(outcome.verdict.passed()) << outcome.verdict.first_wrong;
      EXPECT_NE(outcome.config.find("block_m=32"), std::string::npos) << outcome.config;
    });
  };
  EXPECT_EQ(with("block_m=32,form=mask,launch.num_warps=2"), "not refused");
  EXPECT_EQ(with("block_m=0"), "--config: block_m=0 is too small; 1 or more is accepted");
  EXPECT_EQ(with("launch.num_stages=-1"),
            "--config: launch.num_stages=-1 is too small; 1 or more is accepted");
  EXPECT_NE(with("blockm=32").find("block_m"), std::string::npos) << with("blockm=32");
  EXPECT_NE(with("form=masked").find("mask"), std::string::npos) << with("form=masked");
  EXPECT_NE(with("block_m=many").find("block_m"), std::string::npos) << with("block_m=many");
}

TEST(Registry, SeedsGiveDifferentNumbers) {
  std::mt19937_64 one(1), two(2), again(1);
  const auto a = reference::random_matrix(5, 5, element_type<f32>, one);
  EXPECT_NE(a.values, reference::random_matrix(5, 5, element_type<f32>, two).values);
  EXPECT_EQ(a.values, reference::random_matrix(5, 5, element_type<f32>, again).values);
}

}   // namespace
}   // namespace tile::registry

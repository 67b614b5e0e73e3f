// SPDX-License-Identifier: MIT
// KE6 and KE7: the kernels that users get, with every choice they offer and with every config of their own
// lists, checked by their own float64 references: on a new device these are what must work.
#include "context.h"
#include "families.h"

#include "tools/registry/registry.h"

namespace tile::conformance {

namespace {

using Choice = std::pair<std::string, std::string>;

void check_kernel(Context &t, const registry::Entry &entry, const std::vector<Choice> &choices,
                  const std::string &config = "") {
  registry::Settings settings(entry.parameters);
  for (const auto &[name, value] : choices)
    settings.set(name, value);
  settings.seed = t.seed();
  settings.config = config;
  const registry::Outcome outcome = entry.run(t.device(), settings);
  t.require(outcome.verdict.passed(), settings.text() + ": " + outcome.verdict.first_wrong + "; " +
                                          std::to_string(outcome.verdict.wrong) + " of " +
                                          std::to_string(outcome.verdict.elements) + " elements are wrong");
  // Nothing to compare is no success, unless there was nothing to compute.
  bool empty = false;
  for (const auto &[name, value] : choices)
    empty = empty || value == "0";
  t.require(outcome.verdict.elements > 0 || empty, settings.text() + ": nothing was compared");
}

void add_entry(Suite &suite, const registry::Entry &entry) {
  const std::string id = "KE6/" + entry.name + "/";
  std::vector<std::string> sizes;
  for (const registry::Parameter &parameter : entry.parameters) {
    if (parameter.choices.empty())
      sizes.push_back(parameter.name);
    for (const std::string &choice : parameter.choices)
      // Not every operand type can be written as every other: those are the registry's to refuse.
      if (parameter.name != "out" || choice == parameter.fallback)
        suite.add(id + parameter.name + "_" + choice, [&entry, name = parameter.name, choice](Context &t) {
          check_kernel(t, entry, {{name, choice}});
        });
  }
  for (const char *size : {"0", "1", "17"})
    suite.add(id + "sizes_" + size, [&entry, sizes, size](Context &t) {
      std::vector<Choice> choices;
      for (const std::string &name : sizes)
        choices.emplace_back(name, size);
      check_kernel(t, entry, choices);
    });
  for (const std::string &name : sizes)   // one extent empty, the others not
    suite.add(id + "no_" + name, [&entry, name](Context &t) { check_kernel(t, entry, {{name, "0"}}); });
}

// Sizes that a config's blocks do not divide, where it is not chosen for such as it divides: some tiles each
// way and a few steps of K.
std::vector<Choice> ragged_sizes(const registry::Entry &entry, const std::string &config) {
  if (config.find("form=exact") != config.npos)
    return {{"m", "256"}, {"n", "512"}, {"k", "192"}};
  if (config.find("whole_row=true") != config.npos)
    return {{"m", "31"}, {"n", "100"}};   // also no multiple of the rows of a program
  // Results of a batch are described as one matrix where blocks divide them.
  if (entry.name == "batched_gemm")
    return {{"batch", "2"},
            {"m", config.find("store_by_descriptor=false") == config.npos ? "512" : "300"},
            {"n", "270"},
            {"k", "150"}};
  return {{"m", "300"}, {"n", "270"}, {"k", "150"}};
}

// A list is for all GPUs: what one of them has no memory for, or no clusters, its compiler refuses and its
// tuner leaves out.
bool is_for_other_gpus(const Error &refusal) {
  const std::string_view what = refusal.what();
  return what.find("bytes of shared memory for a CTA") != what.npos ||
         what.find("this kernel cannot be shared by ") != what.npos ||
         what.find("this kernel cannot run in ping-pong on") != what.npos;
}

// Every config of the kernel's list for operands that are stored so.
void add_configs(Suite &suite, const registry::Entry &entry, const std::vector<Choice> &storage,
                 const std::string &id) {
  registry::Settings settings(entry.parameters);
  for (const auto &[name, value] : storage)
    settings.set(name, value);
  for (const std::string &config : entry.configs(settings)) {
    std::vector<Choice> choices = storage;
    for (const Choice &size : ragged_sizes(entry, config))
      if (entry.parameter(size.first))
        choices.push_back(size);
    suite.add(id + (config.empty() ? "default" : config), Tier::nightly,
              [&entry, choices, config](Context &t) {
                try {
                  check_kernel(t, entry, choices, config);
                } catch (const Error &refusal) {
                  if (!is_for_other_gpus(refusal))
                    throw;
                }
              });
  }
}

}   // namespace

void add_shipped_kernel_cases(Suite &suite) {
  for (const registry::Entry &entry : registry::entries())
    add_entry(suite, entry);
  for (const registry::Entry &entry : registry::entries()) {
    const registry::Parameter *trans =
        entry.name == "gemm" || entry.name == "batched_gemm" ? entry.parameter("trans") : nullptr;
    if (!trans)
      add_configs(suite, entry, {}, "KE7/" + entry.name + "/");
    else
      for (const std::string &choice : trans->choices)
        add_configs(suite, entry, {{"trans", choice}}, "KE7/" + entry.name + "/" + choice + "/");
  }
  for (const char *form : {"lines", "squares"})
    add_configs(suite, registry::entry("quantize_blocks"), {{"result", "both"}, {"blocks", form}},
                std::string("KE7/quantize_blocks/both/") + form + "/");
  for (const char *dtype : {"bf16x3", "bf16x6"})
    add_configs(suite, registry::entry("gemm"), {{"dtype", dtype}}, std::string("KE7/gemm/") + dtype + "/");
  for (const char *form : {"wrap", "mask"})
    for (const char *trans : {"nn", "tt"})
      suite.add(std::string("KE6/matmul/form_") + form + "/" + trans, [=](Context &t) {
        check_kernel(t, registry::entry("matmul"), {{"trans", trans}}, std::string("form=") + form);
      });
  suite.add("KE6/matmul/form_exact", [](Context &t) {
    check_kernel(t, registry::entry("matmul"), {{"m", "256"}, {"n", "256"}, {"k", "128"}}, "form=exact");
  });
}

}   // namespace tile::conformance

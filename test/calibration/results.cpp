// SPDX-License-Identifier: MIT
#include "test/calibration/results.h"

#include <tile/error.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <vector>

namespace tile::calibration {

bool isAgreement(const MicroKernel &kernel, const std::string &how) {
  return how == (kernel.refusal.empty() ? "" : refused);
}

// machine NVIDIA H200, ...
// agrees 01234567 89abcdef ...
// 01234567 differs: out[3]: expected ...
Results readResults(const std::string &path) {
  std::ifstream in(path);
  if (!in)
    throw Error("cannot read the results in " + path, {});
  Results results;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first, word;
    words >> first;
    if (first == "machine")
      results.machine = line.substr(8);
    else if (first == "agrees")
      while (words >> word)
        results.byDigest[word] = "";
    else if (first.size() == 8)
      results.byDigest[first] = line.substr(9);
    else if (!first.empty())
      throw Error("no line of results: " + line, {path, 0, 0});
  }
  return results;
}

void writeResults(const std::string &path, const Results &results) {
  std::ofstream out(path);
  out << "machine " << results.machine << "\n";
  unsigned count = 0;
  for (const auto &[digest, how] : results.byDigest)
    if (how.empty())
      out << (count++ % 12 ? " " : count > 1 ? "\nagrees " : "agrees ") << digest;
  out << (count ? "\n" : "");
  for (const auto &[digest, how] : results.byDigest)
    if (!how.empty())
      out << digest << " " << how << "\n";
  if (!out.flush())
    throw Error("cannot write the results to " + path, {});
}

std::string markdown(const Suite &suite, const Results &results) {
  struct Row {
    std::string operation;
    std::vector<const MicroKernel *> kernels;
  };
  std::vector<Row> rows;
  for (const MicroKernel &kernel : suite) {
    auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Row &r) { return r.operation == kernel.operation; });
    if (row == rows.end())
      row = rows.insert(rows.end(), {kernel.operation, {}});
    row->kernels.push_back(&kernel);
  }
  std::string text = "| operation | kernels | variants | H200 |\n|---|---|---|---|\n";
  std::string remarks;
  std::size_t confirmed = 0, seen = 0;
  for (const Row &row : rows) {
    constexpr std::size_t widest = 160;
    std::string variants;
    std::size_t agree = 0, other = 0, unknown = 0, newer = 0;
    for (const MicroKernel *kernel : row.kernels) {
      if (const std::string more = (variants.empty() ? "" : "; ") + kernel->variant;
          variants.size() + more.size() <= widest)
        variants += more;
      else if (!variants.ends_with("…"))
        variants += "; …";
      const auto found = results.byDigest.find(digest(*kernel));
      if (!kernel->needs.empty())
        ++newer;
      else if (found == results.byDigest.end())
        ++unknown;
      else if (isAgreement(*kernel, found->second))
        ++agree;
      else {
        ++other;
        remarks += fmt::format("| {} | {} | {} |\n", kernel->operation, kernel->variant, found->second);
      }
    }
    confirmed += agree;
    seen += agree + other;
    std::string state;
    const auto say = [&](std::size_t count, const char *what) {
      if (count)
        state += (state.empty() ? "" : ", ") +
                 (count == row.kernels.size() ? std::string(what) : fmt::format("{} {}", count, what));
    };
    say(agree, "yes");
    say(other, "no");
    say(unknown, "not yet");
    say(newer, "not there");
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.operation, row.kernels.size(), variants, state);
  }
  std::string head =
      fmt::format("{} kernels of {} operations; {} confirmed", suite.size(), rows.size(), confirmed);
  if (!results.machine.empty())
    head += " on " + results.machine;
  head += fmt::format(", {} seen to differ.\n\n", seen - confirmed);
  if (!remarks.empty())
    text +=
        "\nWhere the machine gives something else:\n\n| operation | variant | what came |\n|---|---|---|\n" +
        remarks;
  return head + text;
}

}   // namespace tile::calibration

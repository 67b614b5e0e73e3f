// SPDX-License-Identifier: MIT
// Runs the cases on as many threads as asked for, one device per thread.
#include "context.h"
#include "suite.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

namespace tile::conformance {

bool matches(std::string_view glob, std::string_view text) {
  // After a `*` fails to fit, it takes one more character.
  std::size_t g = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      retry = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*')
    ++g;
  return g == glob.size();
}

namespace {

std::string indented(const std::string &text) {
  std::string result = "    ";
  for (char c : text) {
    result += c;
    if (c == '\n')
      result += "    ";
  }
  return result;
}

// The text of the failure; empty when the case holds.
std::string run_case(const Case &c, Target &target, bool nightly) {
  Context context(target, c.id, nightly);
  const std::string seed = "seed " + std::to_string(context.seed());
  try {
    c.run(context);
    context.finish();
    return "";
  } catch (const std::exception &error) {
    std::string where = context.label().empty() ? seed : seed + ", " + context.label();
    return "(" + where + ")\n" + error.what();
  }
}

}   // namespace

Totals run_suite(const Suite &suite, const OpenTarget &open, const RunOptions &options) {
  std::vector<const Case *> chosen;
  for (const Case &c : suite.cases())
    if (matches(options.filter, c.id) && (options.nightly || c.tier == Tier::fast))
      chosen.push_back(&c);

  std::atomic<std::size_t> next{0};
  std::mutex printing;
  Totals totals;
  auto work = [&] {
    Target target = open();
    for (std::size_t i; (i = next++) < chosen.size();) {
      const Case &c = *chosen[i];
      const bool able = covers(target.offers, c.needs);
      const auto start = std::chrono::steady_clock::now();
      const std::string failure = able ? run_case(c, target, options.nightly) : "";
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

      std::lock_guard lock(printing);
      if (!able) {
        ++totals.skipped;
        std::printf("SKIP %s: the %s device lacks what it needs\n", c.id.c_str(),
                    std::string(target.device->kind()).c_str());
      } else if (failure.empty()) {
        ++totals.passed;
        if (options.verbose)
          std::printf("PASS %s (%.3f s)\n", c.id.c_str(), seconds);
      } else {
        ++totals.failed;
        std::printf("FAIL %s %s\n", c.id.c_str(), indented(failure).substr(4).c_str());
      }
      std::fflush(stdout);
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 1; i < options.jobs; ++i)
    workers.emplace_back(work);
  work();
  workers.clear();   // joins
  std::printf("%d passed, %d failed, %d skipped\n", totals.passed, totals.failed, totals.skipped);
  return totals;
}

}   // namespace tile::conformance

// SPDX-License-Identifier: MIT
// Runs the cases on as many threads as asked for, one device per thread.
#include "context.h"
#include "suite.h"

#include <tile/progress.h>

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

std::vector<const Case *> chosen(const Suite &suite, const RunOptions &options) {
  std::vector<const Case *> cases;
  for (const Case &c : suite.cases())
    if (matches(options.filter, c.id) && (options.nightly || c.tier == Tier::fast))
      cases.push_back(&c);
  return cases;
}

Totals run_cases(const std::vector<const Case *> &cases, const OpenTarget &open, const RunOptions &options) {
  const std::size_t jobs = std::clamp<std::size_t>(cases.size(), 1, static_cast<std::size_t>(options.jobs));
  std::vector<Target> targets;
  while (targets.size() < jobs)
    targets.push_back(open());
  const auto print = [&](const std::string &line) {
    if (options.progress)
      return options.progress->print(stdout, line);
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
  };
  print(std::to_string(cases.size()) + " cases on " + targets.front().device->description() + "\n");

  std::atomic<std::size_t> next{0};
  std::mutex counting;
  Totals totals;
  auto work = [&](Target &target) {
    for (std::size_t i; (i = next++) < cases.size();) {
      const Case &c = *cases[i];
      const bool able = covers(target.offers, c.needs);
      const auto start = std::chrono::steady_clock::now();
      const std::string failure = able ? run_case(c, target, options.nightly) : "";
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

      std::lock_guard lock(counting);
      if (!able) {
        ++totals.skipped;
        print("SKIP " + c.id + ": the " + std::string(target.device->kind()) +
              " device lacks what it needs\n");
      } else if (failure.empty()) {
        ++totals.passed;
        if (options.verbose)
          print("PASS " + c.id + " (" + std::to_string(seconds) + " s)\n");
      } else {
        ++totals.failed;
        print("FAIL " + c.id + " " + indented(failure).substr(4) + "\n");
      }
      if (options.progress)
        options.progress->set(std::to_string(totals.passed + totals.failed + totals.skipped) + "/" +
                              std::to_string(cases.size()) + ", " + std::to_string(totals.failed) +
                              " failed");
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < jobs; ++i)
    workers.emplace_back([&, i] { work(targets[i]); });
  work(targets.front());
  workers.clear();   // joins
  if (options.progress)
    options.progress->finish();
  std::printf("%d passed, %d failed, %d skipped\n", totals.passed, totals.failed, totals.skipped);
  return totals;
}

}   // namespace tile::conformance

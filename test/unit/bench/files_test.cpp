// SPDX-License-Identifier: MIT
// What is written about a run, and read again.
#include "runtime/json.h"
#include "test/unit/bench/bench_run.h"
#include "tools/bench/page.h"
#include "tools/bench/text.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace tile::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// Two shapes, beside cuBLAS, the second beside a figure of another program, a third that does not fit.
class BenchFiles : public BenchRun {
 protected:
  Report small_report() {
    want_gemm();
    want_gemm({{"m", "80"}});
    want_gemm({{"m", "100000"}, {"n", "100000"}, {"k", "100000"}});
    request.peers = {"cublas"};
    request.files = {read_peer_file(folder.write(
        "torch.json",
        "{\"type\": \"run\"}\n{\"type\": \"row\", \"kernel\": \"gemm\", \"provider\": \"torch\", "
        "\"median\": 4e-4, \"settings\": {\"m\": 80, \"n\": 48, \"k\": 24, \"dtype\": \"f16\"}}\n"))};
    device.launch_seconds = 2e-4;
    Report report = run();
    report.date = "2026-11-22";
    report.command = "tile bench gemm </script>";
    report.device = "Clock 1";
    return report;
  }
  tile::testing::ScratchFolder folder;
};

TEST_F(BenchFiles, ATableForPeople) {
  EXPECT_EQ(
      table(small_report()),
      "device  Clock 1, driver 1.2\n"
      "peer    cuBLAS 13.1.2, " STUBS "/right/libcublas.so\n"
      "\n"
      "gemm f16 nn\n"
      "m x n x k      provider   config                               median     +-    TFLOPS   % roof   "
      "tile "
      "is\n"
      "40 x 48 x 24   tile       block_m=32,block_n=32,block_k=32   200.0 us   0.0%   0.00046      0.0\n"
      "               cublas     nn                                 100.0 us   0.0%   0.00092      0.0   "
      "0.500 x\n"
      "80 x 48 x 24   tile       block_m=32,block_n=32,block_k=32   200.0 us   0.0%   0.00092      0.0\n"
      "               cublas     nn                                 100.0 us   0.0%    0.0018      0.0   "
      "0.500 x\n"
      "               torch *                                       400.0 us   0.0%   0.00046      0.0   "
      "2.000 x\n"
      "100000 x 100000 x 100000: skipped: needs 111.8 GiB for 2 sets of operands, the device has 1.0 GiB\n"
      "\n"
      "* measured at another time, by another program or both\n"
      "tile is 0.500 x cublas (geometric mean of 2 shapes), at worst 0.500 x at 40 x 48 x 24\n"
      "tile is 2.000 x torch (geometric mean of 1 shape), at worst 2.000 x at 80 x 48 x 24\n");
}

// What one run has written of rows that are dealt, another one takes for the same shape, and no other.
TEST_F(BenchFiles, RowsThatAreDealtAreAShapeOfTheirOwn) {
  for (const char *m : {"50u", "50"})
    want("grouped_gemm", {{"groups", "2"}, {"m", m}, {"n", "24"}, {"k", "16"}});
  device.launch_seconds = 2e-4;
  std::string lines = json_lines(run());
  EXPECT_THAT(lines, HasSubstr("\"m\": \"50u\""));
  lines.erase(lines.rfind("\"m\": 50"));   // without the line of the other shape
  lines.erase(lines.rfind('\n') + 1);
  request.files = {read_peer_file(folder.write("before.jsonl", lines))};
  const Report again = run();
  EXPECT_TRUE(row(again.cases[0], "tile before"));
  EXPECT_FALSE(row(again.cases[1], "tile before"));
}

TEST_F(BenchFiles, LinesOfJsonThatCanBeRead) {
  const std::string lines = json_lines(small_report());
  int rows = 0, cases = 0, comparisons = 0;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const json::Value line = json::parse(lines.substr(begin, end - begin));
    const std::string &type = *line.find("type")->string();
    rows += type == "row";
    cases += type == "case";
    comparisons += type == "comparison";
    if (type == "row" && *line.find("provider")->string() == "tile") {
      EXPECT_EQ(*line.find("median")->number(), 2e-4);   // without the noise of sums
      EXPECT_THAT(*line.find("samples")->array(), SizeIs(5));
      EXPECT_EQ(*line.find("settings")->find("n")->number(), 48);
      EXPECT_EQ(*line.find("settings")->find("trans")->string(), "nn");
    }
    begin = end + 1;
  }
  EXPECT_EQ(rows, 5);
  EXPECT_EQ(cases, 3);
  EXPECT_EQ(comparisons, 2);
}

TEST_F(BenchFiles, ThePageHasTheSameLines) {
  const Report report = small_report();
  const std::string html = page(report), open = "id=\"records\">\n";
  const std::size_t begin = html.find(open) + open.size();
  EXPECT_EQ(html.substr(begin, html.find("</script>", begin) - begin), json_lines(report));
  // Nothing but itself is needed.
  EXPECT_THAT(html, AllOf(Not(HasSubstr("src=")), Not(HasSubstr("http://")), Not(HasSubstr("https://"))));
}

TEST_F(BenchFiles, ATableForSpreadsheets) {
  const std::string text = csv(small_report());
  EXPECT_EQ(std::ranges::count(text, '\n'), 7);
  EXPECT_THAT(text,
              HasSubstr("gemm,40 x 48 x 24,dtype=f16 out=auto act=none trans=nn,cublas,nn,timed,0.0001"));
  EXPECT_THAT(
      text, HasSubstr(",,skipped,,,,,,,,\"needs 111.8 GiB for 2 sets of operands, the device has 1.0 GiB\""));
  // As many cells in every line.
  std::size_t commas = 0;
  bool quoted = false;
  for (const char c : text.substr(0, text.find('\n')))
    commas += c == ',';
  std::size_t here = 0;
  for (const char c : text) {
    quoted ^= c == '"';
    here += c == ',' && !quoted;
    if (c == '\n') {
      EXPECT_EQ(here, commas) << text;
      here = 0;
    }
  }
}

TEST_F(BenchFiles, OneRunIsAPeerOfTheNext) {
  const std::string before = folder.write("before.jsonl", json_lines(small_report()));
  request.files = {read_peer_file(before)};
  request.peers = {};
  device.launch_seconds = 1e-4;
  const Report report = run();
  EXPECT_NEAR(*ratio(report.cases[0], "tile before"), 2, 1e-9);
  EXPECT_NEAR(*ratio(report.cases[0], "cublas"), 1, 1e-9);
  EXPECT_FALSE(row(report.cases[0], "cublas")->is_measured_here);
  // Measured again, it is told apart from what the file says of it.
  request.peers = {"cublas"};
  cublas.seconds = 2e-4;
  const Report again = run();
  EXPECT_NEAR(*ratio(again.cases[0], "cublas"), 2, 1e-9);
  EXPECT_NEAR(*ratio(again.cases[0], "cublas before"), 1, 1e-9);
}

std::string refusal(const std::string &file) {
  try {
    return "accepted " + std::to_string(read_peer_file(file).figures.size());
  } catch (const registry::BadSetting &wrong) {
    return wrong.what();
  }
}

TEST_F(BenchFiles, WhatIsNoFileOfFigures) {
  EXPECT_EQ(refusal("there-is-none.json"), "`there-is-none.json` cannot be read");
  const std::string row = "{\"type\": \"row\", \"kernel\": \"gemm\", \"provider\": \"torch\", ";
  const auto refused = [&](const std::string &text) {
    const std::string file = folder.write("p.json", "\n" + text + "\n");
    std::string what = refusal(file);
    return what.replace(0, what.starts_with(file) ? file.size() : 0, "");
  };
  EXPECT_EQ(refused("{\"type\": "), ":2: line 1, column 10: expected a value");
  EXPECT_EQ(refused("[1]"), ":2: not a line of `tile bench --json`: {\"type\": \"row\", ...}");
  EXPECT_EQ(refused(row + "\"settings\": {}}"), ":2: `median` is missing, negative or not a number");
  EXPECT_EQ(refused(row + "\"median\": -1, \"settings\": {}}"),
            ":2: `median` is missing, negative or not a number");
  EXPECT_EQ(refused(row + "\"median\": 0, \"settings\": {}}"),
            ":2: `median` is 0: it must be the seconds of a call");
  EXPECT_EQ(refused(row + "\"median\": 1}"),
            ":2: `settings` is missing or not an object: {\"m\": 4096, ...}");
  EXPECT_EQ(refused("{\"type\": \"row\"}"), ":2: `kernel` is missing or not a string");
  EXPECT_EQ(refused("{\"type\": \"run\"}"),
            " has no figures: lines of `tile bench --json` or of tools/peers/ are accepted");
  EXPECT_EQ(refused(row + "\"median\": 1, \"settings\": {}}"), "accepted 1");
}

}   // namespace
}   // namespace tile::bench

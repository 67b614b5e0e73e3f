// SPDX-License-Identifier: MIT
#include "tools/mutants/corpus.h"

#include "runtime/error.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace tile::mutants {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files_below(const fs::path &folder, const std::string &extension) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == extension)
        files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// What a RUN line asks tile-opt for, as far as it is passes.
Passes passes_of(const std::string &line) {
  static const std::regex wanted("-+((tile|cse|canon|loop|sccp|symbol|strip)[^ ]*)");
  Passes passes;
  std::istringstream words(line.substr(0, line.find_first_of("|>&")));
  for (std::string word; words >> word;)
    if (std::smatch match; std::regex_match(word, match, wanted)) {
      passes.push_back("--" + match.str(1));
      std::erase_if(passes.back(), [](char c) { return c == '\'' || c == '"'; });
    }
  return passes;
}

std::vector<Passes> run_lines(const std::string &text) {
  static const std::regex run("RUN: (?:not )?tile-opt %s ([^\n]*)");
  std::vector<Passes> lines;
  for (std::sregex_iterator match(text.begin(), text.end(), run), end; match != end; ++match)
    if (Passes passes = passes_of(match->str(1)); !passes.empty())
      lines.push_back(std::move(passes));
  return lines;
}

// The modules of a file, divided as tile-opt divides it, without comments.
std::vector<std::string> modules_of(const std::string &text) {
  std::vector<std::string> modules(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (line.starts_with("// -----"))
      modules.emplace_back();
    else if (begin != std::string::npos && line.compare(begin, 2, "//") != 0)
      modules.back() += line + "\n";
  }
  std::erase_if(modules, [](const std::string &module) { return module.empty(); });
  return modules;
}

}   // namespace

Corpus read_corpus(const std::string &project) {
  Corpus corpus;
  std::set<Passes> lines;
  for (const fs::path &file : files_below(fs::path(project) / "test", ".mlir")) {
    const std::string text = contents(file);
    const std::vector<Passes> own = run_lines(text);
    lines.insert(own.begin(), own.end());
    for (std::string &module : modules_of(text))
      corpus.sources.push_back({fs::relative(file, project).string(), std::move(module), own});
  }
  corpus.lines.assign(lines.begin(), lines.end());
  static const std::regex pass(R"raw(: Pass<"([a-z-]+)")raw");
  for (const fs::path &file : files_below(fs::path(project) / "compiler", ".td")) {
    const std::string text = contents(file);
    for (std::sregex_iterator match(text.begin(), text.end(), pass), end; match != end; ++match)
      corpus.alone.push_back("--" + match->str(1));
  }
  if (corpus.sources.empty() || corpus.alone.empty())
    throw Error(project + " has no text tests or no passes: give the root of the project", {});
  return corpus;
}

std::vector<Passes> whole_ways(const std::string &target) {
  const Passes begin{"--tile-pipeline", "--tile-layout-pipeline=target=" + target};
  const Passes thread{"--tile-thread-pipeline", "--tile-llvm-pipeline"};
  const Passes ring{"--tile-gpu-distribute", "--tile-gpu-floats-to-ring", "--cse",
                    "--canonicalize",        "--tile-gpu-sink-reads",     "--tile-llvm-pipeline"};
  auto joined = [](Passes way, const Passes &more, const Passes &end) {
    way.insert(way.end(), more.begin(), more.end());
    way.insert(way.end(), end.begin(), end.end());
    return way;
  };
  return {joined(begin, thread, {"--tile-gpu-to-ptx", "--tile-gpu-source-lines"}),
          joined(begin, thread, {"--tile-gpu-to-simulator"}),
          joined(begin, ring, {"--tile-gpu-to-simulator"})};
}

std::string pipeline_text(const Passes &passes) {
  std::string text;
  for (const std::string &pass : passes) {
    const std::size_t equals = pass.find('=');
    text += (text.empty() ? "" : ",") + pass.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (equals != std::string::npos)
      text += "{" + pass.substr(equals + 1) + "}";
  }
  return text;
}

}   // namespace tile::mutants

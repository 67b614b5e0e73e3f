// SPDX-License-Identifier: MIT
// What is damaged, and what it is given to: the modules of the text tests, the options of their RUN lines,
// and every pass that a passes.td describes.
#pragma once

#include <string>
#include <vector>

namespace tile::mutants {

// Options of tile-opt, in their order: {"--tile-simplify", "--tile-assign-layouts=target=sm_80"}.
using Passes = std::vector<std::string>;

struct Source {
  std::string file, text;      // one module of a file
  std::vector<Passes> lines;   // of the file's RUN lines
};

struct Corpus {
  std::vector<Source> sources;
  std::vector<Passes> lines;        // of all files, each once
  std::vector<std::string> alone;   // "--tile-simplify": each pass of the project
};

// Throws tile::Error where the folder has no tests or no passes.
Corpus read_corpus(const std::string &project);

// The whole way of a kernel: to PTX, to the simulator, and to the simulator with a ring for floats.
std::vector<Passes> whole_ways(const std::string &target);

// As PassManagers take it: "tile-simplify,tile-assign-layouts{target=sm_80}".
std::string pipeline_text(const Passes &passes);

}   // namespace tile::mutants

// SPDX-License-Identifier: MIT
// What another program measured, or this one at another time: lines of JSON as --json writes them.
#pragma once

#include "tools/bench/report.h"

#include <string>
#include <vector>

namespace tile::bench {

struct PeerFigure {
  std::string kernel;
  Case::Settings settings;   // sizes and choices; a choice that is missing is the usual one
  std::string provider, config;
  double seconds = 0, spread = 0;
};

struct PeerFile {
  std::string name;
  std::vector<PeerFigure> figures;
};

// Throws BadSetting: "torch.json:3: `median` is missing".
PeerFile read_peer_file(const std::string &name);
// The figures for a case, one for each provider: the fastest.
std::vector<PeerFigure> figures_for(const PeerFile &file, const Case &at);

}   // namespace tile::bench

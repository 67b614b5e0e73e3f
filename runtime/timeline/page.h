// SPDX-License-Identifier: MIT
// A timeline as a page of HTML that needs nothing else: pictures, what they say, and the lines of the kernel.
#pragma once

#include "runtime/timeline/advice.h"

#include <string>
#include <utility>
#include <vector>

namespace tile::timeline {

struct Page {
  std::string title;                                        // "gemm"
  std::vector<std::pair<std::string, std::string>> facts;   // what ran, on what: "config", "block_m=128 ..."
  std::vector<std::string> sentences;
};

// The same CTA as the simulator predicts it, to be drawn below what was measured.
struct Predicted {
  const Traced &traced;
  const std::vector<Role> &roles;
};

std::string html(const Page &page, const Traced &traced, const std::vector<Role> &roles,
                 const Predicted *predicted = nullptr);

}   // namespace tile::timeline

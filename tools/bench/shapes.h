// SPDX-License-Identifier: MIT
// Shapes as people write them: "4096", "1024x4096x4096,512", "sweep:512..8192", or a file with one a line.
#pragma once

#include "tools/registry/registry.h"

#include <string>
#include <vector>

namespace tile::bench {

// The values of the kernel's sizes, in their order.
using Shape = std::vector<std::string>;

// Throws BadSetting with what is accepted; of a file with the line: "shapes.txt:3: ...".
std::vector<Shape> parse_shapes(const std::string &text, const registry::Entry &kernel);
// What is measured where nothing is said.
std::vector<Shape> usual_shapes(const registry::Entry &kernel);
std::vector<Shape> small_shapes(const registry::Entry &kernel);   // for devices that are slow
std::vector<std::string> size_names(const registry::Entry &kernel);

}   // namespace tile::bench

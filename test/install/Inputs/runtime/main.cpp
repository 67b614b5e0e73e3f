// SPDX-License-Identifier: MIT
// A program that ships without a compiler: the runtime's headers and library alone.
#include <tile/buffer.h>
#include <tile/element.h>

#include <iostream>

int main() {
  auto third = static_cast<float>(tile::f16(1.0f / 3.0f));
  std::cout << tile::element_type<tile::f16 *>.name() << ' ' << third << '\n';
}

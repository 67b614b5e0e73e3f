// SPDX-License-Identifier: MIT
// A program that ships without a compiler: the runtime's headers and libraries alone. It takes a lowered
// kernel from a file as far as a GPU, or as far as it gets without one.
#include <tile/buffer.h>
#include <tile/element.h>
#include <tile/lowered_cuda.h>
#include <tile/lowered_kernel.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

int main(int, char **words) {
  auto third = static_cast<float>(tile::f16(1.0f / 3.0f));
  std::cout << tile::element_type<tile::f16 *>.name() << ' ' << third << '\n';

  std::ifstream file(words[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  try {
    const auto kernel = tile::LoweredKernel::parse(std::as_bytes(std::span(bytes)));
    std::cout << kernel.title() << " takes " << kernel.arguments.size() << " arguments\n";
    if (tile::why_no_cuda().empty())
      tile::open_lowered_cuda()->load_lowered(kernel);
    kernel.check({1}, {});
  } catch (const tile::Error &e) {
    std::cout << e.message() << '\n';
  }
}

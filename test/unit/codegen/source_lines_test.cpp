// SPDX-License-Identifier: MIT
// The lines of the user's source in PTX, and that they cost nothing: the machine code is the same to the bit
// with and without.
#include "assembles.h"
#include "kernels.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <map>
#include <sstream>

namespace tile::codegen_test {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

template <class T> Tensor<T> halved(const Tensor<T> &x);   // below, in a file of its own

struct Lines {
  int block = 256;
  Launch launch{.num_warps = 2};
};
constexpr int load_line = __LINE__ + 4, helper_line = 5, store_line = __LINE__ + 6;

void halve(Ptr<const f32> x, Ptr<f32> y, const Lines &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  auto v = load(x + i);
  auto half = halved(v);
  store(y + i, half);
}
const Kernel<&halve> halving{.name = "halve", .grid = [](auto &, auto...) { return Grid{1}; }};

// Each line with this text, by the place of the `.loc` before it: "file.cpp:27".
std::vector<std::string> places_of(const std::string &ptx, const std::string &instruction) {
  std::map<int, std::string> files;   // `.file 1 "name"`, at the end of the text
  int number = 0, row = 0;
  std::istringstream all(ptx);
  for (std::string line; std::getline(all, line);)
    if (char name[1024]; std::sscanf(line.c_str(), " .file %d \"%1023[^\"]", &number, name) == 2)
      files[number] = name;
  std::vector<std::string> places;
  std::string place;
  std::istringstream again(ptx);
  for (std::string line; std::getline(again, line);) {
    if (std::sscanf(line.c_str(), " .loc %d %d", &number, &row) == 2)
      place = files[number] + ":" + std::to_string(row);
    else if (line.find(instruction) != line.npos)
      places.push_back(place);
  }
  return places;
}

std::string ptx_of(const KernelIR &kernel, bool lines, const char *target = "sm_90") {
  return text_after(Stage::Ptx, kernel, *Target::parse(target), {.locations = lines});
}

TEST(SourceLines, LeadToTheUsersFile) {
  const std::string ptx = ptx_of(halving.trace({}), true);
  const std::string here = "source_lines_test.cpp:";
  EXPECT_THAT(places_of(ptx, "ld.global"), Contains(EndsWith(here + std::to_string(load_line)))) << ptx;
  EXPECT_THAT(places_of(ptx, "st.global"), Contains(EndsWith(here + std::to_string(store_line)))) << ptx;
}

TEST(SourceLines, LeadIntoFunctionsThatAKernelCalls) {
  const std::string ptx = ptx_of(halving.trace({}), true);
  EXPECT_THAT(places_of(ptx, "mul."), Contains(EndsWith("halving.h:" + std::to_string(helper_line)))) << ptx;
}

// With LineTablesOnly the target would be `sm_90, debug`, and ptxas would not optimise.
TEST(SourceLines, AreDirectivesOnly) {
  const std::string ptx = ptx_of(halving.trace({}), true);
  EXPECT_THAT(ptx, HasSubstr(".target sm_90\n"));
  EXPECT_THAT(ptx, Not(HasSubstr(".debug_info")));
}

TEST(SourceLines, AreLeftOutWhereNobodyWantsThem) {
  const std::string without = ptx_of(halving.trace({}), false);
  EXPECT_THAT(without, Not(HasSubstr(".loc")));
  EXPECT_EQ(ptx_of(halving.trace({}, {}, {.locations = false}), true), without);
}

// The sections of an ELF file that hold machine code, by name.
std::map<std::string, std::string> machine_code(const std::string &cubin) {
  std::map<std::string, std::string> code;
  auto read = [&]<class T>(std::size_t at, T value) {
    std::memcpy(&value, cubin.data() + at, sizeof value);
    return value;
  };
  const auto header = read(0, Elf64_Ehdr());
  auto section = [&](std::size_t i) { return read(header.e_shoff + i * header.e_shentsize, Elf64_Shdr()); };
  const std::size_t names = section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    const std::string name = cubin.c_str() + names + s.sh_name;
    if (name.starts_with(".text"))
      code[name] = cubin.substr(s.sh_offset, s.sh_size);
  }
  return code;
}

std::map<std::string, std::string> assembled(const std::string &ptx) {
  const std::string base = testing::TempDir() + "/tile_lines_" + std::to_string(getpid());
  std::ofstream(base + ".ptx") << ptx;
  const Said said = said_by("ptxas -arch=sm_90 " + base + ".ptx -o " + base + ".cubin");
  EXPECT_TRUE(said.succeeded) << said.text;
  std::ifstream file(base + ".cubin", std::ios::binary);
  const std::string cubin{std::istreambuf_iterator<char>(file), {}};
  std::remove((base + ".ptx").c_str());
  std::remove((base + ".cubin").c_str());
  return machine_code(cubin);
}

TEST(SourceLines, ChangeNoMachineCode) {
  if (!has_assembler())
    GTEST_SKIP() << without_ptxas();
  const Kernel<&softmax_rows<f16>> softmax{.name = "softmax"};
  const Kernel<&product<f16, f32>> product{.name = "product"};
  for (const KernelIR &kernel :
       {halving.trace({}), softmax.trace({}), product.trace({.rows = 64, .cols = 128, .inner = 32})}) {
    const auto with = assembled(ptx_of(kernel, true)), without = assembled(ptx_of(kernel, false));
    EXPECT_EQ(with.size(), 1u);
    EXPECT_GT(with.begin()->second.size(), 256u);
    EXPECT_EQ(with, without) << kernel.name();
  }
}

// The other file.
#line 5 "kernels/halving.h"
template <class T> Tensor<T> halved(const Tensor<T> &x) { return x * 0.5f; }

}   // namespace
}   // namespace tile::codegen_test

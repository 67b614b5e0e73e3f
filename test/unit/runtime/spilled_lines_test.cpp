// SPDX-License-Identifier: MIT
// Lines of machine code and what is spilled there, in files made by hand. test/tools/why_registers.test reads
// what ptxas writes.
#include "runtime/spilled_lines.h"
#include "runtime/line_table.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

namespace {

using namespace tile;
using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<int> values) {
  Bytes all;
  for (const int value : values)
    all.push_back(static_cast<std::byte>(value));
  return all;
}
void add(Bytes &to, const Bytes &more) { to.insert(to.end(), more.begin(), more.end()); }
void add_text(Bytes &to, std::string_view text) {
  for (const char c : text)
    to.push_back(static_cast<std::byte>(c));
  to.push_back(std::byte{0});
}
template <typename T> void add_number(Bytes &to, T number) {
  Bytes raw(sizeof number);
  std::memcpy(raw.data(), &number, sizeof number);
  add(to, raw);
}

// A table of DWARF 2 with the files user/kernel.h and other.h, and this program of rows.
Bytes line_table(const Bytes &program) {
  Bytes header =
      bytes({1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1});   // from the length of an instruction on
  add_text(header, "user");
  add(header, bytes({0}));
  add_text(header, "kernel.h");
  add(header, bytes({1, 0, 0}));
  add_text(header, "other.h");
  add(header, bytes({0, 0x80, 1, 0, 0}));   // a time of two bytes
  Bytes unit;
  add_number<std::uint16_t>(unit, 2);
  add_number(unit, static_cast<std::uint32_t>(header.size()));
  add(unit, header);
  add(unit, program);
  Bytes table;
  add_number(table, static_cast<std::uint32_t>(unit.size()));
  add(table, unit);
  return table;
}

// Line 40 from address 16 on, line 42 from 32 on, 7 of the other file from 64 on, no line from 80 on.
const Bytes rows = bytes({0,    9,    2,
                          16,   0,    0,
                          0,    0,    0,
                          0,    0,                       // the address is 16
                          3,    39,   1,                 // 39 lines on; a row
                          2,    15,   10 + 14 + 2 + 5,   // 15 bytes on; special: 1 byte and 2 lines on
                          2,    0x20, 4,
                          2,    3,    0x5d,
                          5,    9,    1,   // 32 bytes on, file 2, 35 lines back, column 9
                          2,    16,   3,
                          0x79, 1,           // 16 bytes on, 7 lines back: no line
                          0,    1,    1});   // the end

std::string at(const LineTable &table, std::uint64_t address) {
  const Location where = table.at(address);
  return where.known() ? where.file + ":" + std::to_string(where.line) : "nowhere";
}

TEST(LineTable, HasTheLineOfEachAddress) {
  const LineTable table(line_table(rows));
  EXPECT_EQ(at(table, 0), "nowhere");
  EXPECT_EQ(at(table, 16), "user/kernel.h:40");
  EXPECT_EQ(at(table, 31), "user/kernel.h:40");
  EXPECT_EQ(at(table, 32), "user/kernel.h:42");
  EXPECT_EQ(at(table, 64), "other.h:7");
  EXPECT_EQ(at(table, 80), "other.h:7");   // what the compiler made itself belongs to the line before
}

TEST(LineTable, SeveralTablesFollowEachOther) {
  Bytes both = line_table(rows);
  Bytes far = rows;
  far[4] = std::byte{1};   // the second byte of the address: 256 more
  add(both, line_table(far));
  const LineTable table(both);
  EXPECT_EQ(at(table, 40), "user/kernel.h:42");
  EXPECT_EQ(at(table, 256 + 64), "other.h:7");
}

// Read to its end or to the damage, and never beyond: a sanitizer would say so.
TEST(LineTable, DamagedTablesAreRead) {
  const Bytes whole = line_table(rows);
  const auto first = [&](std::size_t length) {
    return LineTable(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
  };
  constexpr std::size_t of_first_row = 14, of_second_row = 17;   // bytes of the program until then
  const std::size_t header = whole.size() - rows.size();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(at(first(length), 40), length < header + of_first_row    ? "nowhere"
                                     : length < header + of_second_row ? "user/kernel.h:40"
                                                                       : "user/kernel.h:42")
        << length;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      Bytes damaged = whole;
      damaged[i] = static_cast<std::byte>(value);
      static_cast<void>(at(LineTable(damaged), 40));
    }
}

// An ELF file with the sections `.text.kernel`, `.debug_line` and their names.
Bytes elf(const Bytes &code, const Bytes &lines) {
  Bytes names;
  std::vector<std::pair<std::size_t, const Bytes *>> sections;
  for (const auto &[name, content] :
       {std::pair{"", &code}, {".text.kernel", &code}, {".debug_line", &lines}}) {
    sections.emplace_back(names.size(), content);
    add_text(names, name);
  }
  sections.emplace_back(names.size(), &names);
  add_text(names, ".shstrtab");

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 3;
  Bytes contents, table;
  for (const auto &[name, content] : sections) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(name);
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = sizeof header + contents.size();
    section.sh_size = content->size();
    add_number(table, section);
    add(contents, *content);
  }
  header.e_shoff = sizeof header + contents.size();
  Bytes file;
  add_number(file, header);
  add(file, contents);
  add(file, table);
  return file;
}

Bytes instructions(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> all) {
  Bytes code;
  for (const auto &[low, high] : all) {
    add_number(code, low);
    add_number(code, high);
  }
  return code;
}

// As ptxas encodes them: an addition; STL and STL.64; LDL, at other addresses and of other registers.
constexpr std::uint64_t addition = 0x0000000102037210, stl = 0x00029c2e01007387, ldl = 0x0002942c012c7983;
constexpr std::uint64_t of_32 = 0x000fe20000100800, of_64 = 0x000fe20000100a00;
const Bytes code =
    instructions({{addition, 0}, {stl, of_32}, {stl, of_64}, {ldl, of_32}, {addition, 0}, {ldl, of_32}});
constexpr std::string_view log =
    "ptxas info    : 8 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads";

TEST(SpilledLines, AreThoseOfTheInstructionsThatMoveThem) {
  const std::vector<SpilledLine> lines = spilled_lines(elf(code, line_table(rows)), log);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].where, Location("user/kernel.h", 42, 0));   // the second store and the first load
  EXPECT_EQ(lines[0].stored, 8);
  EXPECT_EQ(lines[0].loaded, 4);
  EXPECT_EQ(lines[1].where, Location("other.h", 7, 0));
  EXPECT_EQ(lines[1].loaded, 4);
  EXPECT_EQ(lines[2].where, Location("user/kernel.h", 40, 0));
  EXPECT_EQ(lines[2].stored, 4);
}

TEST(SpilledLines, AreNotKnownWhereTheLogSaysMore) {
  EXPECT_TRUE(
      spilled_lines(elf(code, line_table(rows)), "16 bytes spill stores, 8 bytes spill loads").empty());
}
TEST(SpilledLines, AreNotKnownWithoutLines) { EXPECT_TRUE(spilled_lines(elf(code, {}), log).empty()); }

TEST(SpilledLines, OfDamagedFilesAreNotKnown) {
  const Bytes whole = elf(code, line_table(rows));
  for (std::size_t length = 0; length < whole.size(); length += 7)
    EXPECT_TRUE(spilled_lines(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)), log)
                    .empty());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= std::byte{0xff};
    static_cast<void>(spilled_lines(damaged, log));
  }
}

}   // namespace

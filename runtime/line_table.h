// SPDX-License-Identifier: MIT
// What machine code in an ELF file says of the lines that it was made from: DWARF's line table, as ptxas
// writes it with -lineinfo.
#pragma once

#include "runtime/error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// The bytes of the first section whose name begins so; empty: no section has it, or the file is damaged.
std::span<const std::byte> elf_section(std::span<const std::byte> file, std::string_view name);

class LineTable {
 public:
  // `section`: `.debug_line`. Of a damaged table, the lines before the damage are known.
  explicit LineTable(std::span<const std::byte> section);
  // Unknown: the table has no line for it.
  Location at(std::uint64_t address) const;

 private:
  class Reader;
  struct Row {
    std::uint64_t address = 0;
    std::size_t file = 0;   // in files_
    unsigned line = 0;
  };
  void read_unit(Reader &reader);
  void read_rows(Reader &reader, std::size_t first_file, int line_base, unsigned line_range,
                 const std::vector<unsigned> &operands);

  std::vector<std::string> files_;
  std::vector<Row> rows_;   // by address
};

}   // namespace tile

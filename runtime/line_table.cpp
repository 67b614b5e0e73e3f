// SPDX-License-Identifier: MIT
#include "runtime/line_table.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>

namespace tile {
namespace {

template <typename T> std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string_view text_at(std::span<const std::byte> bytes, std::uint64_t at) {
  if (at >= bytes.size())
    return {};
  const auto *begin = reinterpret_cast<const char *>(bytes.data()) + at;
  return {begin, strnlen(begin, bytes.size() - at)};
}

std::span<const std::byte> bytes_of(std::span<const std::byte> file, const Elf64_Shdr &section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size() ||
      section.sh_size > file.size() - section.sh_offset)
    return {};
  return file.subspan(section.sh_offset, section.sh_size);
}

}   // namespace

std::span<const std::byte> elf_section(std::span<const std::byte> file, std::string_view name) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr))
    return {};
  const auto section = [&](unsigned number) {
    return read_at<Elf64_Shdr>(file, header->e_shoff + std::uint64_t{number} * sizeof(Elf64_Shdr));
  };
  const auto names = section(header->e_shstrndx);
  if (!names)
    return {};
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if (const auto one = section(i); one && text_at(bytes_of(file, *names), one->sh_name).starts_with(name))
      return bytes_of(file, *one);
  return {};
}

// Reads on; what lies behind the end is 0, and is_good() says so.
class LineTable::Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool is_good() const { return is_good_; }
  std::size_t left() const { return bytes_.size(); }

  template <typename T> T take() {
    const std::optional<T> value = read_at<T>(bytes_, 0);
    is_good_ = is_good_ && value;
    skip(sizeof(T));
    return value.value_or(T{});
  }
  std::uint64_t take_unsigned() {   // in groups of seven bits, the lowest first
    std::uint64_t value = 0;
    for (unsigned shift = 0; is_good_; shift += 7) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      if (!(byte & 0x80U))
        break;
    }
    return value;
  }
  std::int64_t take_signed() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (bool goes_on = true; goes_on && is_good_; shift += 7) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      goes_on = byte & 0x80U;
      if (!goes_on && (byte & 0x40U) && shift + 7 < 64)
        value |= ~std::uint64_t{0} << (shift + 7);
    }
    return static_cast<std::int64_t>(value);
  }
  std::string_view take_text() {
    const std::string_view text = text_at(bytes_, 0);
    skip(text.size() + 1);
    return text;
  }
  Reader take_part(std::size_t bytes) {
    const Reader part(bytes_.first(std::min(bytes, bytes_.size())));
    skip(bytes);
    return part;
  }
  void skip(std::size_t bytes) {
    is_good_ = is_good_ && bytes <= bytes_.size();
    bytes_ = bytes_.subspan(std::min(bytes, bytes_.size()));
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_good_ = true;
};

LineTable::LineTable(std::span<const std::byte> section) {
  Reader reader(section);
  while (reader.is_good() && reader.left() > 0) {
    Reader unit = reader.take_part(reader.take<std::uint32_t>());
    read_unit(unit);
  }
  std::ranges::stable_sort(rows_, {}, &Row::address);
}

// One table of DWARF 2 to 4, with 32-bit lengths: its header, then a program that makes the rows.
void LineTable::read_unit(Reader &unit) {
  const auto version = unit.take<std::uint16_t>();
  if (version < 2 || version > 4)
    return;
  Reader header = unit.take_part(unit.take<std::uint32_t>());
  header.skip(version == 4 ? 2 : 1);   // the length of an instruction, and how many run at once
  header.skip(1);                      // whether each row is a statement
  const auto line_base = header.take<std::int8_t>();
  const auto line_range = header.take<std::uint8_t>();
  const auto first_special = header.take<std::uint8_t>();
  std::vector<unsigned> operands{0};
  for (unsigned i = 1; i < first_special; ++i)
    operands.push_back(header.take<std::uint8_t>());
  std::vector<std::string_view> folders{""};
  for (std::string_view folder = header.take_text(); !folder.empty(); folder = header.take_text())
    folders.push_back(folder);
  const std::size_t first_file = files_.size();
  for (std::string_view file = header.take_text(); !file.empty(); file = header.take_text()) {
    const std::uint64_t folder = header.take_unsigned();
    header.take_unsigned();   // its time
    header.take_unsigned();   // its length
    const std::string_view where = folder < folders.size() ? folders[folder] : "";
    files_.push_back(where.empty() ? std::string(file) : std::string(where) + "/" + std::string(file));
  }
  if (line_range > 0)
    read_rows(unit, first_file, line_base, line_range, operands);
}

void LineTable::read_rows(Reader &program, std::size_t first_file, int line_base, unsigned line_range,
                          const std::vector<unsigned> &operands) {
  enum : unsigned { extended, copy, advance, advanceLine, setFile, constAdvance = 8, fixedAdvance = 9 };
  enum : unsigned { endSequence = 1, setAddress = 2 };
  const unsigned first_special = static_cast<unsigned>(operands.size());
  Row row{.file = 1, .line = 1};
  const auto keep = [&] {
    if (row.file >= 1 && first_file + row.file <= files_.size())
      rows_.push_back({row.address, first_file + row.file - 1, row.line});
  };
  while (program.is_good() && program.left() > 0) {
    const unsigned opcode = program.take<std::uint8_t>();
    if (opcode >= first_special) {   // advances both, and keeps the row
      row.address += (opcode - first_special) / line_range;
      row.line += static_cast<unsigned>(line_base + static_cast<int>((opcode - first_special) % line_range));
      keep();
    } else if (opcode == extended) {
      Reader what = program.take_part(program.take_unsigned());
      const auto extension = what.take<std::uint8_t>();
      if (extension == setAddress)
        row.address = what.take<std::uint64_t>();
      else if (extension == endSequence)
        row = {.file = 1, .line = 1};
    } else if (opcode == copy) {
      keep();
    } else if (opcode == advance) {
      row.address += program.take_unsigned();
    } else if (opcode == advanceLine) {
      row.line += static_cast<unsigned>(program.take_signed());
    } else if (opcode == setFile) {
      row.file = program.take_unsigned();
    } else if (opcode == constAdvance) {
      row.address += (255 - first_special) / line_range;
    } else if (opcode == fixedAdvance) {
      row.address += program.take<std::uint16_t>();
    } else {   // columns, statements, blocks, and what others add
      for (unsigned i = 0; i < operands[opcode]; ++i)
        program.take_unsigned();
    }
  }
}

Location LineTable::at(std::uint64_t address) const {
  auto row = std::ranges::upper_bound(rows_, address, {}, &Row::address);
  while (row != rows_.begin())
    if ((--row)->line != 0)   // what the compiler made itself has line 0
      return {files_[row->file], row->line, 0};
  return {};
}

}   // namespace tile

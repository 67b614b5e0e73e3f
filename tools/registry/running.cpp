// SPDX-License-Identifier: MIT
// What is refused about a config before a kernel sees it.
#include "tools/registry/running.h"

#include <fmt/format.h>

#include <cstring>
#include <sstream>

namespace tile::registry {

// Its message begins with "config: ".
void refuse_config(const Error &error) { throw BadSetting("--" + error.message()); }

// Extents, counts and group sizes all begin at 1; a grid divides by them before any kernel could object. A
// register limit of 0 means none.
void check_config_numbers(const tile::detail::FieldTable &table, const void *config) {
  for (const tile::detail::Field &field : table.fields) {
    if (field.kind != tile::detail::Field::Kind::signed_integer || field.bytes != sizeof(int))
      continue;
    int value;
    std::memcpy(&value, static_cast<const char *>(config) + field.offset, sizeof value);
    const int lowest = field.path == "launch.max_registers" ? 0 : 1;
    if (value < lowest)
      throw BadSetting(
          fmt::format("--config: {}={} is too small; {} or more is accepted", field.path, value, lowest));
  }
}

reference::Matrix rows_of_operand(const Problem::Read &read, std::size_t operand, std::int64_t cols,
                                  std::span<const std::int64_t> rows) {
  return reference::rows_of([&](std::int64_t row, std::span<double> to) { read(operand, row, to); }, cols,
                            rows);
}

std::vector<double> column_of(const Problem::Read &read, std::size_t operand, std::int64_t rows) {
  std::vector<double> values(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < values.size(); ++i)
    read(operand, static_cast<std::int64_t>(i), std::span(values).subspan(i, 1));
  return values;
}

// describe_config() writes the same fields of both, "name=value" with spaces between.
std::string config_difference(const std::string &described, const std::string &base) {
  std::istringstream fields(described), base_fields(base);
  std::string difference, field, base_field;
  while (fields >> field && base_fields >> base_field)
    if (field != base_field)
      difference += (difference.empty() ? "" : ",") + field;
  return difference;
}

}   // namespace tile::registry

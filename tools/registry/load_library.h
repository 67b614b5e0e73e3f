// SPDX-License-Identifier: MIT
// Shared libraries of users, and the tables that they show.
#pragma once

#include <cstdint>
#include <string>

namespace tile::registry {

// Loads a library, for as long as the process. Gives the address of one of its symbols; null: it has none of
// this name. Throws tile::Error if there is no such library.
void *load_symbol(const std::string &path, const char *symbol);
// Throws tile::Error if a table is not of this version of tile. `version` is not read if the format differs.
void check_table(const std::string &path, std::uint32_t format, std::uint32_t known_format,
                 const char *const &version);

// The table that a function of the library gives; null: it has no such function.
template <class Table> const Table *load_table(const std::string &path, const char *symbol,
                                               std::uint32_t format) {
  using Entrance = const Table *(*)();
  const auto entrance = reinterpret_cast<Entrance>(load_symbol(path, symbol));
  if (!entrance)
    return nullptr;
  const Table *table = entrance();
  check_table(path, table->format, format, table->tile_version);
  return table;
}

}   // namespace tile::registry

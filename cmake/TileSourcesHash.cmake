# SPDX-License-Identifier: MIT
# Run with -P: writes to OUT a header with a hash of the files that the file LIST names, one a line; untouched
# where it says so already.
file(STRINGS "${LIST}" sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 "${ROOT}/${source}" hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[// Written by cmake/TileSourcesHash.cmake.
#pragma once
inline constexpr char tile_sources_hash[] = "@hash@";
]])

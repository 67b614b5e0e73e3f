# SPDX-License-Identifier: MIT
# Run with -P: writes to OUT a header with a hash of the files that the file LIST names, one a line, and with what else
# a build is known by; untouched where it says so already.
file(STRINGS "${LIST}" sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 "${ROOT}/${source}" hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[// Written by cmake/TileSourcesHash.cmake.
#pragma once
namespace tile {
inline constexpr char sources_hash[] = "@hash@", llvm_version[] = "@LLVM@";
// Of libraries that fit each other.
inline constexpr char build_identity[] = "sources @hash@, LLVM @LLVM@, @BUILD@";
}
]])

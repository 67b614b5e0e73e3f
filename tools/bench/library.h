// SPDX-License-Identifier: MIT
// Libraries of others that are looked for when a comparison asks for them, so that building needs none.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tile::bench {

class Library {
 public:
  // The first of the files that is found: in the folders of TILE_LIBRARY_PATH, where the system's loader
  // looks (LD_LIBRARY_PATH), in CUDA's folders, in packages of the python3 on the PATH. Stays loaded. Throws
  // tile::Error if no file is found, or with the loader's reason if one is found and cannot be loaded.
  explicit Library(std::span<const std::string> files);

  // Throws tile::Error where the library has no such function.
  template <class F> F *function(const char *symbol) const { return reinterpret_cast<F *>(address(symbol)); }
  template <class F> F *find(const char *symbol) const { return reinterpret_cast<F *>(lookup(symbol)); }
  const std::string &path() const { return path_; }

 private:
  void *lookup(const char *symbol) const;   // null: the library has no such symbol
  void *address(const char *symbol) const;
  void *handle_ = nullptr;
  std::string path_;
};

// "libcublas.so.13", "libcublas.so.12", ..., "libcublas.so".
std::vector<std::string> library_files(const std::string &name, std::span<const int> versions);

}   // namespace tile::bench

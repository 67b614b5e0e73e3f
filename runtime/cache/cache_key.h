// SPDX-License-Identifier: MIT
// All that the code of a kernel depends on, as named fields. Two kernels share an entry of the cache only
// where the bytes of their keys are the same; a hash of them is no more than the name of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tile {

class CacheKey {
 public:
  struct Field {
    std::string_view name, value;
  };

  CacheKey() = default;
  // Of the bytes of another one; whatever else they are makes a key without fields.
  explicit CacheKey(std::string bytes) : bytes_(std::move(bytes)) {}

  void add(std::string_view name, std::string_view value);
  // Names and values with their lengths in front of them.
  const std::string &bytes() const { return bytes_; }
  std::vector<Field> fields() const;
  // The value of the field; empty if there is no such field.
  std::string_view value(std::string_view name) const;
  // 32 digits.
  std::string file_name() const;

  bool operator==(const CacheKey &) const = default;

 private:
  std::string bytes_;
};

}   // namespace tile

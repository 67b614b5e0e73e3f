// SPDX-License-Identifier: MIT
// The configs of a kernel that packs have, for launches that may not compile: the others count as refused by
// the kernel's `keep`.
#pragma once

#include "runtime/launch/launch.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tile::launching {

class PackedConfigs final : public ConfigSpace {
 public:
  PackedConfigs(const ConfigSpace &all, std::set<std::string> packed)
      : all_(all), packed_(std::move(packed)) {}

  bool keeps(std::size_t i) const override { return packed_.contains(all_.text(i)) && all_.keeps(i); }

  std::size_t size() const override { return all_.size(); }
  const void *list() const override { return all_.list(); }
  bool follows_from_arguments() const override { return all_.follows_from_arguments(); }
  void push_values(std::size_t i, WordKey &key) const override { all_.push_values(i, key); }
  std::string text(std::size_t i) const override { return all_.text(i); }
  std::optional<std::size_t> find(std::string_view text) const override { return all_.find(text); }
  Grid grid(std::size_t i) const override { return all_.grid(i); }
  Key key() const override { return all_.key(); }
  Work work() const override { return all_.work(); }
  Tunes tunes() const override { return all_.tunes(); }
  int tune_at_most() const override { return all_.tune_at_most(); }
  std::optional<double> cost(std::size_t i, const Machine &machine) const override {
    return all_.cost(i, machine);
  }
  std::string_view shipped_tunings() const override { return all_.shipped_tunings(); }
  std::optional<std::size_t> reference() const override { return all_.reference(); }
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass> classes) const override {
    return all_.executable(device, i, classes);
  }
  std::unique_ptr<Executable> as_launched(Device &device, std::size_t i, std::unique_ptr<Executable> plain,
                                          std::span<const ArgClass> classes) const override {
    return all_.as_launched(device, i, std::move(plain), classes);
  }
  std::unique_ptr<const Recipe> recipe(std::size_t i, std::span<const ArgClass> classes) const override {
    return all_.recipe(i, classes);
  }
  std::string fingerprint(std::size_t i, std::span<const ArgClass> classes) const override {
    return all_.fingerprint(i, classes);
  }
  std::string trace_text(std::size_t i, std::span<const ArgClass> classes) const override {
    return all_.trace_text(i, classes);
  }

 private:
  const ConfigSpace &all_;
  std::set<std::string> packed_;
};

}   // namespace tile::launching

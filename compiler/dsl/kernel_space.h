// SPDX-License-Identifier: MIT
// The configs of a kernel for the arguments of one launch.
#pragma once

#include "compiler/dsl/any_kernel.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile::detail {

using ConfigBytes = std::vector<std::byte>;   // aligned as what `new` gives
ConfigBytes bytes_of(const AnyKernel &kernel, const void *config);
bool keeps(const AnyKernel &kernel, const void *config, ArgumentBits arguments);
// The cache keeps by it what a config computes, as packs know it.
launching::WordKey key_of_computation(const AnyKernel &kernel, const void *config);

class KernelSpace final : public launching::ConfigSpace {
 public:
  KernelSpace(const AnyKernel &kernel, launching::LaunchCache &cache, Loc where,
              std::span<const launching::PackedArgument> arguments);
  KernelSpace(const KernelSpace &) = delete;
  KernelSpace &operator=(const KernelSpace &) = delete;
  std::size_t size() const override { return kernel_.config_count; }
  const void *list() const override { return list_; }
  bool follows_from_arguments() const override { return kernel_.has_complete; }
  void push_values(std::size_t i, launching::WordKey &key) const override;
  std::string text(std::size_t i) const override;
  bool keeps(std::size_t i) const override;
  Grid grid(std::size_t i) const override;
  Key key() const override;
  std::optional<std::size_t> reference() const override;
  std::optional<std::size_t> find(std::string_view wanted) const override;
  Work work() const override;
  Tunes tunes() const override { return kernel_.tunes; }
  int tune_at_most() const override { return kernel_.tune_at_most; }
  std::optional<double> cost(std::size_t i, const Machine &machine) const override;
  std::string_view shipped_tunings() const override;
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass> classes) const override;
  std::unique_ptr<Executable> as_launched(Device &device, std::size_t i, std::unique_ptr<Executable> plain,
                                          std::span<const ArgClass> classes) const override;
  std::unique_ptr<const launching::Recipe> recipe(std::size_t i,
                                                  std::span<const ArgClass> classes) const override;
  std::string fingerprint(std::size_t i, std::span<const ArgClass> classes) const override;
  std::string trace_text(std::size_t i, std::span<const ArgClass> classes) const override;

  const void *config(std::size_t i) const { return kernel_.config(i); }   // complete

 private:
  std::size_t place_of(const ConfigBytes &config) const;
  ConfigBytes completed(const void *config) const;

  AnyKernel kernel_;
  launching::LaunchCache &cache_;
  const void *list_ = kernel_.configs;   // completed or not
  Loc where_;
  ArgumentBits arguments_;
  ConfigBytes completed_;
};

}   // namespace tile::detail

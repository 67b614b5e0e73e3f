// SPDX-License-Identifier: MIT
// The configs of a kernel's list that packs have, for launches that may not compile. Who chooses among them
// sees no others.
#pragma once

#include "runtime/launch/launch.h"
#include "runtime/launch/launch_cache.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tile::launching {

// Those of the list that some pack has for this device. For a list that does not follow from arguments, this
// is found out once.
std::shared_ptr<const PackedPlaces> packed_places(LaunchCache &cache, const Device &device,
                                                  const char *kernel, const ConfigSpace &space);
// The places in the list of those that serve the launch.
std::vector<std::size_t> packed_for(const LaunchRequest &r, const ConfigSpace &space);

class PackedConfigs final : public ConfigSpace {
 public:
  PackedConfigs(const ConfigSpace &all, std::vector<std::size_t> places)
      : all_(all), places_(std::move(places)) {}

  std::size_t size() const override { return places_.size(); }
  std::size_t place_in_list(std::size_t i) const override { return places_[i]; }
  std::optional<std::size_t> find(std::string_view text) const override { return of(all_.find(text)); }
  std::optional<std::size_t> reference() const override { return of(all_.reference()); }

  const void *list() const override { return all_.list(); }
  bool follows_from_arguments() const override { return all_.follows_from_arguments(); }
  void push_values(std::size_t i, WordKey &key) const override { all_.push_values(places_[i], key); }
  std::string text(std::size_t i) const override { return all_.text(places_[i]); }
  bool keeps(std::size_t i) const override { return all_.keeps(places_[i]); }
  Grid grid(std::size_t i) const override { return all_.grid(places_[i]); }
  Key key() const override { return all_.key(); }
  Work work() const override { return all_.work(); }
  Tunes tunes() const override { return all_.tunes(); }
  int tune_at_most() const override { return all_.tune_at_most(); }
  std::optional<double> cost(std::size_t i, const Machine &machine) const override {
    return all_.cost(places_[i], machine);
  }
  std::string_view shipped_tunings() const override { return all_.shipped_tunings(); }
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass> classes) const override {
    return all_.executable(device, places_[i], classes);
  }
  std::unique_ptr<Executable> as_launched(Device &device, std::size_t i, std::unique_ptr<Executable> plain,
                                          std::span<const ArgClass> classes) const override {
    return all_.as_launched(device, places_[i], std::move(plain), classes);
  }
  std::unique_ptr<const Recipe> recipe(std::size_t i, std::span<const ArgClass> classes) const override {
    return all_.recipe(places_[i], classes);
  }
  std::string fingerprint(std::size_t i, std::span<const ArgClass> classes) const override {
    return all_.fingerprint(places_[i], classes);
  }
  std::string trace_text(std::size_t i, std::span<const ArgClass> classes) const override {
    return all_.trace_text(places_[i], classes);
  }

 private:
  // nullopt also for a config that no pack has.
  std::optional<std::size_t> of(std::optional<std::size_t> place) const {
    const auto found = place ? std::ranges::find(places_, *place) : places_.end();
    return found == places_.end() ? std::nullopt : std::optional<std::size_t>(found - places_.begin());
  }

  const ConfigSpace &all_;
  std::vector<std::size_t> places_;
};

}   // namespace tile::launching

// SPDX-License-Identifier: MIT
// What a launch asks a kernel, for every kernel.
#include "compiler/dsl/any_kernel.h"

#include "runtime/launch/launch_cache.h"
#include "runtime/launch/packed_configs.h"
#include "runtime/pack/packed_identity.h"
#include "runtime/pack/policy.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tile::detail {
namespace {

using launching::LaunchWithin, launching::PackedArgument;
using ConfigBytes = std::vector<std::byte>;   // aligned as what `new` gives

ConfigBytes bytes_of(const AnyKernel &kernel, const void *config) {
  const auto *first = static_cast<const std::byte *>(config);
  return {first, first + kernel.table->plain.size()};
}

// A config's launches as the kernel's `around` makes them.
class Around final : public Executable {
 public:
  Around(Device &device, const AnyKernel &kernel, ConfigBytes config, LaunchWithin launch)
      : device_(device), go_around_(kernel.calls->go_around), around_(kernel.around),
        config_(std::move(config)), launch_(std::move(launch)) {}
  KernelResources resources() const override { return launch_.executable().resources(); }
  const LoweredKernel *reusable() const override { return launch_.executable().reusable(); }
  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    go_around_(around_, config_.data(), device_, launch_, grid, arguments);
  }

 private:
  Device &device_;
  decltype(KernelCalls::go_around) go_around_;
  AroundFunction around_;
  ConfigBytes config_;
  LaunchWithin launch_;
};

std::unique_ptr<Executable> around_it(const AnyKernel &kernel, const void *config, Device &device,
                                      std::unique_ptr<Executable> plain, std::span<const ArgClass> classes,
                                      Loc where) {
  if (!kernel.around)
    return plain;
  return std::make_unique<Around>(
      device, kernel, bytes_of(kernel, config),
      LaunchWithin(std::move(plain),
                   {kernel.name, *kernel.parameter_names, {classes.begin(), classes.end()}, where}));
}

// Holds what of the kernel outlives it.
class Recipe final : public launching::Recipe {
 public:
  Recipe(const AnyKernel &kernel, const void *config, std::span<const ArgClass> classes, Loc where)
      : kernel_(kernel), names_(*kernel.parameter_names), config_(bytes_of(kernel, config)),
        classes_(classes.begin(), classes.end()), where_(where),
        ir_(trace(kernel, config, classes, {}, where)) {
    kernel_.parameter_names = &names_;
    kernel_.kernel = kernel_.configs = kernel_.reference = nullptr;
  }
  std::unique_ptr<Executable> load(Device &device) const override { return device.load(ir_); }
  std::unique_ptr<Executable> as_launched(Device &device, std::unique_ptr<Executable> plain) const override {
    return around_it(kernel_, config_.data(), device, std::move(plain), classes_, where_);
  }

 private:
  AnyKernel kernel_;
  std::vector<const char *> names_;
  ConfigBytes config_;
  std::vector<ArgClass> classes_;
  Loc where_;
  KernelIR ir_;
};

launching::WordKey key_of_computation(const AnyKernel &kernel, const void *config) {
  launching::WordKey key;
  key.push(reinterpret_cast<std::uintptr_t>(kernel.name));
  push_values(*kernel.table, config, key);
  return key;
}

// Where nothing may be compiled, packs have the code by what the kernel computes. That is the same for all
// classes of arguments, so a config is traced once: for other classes its code is found without.
std::unique_ptr<Executable> load(const AnyKernel &kernel, const void *config, launching::LaunchCache &cache,
                                 Device &device, std::span<const ArgClass> classes, Loc where) {
  if (policy().compile != Compile::never)
    return device.load(trace(kernel, config, classes, {}, where));
  const launching::WordKey key = key_of_computation(kernel, config);
  if (const std::string computation = cache.computation(key); !computation.empty())
    if (std::unique_ptr<Executable> packed = device.load_packed(
            {kernel.name, describe(*kernel.table, config), computation, {classes.begin(), classes.end()}}))
      return packed;
  const KernelIR traced = trace(kernel, config, classes, {}, where);
  cache.keep_computation(key, traced.computation());
  return device.load(traced);
}

class Space final : public launching::ConfigSpace {
 public:
  Space(const AnyKernel &kernel, launching::LaunchCache &cache, Loc where,
        std::span<const PackedArgument> arguments)
      : kernel_(kernel), cache_(cache), where_(where), arguments_(arguments) {
    if (!kernel.has_complete)
      return;
    for (std::size_t i = 0; i < kernel.config_count; ++i) {
      const ConfigBytes config = completed(kernel.config(i));
      completed_.insert(completed_.end(), config.begin(), config.end());
    }
    kernel_.configs = completed_.data();
  }
  Space(const Space &) = delete;
  Space &operator=(const Space &) = delete;
  std::size_t size() const override { return kernel_.config_count; }
  const void *list() const override { return list_; }
  bool follows_from_arguments() const override { return kernel_.has_complete; }
  void push_values(std::size_t i, launching::WordKey &key) const override {
    detail::push_values(*kernel_.table, config(i), key);
  }
  std::string text(std::size_t i) const override { return describe(*kernel_.table, config(i)); }
  bool keeps(std::size_t i) const override {
    return kernel_.calls->keeps(kernel_.kernel, config(i), arguments_);
  }
  Grid grid(std::size_t i) const override {
    return kernel_.calls->grid(kernel_.kernel, config(i), arguments_);
  }
  Key key() const override { return kernel_.calls->key(kernel_.kernel, arguments_); }
  std::optional<std::size_t> reference() const override {
    if (!kernel_.reference)
      return std::nullopt;
    return place_of(kernel_.has_complete ? completed(kernel_.reference)
                                         : bytes_of(kernel_, kernel_.reference));
  }
  std::optional<std::size_t> find(std::string_view wanted) const override {
    try {
      ConfigBytes config = kernel_.table->plain;
      parse(*kernel_.table, config.data(), wanted);
      const std::size_t i = place_of(config);
      return i < size() ? std::optional(i) : std::nullopt;
    } catch (const Error &) {   // of a field that there is no more
      return std::nullopt;
    }
  }
  Work work() const override { return kernel_.calls->work(kernel_.kernel, arguments_); }
  Tunes tunes() const override { return kernel_.tunes; }
  int tune_at_most() const override { return kernel_.tune_at_most; }
  std::optional<double> cost(std::size_t i, const Machine &machine) const override {
    if (!kernel_.has_cost)
      return std::nullopt;
    return kernel_.calls->cost(kernel_.kernel, config(i), machine, arguments_);
  }
  std::string_view shipped_tunings() const override {
    return kernel_.shipped_tunings ? kernel_.shipped_tunings() : std::string_view();
  }
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass> classes) const override {
    return load(kernel_, config(i), cache_, device, classes, where_);
  }
  std::unique_ptr<Executable> as_launched(Device &device, std::size_t i, std::unique_ptr<Executable> plain,
                                          std::span<const ArgClass> classes) const override {
    return around_it(kernel_, config(i), device, std::move(plain), classes, where_);
  }
  std::unique_ptr<const launching::Recipe> recipe(std::size_t i,
                                                  std::span<const ArgClass> classes) const override {
    return std::make_unique<Recipe>(kernel_, config(i), classes, where_);
  }
  std::string fingerprint(std::size_t i, std::span<const ArgClass> classes) const override {
    return trace(kernel_, config(i), classes, {.locations = false}, where_).fingerprint();
  }
  std::string trace_text(std::size_t i, std::span<const ArgClass> classes) const override {
    return trace(kernel_, config(i), classes, {.locations = false}, where_).text();
  }

 private:
  const void *config(std::size_t i) const { return kernel_.config(i); }
  std::size_t place_of(const ConfigBytes &config) const {
    const auto values_of = [&](const void *of) {
      launching::WordKey values;
      detail::push_values(*kernel_.table, of, values);
      return values;
    };
    const launching::WordKey wanted = values_of(config.data());
    std::size_t i = 0;
    while (i < size() && values_of(this->config(i)) != wanted)
      ++i;
    return i;
  }
  ConfigBytes completed(const void *config) const {
    ConfigBytes bytes = bytes_of(kernel_, config);
    kernel_.calls->complete(kernel_.kernel, bytes.data(), arguments_);
    return bytes;
  }

  AnyKernel kernel_;
  launching::LaunchCache &cache_;
  const void *list_ = kernel_.configs;   // completed or not
  Loc where_;
  ArgumentBits arguments_;
  ConfigBytes completed_;
};

}   // namespace

void launch(const AnyKernel &kernel, launching::TuneRequest *tune, OnDevice where,
            std::span<const PackedArgument> packed) {
  launching::check_arguments(where, kernel.name, *kernel.parameter_names, packed);
  if (!kernel.has_grid)
    launching::no_grid(kernel.name, where.where);
  launching::LaunchCache &cache = kernel.cache();
  const launching::LaunchRequest request{where, kernel.name, packed, cache};
  const Space space(kernel, cache, where.where, packed);
  if (tune)
    tune->found = launching::tune(request, space, tune->options);
  else
    launching::launch(request, space);
}

std::size_t prepare(const AnyKernel &kernel, OnDevice on) {
  launching::LaunchCache &cache = kernel.cache();
  if (!kernel.has_complete)
    launching::packed_places(cache, on.device, kernel.name, Space(kernel, cache, on.where, {}));
  std::size_t loaded = 0;
  for (const PackedIdentity &entry : on.device.packed(kernel.name)) {
    if (entry.classes.size() != kernel.parameters.size())
      continue;
    ConfigBytes config = kernel.table->plain;
    try {
      parse(*kernel.table, config.data(), entry.config);
    } catch (const Error &) {   // of a field that there is no more
      continue;
    }
    const launching::WordKey key = key_of_computation(kernel, config.data());
    std::string computation = cache.computation(key);
    if (computation.empty()) {
      computation = trace(kernel, config.data(), entry.classes, {}, on.where).computation();
      cache.keep_computation(key, computation);
    }
    loaded += computation == entry.computation && on.device.load_packed(entry);
  }
  return loaded;
}

}   // namespace tile::detail

// SPDX-License-Identifier: MIT
#include "compiler/dsl/kernel_space.h"

#include "runtime/launch/launch_cache.h"
#include "runtime/pack/packed_identity.h"
#include "runtime/pack/policy.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tile::detail {
namespace {

using launching::LaunchWithin;

// A config's launches as the kernel's `around` makes them.
class Around final : public Executable {
 public:
  Around(Device &device, const AnyKernel &kernel, ConfigBytes config, LaunchWithin launch)
      : device_(device), go_around_(kernel.calls->go_around), around_(kernel.around),
        config_(std::move(config)), launch_(std::move(launch)) {}
  KernelResources resources() const override { return launch_.executable().resources(); }
  const LoweredKernel *reusable() const override { return launch_.executable().reusable(); }
  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    go_around_(around_, config_.data(), device_, launch_, grid, arguments, false);
  }
  void rehearse(const Grid &grid, std::span<const Argument> arguments) override {
    go_around_(around_, config_.data(), device_, launch_, grid, arguments, true);
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

}   // namespace

ConfigBytes bytes_of(const AnyKernel &kernel, const void *config) {
  const auto *first = static_cast<const std::byte *>(config);
  return {first, first + kernel.table->plain.size()};
}

bool keeps(const AnyKernel &kernel, const void *config, ArgumentBits arguments) {
  return !kernel.has_keep || kernel.calls->keeps(kernel.kernel, config, arguments);
}

launching::WordKey key_of_computation(const AnyKernel &kernel, const void *config) {
  launching::WordKey key;
  key.push(reinterpret_cast<std::uintptr_t>(kernel.name));
  push_values(*kernel.table, config, key);
  return key;
}

KernelSpace::KernelSpace(const AnyKernel &kernel, launching::LaunchCache &cache, Loc where,
                         std::span<const launching::PackedArgument> arguments)
    : kernel_(kernel), cache_(cache), where_(where), arguments_(arguments) {
  if (!kernel.has_complete)
    return;
  for (std::size_t i = 0; i < kernel.config_count; ++i) {
    const ConfigBytes config = completed(kernel.config(i));
    completed_.insert(completed_.end(), config.begin(), config.end());
  }
  kernel_.configs = completed_.data();
}

void KernelSpace::push_values(std::size_t i, launching::WordKey &key) const {
  detail::push_values(*kernel_.table, config(i), key);
}
std::string KernelSpace::text(std::size_t i) const { return describe(*kernel_.table, config(i)); }
bool KernelSpace::keeps(std::size_t i) const { return detail::keeps(kernel_, config(i), arguments_); }
Grid KernelSpace::grid(std::size_t i) const {
  return kernel_.calls->grid(kernel_.kernel, config(i), arguments_);
}
Key KernelSpace::key() const { return kernel_.calls->key(kernel_.kernel, arguments_); }
Work KernelSpace::work() const { return kernel_.calls->work(kernel_.kernel, arguments_); }

std::optional<std::size_t> KernelSpace::reference() const {
  if (!kernel_.reference)
    return std::nullopt;
  return place_of(kernel_.has_complete ? completed(kernel_.reference) : bytes_of(kernel_, kernel_.reference));
}

std::optional<std::size_t> KernelSpace::find(std::string_view wanted) const {
  try {
    ConfigBytes config = kernel_.table->plain;
    parse(*kernel_.table, config.data(), wanted);
    const std::size_t i = place_of(config);
    return i < size() ? std::optional(i) : std::nullopt;
  } catch (const Error &) {   // of a field that there is no more
    return std::nullopt;
  }
}

std::optional<double> KernelSpace::cost(std::size_t i, const Machine &machine) const {
  if (!kernel_.has_cost)
    return std::nullopt;
  return kernel_.calls->cost(kernel_.kernel, config(i), machine, arguments_);
}

std::string_view KernelSpace::shipped_tunings() const {
  return kernel_.shipped_tunings ? kernel_.shipped_tunings() : std::string_view();
}

std::unique_ptr<Executable> KernelSpace::executable(Device &device, std::size_t i,
                                                    std::span<const ArgClass> classes) const {
  return load(kernel_, config(i), cache_, device, classes, where_);
}
std::unique_ptr<Executable> KernelSpace::as_launched(Device &device, std::size_t i,
                                                     std::unique_ptr<Executable> plain,
                                                     std::span<const ArgClass> classes) const {
  return around_it(kernel_, config(i), device, std::move(plain), classes, where_);
}
std::unique_ptr<const launching::Recipe> KernelSpace::recipe(std::size_t i,
                                                             std::span<const ArgClass> classes) const {
  return std::make_unique<Recipe>(kernel_, config(i), classes, where_);
}

std::string KernelSpace::fingerprint(std::size_t i, std::span<const ArgClass> classes) const {
  return trace(kernel_, config(i), classes, {.locations = false}, where_).fingerprint();
}
std::string KernelSpace::trace_text(std::size_t i, std::span<const ArgClass> classes) const {
  return trace(kernel_, config(i), classes, {.locations = false}, where_).text();
}

std::size_t KernelSpace::place_of(const ConfigBytes &config) const {
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

ConfigBytes KernelSpace::completed(const void *config) const {
  ConfigBytes bytes = bytes_of(kernel_, config);
  kernel_.calls->complete(kernel_.kernel, bytes.data(), arguments_);
  return bytes;
}

}   // namespace tile::detail

// SPDX-License-Identifier: MIT
#include "compiler/dsl/kernel_space.h"

#include "compiler/api/compile.h"
#include "runtime/environment.h"
#include "runtime/kernel_names.h"
#include "runtime/launch/launch_cache.h"
#include "runtime/pack/packed_identity.h"
#include "runtime/pack/policy.h"

#include <cstdio>
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

// Throws where the code is not what the kernel asks for, with what the compiler says of it.
void check_requirements(const AnyKernel &kernel, const Executable &code, const KernelIR *ir, Loc where) {
  if (kernel.require == Requirements())
    return;
  const KernelResources resources = code.resources();
  const std::string broken = kernel.require.broken_by(resources);
  if (broken.empty())
    return;
  std::vector<Error::Note> notes;
  const bool may_compile = ir && policy().compile != Compile::never;   // the compiler knows the reasons
  if (const std::optional<Target> target = may_compile ? Target::parse(resources.target) : std::nullopt)
    for (Remark &remark : choices(*ir, *target))
      notes.push_back({std::move(remark.text), std::move(remark.where)});
  Error error(broken, where, std::move(notes));
  error.add_help("change the kernel or its config, or ask for less in `.require`");
  throw std::move(error).with_code(ErrorCode::unsupported);
}

// TILE_REMARKS: once for each config that a process loads.
void show_choices(const KernelResources &code, const KernelIR &ir) {
  const std::optional<Target> target = Target::parse(code.target);
  if (!environment::remarks() || !target)
    return;
  std::string text = kernel_title(ir.name(), ir.config()) + " for " + code.target + ": ";
  if (code.unit && *code.unit != ProductUnit::none)
    text += "products by " + std::string(name_of(*code.unit)) + ", ";
  text += code.roles > 1 ? std::to_string(code.roles) + " roles of warps" : "one program for all warps";
  if (code.registers >= 0)
    text += ", " + std::to_string(code.registers) + " registers";
  if (code.spill_bytes > 0)
    text += ", " + std::to_string(code.spill_bytes) + " bytes spilled";
  text += "\n" + text_of(choices(ir, *target));
  std::fputs(text.c_str(), stderr);
}

std::unique_ptr<Executable> load_traced(const AnyKernel &kernel, Device &device, const KernelIR &ir,
                                        Loc where) {
  std::unique_ptr<Executable> code = device.load(ir);
  check_requirements(kernel, *code, &ir, where);
  show_choices(code->resources(), ir);
  return code;
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
  std::unique_ptr<Executable> load(Device &device) const override {
    return load_traced(kernel_, device, ir_, where_);
  }
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
    return load_traced(kernel, device, trace(kernel, config, classes, {}, where), where);
  const launching::WordKey key = key_of_computation(kernel, config);
  if (const std::string computation = cache.computation(key); !computation.empty())
    if (std::unique_ptr<Executable> packed = device.load_packed(
            {kernel.name, describe(*kernel.table, config), computation, {classes.begin(), classes.end()}})) {
      check_requirements(kernel, *packed, nullptr, where);
      return packed;
    }
  const KernelIR traced = trace(kernel, config, classes, {}, where);
  cache.keep_computation(key, traced.computation());
  return load_traced(kernel, device, traced, where);
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
  if (kernel_.require != Requirements())   // kernels that ask for less have code that this one refuses
    key.push(kernel_.require.word());
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

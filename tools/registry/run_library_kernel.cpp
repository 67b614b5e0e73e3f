// SPDX-License-Identifier: MIT
// A launch of a kernel of which only the ABI is known. Nobody says what its results are to be: the
// interpreter, which runs what it means, is asked.
#include "tools/registry/library_kernel.h"
#include "tools/registry/running.h"

#include "compiler/devices/devices.h"
#include "runtime/buffer.h"
#include "runtime/launch/launch_steps.h"
#include "runtime/numeric.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

namespace tile::registry {
namespace {

using reference::Matrix;

// An array of elements of a type that is known at run time, with nothing around it: the CPU devices say at
// which line an access passes its end.
class Array {
 public:
  virtual ~Array() = default;
  virtual void *data() const = 0;
  virtual void fill(const Matrix &values) = 0;
  virtual Matrix download() const = 0;
};

template <class T> class ArrayOf final : public Array {
 public:
  ArrayOf(Device &device, const std::string &name, std::int64_t count)
      : buffer_(device, reference::element_count(1, count), name) {}
  void *data() const override { return buffer_.data(); }
  void fill(const Matrix &values) override {
    std::vector<T> elements;
    for (const double value : values.values)
      elements.push_back(numeric::cast<T>(value));
    buffer_.copy_from(elements);
  }
  Matrix download() const override {
    Matrix values(1, static_cast<std::int64_t>(buffer_.size()));
    const std::vector<T> elements = buffer_.to_host();
    for (std::size_t i = 0; i < elements.size(); ++i)
      values.values[i] = numeric::cast<double>(elements[i]);
    return values;
  }

 private:
  Buffer<T> buffer_;
};

template <class... Ts>
std::unique_ptr<Array> array_among(Kind kind, Device &device, const std::string &name, std::int64_t count) {
  std::unique_ptr<Array> array;
  auto make_if_named = [&]<class T>(std::type_identity<T>) {
    if (element_type<T>.kind == kind)
      array = std::make_unique<ArrayOf<T>>(device, name, count);
  };
  (make_if_named(std::type_identity<Ts>()), ...);
  return array;
}
std::unique_ptr<Array> make_array(Kind kind, Device &device, const std::string &name, std::int64_t count) {
  const Kind stored = kind == Kind::I1 ? Kind::U8 : kind;   // a byte each
  return array_among<i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, e4m3, e5m2>(stored, device,
                                                                                            name, count);
}

// Integers may be offsets into another array: they are small and not negative.
Matrix random_elements(std::int64_t count, ElementType element, std::mt19937_64 &source) {
  Matrix values = reference::random_matrix(1, count, element, source);
  if (!element.is_float())
    for (double &value : values.values)
      value = std::fmod(std::abs(value), element.is_bool() ? 2 : 8);
  return values;
}

std::uint64_t bits_of(ElementType type, const Settings &settings, const std::string &name) {
  if (type.is_float())
    return float_to_bits(type.kind, settings.number(name));
  const auto bits = static_cast<std::uint64_t>(settings.size(name));
  const int width = type.bits() - (type.is_unsigned() || type.is_bool() ? 0 : 1);
  if (width < 64 && bits >> width)
    throw BadSetting(fmt::format("--{} is {}, which {} cannot be", name, bits, type.name()));
  return bits;
}

class Space final : public launching::ConfigSpace {
 public:
  Space(const LibraryKernel &kernel, const Settings &settings,
        const std::optional<LibraryKernel::Config> &config)
      : kernel_(kernel) {
    if (config)
      configs_.push_back(*config);
    else if (!settings.config.empty())
      configs_.push_back({-1, settings.config});
    else
      for (std::size_t i = 0; i < kernel.configs(); ++i)
        configs_.push_back({static_cast<int>(i), ""});
  }
  // Of the launch. A config that the user gives is complete.
  void take_arguments(std::vector<std::uint64_t> bits) {
    bits_ = std::move(bits);
    for (LibraryKernel::Config &config : configs_)
      if (config.number >= 0)
        config = kernel_.complete({config.number, ""}, bits_);
  }
  const LibraryKernel::Config &config(std::size_t i) const { return configs_[i]; }

  std::size_t size() const override { return configs_.size(); }
  const void *list() const override { return configs_.data(); }
  bool follows_from_arguments() const override { return true; }
  void push_values(std::size_t i, launching::WordKey &key) const override {
    for (const char c : configs_[i].changes)
      key.push(static_cast<unsigned char>(c));
  }
  std::string text(std::size_t i) const override { return kernel_.describe(configs_[i]); }
  bool keeps(std::size_t i) const override { return kernel_.keeps(configs_[i], bits_); }
  Grid grid(std::size_t i) const override { return kernel_.grid(configs_[i], bits_); }
  Key key() const override { return {}; }
  Work work() const override { return kernel_.work(bits_); }
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass> classes) const override {
    return device.load(kernel_.trace(configs_[i], classes));
  }

 private:
  const LibraryKernel &kernel_;
  std::vector<LibraryKernel::Config> configs_;
  std::vector<std::uint64_t> bits_;
};

// What the kernel may multiply as 8-bit floats.
bool has_small_floats(const LibraryKernel &kernel) {
  return std::ranges::any_of(kernel.parameters(), [](const LibraryKernel::Parameter &p) {
    return p.type.is_pointer() && p.type.pointee().is_fp8();
  });
}

// Names in "m*k+n".
std::vector<std::string> words_of(const std::string &extent) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= extent.size();) {
    const std::size_t end = std::min(extent.find_first_of("*+", begin), extent.size());
    words.push_back(extent.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

void refuse_wrong_config(const LibraryKernel &kernel, const Settings &settings) {
  if (settings.config.empty())
    return;
  try {
    kernel.describe({-1, settings.config});
  } catch (const Error &error) {
    refuse_config(error);
  }
}

}   // namespace

struct LibraryLaunch::Made {
  Made(const LibraryKernel &k, Device &d, const Settings &settings,
       const std::optional<LibraryKernel::Config> &config)
      : kernel(k), device(d), parameters(k.parameters()), space(k, settings, config) {}

  const LibraryKernel &kernel;
  Device &device;
  const std::vector<LibraryKernel::Parameter> parameters;
  Space space;
  std::vector<launching::PackedArgument> arguments;
  std::vector<std::unique_ptr<Array>> arrays;   // null: the parameter is a number
  double bytes = 0;

  launching::LaunchRequest request() {
    return {OnDevice(device, std::source_location()), kernel.c_name(), arguments, kernel.launch_cache()};
  }
};

LibraryLaunch::LibraryLaunch(const LibraryKernel &kernel, Device &device, const Settings &settings,
                             const std::optional<LibraryKernel::Config> &config, const LibraryLaunch *like)
    : made_(
          (refuse_wrong_config(kernel, settings), std::make_unique<Made>(kernel, device, settings, config))) {
  std::mt19937_64 source(settings.seed);
  std::vector<std::uint64_t> bits;
  for (const LibraryKernel::Parameter &p : made_->parameters) {
    if (p.type.pointers > 1)
      throw BadSetting(fmt::format("{} is {}: this tool makes no arrays of pointers; run {} in your own "
                                   "program",
                                   p.name, p.type.name(), kernel.name()));
    if (p.type.is_pointer()) {
      const std::int64_t count = settings.size(p.setting);
      std::unique_ptr<Array> &array =
          made_->arrays.emplace_back(make_array(p.type.kind, device, p.name, count));
      const double bytes = static_cast<double>(count) * static_cast<double>(p.type.pointee().bytes());
      if (like)
        device.copy(array->data(), like->made_->arrays[made_->arrays.size() - 1]->data(),
                    static_cast<std::size_t>(bytes));
      else
        array->fill(random_elements(count, p.type.pointee(), source));
      made_->bytes += bytes;
      made_->arguments.push_back(launching::pack_pointer(p.type, array->data(), p.is_dynamic));
    } else {
      made_->arrays.push_back(nullptr);
      made_->arguments.push_back(
          launching::pack_number(p.type, bits_of(p.type, settings, p.setting), p.is_dynamic));
    }
    made_->arguments.back().access = p.access;
    bits.push_back(made_->arguments.back().argument.bits);
  }
  made_->space.take_arguments(std::move(bits));
  if (!kernel.has_grid())
    launching::no_grid(kernel.c_name(), {});
  if (kernel.has_around())
    throw Error("kernel " + kernel.name() +
                    " makes its launches itself, by `.around`, which is code of the library",
                {})
        .add_help("launch it in your own program; `tile dump` shows its code");
}

LibraryLaunch::~LibraryLaunch() = default;

void LibraryLaunch::launch() { launching::launch(made_->request(), made_->space); }
tuning::Sweep LibraryLaunch::tune(const tuning::Options &options) {
  return launching::tune(made_->request(), made_->space, options);
}
Work LibraryLaunch::work() const { return made_->space.work(); }
double LibraryLaunch::bytes() const { return made_->bytes; }

bool LibraryLaunch::is_empty() const {
  const launching::LaunchRequest request = made_->request();
  return launching::is_empty(
      launching::grid_of(request, made_->space, launching::first_kept(request, made_->space)));
}

std::vector<LibraryLaunch::Config> LibraryLaunch::configs() const {
  std::vector<Config> taken;
  for (std::size_t i = launching::first_kept(made_->request(), made_->space); i < made_->space.size(); ++i)
    if (made_->space.takes(i)) {
      LibraryKernel::Config how = made_->space.config(i);
      if (how.number >= 0)
        how.changes.clear();
      taken.push_back({i, std::move(how), made_->space.text(i)});
    }
  return taken;
}

std::function<void()> LibraryLaunch::bound(const Config &config) {
  const launching::LaunchRequest request = made_->request();
  Executable *executable = launching::executable_of(request, made_->space, config.place);
  return [executable, grid = launching::grid_of(request, made_->space, config.place),
          arguments = std::make_shared<launching::Row>(made_->arguments)] {
    executable->launch(grid, arguments->arguments());
  };
}

KernelResources LibraryLaunch::resources(const Config &config) {
  return launching::executable_of(made_->request(), made_->space, config.place)->resources();
}

std::vector<Matrix> LibraryLaunch::written() const {
  std::vector<Matrix> written;
  for (std::size_t i = 0; i < made_->arrays.size(); ++i)
    if (made_->arrays[i] && made_->parameters[i].access != tuning::Access::reads)
      written.push_back(made_->arrays[i]->download());
  return written;
}

static reference::Verdict compare_with_interpreter(const LibraryKernel &kernel,
                                                   const std::vector<Matrix> &written,
                                                   const Settings &settings,
                                                   const std::optional<LibraryKernel::Config> &config) {
  const std::unique_ptr<Device> oracle = open_device("interpreter");
  LibraryLaunch there(kernel, *oracle, settings, config);
  there.launch();
  oracle->synchronize();
  const std::vector<Matrix> expected = there.written();
  reference::Verdict verdict;
  std::size_t at = 0;
  const auto smalls = has_small_floats(kernel) ? reference::SmallFloats::yes : reference::SmallFloats::no;
  for (const LibraryKernel::Parameter &p : kernel.parameters())
    if (p.type.is_pointer() && p.access != tuning::Access::reads) {
      const ElementType element = p.type.pointee();
      verdict.add(reference::compare(p.name, written[at], expected[at], element,
                                     reference::interpreter_tolerance(element, expected[at], smalls)));
      ++at;
    }
  return verdict;
}

reference::Verdict compare_with_interpreter(const LibraryKernel &kernel, Device &device,
                                            const Settings &settings,
                                            const std::optional<LibraryKernel::Config> &config) {
  LibraryLaunch here(kernel, device, settings, config);
  here.launch();
  device.synchronize();
  return compare_with_interpreter(kernel, here.written(), settings, config);
}

Settings lowered_sizes(const Entry &kernel, const Settings &settings) {
  constexpr double most = 1 << 22;   // elements, or products of a matrix product
  std::vector<std::string> sizes;
  for (const Parameter &p : kernel.parameters)
    if (p.form == Parameter::Form::extent)
      for (const std::string &word : words_of(settings.choice(p.name))) {
        const Parameter *size = kernel.parameter(word);
        if (size && size->form == Parameter::Form::count && std::ranges::find(sizes, word) == sizes.end())
          sizes.push_back(word);
      }
  Settings lowered = settings;
  for (std::int64_t at_least = 1 << 22; at_least >= 64; at_least /= 2) {
    double product = 1, elements = 0;
    for (const std::string &name : sizes) {
      const std::int64_t size = settings.size(name),
                         low = size < 2 * at_least ? size : at_least + size % at_least;
      lowered.set(name, std::to_string(low));
      product *= static_cast<double>(std::max<std::int64_t>(low, 1));
    }
    for (const Parameter &p : kernel.parameters)
      if (p.form == Parameter::Form::extent)
        elements += static_cast<double>(lowered.size(p.name));
    if (std::max(product, elements) <= most)
      return lowered;
  }
  throw BadSetting(fmt::format(
      "the interpreter computes the reference of {} and would take long for these sizes; the tool does not "
      "know which of them it may lower: give arrays by sizes, as in --x n, or set --reference n=1000 or "
      "--reference none",
      kernel.name));
}

Settings with_sizes(const Entry &kernel, Settings settings, std::string_view sizes) {
  while (!sizes.empty()) {
    const std::string_view item = sizes.substr(0, sizes.find(','));
    sizes.remove_prefix(std::min(sizes.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || !kernel.parameter(item.substr(0, equals)))
      throw BadSetting(fmt::format("--reference takes none, or the sizes for the interpreter, as in n=1000; "
                                   "`{}` is neither",
                                   item));
    settings.set(item.substr(0, equals), std::string(item.substr(equals + 1)));
  }
  return settings;
}

Outcome run_library_kernel(const LibraryKernel &kernel, Device &device, const Settings &settings) {
  LibraryLaunch here(kernel, device, settings);
  const Work work = here.work();
  const bool has_flop = work.flop > 0;
  Outcome outcome{.config = settings.config.empty() ? "the kernel's choice" : settings.config,
                  .operations = has_flop ? work.flop : work.bytes,
                  .unit = has_flop ? "FLOP" : "B"};
  outcome.seconds = timed(device, [&] { here.launch(); });
  if (!settings.verify)
    return outcome;
  outcome.tolerance = "the interpreter's result, within some roundings of the largest element";
  outcome.verdict = compare_with_interpreter(kernel, here.written(), settings, {});
  return outcome;
}

}   // namespace tile::registry

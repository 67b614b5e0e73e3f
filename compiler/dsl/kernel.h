// SPDX-License-Identifier: MIT
// A kernel object: a traced function, the functions that depend on its arguments and config, and the typed
// launch.
//
// The templates here only check arguments and convert them. Code that does not need the kernel's C++ types is
// elsewhere: tracing is in kernel.cpp, the questions of a launch to a kernel are in any_kernel.cpp, and
// launching is in runtime/launch/.
#pragma once

#include <tile/any_kernel.h>
#include <tile/buffer.h>
#include <tile/compiled_kernel.h>
#include <tile/default_target.h>
#include <tile/element_bits.h>
#include <tile/operators.h>
#include <tile/tensor_view.h>

#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace tile {

// Converts a host integer for a kernel parameter of a narrower type. Throws tile::Error if x does not fit To.
template <std::integral To, std::integral From> To narrow(From x, Loc l = Loc::current()) {
  To result = static_cast<To>(x);
  if (static_cast<From>(result) != x || (result < To{}) != (x < From{}))
    throw Error(std::to_string(x) + " does not fit " + element_type<To>.name(), l);
  return result;
}

namespace detail {

// The host type of a parameter, which callbacks get: const f16 * for Ptr<const f16>, int for Int.
template <class P> struct parameter_type {
  static constexpr bool is_parameter = false, is_dynamic = false;
  using host = int;
};
template <class T> struct parameter_type<Tensor<T>> {
  static constexpr bool is_parameter = true, is_dynamic = false;
  using host = T;
};
template <class P> struct parameter_type<Dynamic<P>> : parameter_type<P> {
  static constexpr bool is_dynamic = true;
};

// A member of a kernel object that is called with the launch's arguments, most with the config before them.
template <class F> class Callback;
template <class R, class... A> class Callback<R (*)(A...)> {
 public:
  using Function = R (*)(A...);
  Callback(std::nullptr_t = nullptr) {}
  template <class F>
    requires(!std::same_as<F, Callback>)
  Callback(F f) {
    constexpr bool fits = std::is_convertible_v<F, Function>;
    static_assert(
        fits,
        "grid gives a tile::Grid and keep a bool for (auto &cfg, arguments...), complete a config for (auto "
        "cfg, arguments...), cost a double for (auto &cfg, const Machine &, arguments...), around nothing "
        "for (auto &cfg, OnDevice, auto &launch, arguments...), key gives a tile::Key and work a tile::Work "
        "for (arguments...): one parameter for each of the kernel's, in its order and "
        "with its host type (Int is int, Ptr<const f16> is const f16 *); `auto` skips one, `auto...` the "
        "rest; nothing is captured");
    if constexpr (fits)
      function_ = f;
  }
  explicit operator bool() const { return function_ != nullptr; }
  R operator()(A... arguments) const { return function_(arguments...); }
  Function function() const { return function_; }

 private:
  Function function_ = nullptr;
};

// The plain launch, which a kernel's `around` replaces. Calling it launches with these arguments.
template <class... Host> class PlainLaunch {
 public:
  virtual void operator()(Host... host) const = 0;

 protected:
  ~PlainLaunch() = default;
};

template <class Config, class... Host> struct callbacks {
  using GridFn = Callback<Grid (*)(const Config &, Host...)>;
  using CompleteFn = Callback<Config (*)(Config, Host...)>;
  using KeyFn = Callback<Key (*)(Host...)>;
  using KeepFn = Callback<bool (*)(const Config &, Host...)>;
  using WorkFn = Callback<Work (*)(Host...)>;
  using CostFn = Callback<double (*)(const Config &, const Machine &, Host...)>;
  using AroundFn = Callback<void (*)(const Config &, OnDevice, const PlainLaunch<Host...> &, Host...)>;
};

// The names of a kernel's parameters: one for each parameter, or no names.
template <std::size_t Count> class ParameterNames {
 public:
  ParameterNames() = default;
  template <class... Names>
    requires(sizeof...(Names) > 0 && (std::convertible_to<Names, const char *> && ...))
  ParameterNames(Names... names) : names_{static_cast<const char *>(names)...} {
    same_count<Count, sizeof...(Names)>();
  }
  const std::vector<const char *> &all() const { return names_; }

 private:
  template <std::size_t Parameters, std::size_t Given> static constexpr void same_count() {
    static_assert(
        Parameters == Given,
        "`.parameters` has too few or too many names: it has one for each parameter of the kernel, in "
        "order and without the config (see Parameters and Given), or is left out");
  }
  std::vector<const char *> names_;
};

struct NoConfig {};
template <class... A> struct last_of {
  using type = NoConfig;
};
template <class A, class... Rest> struct last_of<A, Rest...> {
  using type = typename std::conditional_t<sizeof...(Rest) == 0, std::type_identity<std::remove_cvref_t<A>>,
                                           last_of<Rest...>>::type;
};

template <class F> struct signature {
  static_assert(always_false<F>,
                "a kernel is a function that returns nothing: void f(Ptr<f32> x, Int n, const "
                "Config &cfg)");
};
template <class... A> struct signature<void (*)(A...)> {
  using Last = typename last_of<A...>::type;
  static constexpr bool has_config =
      sizeof...(A) >= 1 && std::is_aggregate_v<Last> && !parameter_type<Last>::is_parameter;
  static_assert(has_config, "the last parameter of a kernel is its config, a struct of plain values, which "
                            "may be empty: struct Config {}; void f(Ptr<f32> x, Int n, const Config &)");
  static constexpr std::size_t arguments = sizeof...(A) - (has_config ? 1 : 0);
  using Config = std::conditional_t<has_config, Last, NoConfig>;
  template <std::size_t I> using Parameter = std::remove_cvref_t<std::tuple_element_t<I, std::tuple<A...>>>;
  template <std::size_t I> using Host = typename parameter_type<Parameter<I>>::host;
  template <std::size_t... I> static callbacks<Config, Host<I>...> pick(std::index_sequence<I...>);
  using Indices = std::make_index_sequence<arguments>;
  using Callbacks = decltype(pick(Indices()));
};

// The pointer that a launch argument stands for; void for numbers.
template <class H> struct host_pointer {
  using type = void;
};
template <class T> struct host_pointer<T *> {
  using type = T *;
};
template <> struct host_pointer<std::nullptr_t> {
  using type = std::nullptr_t;
};
template <class T> struct host_pointer<Buffer<T>> {
  using type = T *;
};
template <class T, std::size_t N> struct host_pointer<std::span<T, N>> {
  using type = T *;
};
// A view gives the pointer to its element 0. memory_of(view) gives the memory around it.
template <class View>
  requires requires(const View &view) { memory_of(view); }
struct host_pointer<View> {
  using type = decltype(View::data);
};

// True if a parameter of host type T accepts an argument of type H. A pointer needs the same element type;
// it may be `const` only if the kernel promises not to write. Integers and floats may not be wider than the
// parameter. A bool needs a bool.
template <class T, class H> constexpr bool accepts() {
  using Pointer = typename host_pointer<H>::type;
  if constexpr (std::is_pointer_v<T>)
    return !std::is_void_v<Pointer> && std::is_convertible_v<Pointer, T>;
  else if constexpr (!std::is_void_v<Pointer>)
    return false;
  else if constexpr (std::same_as<T, bool> || std::same_as<H, bool>)
    return std::same_as<T, H>;
  else if constexpr (std::integral<T>)
    return std::integral<H> && sizeof(H) <= sizeof(T);
  else if constexpr (std::floating_point<T>)
    return std::floating_point<H> && sizeof(H) <= sizeof(T);
  else
    return std::same_as<T, H>;
}

// How a kernel may access memory through a parameter of host type T.
template <class T> constexpr tuning::Access access_of() {
  using tuning::Access;
  if constexpr (!std::is_pointer_v<T>)
    return Access::reads;
  else if constexpr (!std::is_const_v<std::remove_pointer_t<T>>)
    return Access::writes;
  else
    return access_of<std::remove_cv_t<std::remove_pointer_t<T>>>() == Access::reads ? Access::reads
                                                                                    : Access::reaches;
}

using launching::PackedArgument, launching::pack_number, launching::pack_pointer;

template <class H> auto address_of(const H &host) {
  if constexpr (requires { host.data(); })
    return host.data();
  else
    return host.data;
}

template <class P, class H> PackedArgument pack(const H &host) {
  using T = typename parameter_type<P>::host;
  constexpr bool is_dynamic = parameter_type<P>::is_dynamic;
  constexpr ElementType t = element_type<T>;
  if constexpr (std::is_pointer_v<H> || std::same_as<H, std::nullptr_t>)
    return pack_pointer(t, host, is_dynamic);
  else if constexpr (std::is_pointer_v<T>) {
    PackedArgument p = pack_pointer(t, address_of(host), is_dynamic);
    if constexpr (requires { memory_of(host); }) {
      p.memory = memory_of(host);
    } else {
      p.memory = {const_cast<void *>(static_cast<const void *>(host.data())),
                  host.size() * sizeof(*host.data())};
      if constexpr (requires { host.device(); }) {
        p.owner = &host.device();
      } else {
        p.argument.is_host = true;
        p.argument.host_bytes = host.size_bytes();
      }
    }
    return p;
  } else if constexpr (std::integral<T>) {
    T value = static_cast<T>(host);
    PackedArgument p = pack_number(t, bits_of(value), is_dynamic);
    if constexpr (!std::same_as<T, bool>)
      p.fits = (value < T{}) == (host < H{});
    return p;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return pack_number(t, bits_of(static_cast<T>(host)), is_dynamic);
  } else {
    return pack_number(t, bits_of(host), is_dynamic);
  }
}

template <class T> Argument argument_of(T host) {
  if constexpr (std::is_pointer_v<T>)
    return {element_type<T>, reinterpret_cast<std::uintptr_t>(host)};
  else
    return {element_type<T>, bits_of(host)};
}

// The plain launch that `around` gets, with the kernel's types.
template <class... Parameters>
class GoAround final : public PlainLaunch<typename parameter_type<Parameters>::host...> {
 public:
  GoAround(const launching::LaunchWithin &launch, const Grid &grid, std::span<const Argument> given,
           bool is_rehearsal)
      : launch_(launch), grid_(grid), given_(given), is_rehearsal_(is_rehearsal) {}
  void operator()(typename parameter_type<Parameters>::host... host) const override {
    const std::array<Argument, sizeof...(Parameters)> changed{argument_of(host)...};
    launch_(grid_, given_, changed, is_rehearsal_);
  }

 private:
  const launching::LaunchWithin &launch_;
  const Grid &grid_;
  std::span<const Argument> given_;
  bool is_rehearsal_;
};

template <std::size_t Position, class Parameter, class Argument> constexpr bool argument_fits() {
  using Host = typename parameter_type<Parameter>::host;
  constexpr bool fits = accepts<Host, Argument>(), floats = std::is_floating_point_v<Host>,
                 integers = std::is_integral_v<Host> && !same<Host, bool>;
  static_assert(
      fits || !floats,
      "a launch argument does not fit the kernel parameter: see Position, Parameter and Argument; a Float "
      "takes a float, so write 2.0f instead of 2 or 2.0, static_cast<float>(x)");
  static_assert(fits || !integers,
                "a launch argument does not fit the kernel parameter: see Position, Parameter and Argument; "
                "tile::narrow<int>(x) narrows an integer, and checks that nothing is lost");
  static_assert(
      fits || floats || integers,
      "a launch argument does not fit the kernel parameter: see Position, Parameter and Argument; buffers "
      "have the parameter's element type and are const only where it is, a Bool takes a bool, a "
      "Scalar<f16> an f16");
  return fits;
}
template <std::size_t Taken, std::size_t Given> constexpr bool argument_count() {
  static_assert(Taken == Given, "this kernel takes a different number of arguments: see Taken and Given (the "
                                "device comes first, the config is not passed)");
  return Taken == Given;
}

}   // namespace detail

// A kernel is a free function. Its device parameters come first, and one config struct of plain values comes
// last. The object adds functions of the launch arguments. They take the config first (`key` and `work` take
// none), then the arguments in the kernel's own order, and `auto...` for the rest:
//   .grid = [](auto &cfg, auto, auto, auto, int m, int n, auto...) { return Grid{...}; }
// The object is an aggregate, so that it reads as a table. The members hold plain function pointers, so the
// functions can capture nothing.
template <auto Fn> struct Kernel {
  using Signature = detail::signature<decltype(Fn)>;
  using Config = typename Signature::Config;
  using Callbacks = typename Signature::Callbacks;

  const char *name = "kernel";
  detail::ParameterNames<Signature::arguments> parameters = {};   // names for reports and the IR
  typename Callbacks::GridFn grid = nullptr;
  std::vector<Config> configs = {Config{}};   // the tuning space
  // Returns the config with the fields filled in that follow from the arguments, such as a block that is as
  // long as the rows. If several configs are equal afterwards, only the first one is used.
  typename Callbacks::CompleteFn complete = nullptr;
  typename Callbacks::KeyFn key = nullptr;     // launches with equal keys share a tuning result
  typename Callbacks::KeepFn keep = nullptr;   // false: the config is not compiled
  typename Callbacks::WorkFn work = nullptr;   // the work of a launch, for the rates that a tuner shows
  // One of the configs. A tuner believes its result if as many configs give another result.
  std::optional<Config> reference = {};
  // The seconds that a launch is expected to take on a GPU. Where nothing was measured, a launch uses the
  // config with the least cost; a tuner measures it first. Infinity: not worth a try.
  typename Callbacks::CostFn cost = nullptr;
  // What the code of a launch must be like (<tile/requirements.h>). A launch of other code is refused.
  Requirements require = {};
  Tunes tunes = Tunes::at_first_launch;
  int tune_at_most = 0;   // a sweep tries this many configs, those with the least cost; 0: all
  // Called instead of the plain launch, which it makes by launch(arguments...). It can take memory for the
  // duration of the launch (<tile/workspace.h>), and launch other kernels afterwards.
  typename Callbacks::AroundFn around = nullptr;
  // Returns lines of JSON with configs for known devices and keys, for launches where nothing was measured
  // (docs/tuning.md).
  std::string_view (*shipped_tunings)() = nullptr;

  // The same kernel with this one config. The config must be complete: `complete` and `keep` are not called.
  Kernel with(const Config &fixed) const {
    Kernel k = *this;
    k.configs = {fixed};
    k.complete = nullptr;
    k.keep = nullptr;
    k.reference.reset();
    k.tunes = Tunes::at_first_launch;
    return k;
  }

  // Returns the IR of one specialisation. Needs no device.
  KernelIR trace(const Config &config, std::vector<ArgClass> classes = {}, TraceOptions options = {},
                 Loc l = Loc::current()) const {
    return detail::trace(any(), &config, classes, options, l);
  }

  // Compiles one specialisation for a target: stages as text, instructions, registers. Needs no GPU.
  CompiledKernel compile(const Config &config, std::vector<ArgClass> classes = {},
                         std::string_view target = default_target, Loc l = Loc::current()) const {
    return CompiledKernel(trace(config, std::move(classes), {}, l), target);
  }

  template <class... Host> void operator()(OnDevice where, const Host &...host) const {
    if constexpr (detail::argument_count<Signature::arguments, sizeof...(Host)>())
      check_and_launch(any(), nullptr, where, typename Signature::Indices(), host...);
  }

  // Launches with this config, if there is one: with(fixed)(...) without a copy of this object.
  template <class... Host>
  void launch_with(const std::optional<Config> &fixed, OnDevice where, const Host &...host) const {
    detail::AnyKernel kernel = any();
    if (fixed) {
      kernel.configs = &*fixed;
      kernel.config_count = 1;
      kernel.has_keep = false;
      kernel.reference = nullptr;
    }
    if constexpr (detail::argument_count<Signature::arguments, sizeof...(Host)>())
      check_and_launch(kernel, nullptr, where, typename Signature::Indices(), host...);
  }

  // Measures the configs for launches like this one. It does not make this launch, and does not change the
  // caller's memory. Later launches use the results, which are kept in this process and on disk.
  template <class... Host>
  tuning::Sweep tune(OnDevice where, const tuning::Options &options, const Host &...host) const {
    launching::TuneRequest request{options, {}};
    if constexpr (detail::argument_count<Signature::arguments, sizeof...(Host)>())
      check_and_launch(any(), &request, where, typename Signature::Indices(), host...);
    return std::move(request.found);
  }
  template <class... Host> tuning::Sweep tune(OnDevice where, const Host &...host) const {
    return tune(where, tuning::Options(), host...);
  }

  // Loads what packs have of this kernel for the device, and gives the number of entries. With
  // Compile::never, later launches only look up their code (<tile/packs.h>).
  std::size_t prepare(OnDevice on) const { return detail::prepare(any(), on); }

  // This kernel without its C++ types, for launches, tuners and libraries. Refers to this object.
  detail::AnyKernel any() const {
    using Calls = Kernel::Calls<typename Signature::Indices>;
    return {.calls = &Calls::calls,
            .kernel = this,
            .name = name,
            .parameter_names = &parameters.all(),
            .parameters = Calls::parameters,
            .table = &detail::field_table<Config>(),
            .configs = configs.data(),
            .config_count = configs.size(),
            .reference = reference ? &*reference : nullptr,
            .has_grid = static_cast<bool>(grid),
            .has_keep = static_cast<bool>(keep),
            .has_complete = static_cast<bool>(complete),
            .has_cost = static_cast<bool>(cost),
            .around = around ? reinterpret_cast<detail::AroundFunction>(around.function()) : nullptr,
            .require = require,
            .tunes = tunes,
            .tune_at_most = tune_at_most,
            .shipped_tunings = shipped_tunings,
            .cache = cache};
  }

 private:
  template <std::size_t I> using Parameter = typename Signature::template Parameter<I>;
  template <std::size_t I> using HostType = typename Signature::template Host<I>;

  template <std::size_t... I, class... Host>
  static void check_and_launch(const detail::AnyKernel &kernel, launching::TuneRequest *tune, OnDevice where,
                               std::index_sequence<I...>, const Host &...host) {
    constexpr bool fits = (detail::argument_fits<I, Parameter<I>, std::decay_t<Host>>() & ... & true);
    if constexpr (fits) {
      std::array<launching::PackedArgument, sizeof...(I)> packed{
          detail::pack<Parameter<I>, std::decay_t<Host>>(host)...};
      ((packed[I].access = detail::access_of<HostType<I>>()), ...);
      detail::launch(kernel, tune, where, packed);
    }
  }
  static launching::LaunchCache &cache() {
    static launching::LaunchCache &cache = launching::make_launch_cache();
    return cache;
  }

  template <class Indices> struct Calls;
  template <std::size_t... I> struct Calls<std::index_sequence<I...>> {
    static constexpr bool takes_parameters =
        (detail::parameter_type<Parameter<I>>::is_parameter && ... && true);
    static_assert(takes_parameters,
                  "a kernel parameter is a Ptr<T>, an Int, Int64, Bool, Float or another Scalar<T>, or a "
                  "Dynamic of one; the config comes last");
    static constexpr std::array<detail::ParameterSpec, sizeof...(I)> parameters{
        detail::ParameterSpec{element_type<HostType<I>>, detail::parameter_type<Parameter<I>>::is_dynamic,
                              detail::access_of<HostType<I>>()}...};
    using AroundFn = typename Callbacks::AroundFn;
    using Bits = detail::ArgumentBits;

    static const Kernel &of(const void *kernel) { return *static_cast<const Kernel *>(kernel); }
    static const Config &config_of(const void *config) { return *static_cast<const Config *>(config); }

    static bool keeps(const void *kernel, const void *config, [[maybe_unused]] Bits bits) {
      return of(kernel).keep(config_of(config), from_bits<HostType<I>>(bits[I])...);
    }
    static Grid grid(const void *kernel, const void *config, [[maybe_unused]] Bits bits) {
      return of(kernel).grid(config_of(config), from_bits<HostType<I>>(bits[I])...);
    }
    static void complete(const void *kernel, void *config, [[maybe_unused]] Bits bits) {
      auto &given = *static_cast<Config *>(config);
      given = of(kernel).complete(given, from_bits<HostType<I>>(bits[I])...);
    }
    static Key key(const void *kernel, [[maybe_unused]] Bits bits) {
      const auto &key = of(kernel).key;
      return key ? key(from_bits<HostType<I>>(bits[I])...) : Key();
    }
    static Work work(const void *kernel, [[maybe_unused]] Bits bits) {
      const auto &work = of(kernel).work;
      return work ? work(from_bits<HostType<I>>(bits[I])...) : Work();
    }
    static double cost(const void *kernel, const void *config, const Machine &machine,
                       [[maybe_unused]] Bits bits) {
      return of(kernel).cost(config_of(config), machine, from_bits<HostType<I>>(bits[I])...);
    }
    static void go_around(detail::AroundFunction around, const void *config, Device &device,
                          const launching::LaunchWithin &launch, const Grid &grid,
                          std::span<const Argument> arguments, bool is_rehearsal) {
      const detail::GoAround<Parameter<I>...> go(launch, grid, arguments, is_rehearsal);
      reinterpret_cast<typename AroundFn::Function>(around)(config_of(config),
                                                            OnDevice(device, launch.where()), go,
                                                            from_bits<HostType<I>>(arguments[I].bits)...);
    }
    static void record([[maybe_unused]] const detail::Tracing &tracing, const void *config) {
      Fn(Parameter<I>(detail::parameter(tracing, I))..., config_of(config));
    }
    static constexpr detail::KernelCalls calls{keeps, grid, complete, key, work, cost, go_around, record};
  };
};

}   // namespace tile

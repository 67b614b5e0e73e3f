// SPDX-License-Identifier: MIT
// Tracing a kernel: whatever does not depend on its C++ types.
#include "compiler/dsl/any_kernel.h"

#include "compiler/dsl/traced_source.h"
#include "runtime/kernel_names.h"

#include <atomic>

namespace tile::detail {

// ------------------------------------------------------------------------------ tracing

// One open trace per thread; the guard restores the outer one, for a kernel that is traced
// while another is (its values do not mix: traces have numbers).
class Tracing {
 public:
  explicit Tracing(Loc l) : outer_(current_trace_or_null()) {
    static std::atomic<std::uint64_t> traces = 0;   // unique in the process, not in the thread
    trace->id = ++traces;
    trace->loc = l;
    set_current_trace(trace.get());
  }
  ~Tracing() { set_current_trace(outer_); }
  Tracing(const Tracing &) = delete;
  Tracing &operator=(const Tracing &) = delete;

  const std::shared_ptr<Trace> trace = std::make_shared<Trace>();   // the kernel keeps it

 private:
  Trace *outer_;
};

Use parameter(const Tracing &tracing, std::size_t i) { return tracing.trace->parameters[i].use; }

namespace {

void add_parameters(Trace &trace, const AnyKernel &kernel, std::span<const ArgClass> classes, Loc l) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ParameterSpec &spec = kernel.parameters[i];
    ArgClass c = i < classes.size() ? classes[i] : ArgClass::generic;
    std::string name = parameter_name(*kernel.parameter_names, i);
    if (spec.is_dynamic)
      c = ArgClass::generic;
    if (c == ArgClass::one && !spec.type.is_integer())
      throw Error(
          "parameter " + name + " has type " + spec.type.name() + ": only integers are specialised to 1", l);
    if (c != ArgClass::generic && !spec.type.is_integer() && !spec.type.is_pointer())
      throw Error("parameter " + name + " has type " + spec.type.name() +
                      ": only integers and pointers are specialised",
                  l);
    Use use = c == ArgClass::one ? integer_constant(spec.type, 1, l)   // the parameter is folded away
                                 : Use{{trace.value(spec.type, {}), spec.type, {}}, l};
    trace.parameters.push_back({std::move(name), spec.type, static_cast<int>(c), use});
  }
}

void check_classes(const AnyKernel &kernel, std::span<const ArgClass> classes, Loc l) {
  const std::size_t parameters = kernel.parameters.size();
  if (classes.size() > parameters)
    throw Error(std::to_string(classes.size()) + " argument classes are given, the kernel takes " +
                    std::to_string(parameters) + " arguments",
                l);
}

Launch launch_of(const FieldTable &table, const void *config, Loc l) {
  Launch launch;
  if (!table.second_launch.empty())
    throw Error("the config has two members of type Launch, " + table.launch_path + " and " +
                    table.second_launch + ": leave out one of them",
                l);
  if (table.launch >= 0)
    launch = *reinterpret_cast<const Launch *>(static_cast<const char *>(config) + table.launch);
  auto check = [&](bool ok, const char *field, int value, const char *rule) {
    if (!ok)
      throw Error((table.launch_path.empty() ? "launch" : table.launch_path) + "." + std::string(field) +
                      " is " + std::to_string(value) + "; it must be " + rule,
                  l);
  };
  auto is_power_of_two = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
  check(is_power_of_two(launch.num_warps) && launch.num_warps <= 32, "num_warps", launch.num_warps,
        "a power of two from 1 to 32");
  check(launch.num_stages >= 1 && launch.num_stages <= 32, "num_stages", launch.num_stages, "1 to 32");
  check(is_power_of_two(launch.num_ctas) && launch.num_ctas <= 16, "num_ctas", launch.num_ctas,
        "a power of two from 1 to 16: the CTAs of a cluster that share a program's tile");
  check(launch.max_registers == 0 || (launch.max_registers >= 24 && launch.max_registers <= 255),
        "max_registers", launch.max_registers, "24 to 255, or 0 to let the assembler decide");
  return launch;
}

}   // namespace

KernelIR trace(const AnyKernel &kernel, const void *values, std::span<const ArgClass> classes,
               TraceOptions options, Loc l) {
  const std::string name = checked_kernel_name(kernel.name, l);
  std::string config = describe(*kernel.table, values);
  try {
    check_classes(kernel, classes, l);
    Launch launch = launch_of(*kernel.table, values, l);
    Tracing tracing(l);
    Trace &trace = *tracing.trace;
    add_parameters(trace, kernel, classes, l);
    try {
      kernel.calls->record(tracing, values);
    } catch (const Error &) {
      if (trace.left)   // the first mistake: a value that is then used outside of its loop follows from it
        throw std::move(*trace.left);
      throw;
    }
    for (std::optional<Error> *found : {&trace.left, &trace.torn})
      if (*found)
        throw std::move(**found);
    promote(trace);
    if (options.canonical_order)
      order_canonically(trace);
    auto source = std::make_shared<TracedSource>(tracing.trace, name, launch, options.locations);
    std::vector<Parameter> parameters;
    for (const TracedParameter &p : trace.parameters)
      parameters.push_back({p.name, p.type, static_cast<ArgClass>(p.argument_class)});
    return KernelIR(std::move(source), name, std::move(config), std::move(parameters), launch);
  } catch (Error &e) {
    e.add_context(kernel_title(name, config));
    throw;
  }
}

}   // namespace tile::detail

// SPDX-License-Identifier: MIT
#include "compiler/launch_facts.h"

#include "dialects/tile_gpu/dialect.h"
#include "runtime/kernel_names.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tile {
namespace {

constexpr unsigned gridExtents = 3;
constexpr std::int64_t mapAlignment = 64;
constexpr unsigned mostSharedBytes = 227 << 10;   // of any GPU: passes know their own target's limit

LLVM::LLVMFuncOp kernelOf(ModuleOp module) {
  LLVM::LLVMFuncOp function;
  for (auto candidate : module.getOps<LLVM::LLVMFuncOp>())
    if (!candidate.isExternal())
      function = candidate;
  if (!function)
    throw Error("the module has no kernel", {});
  return function;
}

void readThreads(LLVM::LLVMFuncOp function, LoweredKernel &kernel) {
  if (auto extents = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid"))
    kernel.threads = static_cast<unsigned>(extents[0]);
  if (kernel.threads % 32 != 0 || kernel.threads == 0 || kernel.threads > 1024)
    throw Error("kernel " + kernel.name + " has " + std::to_string(kernel.threads) +
                    " threads; it must be a multiple of 32, up to 1024",
                {});
  if (auto extents = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.cluster_dim"))
    for (auto [axis, extent] : llvm::enumerate(extents.asArrayRef()))
      kernel.cluster[axis] = static_cast<unsigned>(extent);
  if (kernel.ctas() == 0 || kernel.ctas() > 16)
    throw Error("kernel " + kernel.name + " has clusters of " + std::to_string(kernel.ctas()) +
                    " CTAs; it must be 1 to 16",
                {});
}

void readSharedMemory(ModuleOp module, LoweredKernel &kernel) {
  if (auto bytes = module->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes"))
    kernel.shared_bytes = static_cast<unsigned>(bytes.getInt());
  if (kernel.shared_bytes > mostSharedBytes)
    throw Error("kernel " + kernel.name + " takes " + std::to_string(kernel.shared_bytes) +
                    " bytes of shared memory; the limit is " + std::to_string(mostSharedBytes),
                {});
}

// Pointers of the LLVM dialect do not say what they point to: bytes.
ElementType typeOf(Type type, const std::string &kernel) {
  if (isa<LLVM::LLVMPointerType>(type))
    return element_type<i8 *>;
  if (type.isF32())
    return element_type<f32>;
  if (type.isF64())
    return element_type<f64>;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 8:
      return element_type<i8>;
    case 16:
      return element_type<i16>;
    case 32:
      return element_type<i32>;
    case 64:
      return element_type<i64>;
    }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  throw Error("kernel " + kernel + " takes a " + text + ", which a launch cannot pass", {});
}

// How many parameters of the function are for tensor maps, extents of the grid and a workspace.
unsigned launchParameters(ModuleOp module) {
  auto maps = module->getAttrOfType<ArrayAttr>(gpu::TensorMapsName);
  return (maps ? static_cast<unsigned>(maps.size()) : 0u) +
         (module->hasAttr(gpu::PersistentName) ? gridExtents : 0u) +
         (module->hasAttr(gpu::WorkspaceName) ? 1u : 0u);
}

std::int64_t alignmentOf(LLVM::LLVMFuncOp function, unsigned parameter) {
  auto alignment = function.getArgAttrOfType<IntegerAttr>(parameter, LLVM::LLVMDialect::getAlignAttrName());
  return alignment ? alignment.getInt() : 1;
}

// One entry of tile_gpu.tensor_maps. Numbers of the function's parameters become positions of arguments.
class TensorReader {
 public:
  TensorReader(DictionaryAttr map, const KernelSignature &kernel) : map_(map), kernel_(kernel) {}

  TensorParameter read() const {
    TensorParameter tensor;
    tensor.element = element();
    tensor.base = argument(number(get<IntegerAttr>("base")));
    tensor.sizes = numbers("sizes");
    tensor.strides = numbers("strides");
    for (std::int32_t extent : get<DenseI32ArrayAttr>("box").asArrayRef())
      tensor.box.push_back(static_cast<std::uint32_t>(extent));
    tensor.swizzle = swizzle();
    tensor.fill = map_.contains("nan") ? TensorFill::nan : TensorFill::zeros;
    tensor.is_written = map_.contains("written");
    tensor.is_anchored = map_.contains("anchored");
    return tensor;
  }

 private:
  [[noreturn]] void refuse(const llvm::Twine &what) const {
    throw Error("kernel " + kernel_.name + " has a tensor map " + what.str(), {});
  }
  template <class T> T get(llvm::StringRef name) const {
    auto value = map_.getAs<T>(name);
    if (!value)
      refuse("without its `" + name + "`, or with one of another type");
    return value;
  }
  std::int64_t number(IntegerAttr attribute) const {
    if (!attribute.getType().isSignlessIntOrIndex() || attribute.getValue().getBitWidth() > 64)
      refuse("with a number that is not a plain integer of up to 64 bits");
    return attribute.getInt();
  }
  TensorElement element() const {
    const llvm::StringRef names[] = {"u8",  "u16",  "i32", "u32", "i64", "u64",
                                     "f16", "bf16", "f32", "f64", "tf32"};   // in the order of TensorElement
    const llvm::StringRef name = get<StringAttr>("element").getValue();
    const auto *found = llvm::find(names, name);
    if (found == std::end(names))
      refuse("of unknown elements `" + name + "`");
    return static_cast<TensorElement>(found - std::begin(names));
  }
  TensorSwizzle swizzle() const {
    switch (const std::int64_t bytes = number(get<IntegerAttr>("swizzle"))) {
    case 0:
      return TensorSwizzle::none;
    case 32:
      return TensorSwizzle::bytes32;
    case 64:
      return TensorSwizzle::bytes64;
    case 128:
      return TensorSwizzle::bytes128;
    default:
      refuse("with a swizzle of " + llvm::Twine(bytes) + " bytes; it must be 0, 32, 64 or 128");
    }
  }
  unsigned argument(std::int64_t parameter) const {
    const auto at = static_cast<std::uint64_t>(parameter);
    const auto *passed =
        at < kernel_.parameters.size() ? std::get_if<PassedArgument>(&kernel_.parameters[at]) : nullptr;
    if (!passed)
      refuse("that depends on parameter " + llvm::Twine(parameter) +
             ", which is not an argument of the launch");
    return passed->argument;
  }
  std::vector<LaunchNumber> numbers(llvm::StringRef name) const {
    std::vector<LaunchNumber> numbers;
    for (Attribute entry : get<ArrayAttr>(name))
      addSteps(numbers.emplace_back(), entry, name);
    return numbers;
  }
  void addSteps(LaunchNumber &to, Attribute entry, llvm::StringRef name) const {
    using Operation = LaunchNumber::Operation;
    auto from = dyn_cast<DictionaryAttr>(entry);
    auto parameter = from ? from.getAs<IntegerAttr>("parameter") : IntegerAttr();
    auto operation = from ? from.getAs<StringAttr>("operation") : StringAttr();
    if (auto constant = dyn_cast<IntegerAttr>(entry)) {
      to.steps.push_back({Operation::constant, number(constant)});
    } else if (parameter) {
      to.steps.push_back({Operation::argument, argument(number(parameter))});
    } else if (operation && from.contains("left") && from.contains("right")) {
      addSteps(to, from.get("left"), name);
      addSteps(to, from.get("right"), name);
      to.steps.push_back({operationOf(operation), 0, from.contains("narrow")});
    } else {
      refuse("with an entry of `" + name + "` that is no number, {parameter = n} or operation");
    }
  }
  LaunchNumber::Operation operationOf(StringAttr name) const {
    const llvm::StringRef names[] = {"add",         "subtract", "multiply", "divide",
                                     "ceil_divide", "minimum",  "maximum"};   // in the order of Operation
    const auto *found = llvm::find(names, name.getValue());
    if (found == std::end(names))
      refuse("with an unknown operation `" + name.getValue() + "`");
    return static_cast<LaunchNumber::Operation>(static_cast<int>(LaunchNumber::Operation::add) +
                                                (found - std::begin(names)));
  }

  DictionaryAttr map_;
  const KernelSignature &kernel_;
};

}   // namespace

Location placeOf(mlir::Location loc) {
  Location place;
  loc->walk([&](mlir::Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return WalkResult::interrupt();
  });
  return place;
}

std::vector<LaunchArgument> launchArguments(ModuleOp module) {
  LLVM::LLVMFuncOp function = kernelOf(module);
  std::vector<LaunchArgument> arguments;
  const unsigned given =
      function.getNumArguments() - std::min(launchParameters(module), function.getNumArguments());
  for (Type type : function.getArgumentTypes().take_front(given))
    arguments.push_back({parameter_name({}, arguments.size()), typeOf(type, function.getName().str())});
  return arguments;
}

void takeLaunchParameters(ModuleOp module, KernelSignature &kernel) {
  LLVM::LLVMFuncOp function = kernelOf(module);
  const std::size_t wanted = kernel.parameters.size() + launchParameters(module);
  if (function.getNumArguments() != wanted)
    throw Error("kernel " + kernel.name + " takes " + std::to_string(function.getNumArguments()) +
                    " parameters, but its launch passes " + std::to_string(wanted) +
                    ": arguments, then tensor maps, then three extents of the grid if it is persistent, then "
                    "its workspace if it has one",
                {});
  const auto check = [&](bool holds, const char *what) {
    if (!holds)
      throw Error("kernel " + kernel.name + ": parameter " + std::to_string(kernel.parameters.size()) +
                      " is not a " + what,
                  {});
  };
  const auto next = [&] { return static_cast<unsigned>(kernel.parameters.size()); };
  if (auto maps = module->getAttrOfType<ArrayAttr>(gpu::TensorMapsName))
    for (Attribute entry : maps) {
      auto map = dyn_cast<DictionaryAttr>(entry);
      check(map && isa<LLVM::LLVMPointerType>(function.getArgumentTypes()[next()]) &&
                function.getArgAttr(next(), LLVM::LLVMDialect::getByValAttrName()) &&
                alignmentOf(function, next()) >= mapAlignment &&
                function.getArgAttr(next(), NVVM::NVVMDialect::getGridConstantAttrName()),
            "tensor map: a pointer with llvm.byval, llvm.align of 64 and nvvm.grid_constant");
      kernel.parameters.emplace_back(TensorReader(map, kernel).read());
    }
  kernel.persistent = module->hasAttr(gpu::PersistentName);
  for (unsigned axis = 0; kernel.persistent && axis < gridExtents; ++axis) {
    check(function.getArgumentTypes()[next()].isInteger(32), "grid extent: an i32");
    kernel.parameters.emplace_back(GridExtent{axis});
  }
  if (auto bytes = module->getAttrOfType<IntegerAttr>(gpu::WorkspaceName)) {
    check(isa<LLVM::LLVMPointerType>(function.getArgumentTypes()[next()]), "workspace: a pointer");
    kernel.parameters.emplace_back(WorkspaceParameter{static_cast<std::uint32_t>(bytes.getInt())});
  }
  if (const std::string rule = kernel.broken_rule(); !rule.empty())
    throw Error("kernel " + kernel.name + ": " + rule, {});
}

LoweredKernel launchFacts(ModuleOp module) {
  LLVM::LLVMFuncOp function = kernelOf(module);
  LoweredKernel kernel;
  kernel.name = kernel.symbol = function.getName().str();
  readThreads(function, kernel);
  readSharedMemory(module, kernel);
  kernel.starts_early = module->hasAttr(gpu::StartsEarlyName);
  if (auto unit = module->getAttrOfType<StringAttr>(gpu::UnitName)) {
    const std::optional<ProductUnit> known = product_unit_named(unit.getValue());
    if (!known)
      throw Error("kernel " + kernel.name + " has products by `" + unit.getValue().str() +
                      "`; known are wgmma, mma.sync and threads",
                  {});
    kernel.unit = *known;
  }
  if (auto roles = module->getAttrOfType<IntegerAttr>(gpu::RolesName))
    kernel.roles = static_cast<unsigned>(roles.getInt());
  if (auto faults = module->getAttrOfType<ArrayAttr>("tile_gpu.faults"))
    for (auto fault : faults.getAsRange<DictionaryAttr>())
      kernel.checks.push_back({fault.getAs<StringAttr>("message").str(),
                               placeOf(fault.getAs<LocationAttr>("where")),
                               fault.getAs<DenseI64ArrayAttr>("shape").asArrayRef().vec()});
  if (auto formats = module->getAttrOfType<ArrayAttr>("tile_gpu.formats"))
    for (auto format : formats.getAsRange<StringAttr>())
      kernel.formats.push_back(format.str());
  return kernel;
}

StampedKernel stampFacts(ModuleOp module) {
  auto stamps = module->getAttrOfType<DictionaryAttr>("tile_gpu.stamps");
  if (!stamps)
    throw Error("the module has no stamps, which tile-gpu-stamp-clock writes", {})
        .with_code(ErrorCode::internal);
  StampedKernel kernel;
  kernel.list_bytes = static_cast<std::uint32_t>(stamps.getAs<IntegerAttr>("list_bytes").getInt());
  kernel.most_ctas = static_cast<std::uint32_t>(stamps.getAs<IntegerAttr>("ctas").getInt());
  for (auto site : stamps.getAs<ArrayAttr>("sites").getAsRange<ArrayAttr>()) {
    const StringRef name = cast<StringAttr>(site[0]).getValue();
    const std::optional<StampKind> kind = stamp_kind_named(name);
    if (!kind)
      throw Error("there are no stamps of `" + name.str() + "`", {}).with_code(ErrorCode::internal);
    kernel.sites.push_back({*kind, placeOf(cast<LocationAttr>(site[1])),
                            static_cast<unsigned>(cast<IntegerAttr>(site[2]).getInt())});
  }
  return kernel;
}

}   // namespace tile

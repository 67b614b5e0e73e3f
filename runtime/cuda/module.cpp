// SPDX-License-Identifier: MIT
#include "runtime/cuda/module.h"

#include "runtime/assembler.h"

#include <algorithm>
#include <string>

namespace tile::cuda {
namespace {

// CUjit_option, CUDA driver API.
enum JitOption {
  InfoLog = 3,
  InfoLogBytes = 4,
  ErrorLog = 5,
  ErrorLogBytes = 6,
  Verbose = 12,
  LineInfo = 13
};
// CUfunction_attribute.
enum FunctionAttribute {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedBytes = 8,
  NonPortableClusters = 14
};
constexpr unsigned mostPortableCtas = 8;

// What a log's buffer holds.
std::string written(const std::string &buffer) { return buffer.substr(0, buffer.find('\0')); }

}   // namespace

LoadedKernel::LoadedKernel(std::shared_ptr<const PrimaryContext> context, LoweredKernel &kernel)
    : context_(std::move(context)), name_(kernel.symbol),
      sharedBytes_(static_cast<int>(kernel.shared_bytes)) {
  const Driver &driver = Driver::get();
  Current current(*context_);
  try {
    kernel.kind == LoweredKernel::Code::ptx ? assemble(kernel) : loadMachineCode(kernel);
    auto attribute = [&](int which, int &value) {
      check(driver.funcGetAttribute(&value, which, function_), "query the resources of " + name_);
    };
    attribute(NumRegs, resources_.registers);
    attribute(LocalSizeBytes, resources_.localBytes);
    attribute(SharedSizeBytes, resources_.staticSharedBytes);
    attribute(MaxThreadsPerBlock, resources_.maxThreads);
    if (sharedBytes_ > 0)
      check(driver.funcSetAttribute(function_, MaxDynamicSharedBytes, sharedBytes_),
            "reserve " + std::to_string(sharedBytes_) + " bytes of shared memory for " + name_);
    if (kernel.ctas() > mostPortableCtas)
      check(driver.funcSetAttribute(function_, NonPortableClusters, 1),
            "allow clusters of " + std::to_string(kernel.ctas()) + " CTAs for " + name_);
  } catch (...) {
    unload();
    throw;
  }
}

void LoadedKernel::loadMachineCode(const LoweredKernel &kernel) {
  const Driver &driver = Driver::get();
  try {
    check(driver.moduleLoadData(&module_, kernel.code.data()), "load the machine code of " + name_);
  } catch (Error &error) {
    error.add_help("if a ptxas newer than the driver made it, assemble the PTX again with "
                   "TILE_PTXAS=driver");
    throw;
  }
  check(driver.moduleGetFunction(&function_, module_, name_.c_str()),
        "find " + name_ + " in its machine code");
}

// A library assembles whole kernels, as ptxas does, and several at once, which modules do not.
void LoadedKernel::assemble(LoweredKernel &kernel) {
  const Driver &driver = Driver::get();
  std::string info(64 << 10, '\0'), errors(16 << 10, '\0');   // what does not fit is cut off, silently
  auto size = [](std::size_t n) { return reinterpret_cast<void *>(static_cast<std::uintptr_t>(n)); };
  int options[] = {InfoLog, InfoLogBytes, ErrorLog, ErrorLogBytes, Verbose, LineInfo};
  void *values[] = {info.data(), size(info.size()), errors.data(), size(errors.size()), size(1), size(1)};
  const std::string text(kernel.text());   // the driver reads up to the zero behind it
  Result result = driver.libraryLoadData(&library_, text.c_str(), options, values, std::size(options),
                                         nullptr, nullptr, 0);
  // It may assemble only when it is asked for something of it.
  LibraryKernel found = nullptr;
  if (result == Result::Success)
    result = driver.libraryGetKernel(&found, library_, name_.c_str());
  if (result == Result::Success)
    result = driver.kernelGetFunction(&function_, found);
  if (result == Result::Success)
    result = driver.libraryGetModule(&module_, library_);
  // What does not assemble may be called a success.
  if (const std::string log = written(errors); result != Result::Success || !log.empty())
    throw refusal("the driver's assembler", name_, kernel.text(), log.empty() ? describe(result) : log);
  std::string log = written(info);
  if (log.empty())
    log = "the driver took " + name_ +
          " from its cache and reports nothing about it; with "
          "CUDA_CACHE_DISABLE=1 it assembles again and reports\n";
  take_log(kernel, std::move(log));
}

Address LoadedKernel::variable(const char *name) const {
  Current current(*context_);
  Address address = 0;
  std::size_t bytes = 0;
  check(Driver::get().moduleGetGlobal(&address, &bytes, module_, name),
        std::string("find the variable ") + name + " of " + name_);
  return address;
}

std::int64_t LoadedKernel::residentCtas(unsigned threads, const std::array<unsigned, 3> &cluster,
                                        int multiprocessors) const {
  const Driver &driver = Driver::get();
  Current current(*context_);
  const unsigned ctas = cluster[0] * cluster[1] * cluster[2];
  const std::string asked = "ask how many CTAs of " + name_ + " run at once";
  int count = 0;
  if (ctas == 1) {
    check(driver.occupancyMaxActiveBlocks(&count, function_, static_cast<int>(threads),
                                          static_cast<std::size_t>(sharedBytes_)),
          asked);
    return std::int64_t{count} * multiprocessors;
  }
  LaunchAttribute attribute{.id = LaunchAttribute::clusterDimension};
  LaunchConfig config{.block = {threads, 1, 1},
                      .sharedBytes = static_cast<unsigned>(sharedBytes_),
                      .attributes = &attribute,
                      .attributeCount = 1};
  std::copy(cluster.begin(), cluster.end(), attribute.value);
  std::copy(cluster.begin(), cluster.end(), config.grid);
  check(driver.occupancyMaxActiveClusters(&count, function_, &config), asked);
  return std::int64_t{count} * ctas;
}

LoadedKernel::~LoadedKernel() {
  const Driver &driver = Driver::get();
  Context before = nullptr;
  driver.ctxGetCurrent(&before);   // no exception may leave here: failures mean the context is gone
  if (driver.ctxSetCurrent(context_->handle()) == Result::Success)
    unload();
  driver.ctxSetCurrent(before);
}

void LoadedKernel::unload() const {
  if (library_)
    Driver::get().libraryUnload(library_);
  else if (module_)
    Driver::get().moduleUnload(module_);
}

}   // namespace tile::cuda

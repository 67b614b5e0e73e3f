// SPDX-License-Identifier: MIT
#include "runtime/cuda/module.h"

#include "runtime/assembler_log.h"

#include <algorithm>
#include <cstdlib>

namespace tile::cuda {
namespace {

// CUjit_option and CUjitInputType, CUDA driver API.
enum JitOption {
  InfoLog = 3,
  InfoLogBytes = 4,
  ErrorLog = 5,
  ErrorLogBytes = 6,
  Verbose = 12,
  LineInfo = 13
};
constexpr int InputPtx = 1;
// CUfunction_attribute.
enum FunctionAttribute {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedBytes = 8
};

// The line of the PTX that "..., line 17; error ..." speaks of.
std::string quotedLine(std::string_view ptx, const std::string &log) {
  std::size_t at = log.find("line ");
  if (at == std::string::npos)
    return {};
  unsigned long number = std::strtoul(log.c_str() + at + 5, nullptr, 10);
  for (unsigned long line = 1; line < number; ++line) {
    std::size_t end = ptx.find('\n');
    if (end == std::string_view::npos)
      return {};
    ptx.remove_prefix(end + 1);
  }
  return number ? "PTX line " + std::to_string(number) + ": " + std::string(ptx.substr(0, ptx.find('\n')))
                : "";
}

}   // namespace

LoweredKernel assembled(const PrimaryContext &context, LoweredKernel kernel) {
  const Driver &driver = Driver::get();
  Current current(context);
  std::string info(16 << 10, '\0'), errors(16 << 10, '\0');
  auto size = [](std::size_t n) { return reinterpret_cast<void *>(static_cast<std::uintptr_t>(n)); };
  int options[] = {InfoLog, InfoLogBytes, ErrorLog, ErrorLogBytes, Verbose, LineInfo};
  void *values[] = {info.data(), size(info.size()), errors.data(), size(errors.size()), size(1), size(1)};
  LinkState state = nullptr;
  check(driver.linkCreate(std::size(options), options, values, &state), "start the driver's assembler");
  struct Destroy {
    const Driver &driver;
    LinkState state;
    ~Destroy() { driver.linkDestroy(state); }
  } destroy{driver, state};

  std::string text(kernel.text());   // the driver reads up to the zero behind it
  const std::string &name = kernel.symbol;
  Result result =
      driver.linkAddData(state, InputPtx, text.data(), text.size() + 1, name.c_str(), 0, nullptr, nullptr);
  void *image = nullptr;
  std::size_t bytes = 0;
  if (result == Result::Success)
    result = driver.linkComplete(state, &image, &bytes);
  if (result != Result::Success) {
    std::string log = errors.c_str();
    Error error("the driver's assembler refuses the code of " + name + ": " +
                    (log.empty() ? describe(result) : log.substr(0, log.find('\n'))),
                {});
    if (std::string line = quotedLine(text, log); !line.empty())
      error.add_context(line);
    throw error;
  }
  const auto *begin = static_cast<const std::byte *>(image);
  kernel.code.assign(begin, begin + bytes);
  kernel.kind = LoweredKernel::Code::cubin;
  kernel.assembler_log = info.c_str();
  kernel.registers = registers_used(kernel.assembler_log).value_or(-1);
  kernel.spill_bytes = spill_bytes(kernel.assembler_log).value_or(-1);
  return kernel;
}

LoadedKernel::LoadedKernel(std::shared_ptr<const PrimaryContext> context, const void *image, std::string name,
                           int sharedBytes)
    : context_(std::move(context)), name_(std::move(name)), sharedBytes_(sharedBytes) {
  const Driver &driver = Driver::get();
  Current current(*context_);
  check(driver.moduleLoadData(&module_, image), "load the machine code of " + name_);
  try {
    check(driver.moduleGetFunction(&function_, module_, name_.c_str()),
          "find " + name_ + " in its machine code");
    auto attribute = [&](int which, int &value) {
      check(driver.funcGetAttribute(&value, which, function_), "ask what " + name_ + " needs");
    };
    attribute(NumRegs, resources_.registers);
    attribute(LocalSizeBytes, resources_.localBytes);
    attribute(SharedSizeBytes, resources_.staticSharedBytes);
    attribute(MaxThreadsPerBlock, resources_.maxThreads);
    if (sharedBytes_ > 0)
      check(driver.funcSetAttribute(function_, MaxDynamicSharedBytes, sharedBytes_),
            "reserve " + std::to_string(sharedBytes_) + " bytes of shared memory for " + name_);
  } catch (...) {
    driver.moduleUnload(module_);
    throw;
  }
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
    driver.moduleUnload(module_);
  driver.ctxSetCurrent(before);
}

}   // namespace tile::cuda

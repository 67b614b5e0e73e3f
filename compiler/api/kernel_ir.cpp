// SPDX-License-Identifier: MIT
#include "compiler/api/kernel_ir.h"

#include "compiler/api/compiler.h"
#include "compiler/api/kernel_source.h"

namespace tile {

KernelIR::KernelIR(std::shared_ptr<const Source> source, std::string name, std::string config,
                   std::vector<Parameter> parameters, Launch launch)
    : source_(std::move(source)), name_(std::move(name)), config_(std::move(config)),
      parameters_(std::move(parameters)), launch_(launch) {}

std::string KernelIR::fingerprint() const { return source_->fingerprint(); }

std::string KernelIR::computation() const { return source_->computation(); }

std::string KernelIR::text(TextOptions options) const { return compiler().text(*this, options); }

KernelIR read_kernel_ir(std::string text, std::string name, std::string config,
                        std::vector<Parameter> parameters, const Launch &launch,
                        std::optional<TraceIdentity> traced) {
  auto source = std::make_shared<TextSource>(std::move(text), name, std::move(traced));
  KernelIR kernel(std::move(source), std::move(name), std::move(config), std::move(parameters), launch);
  compiler().check(kernel);
  return kernel;
}

KernelIR read_kernel_ir(const std::string &text, const std::string &file) {
  return compiler().read(text, file);
}

}   // namespace tile

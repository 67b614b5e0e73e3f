// SPDX-License-Identifier: MIT
// A finished trace, as what a kernel's module is made of.
#pragma once

#include "compiler/api/kernel_source.h"
#include "compiler/dsl/trace.h"

#include <memory>
#include <string>

namespace tile::detail {

class TracedSource final : public KernelIR::Source {
 public:
  // The trace has been promoted. `locations`: the module names places.
  TracedSource(std::shared_ptr<const Trace> trace, std::string name, const Launch &launch, bool locations)
      : trace_(std::move(trace)), name_(std::move(name)), launch_(launch), locations_(locations) {}

  std::string fingerprint() const override;
  std::string computation() const override;
  const Trace &trace() const { return *trace_; }
  const std::string &name() const { return name_; }
  const Launch &launch() const { return launch_; }
  bool locations() const { return locations_; }

 private:
  std::shared_ptr<const Trace> trace_;
  std::string name_;
  Launch launch_;
  bool locations_;
};

}   // namespace tile::detail

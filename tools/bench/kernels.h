// SPDX-License-Identifier: MIT
// Our kernels as providers.
#pragma once

#include "runtime/tuning/tuning.h"
#include "tools/bench/provider.h"

#include <memory>
#include <string>
#include <vector>

namespace tile::bench {

// Which configs of a kernel are measured.
struct ConfigChoice {
  enum class Kind : std::uint8_t {
    tuned,     // what a program gets that has the kernel tuned for the sizes
    untuned,   // what a program gets that never tunes
    all,       // each of the kernel's list
    given,
  };
  Kind kind = Kind::tuned;
  std::string config;   // given: as `tile run --config` takes it
};

// The kernel's default config, all fields by their names: without any, a launch takes what is known or
// expected to be fast.
std::string spelled_out(const registry::Entry &kernel, const registry::Settings &settings);
// A kernel with a config, as `tile run --config` takes it; empty: its default one.
Candidate with_config(const Job &job, const std::string &config);
// What the tuner calls "block_m=128 block_k=32 launch.num_warps=4 ..." by the fields in which it differs from
// the kernel's default.
std::string as_option(const Job &job, std::string described);
// The sweeps of a launch, whatever is known already: one for each of its kernels that has configs to choose
// from.
std::vector<tuning::Sweep> tuned_anew(const Job &job, tuning::Options options = {});

std::unique_ptr<Provider> make_kernels(const ConfigChoice &choice);

}   // namespace tile::bench

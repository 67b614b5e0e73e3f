// SPDX-License-Identifier: MIT
// A run of a bench on the device whose clock is a number, beside the stub libraries.
#pragma once

#include "test/unit/bench/clocked_device.h"
#include "test/unit/bench/stub.h"
#include "test/unit/runtime/scratch_folder.h"
#include "tools/bench/run.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace tile::bench {

class BenchRun : public ::testing::Test {
 protected:
  BenchRun() {
    environment.set("TILE_LIBRARY_PATH", STUBS "/right");
    for (tile::testing::Stub *stub : {&cublas, &cublaslt, &cudnn}) {
      *stub = {};
      stub->clock = &device.now;
      stub->computes = &device.runs;
    }
  }
  static tile::testing::Stub &control(const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return *reinterpret_cast<tile::testing::StubControl *>(dlsym(handle, "tile_stub"))();
  }

  using Values = std::initializer_list<std::pair<const char *, const char *>>;
  void want(const char *kernel, Values values) {
    const registry::Entry &entry = registry::entry(kernel);
    request.wanted.push_back({&entry, registry::Settings(entry.parameters)});
    for (const auto &[name, value] : values)
      request.wanted.back().settings.set(name, value);
  }
  // A small product with one config, so that nothing needs to be tuned.
  void want_gemm(Values more = {}) {
    request.config = {ConfigChoice::Kind::given, "block_m=32,block_n=32,block_k=32"};
    want("gemm", {{"m", "40"}, {"n", "48"}, {"k", "24"}});
    for (const auto &[name, value] : more)
      request.wanted.back().settings.set(name, value);
  }
  Report run() {
    request.rounds = 5;
    return measure(device, request);
  }
  static const Row *row(const Case &at, const std::string &provider) {
    for (const Row &row : at.rows)
      if (row.provider == provider)
        return &row;
    return nullptr;
  }

  tile::testing::EnvironmentGuard environment;
  tile::testing::ClockedDevice device;
  tile::testing::Stub &cublas = control(STUBS "/right/libcublas.so");
  tile::testing::Stub &cublaslt = control(STUBS "/right/libcublasLt.so");
  tile::testing::Stub &cudnn = control(STUBS "/right/libcudnn.so");
  Request request;
};

}   // namespace tile::bench

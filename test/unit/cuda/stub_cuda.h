// SPDX-License-Identifier: MIT
// What the stub of NVIDIA's driver answers, and what it was asked. The test finds it as `stub_cuda`.
#pragma once

#include "runtime/cuda/driver.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tile::cuda {

struct StubCuda {
  // ---- answers
  std::string info, error;           // of its assembler
  bool isLazy = false;               // it assembles when it is asked for a function
  Result loaded = Result::Success;   // code
  int blocks = 2, clusters = 66;
  std::vector<std::size_t> parameterBytes;   // of the kernel that is launched
  Result encoded = Result::Success;
  bool hangs = false;   // no event comes any more
  int gpus = 1;
  Result retained = Result::Success;   // a context

  bool othersRecord = false;   // another thread records a stream in the global mode

  std::array<std::uint64_t, 64> variable{};   // of every module, whatever its name
  std::function<void()> runs;                 // what a launched kernel does; none: nothing

  bool isSilent = false;   // of launches and maps it only counts how many there are

  // ---- questions
  int silentLaunches = 0, silentMaps = 0;
  std::vector<std::string> broken;   // calls that broke what another thread records
  struct Launch {
    std::array<unsigned, 3> grid, block;
    unsigned sharedBytes;
    std::vector<std::vector<std::byte>> parameters{};
    std::vector<std::uintptr_t> places{};   // where they were
    std::vector<std::pair<int, unsigned>> attributes{};
  };
  std::vector<Launch> launches;
  std::vector<int> contexts;   // the GPUs that contexts were made on
  int destroyedStreams = 0;
  struct Map {
    int type, swizzle, promotion, fill;
    std::uint64_t address;
    std::vector<std::uint64_t> sizes, strides;
    std::vector<std::uint32_t> box;
    bool operator==(const Map &) const = default;
  };
  std::vector<Map> maps;
  int askedBlocks = 0;
  struct Clusters {
    std::array<unsigned, 3> block, extents;
    unsigned sharedBytes;
  };
  std::vector<Clusters> askedClusters;
  std::vector<std::array<int, 2>> attributes;   // that were set, with their values
  std::string assembled;                        // the PTX
  int modules = 0, libraries = 0;               // that are loaded
  struct Lease {
    Address address;
    std::size_t bytes;
    Stream stream;
    std::size_t launches;   // before it was taken
    std::optional<std::size_t> ended;
  };
  std::vector<Lease> leases;   // of memory in the order of a stream
  int pools = 0;
  std::uint64_t kept = 0;   // bytes that a pool does not give back
};

}   // namespace tile::cuda

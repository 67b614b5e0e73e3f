// SPDX-License-Identifier: MIT
// GPUs by their numbers, where the process sees several; and what is said of numbers that none has.
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/device.h>
#include <tile/devices.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile {
namespace {

using cuda::stub;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NumberedGpus : public ::testing::Test {
 protected:
  NumberedGpus() {
    stub() = {};
    stub().gpus = 3;
    guard.set("TILE_DEVICE", nullptr);
  }
  // The GPU that is opened by this name, or what is said.
  static std::string opened(const char *name) {
    stub().contexts.clear();
    try {
      const std::unique_ptr<Device> device = open_device(name);
      return stub().contexts.empty() ? std::string(device->kind()) : std::to_string(stub().contexts.at(0));
    } catch (const Error &error) {
      return error.what();
    }
  }
  testing::EnvironmentGuard guard;
};

TEST_F(NumberedGpus, AreOpenedByNumber) {
  EXPECT_EQ(opened("cuda"), "0");
  EXPECT_EQ(opened("cuda:0"), "0");
  EXPECT_EQ(opened("cuda:1"), "1");
  EXPECT_EQ(opened("cuda:2"), "2");
  EXPECT_EQ(opened("auto"), "0");
  EXPECT_EQ(opened("simulator"), "simulator");
  guard.set("TILE_DEVICE", "cuda:1");
  EXPECT_EQ(opened("auto"), "1");
  EXPECT_EQ(opened("cuda"), "0");
  EXPECT_EQ(named_device("auto").ordinal, 1);
  guard.set("TILE_DEVICE", "interpreter");
  EXPECT_EQ(opened("auto"), "interpreter");
}

TEST_F(NumberedGpus, ThatThereAreNotAreNamed) {
  EXPECT_EQ(opened("cuda:3"),
            "error: there is no device `cuda:3`: this process sees 3 GPUs, cuda:0 to cuda:2");
  EXPECT_EQ(opened("cuda:99"),
            "error: there is no device `cuda:99`: this process sees 3 GPUs, cuda:0 to cuda:2");
  for (const std::string name :
       {"cuda:x", "cuda:-1", "cuda:", "cuda:1x", "cuda:1:2", "cuda:99999999999", "cuda: 1"})
    EXPECT_EQ(opened(name.c_str()),
              "error: there is no device `" + name +
                  "`: after `cuda:` write the number of a GPU, counted from 0; this process sees 3 "
                  "GPUs, cuda:0 to cuda:2");
  EXPECT_EQ(opened("simulator:3"),
            "error: there is no device `simulator:3`: only GPUs have numbers\n"
            "  = help: write `simulator`; or `cuda:0`, `cuda:1` and so on for a certain GPU");
  EXPECT_THAT(opened("interpreter:0"), HasSubstr("only GPUs have numbers"));
  EXPECT_THAT(opened("abacus:1"),
              AllOf(HasSubstr("there is no device `abacus:1`; there are: auto, cuda, interpreter, "
                              "simulator; and cuda:1, the second GPU, and so on")));
  stub().gpus = 1;
  EXPECT_THAT(opened("cuda:1"), HasSubstr("this process sees one GPU, cuda:0"));
  guard.set("TILE_DEVICE", "cuda:4");
  EXPECT_EQ(opened("auto"), "error: there is no device `cuda:4`: this process sees one GPU, cuda:0\n"
                            "  = TILE_DEVICE=cuda:4 names it");
}

}   // namespace
}   // namespace tile

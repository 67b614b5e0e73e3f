// SPDX-License-Identifier: MIT
// Tensors in DLPack's wrapping, which has a version and flags.
#include "exported_functions.h"

namespace tile {
namespace {

using testing::HasSubstr;

// As DLPack lays it out.
struct Managed {
  std::uint32_t major = 1, minor = 1;
  void *context = nullptr;
  void (*deleter)(Managed *) = nullptr;
  std::uint64_t flags = 0;
  tile_tensor tensor{};
};
constexpr std::uint64_t read_only = 1, copied = 2;

TEST(ManagedTensors, GiveTheirTensor) {
  const Managed managed;
  const tile_tensor *tensor = nullptr;
  ASSERT_EQ(tile_tensor_of_dlpack(&managed, true, &tensor), TILE_OK) << tile_error_text();
  EXPECT_EQ(tensor, &managed.tensor);
}

TEST(ManagedTensors, OfLaterMinorVersionsAreTaken) {
  const Managed managed{.minor = 99, .flags = copied};
  const tile_tensor *tensor = nullptr;
  EXPECT_EQ(tile_tensor_of_dlpack(&managed, true, &tensor), TILE_OK) << tile_error_text();
}

TEST(ManagedTensors, OfOtherMajorVersionsAreRefused) {
  const tile_tensor *tensor = nullptr;
  for (const std::uint32_t major : {0U, 2U, ~0U}) {
    const Managed managed{.major = major};
    EXPECT_EQ(tile_tensor_of_dlpack(&managed, false, &tensor), TILE_UNSUPPORTED);
    EXPECT_THAT(tile_error_text(), HasSubstr("version 1 is supported"));
    EXPECT_EQ(tensor, nullptr);
  }
}

TEST(ManagedTensors, ThatAreReadOnlyAreNotWritten) {
  const Managed managed{.flags = read_only};
  const tile_tensor *tensor = nullptr;
  EXPECT_EQ(tile_tensor_of_dlpack(&managed, true, &tensor), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("the tensor is read-only"));
  EXPECT_EQ(tile_tensor_of_dlpack(&managed, false, &tensor), TILE_OK) << tile_error_text();
  EXPECT_EQ(tile_tensor_of_dlpack(nullptr, false, &tensor), TILE_INVALID_ARGUMENT);
}

}   // namespace
}   // namespace tile

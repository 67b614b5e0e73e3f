// SPDX-License-Identifier: MIT
// Packs as bytes: what was written comes back, and whatever else the bytes are, reading ends with an error.
#include "runtime/pack/pack.h"
#include "test/unit/runtime/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace tile {
namespace {

using ::testing::HasSubstr;

LoweredKernel lowered(const std::string &name, const std::string &target, const std::string &code) {
  LoweredKernel kernel;
  kernel.name = kernel.symbol = name;
  kernel.config = "block=64";
  kernel.target = target;
  kernel.set_text(code);
  return kernel;
}
PackedIdentity identity(const std::string &name, std::vector<ArgClass> classes = {ArgClass::generic}) {
  return {.kernel = name, .config = "block=64", .computation = name + "'s", .classes = std::move(classes)};
}
Pack two_kernels() {
  Pack pack;
  pack.set_maker("a compiler");
  EXPECT_TRUE(pack.add(identity("scale"), lowered("scale", "sm_80", "scales")));
  EXPECT_TRUE(pack.add(identity("add", {ArgClass::one, ArgClass::divisible_by_16}),
                       lowered("add", "sm_90a", "adds")));
  pack.add_tunings("{\"kernel\": \"scale\"}\n");
  return pack;
}

std::string refusal(std::span<const std::byte> bytes) {
  try {
    const Pack pack = Pack::of_bytes(bytes, "some");
    for (const Pack::Entry &entry : pack.entries())
      static_cast<void>(pack.kernel(entry));
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    return error.what();
  }
  return "";
}

TEST(Packs, ComeBackAsTheyWere) {
  const testing::ScratchFolder scratch;
  const std::string path = (scratch.path() / "some.tilepack").string();
  const Pack written = two_kernels();
  written.write(path);
  const Pack read = Pack::read(path);
  EXPECT_EQ(read.name(), path);
  EXPECT_EQ(read.maker(), "a compiler");
  EXPECT_EQ(read.tunings(), "{\"kernel\": \"scale\"}\n");
  ASSERT_EQ(read.entries().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(read.entries()[i].replaces(written.entries()[i]));
    EXPECT_EQ(read.kernel(read.entries()[i]), written.kernel(written.entries()[i]));
  }
  EXPECT_EQ(read.kernel(read.entries()[1]).text(), "adds");
}

TEST(Packs, HoldEachEntryOnce) {
  const std::vector<std::byte> bytes = two_kernels().serialise();
  Pack pack = Pack::of_bytes(bytes, "some");
  EXPECT_FALSE(pack.add(identity("scale"), lowered("scale", "sm_80", "scales otherwise")));
  EXPECT_TRUE(pack.add(identity("scale"), lowered("scale", "sm_90", "scales")));
  EXPECT_TRUE(pack.add(identity("scale", {ArgClass::one}), lowered("scale", "sm_80", "scales by 1")));
  ASSERT_EQ(pack.entries().size(), 4u);
  EXPECT_EQ(pack.kernel(pack.entries()[0]).text(), "scales");
  EXPECT_EQ(pack.kernel(pack.entries()[3]).text(), "scales by 1");
  pack.add_tunings("{\"kernel\": \"scale\"}\n{\"kernel\": \"add\"}\n");
  EXPECT_EQ(pack.tunings(), "{\"kernel\": \"scale\"}\n{\"kernel\": \"add\"}\n");
}

TEST(Packs, ThatAreCutOffAreRefused) {
  const std::vector<std::byte> bytes = two_kernels().serialise();
  EXPECT_EQ(refusal(bytes), "");
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(refusal(std::span(bytes).first(length)), HasSubstr("the pack some cannot be used")) << length;
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_THAT(refusal(longer), HasSubstr("its kernels end at byte"));
}

TEST(Packs, WithChangedBytesAreRefused) {
  const std::vector<std::byte> bytes = two_kernels().serialise();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::vector<std::byte> changed = bytes;
      changed[i] ^= std::byte(1 << bit);
      EXPECT_NE(refusal(changed), "") << i;
    }
}

TEST(Packs, MadeOfMutatedBytesEndInErrors) {
  const std::vector<std::byte> bytes = two_kernels().serialise();
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> changed = bytes;
    for (std::size_t n = 1 + below(4); n > 0; --n)
      switch (below(3)) {
      case 0:
        changed[below(changed.size())] = std::byte(below(256));
        break;
      case 1:
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(below(changed.size())));
        break;
      default:
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(below(changed.size())),
                       std::byte(below(256)));
      }
    if (changed != bytes) {
      EXPECT_NE(refusal(changed), "") << i;
    }
  }
}

TEST(Packs, OfOtherVersionsAndFilesAreRefused) {
  std::vector<std::byte> bytes = two_kernels().serialise();
  bytes[8] = std::byte(9);
  EXPECT_THAT(refusal(bytes), HasSubstr("their format has version 9, this program reads version 1"));
  const std::string foreign = "\x7f"
                              "ELF and more than a header of bytes";
  EXPECT_THAT(refusal(std::as_bytes(std::span(foreign))), HasSubstr("do not begin with the mark `tilepack`"));

  const testing::ScratchFolder scratch;
  const auto read = [&](const std::string &path) -> std::string {
    try {
      Pack::read(path);
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ErrorCode::input_output);
      return error.message();
    }
    return "";
  };
  EXPECT_THAT(read(scratch.path() / "none"), HasSubstr("none: No such file"));
  EXPECT_THAT(read(scratch.path()), HasSubstr("Is a directory"));
  EXPECT_THAT(read(scratch.write("empty", "")), HasSubstr("do not begin with the mark"));
}

// An index that lies about what it holds has the checksum of its lie.
TEST(Packs, WhoseEntriesHoldOtherKernelsAreRefused) {
  Pack pack;
  pack.add(identity("scale"), lowered("other", "sm_80", "scales"));
  EXPECT_THAT(refusal(pack.serialise()), HasSubstr("the entry of kernel scale holds kernel other"));
}

TEST(Packs, AreWrittenWholeOrNotAtAll) {
  const testing::ScratchFolder scratch;
  const auto write = [&](const std::string &path) -> std::string {
    try {
      two_kernels().write(path);
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ErrorCode::input_output);
      return error.message();
    }
    return "";
  };
  EXPECT_THAT(write(scratch.path() / "no folder" / "some"), HasSubstr("No such file"));
  EXPECT_THAT(write("/dev/full/some"), HasSubstr("cannot write the pack"));
  EXPECT_NE(write(scratch.path()), "");   // a folder
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}   // namespace
}   // namespace tile

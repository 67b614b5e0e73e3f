// SPDX-License-Identifier: MIT
// Buffers on the smallest device there is: host memory that can be copied.
#include <tile/buffer.h>

#include "runtime/host/allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace tile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class MemoryDevice : public Device {
 public:
  std::string_view kind() const override { return "memory"; }
  std::string description() const override { return "memory that runs nothing"; }
  void *allocate(std::size_t bytes, std::string_view name) override { return memory.allocate(bytes, name); }
  void release(void *address) noexcept override { memory.release(address); }
  void copy_in(void *to, const void *from, std::size_t bytes) override {
    memory.require(to, bytes, "copy to the device");
    std::memcpy(to, from, bytes);
  }
  void copy_out(void *to, const void *from, std::size_t bytes) override {
    memory.require(from, bytes, "copy from the device");
    std::memcpy(to, from, bytes);
  }
  void fill(void *to, unsigned char byte, std::size_t bytes) override { std::memset(to, byte, bytes); }
  void synchronize() override {}
  std::unique_ptr<Executable> load(const KernelIR &) override { return nullptr; }

  host::Allocations memory;
};

TEST(Buffer, HoldsWhatWasPutIn) {
  MemoryDevice device;
  {
    Buffer<float> buffer(device, std::vector<float>{1, 2, 3}, "x");
    EXPECT_EQ(buffer.size(), 3u);
    EXPECT_EQ(&buffer.device(), &device);
    EXPECT_THAT(buffer.to_host(), ElementsAre(1, 2, 3));
    buffer.copy_from(std::vector<float>{7});
    EXPECT_THAT(buffer.to_host(), ElementsAre(7, 2, 3));
    buffer.fill_bytes(0);
    EXPECT_THAT(buffer.to_host(), ElementsAre(0, 0, 0));
    EXPECT_EQ(device.memory.live_buffers(), 1u);
  }
  EXPECT_EQ(device.memory.live_buffers(), 0u);
  EXPECT_TRUE(device.memory.take_reports().empty());
}

TEST(Buffer, MayLiveLongerThanItsDevice) {
  auto device = std::make_unique<MemoryDevice>();
  Buffer<float> buffer(*device, std::vector<float>{1, 2, 3}, "x"), other(*device, 2);
  device.reset();
  const auto is_refused = ThrowsMessage<Error>(
      HasSubstr("a buffer of 3 elements is used after its device is gone\n  = help: let the device live"));
  EXPECT_THAT([&] { buffer.to_host(); }, is_refused);
  EXPECT_THAT([&] { buffer.copy_from(std::vector<float>{1}); }, is_refused);
  EXPECT_THAT([&] { buffer.fill_bytes(0); }, is_refused);
  EXPECT_THAT([&] { (void)buffer.device(); }, is_refused);
  MemoryDevice second;   // perhaps at the address of the first
  other = Buffer<float>(second, 4);
  EXPECT_EQ(second.memory.live_buffers(), 1u);
}

TEST(Buffer, OfBooleansHasABytePerElement) {
  MemoryDevice device;
  Buffer<bool> buffer(device, std::vector<bool>{true, false, true});
  const auto *bytes = reinterpret_cast<const unsigned char *>(buffer.data());
  EXPECT_THAT(std::vector<int>(bytes, bytes + 3), ElementsAre(1, 0, 1));
  EXPECT_THAT(buffer.to_host(), ElementsAre(true, false, true));
  buffer.copy_from(std::vector<bool>{false, true});
  EXPECT_THAT(buffer.to_host(), ElementsAre(false, true, true));
  buffer.fill_bytes(0xAB);   // any non-zero byte is true
  EXPECT_THAT(buffer.to_host(), ElementsAre(true, true, true));
}

TEST(Buffer, EmptyIsAllowed) {
  MemoryDevice device;
  Buffer<f16> buffer(device, 0);
  EXPECT_NE(buffer.data(), nullptr);
  EXPECT_TRUE(buffer.to_host().empty());
  buffer.copy_from(std::vector<f16>{});
  buffer.fill_bytes(1);
}

TEST(Buffer, OfPointers) {
  MemoryDevice device;
  Buffer<float> a(device, 4), b(device, 4);
  Buffer<float *> table(device, std::vector<float *>{a.data(), b.data()});
  EXPECT_THAT(table.to_host(), ElementsAre(a.data(), b.data()));
}

TEST(Buffer, MovesItsMemory) {
  MemoryDevice device;
  Buffer<int> a(device, std::vector<int>{1});
  int *data = a.data();
  Buffer<int> b = std::move(a);
  EXPECT_EQ(b.data(), data);
  Buffer<int> c(device, std::vector<int>{2, 3});
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_THAT(c.to_host(), ElementsAre(1));
}

TEST(Buffer, RefusesWhatDoesNotFit) {
  MemoryDevice device;
  Buffer<int> buffer(device, 2);
  EXPECT_THAT([&] { buffer.copy_from(std::vector<int>{1, 2, 3}); },
              ThrowsMessage<Error>(HasSubstr("a buffer of 2 elements cannot take 3")));
  const int negative = -1;
  EXPECT_THAT([&] { Buffer<int>(device, static_cast<std::size_t>(negative), "x"); },
              ThrowsMessage<Error>(HasSubstr("buffer `x` cannot have 18446744073709551615 elements")));
  EXPECT_EQ(device.memory.live_buffers(), 1u);
}

TEST(Device, IdsAreUnique) {
  MemoryDevice a, b;
  EXPECT_NE(a.id(), b.id());
}

}   // namespace
}   // namespace tile

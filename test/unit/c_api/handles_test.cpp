// SPDX-License-Identifier: MIT
#include "exported_functions.h"

#include <array>
#include <functional>
#include <thread>

namespace tile {
namespace {

using testing::HasSubstr;

using Handles = OnSimulator;

TEST_F(Handles, AreNamedWhereTheyAreNone) {
  tile_device closed = nullptr;
  ASSERT_EQ(tile_open_device("interpreter", &closed), TILE_OK);
  ASSERT_EQ(tile_close_device(closed), TILE_OK);
  std::vector<float> elements(4);
  const Given x(elements), y(elements);
  const auto as_stream = reinterpret_cast<tile_stream>(device);
  const auto as_device = reinterpret_cast<tile_device>(stream);
  const auto never = reinterpret_cast<tile_stream>(std::uintptr_t{1} << 60);
  struct {
    std::function<int()> call;
    const char *text;
  } const cases[] = {
      {[&] { return tile_synchronize(nullptr); }, "no stream: the handle is null"},
      {[&] { return tile_synchronize(as_stream); }, "no stream: the handle is that of a device"},
      {[&] { return tile_synchronize(never); }, "no stream: the handle was never given"},
      {[&] { return tile_close_stream(never); }, "no stream: the handle was never given"},
      {[&] { return tile_close_device(as_device); }, "no device: the handle is that of a stream"},
      {[&] { return tile_close_device(closed); }, "no device: the handle was closed"},
      {[&] { return tile_own_stream(closed, &stream); }, "no device: the handle was closed"},
      {[&] { return tile_prepare(nullptr, nullptr); }, "no device: the handle is null"},
      {[&] { return test_axpy(nullptr, x, y, 1, 4); }, "no stream: the handle is null"},
      {[&] { return test_axpy(as_stream, x, y, 1, 4); }, "no stream: the handle is that of a device"},
  };
  for (const auto &[call, text] : cases) {
    EXPECT_EQ(call(), TILE_INVALID_ARGUMENT);
    EXPECT_THAT(tile_error_text(), HasSubstr(text));
  }
}

TEST_F(Handles, PointersThatAreNullAreNamed) {
  struct {
    std::function<int()> call;
    const char *text;
  } const cases[] = {
      {[&] { return tile_open_device("simulator", nullptr); }, "`device` is null"},
      {[&] { return tile_open_device(nullptr, &device); }, "`name` is null"},
      {[&] { return tile_own_stream(device, nullptr); }, "`stream` is null"},
      {[&] { return tile_new_stream(device, nullptr); }, "`stream` is null"},
      {[&] { return tile_wrap_stream(device, nullptr, nullptr); }, "`stream` is null"},
      {[&] { return tile_allocate(device, 4, nullptr); }, "`memory` is null"},
      {[&] { return tile_copy_in(device, nullptr, &device, 4); }, "`to` is null"},
      {[&] { return tile_copy_in(device, &device, nullptr, 4); }, "`from_host` is null"},
      {[&] { return tile_copy_out(device, nullptr, &device, 4); }, "`to_host` is null"},
      {[&] { return tile_copy_out(device, &device, nullptr, 4); }, "`from` is null"},
      {[&] { return tile_describe_device(device, nullptr, 4); }, "`text` is null"},
      {[&] { return tile_load_pack(nullptr); }, "`path` is null"},
      {[&] { return tile_add_pack(nullptr, 4, "mine"); }, "`bytes` is null"},
      {[&] { return tile_tensor_of_dlpack(nullptr, false, nullptr); }, "`tensor` is null"},
  };
  for (const auto &[call, text] : cases) {
    EXPECT_EQ(call(), TILE_INVALID_ARGUMENT);
    EXPECT_THAT(tile_error_text(), HasSubstr(text));
  }
}

TEST_F(Handles, ADeviceClosesItsStreams) {
  tile_stream other = nullptr;
  ASSERT_EQ(tile_new_stream(device, &other), TILE_OK);
  ASSERT_EQ(tile_close_device(device), TILE_OK);
  EXPECT_EQ(tile_synchronize(other), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("was closed"));
}

TEST_F(Handles, AStreamThatIsClosedIsNoneAndOthersLive) {
  tile_stream other = nullptr;
  ASSERT_EQ(tile_new_stream(device, &other), TILE_OK);
  ASSERT_EQ(tile_close_stream(other), TILE_OK);
  EXPECT_EQ(tile_close_stream(other), TILE_INVALID_ARGUMENT);
  EXPECT_EQ(tile_synchronize(stream), TILE_OK) << tile_error_text();
}

TEST_F(Handles, ThreadsOpenAndCloseBesideEachOther) {
  std::vector<std::thread> threads;
  std::array<int, 4> failures{};
  for (int &failed : failures)
    threads.emplace_back([this, &failed] {
      for (int i = 0; i < 200; ++i) {
        tile_stream own = nullptr;
        failed += tile_own_stream(device, &own) != TILE_OK || tile_synchronize(own) != TILE_OK ||
                  tile_close_stream(own) != TILE_OK || tile_close_stream(own) != TILE_INVALID_ARGUMENT;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(failures, testing::Each(0));
}

TEST_F(Handles, MemoryOfTheDeviceIsCopied) {
  void *memory = nullptr;
  ASSERT_EQ(tile_allocate(device, 8, &memory), TILE_OK);
  const std::array<float, 2> given{1, 2};
  std::array<float, 2> got{};
  EXPECT_EQ(tile_copy_in(device, memory, given.data(), 8), TILE_OK);
  EXPECT_EQ(tile_copy_out(device, got.data(), memory, 8), TILE_OK);
  EXPECT_EQ(got, given);
  EXPECT_EQ(tile_copy_out(device, got.data(), memory, 12), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("do not fit"));
  EXPECT_EQ(tile_release(device, memory), TILE_OK);
}

TEST_F(Handles, ADescriptionIsCut) {
  char text[10];
  ASSERT_EQ(tile_describe_device(device, text, sizeof text), TILE_OK);
  EXPECT_STREQ(text, "simulator");
  EXPECT_EQ(tile_describe_device(device, nullptr, 0), TILE_OK);
}

TEST(CApi, SaysWhatItIs) {
  EXPECT_EQ(tile_c_version(), TILE_C_VERSION);
  EXPECT_THAT(tile_version_name(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_STREQ(tile_status_name(TILE_OK), "ok");
  EXPECT_STREQ(tile_status_name(TILE_INVALID_ARGUMENT), "invalid argument");
  EXPECT_STREQ(tile_status_name(TILE_NOT_PREPARED), "not prepared");
  EXPECT_STREQ(tile_status_name(TILE_COMPILATION_REFUSED), "compilation refused");
  EXPECT_STREQ(tile_status_name(TILE_INTERNAL), "internal");
  EXPECT_STREQ(tile_status_name(TILE_INTERNAL + 1), "unknown");
  EXPECT_STREQ(tile_status_name(-1), "unknown");
}

TEST(CApi, GivesTheCodesOfErrors) {
  tile_device device = nullptr;
  EXPECT_EQ(tile_open_device("cpu", &device), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("there is no device `cpu`"));
  EXPECT_EQ(tile_load_pack("/nowhere/mine.tilepack"), TILE_INPUT_OUTPUT);
  EXPECT_EQ(tile_add_pack("abcd", 4, nullptr), TILE_INPUT_OUTPUT);
}

TEST(CApi, AnErrorBelongsToItsThread) {
  tile_device device = nullptr;
  ASSERT_EQ(tile_open_device("cpu", &device), TILE_INVALID_ARGUMENT);
  std::string other = "?";
  std::thread([&] { other = tile_error_text(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_THAT(tile_error_text(), HasSubstr("`cpu`"));
}

}   // namespace
}   // namespace tile

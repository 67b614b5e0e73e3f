// SPDX-License-Identifier: MIT
// Who gives work away and ends, thread, device or process, leaves nothing behind that is still at work.
#include "runtime/background.h"

#include "test/unit/runtime/timed_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tile {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

// Runs until it is told to end, or for some minutes rather than for ever.
struct Held {
  std::promise<void> begun, end;
  background::Job job(std::uint64_t device, std::function<void()> done) {
    return {device,
            [this, done = std::move(done)] {
              begun.set_value();
              end.get_future().wait_for(10min);
              done();
            },
            [] { ADD_FAILURE() << "dropped"; }};
  }
};

TEST(Background, WorksInTurn) {
  std::promise<void> over;
  std::vector<int> done;
  std::thread::id where;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(background::add({1,
                                 [&, i] {
                                   done.push_back(i);
                                   where = std::this_thread::get_id();
                                   if (i == 2)
                                     over.set_value();
                                 },
                                 nullptr}));
  over.get_future().wait();
  background::forget(1);
  EXPECT_THAT(done, ElementsAre(0, 1, 2));
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(Background, ADeviceThatGoesWaitsForItsOwn) {
  struct Gpu : testing::TimedDevice {
    ~Gpu() override { finish_background(); }
  };
  Held held;
  std::atomic<bool> is_done = false;
  std::atomic<int> dropped = 0;
  std::promise<void> other;
  std::thread releasing;
  {
    Gpu gpu;
    background::add(held.job(gpu.id(), [&] { is_done = true; }));
    background::add({gpu.id(), [] { ADD_FAILURE() << "the device is gone"; }, [&] { ++dropped; }});
    background::add({gpu.id() + 1000, [&] { other.set_value(); }, nullptr});
    held.begun.get_future().wait();
    releasing = std::thread([&] {
      std::this_thread::sleep_for(20ms);
      held.end.set_value();
    });
  }
  EXPECT_TRUE(is_done);
  EXPECT_EQ(dropped, 1);
  other.get_future().wait();
  releasing.join();
}

TEST(Background, AThreadThatEndsTakesItsWorkWithIt) {
  Held held;
  std::atomic<bool> is_done = false;
  std::atomic<int> dropped = 0;
  std::promise<void> kept, others;
  std::thread thread([&] {
    background::add(held.job(2, [&] { is_done = true; }));
    background::add({2, [] { ADD_FAILURE() << "nobody wants it any more"; }, [&] { ++dropped; }});
    held.begun.get_future().wait();
    others.get_future().wait();
  });
  background::add({2, [&] { kept.set_value(); }, nullptr});   // this thread's
  others.set_value();
  std::thread releasing([&] {
    std::this_thread::sleep_for(20ms);
    held.end.set_value();
  });
  thread.join();
  EXPECT_TRUE(is_done);
  EXPECT_EQ(dropped, 1);
  kept.get_future().wait();
  releasing.join();
}

// What works for the first time makes what the process destroys when it ends: before, it has to be done.
struct Table {
  ~Table() { *is_gone = true; }
  std::atomic<bool> *is_gone;
};
[[noreturn]] void end_at_work() {
  static std::promise<void> begun;
  background::add({3,
                   [] {
                     static std::atomic<bool> is_gone = false;
                     static const Table table{&is_gone};
                     begun.set_value();
                     for (int i = 0; i < 20; ++i) {
                       std::this_thread::sleep_for(5ms);
                       if (is_gone)
                         _exit(3);
                     }
                   },
                   nullptr});
  background::add({3, [] { _exit(4); }, [] {}});
  begun.get_future().wait();
  std::exit(0);
}
TEST(BackgroundDeathTest, TheProcessEndsWhenItIsDone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_at_work(), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        std::thread(end_at_work).detach();
        std::this_thread::sleep_for(10min);
      },
      ::testing::ExitedWithCode(0), "")
      << "any thread may end it";
}

// Which has no such thread, and would wait for it for ever.
TEST(BackgroundDeathTest, AForkDoesItsWorkItself) {
  std::promise<void> over;
  background::add({4, [&] { over.set_value(); }, nullptr});
  over.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_given = background::add({4, [] {}, nullptr});
    background::forget(4);
    std::exit(is_given ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}   // namespace
}   // namespace tile

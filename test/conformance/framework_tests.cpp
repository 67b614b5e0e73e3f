// SPDX-License-Identifier: MIT
// The suite judges devices; these tests judge the suite: a device that computes nothing, or
// writes where it must not, has to fail it.
#include "context.h"
#include "float_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace tile::conformance {
namespace {

// Memory without a machine: launches call a function that tests choose.
class IdleDevice : public Device {
 public:
  explicit IdleDevice(std::function<void(std::span<const Argument>)> on_launch = [](auto) {})
      : on_launch_(std::move(on_launch)) {}
  std::string_view kind() const override { return "idle"; }
  std::string description() const override { return "computes nothing"; }
  void *allocate(std::size_t bytes, std::string_view) override { return new unsigned char[bytes + 1]{}; }
  void release(void *address) noexcept override { delete[] static_cast<unsigned char *>(address); }
  void copy_in(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy_out(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void fill(void *to, unsigned char byte, std::size_t bytes) override { std::memset(to, byte, bytes); }
  void synchronize() override {}
  std::unique_ptr<Executable> load(const KernelIR &) override {
    struct Idle : Executable {
      IdleDevice &device;
      explicit Idle(IdleDevice &d) : device(d) {}
      void launch(const Grid &, std::span<const Argument> arguments) override {
        device.on_launch_(arguments);
      }
    };
    return std::make_unique<Idle>(*this);
  }

 private:
  std::function<void(std::span<const Argument>)> on_launch_;
};

Target idle_target(std::function<void(std::span<const Argument>)> on_launch = [](auto) {}) {
  return {std::make_unique<IdleDevice>(std::move(on_launch)), Needs::nothing, nullptr};
}

struct NoConfig {
  int unused = 0;
};
void copy(Ptr<const f32> x, Ptr<f32> z, const NoConfig &) { store(z, load(x)); }

// The failure of a case in which `on_launch` stands for the kernel.
std::string failure_of(std::function<void(unsigned char *in, unsigned char *out)> on_launch) {
  Target target = idle_target([&](std::span<const Argument> arguments) {
    on_launch(reinterpret_cast<unsigned char *>(arguments[0].bits),
              reinterpret_cast<unsigned char *>(arguments[1].bits));
  });
  Context t(target, "test", false);
  try {
    const Array x = Array::of<f32>({1.5});
    Memory &in = t.input(x), &out = t.output<f32>(1);
    t.run<&copy>({}, {1}, {in, out});
    t.exact(out, x);
    t.finish();
  } catch (const Failure &failure) {
    return failure.what();
  }
  return "";
}

TEST(ConformanceFramework, AcceptsTheRightAnswer) {
  EXPECT_EQ(failure_of([](auto *in, auto *out) { std::memcpy(out, in, 4); }), "");
}

TEST(ConformanceFramework, SeesAnOutputNobodyWrote) {
  EXPECT_NE(failure_of([](auto *, auto *) {}).find("element 0: got nan"), std::string::npos);
}

TEST(ConformanceFramework, SeesWritesPastTheEndAndBeforeTheBeginning) {
  EXPECT_NE(failure_of([](auto *in, auto *out) {
              std::memcpy(out, in, 4), out[4 + 63] = 0;
            }).find("63 bytes past the end of out1"),
            std::string::npos);
  EXPECT_NE(failure_of([](auto *in, auto *out) {
              std::memcpy(out, in, 4), out[-1] = 0;
            }).find("1 bytes before out1"),
            std::string::npos);
}

TEST(ConformanceFramework, SeesWritesToInputs) {
  EXPECT_NE(
      failure_of([](auto *in, auto *out) { std::memcpy(out, in, 4), in[3] = 0; }).find("wrote to its input"),
      std::string::npos);
}

TEST(ConformanceFramework, ComparesBitsButAnyNanForANan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array a = Array::of<f32>({nan, -0.0, 1}), b = Array::of<f32>({nan, 0.0, 1});
  a.set_bits(0, 0xFFC00001);
  EXPECT_TRUE(same(a, 0, b, 0));
  EXPECT_FALSE(same(a, 1, b, 1));
  EXPECT_TRUE(same(a, 2, b, 2));
}

TEST(ConformanceFramework, ToleratesWhatItIsTold) {
  Target target = idle_target();
  Context t(target, "test", false);
  const double inf = std::numeric_limits<double>::infinity();
  const Array got = Array::of<f32>({1, inf});
  t.close(got, std::vector<double>{1.005, inf}, {.relative = 0.01});
  EXPECT_THROW(t.close(got, std::vector<double>{1.02, inf}, {.relative = 0.01}), Failure);
  EXPECT_THROW(t.close(got, std::vector<double>{1, -inf}, {.relative = 0.01}), Failure);
  EXPECT_THROW(t.close(got, std::vector<double>{1, 3e38}, {.relative = 0.01}), Failure);
}

TEST(ConformanceFramework, FiltersByGlob) {
  EXPECT_TRUE(matches("EL1/*/f16/*", "EL1/add/f16/tile_tile"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("EL?/add*", "EL1/add/i8"));
  EXPECT_FALSE(matches("EL1/*/f16", "EL1/add/bf16/x"));
  EXPECT_FALSE(matches("EL1/", "EL1/add"));
}

// The oracle of all float conversions, against what is known without it.
TEST(FloatCodes, KnownNumbers) {
  EXPECT_EQ(encode(float_format(Kind::F16), 1.0L), 0x3C00u);
  EXPECT_EQ(encode(float_format(Kind::F16), 65519.0L), 0x7BFFu);
  EXPECT_EQ(encode(float_format(Kind::F16), 65520.0L), 0x7C00u);
  EXPECT_EQ(encode(float_format(Kind::F16), 65520.0L, Direction::toward_zero), 0x7BFFu);
  EXPECT_EQ(encode(float_format(Kind::BF16), -2.0L), 0xC000u);
  EXPECT_EQ(encode(float_format(Kind::E4M3), 1e9L), 0x7Eu);
  EXPECT_EQ(decode(float_format(Kind::E4M3), 0x7E), 448);
  EXPECT_EQ(decode(float_format(Kind::E5M2), 0x7B), 57344);
  EXPECT_TRUE(std::isnan(decode(float_format(Kind::E4M3), 0xFF)));
  EXPECT_EQ(encode(float_format(Kind::E5M2), -std::numeric_limits<long double>::infinity()), 0xFBu);
  EXPECT_EQ(encode(float_format(Kind::F16), 0x1p-25L), 0u);     // halfway to the smallest: to even
  EXPECT_EQ(encode(float_format(Kind::F16), 0x1.8p-24L), 2u);   // halfway between 1 and 2 of them
}

TEST(FloatCodes, AgreesWithTheMachineOnF32) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    double number;
    const std::uint64_t bits = (random() & 0x8FFFFFFFFFFFFFFFu) | 0x3000000000000000u;   // exponents of f32
    std::memcpy(&number, &bits, 8);
    const float expected = static_cast<float>(number);
    std::uint32_t code;
    std::memcpy(&code, &expected, 4);
    ASSERT_EQ(encode(float_format(Kind::F32), number), code) << number;
  }
}

TEST(FloatCodes, RoundTrips) {
  for (Kind kind : {Kind::F16, Kind::BF16, Kind::E4M3, Kind::E5M2}) {
    const FloatFormat &format = float_format(kind);
    for (std::uint64_t code = 0; code < format.sign_bit() * 2; ++code) {
      const long double number = decode(format, code);
      if (!std::isnan(number) && (!std::isinf(number) || !format.saturates)) {
        ASSERT_EQ(encode(format, number), code);
      }
    }
  }
}

// Cases that a device passes by doing nothing: they expect a refusal while tracing, or have nothing
// to compute.
bool needs_no_device(const std::string &id) {
  for (const char *glob :
       {"SH1/arange/illegal", "SC4/illegal_k", "CF1/step_0", "KE6/*/sizes_0", "KE6/*/no_*"})
    if (matches(glob, id))
      return true;
  return false;
}

TEST(ConformanceSuite, ADeviceThatDoesNothingFailsEveryCase) {
  std::map<std::string, int> cases_of_row;
  for (const Case &c : whole_suite().cases()) {
    if (c.tier != Tier::fast || c.needs != Needs::nothing || needs_no_device(c.id))
      continue;
    // A few of each row: all of them are the same few functions.
    if (cases_of_row[c.id.substr(0, c.id.find('/', c.id.find('/') + 1))]++ >= 4)
      continue;
    Target target = idle_target();
    Context context(target, c.id, false);
    bool failed = false;
    try {
      c.run(context);
      context.finish();
    } catch (const Failure &) {
      failed = true;
    }
    EXPECT_TRUE(failed) << c.id;
  }
}

}   // namespace
}   // namespace tile::conformance

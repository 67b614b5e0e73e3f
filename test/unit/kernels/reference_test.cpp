// SPDX-License-Identifier: MIT
// The judge is judged: what must be wrong is found, what must pass passes.
#include "on_device.h"

#include <cmath>
#include <limits>

namespace tile::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

Matrix row(std::vector<double> values) {
  Matrix m(1, static_cast<std::int64_t>(values.size()));
  m.values = std::move(values);
  return m;
}
Verdict judged(double got, double expected, Tolerance tolerance, ElementType type = element_type<f32>) {
  return compare("c", row({got}), row({expected}), type, tolerance);
}

TEST(Compare, Tolerance) {
  EXPECT_TRUE(judged(101, 100, {0.01, 0}).passed());
  EXPECT_FALSE(judged(101.5, 100, {0.01, 0}).passed());
  EXPECT_TRUE(judged(0.5, 0, {0, 0.5}).passed());
  EXPECT_FALSE(judged(0.51, 0, {0.5, 0.5}).passed());
  EXPECT_TRUE(judged(3, 3, {}).passed());
  EXPECT_FALSE(judged(3, std::nextafter(3.0f, 4.0f), {}).passed());
}
TEST(Compare, SpecialValues) {
  EXPECT_TRUE(judged(nan, nan, {}).passed());
  EXPECT_FALSE(judged(nan, 1, {1, 1}).passed());
  EXPECT_FALSE(judged(1, nan, {1, 1}).passed());
  EXPECT_TRUE(judged(infinity, infinity, {}).passed());
  EXPECT_FALSE(judged(infinity, -infinity, {1, 1}).passed());
  EXPECT_FALSE(judged(1e30, infinity, {1, 1}).passed());
  EXPECT_TRUE(judged(infinity, 70000, {}, element_type<f16>).passed());   // overflows there
  EXPECT_TRUE(judged(448, 1000, {}, element_type<e4m3>).passed());        // saturates there
}
TEST(Compare, SaysWhereAndHowMany) {
  const Verdict verdict = compare("c", row({1, 2, 3, 5}), row({1, 2.5, 3, 4}), element_type<f32>, {});
  EXPECT_EQ(verdict.wrong, 2);
  EXPECT_EQ(verdict.elements, 4);
  EXPECT_EQ(verdict.largest_error, 1);
  EXPECT_EQ(verdict.first_wrong, "c[0, 1] is 2, expected 2.5");
}
TEST(Compare, Shapes) {
  EXPECT_FALSE(compare("c", Matrix(2, 3), Matrix(3, 2), element_type<f32>, {1, 1}).passed());
}

TEST(Placed, FindsWhatIsWrittenBesideElements) {
  Placed<f16> c(device(), "c", 3, 5, {.padding = 2});
  c.poison();
  EXPECT_TRUE(std::isnan(c.download().at(2, 4)));
  EXPECT_EQ(c.overwritten_bytes(), 0);
  const f16 one(1.0f);
  auto write = [&](std::int64_t index) { device().copy_in(c.view().data + index, &one, sizeof one); };
  write(6);   // between rows 0 and 1
  c.download();
  EXPECT_EQ(c.overwritten_bytes(), 2);
  write(-1);   // in front
  write(21);   // behind
  c.download();
  EXPECT_EQ(c.overwritten_bytes(), 6);
  write(7);   // element (1, 0)
  EXPECT_EQ(c.download().at(1, 0), 1);
  EXPECT_EQ(c.overwritten_bytes(), 6);
}
TEST(Placed, Placements) {
  Matrix values(2, 3);
  for (std::size_t i = 0; i < 6; ++i)
    values.values[i] = static_cast<double>(i);
  for (const Placement &at : {Placement{},
                              {.by_columns = true},
                              {.step = 3, .padding = 1, .shift = 5},
                              {.by_columns = true, .step = 2, .padding = 4, .shift = 1}}) {
    Placed<i32> m(device(), "m", 2, 3, at);
    EXPECT_EQ(m.fill(values).values, values.values);
    EXPECT_EQ(m.download().values, values.values);
    EXPECT_EQ(m.view().row_stride, at.by_columns ? at.step : 3 * at.step + at.padding);
  }
}

TEST(Functions, Tf32DropsThirteenBits) {
  EXPECT_EQ(as_tf32(1.0 + 0x1p-10), 1.0 + 0x1p-10);
  EXPECT_EQ(as_tf32(1.0 + 0x1p-10 + 0x1p-11), 1.0 + 0x1p-10);
  EXPECT_EQ(as_tf32(-1.0 - 0x1p-11), -1.0);
}
TEST(Functions, Matmul) {
  Matrix a(2, 2), b(2, 1);
  a.values = {1, 2, 3, -4};
  b.values = {5, 6};
  EXPECT_EQ(matmul(a, b).values, (std::vector<double>{17, -9}));
  EXPECT_EQ(matmul(a, b, leaky_relu).values, (std::vector<double>{17, -0.09}));
  EXPECT_EQ(matmul(Matrix(2, 0), Matrix(0, 2)).values, (std::vector<double>(4, 0.0)));
}
TEST(Functions, Softmax) {
  const auto y = softmax(row({0, std::log(3.0)})).values;
  EXPECT_NEAR(y[0], 0.25, 1e-15);
  EXPECT_NEAR(y[1], 0.75, 1e-15);
  EXPECT_TRUE(std::isnan(softmax(row({-infinity, -infinity})).values[0]));
}
TEST(Functions, LayerNorm) {
  const auto result = layer_norm(row({1, 3}), std::vector<double>{2, 2}, std::vector<double>{0, 10}, 0);
  EXPECT_EQ(result.y.values, (std::vector<double>{-2, 12}));
  EXPECT_EQ(result.mean[0], 2);
  EXPECT_EQ(result.scale[0], 1);
}

}   // namespace
}   // namespace tile::reference

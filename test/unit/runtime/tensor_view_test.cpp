// SPDX-License-Identifier: MIT
// Views: where their elements are, and which views are refused.
#include <tile/tensor_view.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A view is made of buffers that are never read here.
class NowhereDevice : public Device {
 public:
  std::string_view kind() const override { return "nowhere"; }
  std::string description() const override { return "addresses without memory"; }
  void *allocate(std::size_t, std::string_view) override { return memory; }
  void release(void *) noexcept override {}
  void copy_in(void *, const void *, std::size_t) override {}
  void copy_out(void *, const void *, std::size_t) override {}
  void fill(void *, unsigned char, std::size_t) override {}
  void synchronize() override {}
  std::unique_ptr<Executable> load(const KernelIR &) override { return nullptr; }
  alignas(64) unsigned char memory[64]{};
};

class Views : public ::testing::Test {
 protected:
  NowhereDevice device;
  Buffer<float> buffer{device, 12};
  float *data = buffer.data();
};

template <class T> auto strides(const MatrixView<T> &view) {
  return std::pair(view.row_stride, view.col_stride);
}

TEST_F(Views, MatrixIsStoredByRows) {
  const MatrixView a(buffer, 3, 4);
  static_assert(std::is_same_v<decltype(a), const MatrixView<float>>);
  EXPECT_EQ(a.data, data);
  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.cols, 4);
  EXPECT_EQ(strides(a), std::pair(4l, 1l));
  EXPECT_EQ(strides(MatrixView(data, 3, 4)), std::pair(4l, 1l));
  EXPECT_EQ(strides(MatrixView(data, 3, 4, 10, 2)), std::pair(10l, 2l));
}

TEST_F(Views, ColumnMajorIsTheTransposedOfRows) {
  const MatrixView a = column_major(buffer, 3, 4);
  EXPECT_EQ(strides(a), std::pair(1l, 3l));
  EXPECT_EQ(strides(column_major(data, 3, 4)), std::pair(1l, 3l));
  const MatrixView t = a.transposed();
  EXPECT_EQ(t.rows, 4);
  EXPECT_EQ(t.cols, 3);
  EXPECT_EQ(strides(t), std::pair(3l, 1l));
}

TEST_F(Views, Blocks) {
  const MatrixView block = MatrixView(buffer, 3, 4).block(1, 2, 2, 2);
  EXPECT_EQ(block.data, data + 6);
  EXPECT_EQ(block.rows, 2);
  EXPECT_EQ(block.cols, 2);
  EXPECT_EQ(strides(block), std::pair(4l, 1l));
  EXPECT_EQ(MatrixView(buffer, 3, 4).block(3, 4, 0, 0).rows, 0);
  EXPECT_EQ(VectorView(buffer).block(5, 7).data, data + 5);
  EXPECT_EQ(VectorView(buffer).size, 12);
  EXPECT_EQ(VectorView(data, 3).size, 3);
}

TEST_F(Views, BecomeConst) {
  const MatrixView<const float> a = MatrixView(buffer, 3, 4);
  EXPECT_EQ(a.data, data);
  EXPECT_EQ(a.row_stride, 4);
  const VectorView<const float> v = VectorView(buffer);
  EXPECT_EQ(v.size, 12);
  const MatrixView<const float> direct(buffer, 4, 3);
  EXPECT_EQ(direct.row_stride, 3);
  static_assert(!std::is_convertible_v<MatrixView<const float>, MatrixView<float>>);
  static_assert(!std::is_convertible_v<VectorView<const float>, VectorView<float>>);
  static_assert(!std::is_convertible_v<TensorView<const float, 3>, TensorView<float, 3>>);
}

TEST_F(Views, TensorsAreStacks) {
  const TensorView<float, 3> stack(buffer, {2, 3, 2});
  EXPECT_THAT(stack.strides, ElementsAre(6, 2, 1));
  const MatrixView second = stack.matrix(1);
  EXPECT_EQ(second.data, data + 6);
  EXPECT_EQ(strides(second), std::pair(2l, 1l));
  EXPECT_THAT(stack.transposed().extents, ElementsAre(2, 2, 3));
  EXPECT_THAT(stack.transposed().strides, ElementsAre(6, 1, 2));
  EXPECT_EQ(stack.block({1, 2, 1}, {1, 1, 1}).data, data + 11);
  const TensorView<const float, 3> constant = stack;
  EXPECT_THAT(constant.extents, ElementsAre(2, 3, 2));
  const TensorView<float, 2> broadcast(buffer, {100, 12}, {0, 1});
  EXPECT_THAT(broadcast.strides, ElementsAre(0, 1));
}

TEST_F(Views, TooLargeForTheBuffer) {
  const unsigned line = __LINE__ + 2;
  try {
    MatrixView(buffer, 3, 5);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.message(),
              "a view of shape [3, 5] and strides [5, 1] needs 15 elements, the buffer has 12");
    EXPECT_EQ(error.where().line, line);
  }
  EXPECT_NO_THROW(MatrixView(buffer, 3, 3, 4, 1));   // the last row need not be padded
  EXPECT_NO_THROW(MatrixView(buffer, 0, 1000));      // no element
  EXPECT_THROW(MatrixView(buffer, 3, 4, 5, 1), Error);
  EXPECT_THROW(column_major(buffer, 7, 2), Error);
  EXPECT_THROW((TensorView<float, 3>(buffer, {2, 3, 3})), Error);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT([&] { MatrixView(buffer, most, most, most, most); },
              ThrowsMessage<Error>(HasSubstr("needs more than 2^62 elements")));
  EXPECT_THAT([&] { MatrixView(buffer, 3, 4, -4, 1); },
              ThrowsMessage<Error>(AllOf(HasSubstr("begins before its buffer"), HasSubstr("help: "))));
  EXPECT_NO_THROW(MatrixView(data + 8, 3, 4, -4, 1));   // rows in reverse
}

TEST_F(Views, NegativeExtents) {
  EXPECT_THAT([&] { MatrixView(data, 3, -4); },
              ThrowsMessage<Error>(HasSubstr("a view of shape [3, -4]: an extent cannot be negative")));
  EXPECT_THROW(VectorView(data, -1), Error);
  EXPECT_THROW((TensorView<float, 1>(data, {-1})), Error);
}

TEST_F(Views, BlocksStayInside) {
  const MatrixView a(buffer, 3, 4);
  EXPECT_THAT([&] { a.block(2, 0, 2, 4); },
              ThrowsMessage<Error>(
                  HasSubstr("a block of shape [2, 4] at [2, 0] is not inside a view of shape [3, 4]")));
  EXPECT_THROW(a.block(-1, 0, 1, 1), Error);
  EXPECT_THROW(a.block(0, 0, 1, -1), Error);
  EXPECT_THROW(a.block(0, std::numeric_limits<std::int64_t>::max(), 1, 1), Error);
  EXPECT_THROW(VectorView(buffer).block(12, 1), Error);
  EXPECT_THROW((TensorView<float, 3>(buffer, {2, 3, 2}).matrix(2)), Error);
}

TEST_F(Views, SayWhichMemoryTheyAreIn) {
  const auto bytes = [&](const auto &view) {
    const MemoryExtent memory = memory_of(view);
    const std::ptrdiff_t from = static_cast<float *>(memory.begin) - data;
    return std::array<std::ptrdiff_t, 2>{from, static_cast<std::ptrdiff_t>(memory.bytes)};
  };
  using Bytes = std::array<std::ptrdiff_t, 2>;
  EXPECT_EQ(bytes(VectorView(data + 2, 5)), (Bytes{2, 20}));
  EXPECT_EQ(bytes(MatrixView(data, 3, 4).block(1, 1, 2, 2)), (Bytes{5, 24}));
  EXPECT_EQ(bytes(MatrixView(data + 8, 3, 4, -4, 1)), (Bytes{0, 48}));
  EXPECT_EQ(bytes(TensorView<float, 3>(data, {2, 1, 2}, {6, 1000, 2})), (Bytes{0, 36}));
  EXPECT_EQ(bytes(VectorView(data + 3, 0)), (Bytes{3, 0}));
  EXPECT_EQ(memory_of(VectorView<float>()).begin, nullptr);
}

}   // namespace
}   // namespace tile

// SPDX-License-Identifier: MIT
#include "compiler/lent_context.h"

#include <gtest/gtest.h>

namespace tile {
namespace {

int made;
ContextPool &freshPool() {
  made = 0;
  return *new ContextPool([] {
    ++made;
    return std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  });
}

TEST(LentContexts, AreOneForKernelsInARow) {
  ContextPool &pool = freshPool();
  LentContext context = pool.lend();
  const mlir::MLIRContext *first = context.get();
  context.reset();
  EXPECT_EQ(pool.lend().get(), first);
  EXPECT_EQ(made, 1);
}

TEST(LentContexts, AreNobodyElsesMeanwhile) {
  ContextPool &pool = freshPool();
  const LentContext one = pool.lend(), other = pool.lend();
  EXPECT_NE(one, other);
}

// What kernels are made of stays in a context.
TEST(LentContexts, DoNotGrowForever) {
  ContextPool &pool = freshPool();
  for (int kernel = 0; kernel < 320; ++kernel)
    pool.lend();
  EXPECT_EQ(made, 10);
}

TEST(LentContexts, AreNotKeptByTheHundred) {
  ContextPool &pool = freshPool();
  std::vector<LentContext> many;
  while (many.size() < 100)
    many.push_back(pool.lend());
  many.clear();
  while (many.size() < 100)
    many.push_back(pool.lend());
  EXPECT_EQ(made, 200 - 16);
}

}   // namespace
}   // namespace tile

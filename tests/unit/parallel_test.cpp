// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace proofline::parallel_test {
namespace {

TEST(Parallel, DoesEachPieceOnce) {
  for (const std::size_t count : {0, 1, 2, 3, 1000}) {
    std::vector<int> done(count);
    for_each_index(count, [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

TEST(Parallel, PassesOnWhatAPieceThrows) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(for_each_index(100,
                              [&](std::size_t) {
                                ++calls;
                                throw std::runtime_error("no");
                              }),
               std::runtime_error);
  EXPECT_GE(calls, 1);
}

}  // namespace
}  // namespace proofline::parallel_test

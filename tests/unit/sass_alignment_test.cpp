// SPDX-License-Identifier: Apache-2.0
//
// Two sequences side by side: the longest common part of small ones, and bounded work on large
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/sass/alignment.h"

namespace proofline::sass_alignment_test {
namespace {

using Elements = std::vector<std::uint64_t>;

Elements letters(const std::string& text) { return {text.begin(), text.end()}; }

Alignment aligned(const Elements& a, const Elements& b, std::vector<std::uint32_t> blocks_a = {0},
                  std::vector<std::uint32_t> blocks_b = {0}) {
  return align({a, blocks_a}, {b, blocks_b});
}

// Mates are equal, each other's, and in the same order; their number.
std::size_t common(const Elements& a, const Elements& b, const Alignment& result) {
  EXPECT_EQ(result.of_a.size(), a.size());
  EXPECT_EQ(result.of_b.size(), b.size());
  std::size_t count = 0;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint32_t mate = result.of_a[i];
    if (mate == kNoMate) continue;
    EXPECT_GE(mate, next);
    next = mate + 1;
    EXPECT_EQ(a[i], b[mate]);
    EXPECT_EQ(result.of_b[mate], i);
    ++count;
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(result.of_b.begin(), result.of_b.end(), kNoMate)),
            b.size() - count);
  return count;
}

// By the table that everyone knows.
std::size_t longest_common(const Elements& a, const Elements& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const std::uint64_t value : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = value == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

TEST(Alignment, FindsTheLongestCommonPart) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Elements a(random() % 40);
    Elements b(random() % 40);
    for (auto& value : a) value = random() % 5;
    for (auto& value : b) value = random() % 5;
    const Alignment result = aligned(a, b);
    EXPECT_FALSE(result.capped);
    // The only block is all of it and stands fast only where it is the same.
    EXPECT_EQ(common(a, b, result), longest_common(a, b));
  }
}

TEST(Alignment, LetsBlocksStandFastThatBothHave) {
  const Elements a = letters("abcdxyzwabcd");
  const Elements b = letters("xyzwabcd");
  const Alignment result = aligned(a, b, {0, 4, 8}, {0, 4});
  EXPECT_EQ(common(a, b, result), 8U);
  EXPECT_EQ(result.of_a[4], 0U);
}

TEST(Alignment, OfNothingIsNothing) {
  EXPECT_EQ(common({}, {}, aligned({}, {}, {}, {})), 0U);
  EXPECT_EQ(common(letters("ab"), {}, aligned(letters("ab"), {}, {0}, {})), 0U);
}

// A hundred thousand instructions of which a few are changed are aligned wholly; where all are
// other ones it is given up and said.
TEST(Alignment, OfLargeFunctionsIsBounded) {
  std::mt19937 random(3);
  Elements a(100'000);
  for (auto& value : a) value = random() % 50;
  Elements b = a;
  for (std::size_t i = 500; i < b.size(); i += 1000) b[i] = 1000;
  const Alignment little = aligned(a, b);
  EXPECT_FALSE(little.capped);
  EXPECT_EQ(common(a, b, little), a.size() - 100);

  Elements other(100'000);
  for (auto& value : other) value = random() % 50;
  const Alignment none = aligned(a, other);
  EXPECT_TRUE(none.capped);
  common(a, other, none);

  // Split by what occurs once, each part is within the limits.
  Elements marked_a(a.begin(), a.begin() + 20'000);
  Elements marked_b(other.begin(), other.begin() + 20'000);
  for (std::size_t i = 0; i < marked_a.size(); i += 500) marked_a[i] = marked_b[i] = 10'000 + i;
  const Alignment marked = aligned(marked_a, marked_b);
  EXPECT_FALSE(marked.capped);
  EXPECT_GT(common(marked_a, marked_b, marked), 40U);
}

}  // namespace
}  // namespace proofline::sass_alignment_test

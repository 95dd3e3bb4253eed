// SPDX-License-Identifier: Apache-2.0
//
// Edit distance against the textbook's table, and which names are offered for a mistyped one.
#include "base/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace proofline::nearest_test {
namespace {

using Names = std::vector<std::string_view>;

// The textbook table, without band and without limit.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

TEST(EditDistance, CountsLettersToChange) {
  EXPECT_EQ(edit_distance("", "", 3), 0u);
  EXPECT_EQ(edit_distance("barrier", "barrier", 0), 0u);
  EXPECT_EQ(edit_distance("barier", "barrier", 3), 1u);
  EXPECT_EQ(edit_distance("barreir", "barrier", 3), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("carrier", "barrier", 3), 1u);
  EXPECT_EQ(edit_distance("", "abc", 3), 3u);
}

TEST(EditDistance, StopsAtTheLimit) {
  EXPECT_EQ(edit_distance("abc", "xyz", 2), 3u);
  EXPECT_EQ(edit_distance("abc", "xyz", 3), 3u);
  EXPECT_EQ(edit_distance("a", std::string(1000, 'b'), 5), 6u);
  EXPECT_EQ(edit_distance("a", "b", 0), 1u);
}

TEST(EditDistance, AgreesWithTheWholeTable) {
  // All words of up to five letters over two, against a fixed few, at every limit.
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; words[i].size() < 5; ++i) {
    words.push_back(words[i] + 'a');
    words.push_back(words[i] + 'b');
  }
  for (const std::string& a : words) {
    for (const std::string_view b : {"abba", "baab", "", "aabab", "bb"}) {
      const std::size_t exact = slow_distance(a, b);
      for (std::size_t limit = 0; limit <= 6; ++limit) {
        ASSERT_EQ(edit_distance(a, b, limit), std::min(exact, limit + 1))
            << a << " " << b << " " << limit;
      }
    }
  }
}

TEST(Nearest, FindsSlipsOfTheHand) {
  const Names known = {"barrier", "membar", "long_scoreboard", "short_scoreboard"};
  EXPECT_EQ(nearest("barier", known, 3), Names({"barrier"}));
  EXPECT_EQ(nearest("long_scorebaord", known, 1), Names({"long_scoreboard"}));
  EXPECT_EQ(nearest("LONG_SCOREBOARD", known, 1), Names({"long_scoreboard"}));
}

TEST(Nearest, FindsNamesOfWhichItIsAPart) {
  const Names known = {"WarpStateStats", "SchedulerStats", "Occupancy"};
  EXPECT_EQ(nearest("warpstate", known, 3), Names({"WarpStateStats"}));
}

TEST(Nearest, PutsTheBestFirstAndKeepsTheNumber) {
  const Names known = {"abcdefgh", "abcdefgx", "abcdefyx"};
  EXPECT_EQ(nearest("abcdefgh", known, 2), Names({"abcdefgh", "abcdefgx"}));
  EXPECT_EQ(nearest("abcdefgh", known, 0), Names());
}

TEST(Nearest, SaysNothingWhereNothingIsNear) {
  const Names known = {"barrier", "membar"};
  EXPECT_EQ(nearest("tensor_cores", known, 3), Names());
  EXPECT_EQ(nearest("", known, 3), Names());
  EXPECT_EQ(nearest(std::string(1 << 20, 'b'), known, 3), Names());
}

}  // namespace
}  // namespace proofline::nearest_test

// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include <gtest/gtest.h>

namespace proofline::words_test {
namespace {

using Words = std::vector<std::string>;

TEST(Words, AreSplitByAShellsRulesForQuotes) {
  EXPECT_EQ(*split_words("--n 128  --mode 'a b' \"c \\\"d\\\" \\e\" f\\ g"),
            (Words{"--n", "128", "--mode", "a b", "c \"d\" \\e", "f g"}));
  EXPECT_EQ(*split_words("a'b'\"c\"d ''"), (Words{"abcd", ""}));
  EXPECT_EQ(*split_words(" \t\n"), Words{});
}

TEST(Words, AreNeverExpanded) {
  EXPECT_EQ(*split_words("$HOME * $(id) `id` ~ a;b"),
            (Words{"$HOME", "*", "$(id)", "`id`", "~", "a;b"}));
}

TEST(Words, AQuoteMustBeClosed) {
  for (const char* text : {"'a", "\"a", "a '"}) {
    const auto words = split_words(text);
    ASSERT_FALSE(words) << text;
    EXPECT_EQ(words.error().kind, ErrorKind::kUsage);
  }
}

}  // namespace
}  // namespace proofline::words_test

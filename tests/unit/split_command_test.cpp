// SPDX-License-Identifier: Apache-2.0
#include "base/split_command.h"

#include <gtest/gtest.h>

namespace proofline::split_command_test {
namespace {

using Words = std::vector<std::string>;

TEST(SplitCommand, SplitsByQuotes) {
  EXPECT_EQ(*split_command("./bench --n 128 --name 'a b' \"c d\" e\\ f"),
            (Words{"./bench", "--n", "128", "--name", "a b", "c d", "e f"}));
  EXPECT_EQ(*split_command("'my programs/bench' ''"), (Words{"my programs/bench", ""}));
}

TEST(SplitCommand, WhatIsQuotedReachesTheProgramAsItIs) {
  EXPECT_EQ(*split_command(R"(./bench '*|;&<>`$HOME$(id)' "a|b;c*" \$HOME \* 5$ $5)"),
            (Words{"./bench", "*|;&<>`$HOME$(id)", "a|b;c*", "$HOME", "*", "5$", "$5"}));
  EXPECT_EQ(*split_command("./bench --size=4096 -k 'gemm.*'"),
            (Words{"./bench", "--size=4096", "-k", "gemm.*"}));
}

TEST(SplitCommand, WhatOnlyAShellCouldDoIsAnErrorThatNamesIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"./a | tee x", "\"|\""},  {"./a; ./b", "\";\""},  {"./a &", "\"&\""},
      {"./a < in", "\"<\""},     {"./a > out", "\">\""}, {"./a `id`", "\"`\""},
      {"./a $(id)", "\"$(\""},   {"./a *.bin", "\"*\""}, {"./a ?.bin", "\"?\""},
      {"./a $HOME/x", "\"$H\""}, {"./a ${n}", "\"${\""}, {"./a \"$HOME\"", "\"$H\""},
      {"./a \"`id`\"", "\"`\""}, {"./a 'x'*", "\"*\""},  {"./a \\\\*", "\"*\""}};
  for (const auto& [text, part] : cases) {
    const auto words = split_command(text);
    ASSERT_FALSE(words) << text;
    EXPECT_EQ(words.error().kind, ErrorKind::kUsage);
    EXPECT_NE(words.error().message.find(part), std::string::npos) << words.error().message;
    EXPECT_NE(words.error().message.find("script"), std::string::npos) << words.error().message;
  }
}

TEST(SplitCommand, AVariableBeforeTheProgramIsLeftToEnv) {
  const auto words = split_command("CUDA_VISIBLE_DEVICES=1 ./bench");
  ASSERT_FALSE(words);
  EXPECT_NE(words.error().message.find("env"), std::string::npos) << words.error().message;
  EXPECT_TRUE(split_command("env CUDA_VISIBLE_DEVICES=1 ./bench"));
  EXPECT_TRUE(split_command("./n=1/bench"));
}

TEST(SplitCommand, NeedsAProgramAndClosedQuotes) {
  for (const char* text : {"", "  ", "''", "'a", "./a \"b"}) {
    const auto words = split_command(text);
    ASSERT_FALSE(words) << text;
    EXPECT_EQ(words.error().kind, ErrorKind::kUsage);
  }
}

}  // namespace
}  // namespace proofline::split_command_test

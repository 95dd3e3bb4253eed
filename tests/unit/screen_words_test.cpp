// SPDX-License-Identifier: Apache-2.0
//
// Whatever word a result prints can be asked for.
#include "vocabulary/screen_words.h"

#include <gtest/gtest.h>

#include <string_view>

#include "model/diagnosis/diagnosis.h"
#include "model/journal/entries.h"
#include "model/measurement/decision.h"
#include "playbook/check.h"
#include "rules/rule.h"
#include "workflow/explanations.h"

namespace proofline::screen_words_test {
namespace {

// Enums of states run from 0 without a gap.
template <class State>
void expect_all_known(State last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const std::string_view word = to_string(static_cast<State>(i));
    ASSERT_NE(word, "");
    EXPECT_FALSE(explain(word).empty()) << word;
  }
}

TEST(ScreenWords, EveryVerdictAndStateIsExplained) {
  expect_all_known(DecisionVerdict::kNoDifference);
  expect_all_known(CheckVerdict::kRefuted);
  expect_all_known(TaskState::kReverted);
  expect_all_known(AttemptState::kAbandoned);
  expect_all_known(Bound::kNone);
  expect_all_known(GainKind::kMeasured);
}

TEST(ScreenWords, EveryPlaceOfARuleIsExplained) {
  for (const auto& all : {rules(), timeline_rules()}) {
    for (const Rule& rule : all) {
      EXPECT_TRUE(rule.at.empty() || !explain(rule.at).empty()) << rule.at;
    }
  }
}

TEST(ScreenWords, APlaceNamesTheRulesThatFindIt) {
  const auto found = explain("global-access");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].properties.back().key, "rules");
}

}  // namespace
}  // namespace proofline::screen_words_test

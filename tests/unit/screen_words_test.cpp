// SPDX-License-Identifier: Apache-2.0
//
// Whatever word a result prints can be asked for.
#include "vocabulary/screen_words.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "model/diagnosis/comparison.h"
#include "model/diagnosis/diagnosis.h"
#include "model/journal/entries.h"
#include "model/machine/preflight.h"
#include "model/machine/sanitizer.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"
#include "playbook/check.h"
#include "readers/format.h"
#include "rules/rule.h"
#include "vocabulary/idle_classes.h"
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
  expect_all_known(Severity::kInfo);
  expect_all_known(FindingStatus::kUnknown);
  expect_all_known(GateState::kNotRun);
  expect_all_known(TimedBy::kWallClock);
  expect_all_known(MeasurementState::kFailed);
  expect_all_known(CheckStatus::kMissing);
  expect_all_known(SanitizerKind::kUnknown);
  expect_all_known(SanitizerOutcome::kNotRun);
}

TEST(ScreenWords, EveryIdleClassIsExplained) {
  for (const IdleClassInfo& one : kIdleClassTable) EXPECT_FALSE(explain(one.label).empty());
}

TEST(ScreenWords, EveryPlaceOfARuleIsExplained) {
  for (const auto& all : {rules(), timeline_rules()}) {
    for (const Rule& rule : all) {
      EXPECT_TRUE(rule.at.empty() || !explain(rule.at).empty()) << rule.at;
    }
  }
}

TEST(ScreenWords, WhatBoundsAKernelIsExplainedAsScreensPutItTogether) {
  const auto bound = explain("memory-bound");
  ASSERT_EQ(bound.size(), 1U);
  EXPECT_EQ(bound[0].name, "memory");
  const auto at = explain("latency (memory)");
  ASSERT_EQ(at.size(), 2U);
  EXPECT_EQ(at[0].name, "latency");
  EXPECT_EQ(at[1].name, "memory");
  EXPECT_TRUE(explain("nothing-bound").empty());
  EXPECT_TRUE(explain("latency (nothing").empty());
}

TEST(ScreenWords, AnItemOfAPlaybookIsExplainedWithoutThePlaybook) {
  const auto found = explain("sol-memory");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "playbook check");
}

TEST(ScreenWords, EveryFormatIsExplained) {
  for (const Format& format : formats()) EXPECT_FALSE(explain(format.name).empty()) << format.name;
}

TEST(ScreenWords, NoHeadOfATableIsThereTwice) {
  std::set<std::string_view> heads;
  for (const ScreenWord& head : column_heads()) {
    EXPECT_TRUE(heads.insert(head.word).second) << head.word;
    EXPECT_NE(head.meaning, "");
  }
}

TEST(ScreenWords, APlaceNamesTheRulesThatFindIt) {
  const auto found = explain("global-access");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].properties.back().key, "rules");
}

}  // namespace
}  // namespace proofline::screen_words_test

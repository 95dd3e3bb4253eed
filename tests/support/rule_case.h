// SPDX-License-Identifier: Apache-2.0
//
// A rule judged on facts that a test makes up, without a capture or a GPU:
//
//   TEST(BarrierStalls, FiresFromAFifthOfTheTime) {
//     const RuleCase base("barrier-stalls", {{"stall.barrier.share", 0.5}});
//     EXPECT_FOUND(base);
//     EXPECT_FOUND_FROM(base, "stall.barrier.share", 0.2);
//     EXPECT_SILENT(base.with("roof.headroom", 0.04));
//     EXPECT_NOT_EVALUATED(base.without("stall.barrier.share"), "stall.barrier.share");
//   }
//
// Thresholds are written as numbers, not as the rule's constants: they are what a user relies on.
// A name that no analysis publishes fails the test, whether the test sets it or the rule asks for
// it.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "rules/rule.h"

namespace proofline {

class RuleCase {
 public:
  using Value = std::variant<double, std::string>;
  struct NamedValue {
    NamedValue(std::string_view fact, double number) : name(fact), value(number) {}
    NamedValue(std::string_view fact, std::string_view text)
        : name(fact), value(std::string(text)) {}

    std::string name;
    Value value;
  };

  RuleCase(std::string_view rule, std::initializer_list<NamedValue> facts);

  // The same case but for one fact.
  RuleCase with(std::string_view fact, double number) const { return with({fact, number}); }
  RuleCase with(std::string_view fact, std::string_view text) const { return with({fact, text}); }
  RuleCase without(const std::string& fact) const;

  Outcome outcome() const;
  // "barrier-stalls on stall.barrier.share = 0.5"
  std::string describe() const;

 private:
  RuleCase with(NamedValue fact) const;

  std::string rule_;
  std::map<std::string, Value> facts_;
};

testing::AssertionResult is_found(const RuleCase& rule_case);
testing::AssertionResult is_silent(const RuleCase& rule_case);
// Because, among others, `fact` is missing.
testing::AssertionResult is_not_evaluated(const RuleCase& rule_case, std::string_view fact);
// On one side of `threshold`, which belongs to it, the rule finds its cause; a thousandth of it to
// the other side it is silent.
testing::AssertionResult is_found_from(const RuleCase& rule_case, std::string_view fact,
                                       double threshold);
testing::AssertionResult is_found_up_to(const RuleCase& rule_case, std::string_view fact,
                                        double threshold);
// To a hundredth.
testing::AssertionResult has_gain(const RuleCase& rule_case, double low, double high);
// `words` are in the statement, or in the next step.
testing::AssertionResult says(const RuleCase& rule_case, std::string_view words);
testing::AssertionResult advises(const RuleCase& rule_case, std::string_view words);

}  // namespace proofline

#define EXPECT_FOUND(rule_case) EXPECT_TRUE(::proofline::is_found(rule_case))
#define EXPECT_SILENT(rule_case) EXPECT_TRUE(::proofline::is_silent(rule_case))
#define EXPECT_NOT_EVALUATED(rule_case, fact) \
  EXPECT_TRUE(::proofline::is_not_evaluated(rule_case, fact))
#define EXPECT_FOUND_FROM(rule_case, fact, threshold) \
  EXPECT_TRUE(::proofline::is_found_from(rule_case, fact, threshold))
#define EXPECT_FOUND_UP_TO(rule_case, fact, threshold) \
  EXPECT_TRUE(::proofline::is_found_up_to(rule_case, fact, threshold))
#define EXPECT_GAIN(rule_case, low, high) EXPECT_TRUE(::proofline::has_gain(rule_case, low, high))
#define EXPECT_SAYS(rule_case, words) EXPECT_TRUE(::proofline::says(rule_case, words))
#define EXPECT_ADVISES(rule_case, words) EXPECT_TRUE(::proofline::advises(rule_case, words))

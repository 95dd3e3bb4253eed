// SPDX-License-Identifier: Apache-2.0
//
// Evaluating a rule on made-up facts, and saying what came of it.
#include "support/rule_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/known_facts.h"

namespace proofline {
namespace {

std::string to_text(const RuleCase::Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

std::string to_text(const Outcome& outcome) {
  if (std::holds_alternative<Clean>(outcome)) return "clean";
  if (const auto* unknown = std::get_if<NotEvaluated>(&outcome)) {
    return fmt::format("not evaluated for want of {}", fmt::join(unknown->missing, ", "));
  }
  const auto& finding = std::get<Finding>(outcome);
  return fmt::format("found ({}; gain {:.3f} to {:.3f}; {})", finding.statement, finding.gain.low,
                     finding.gain.high, finding.next);
}

testing::AssertionResult judge(bool expected, const RuleCase& rule_case, const Outcome& outcome) {
  if (expected) return testing::AssertionSuccess();
  return testing::AssertionFailure() << rule_case.describe() << ": " << to_text(outcome);
}

testing::AssertionResult changes_at(const RuleCase& rule_case, std::string_view fact, double found,
                                    double silent) {
  const auto inside = is_found(rule_case.with(fact, found));
  return inside ? is_silent(rule_case.with(fact, silent)) : inside;
}

void expect_known(std::string_view rule, std::string_view fact) {
  if (!known_facts().contains(fact)) {
    ADD_FAILURE() << rule << ": no analysis publishes " << fact;
  }
}

}  // namespace

RuleCase::RuleCase(std::string_view rule, std::initializer_list<NamedValue> facts) : rule_(rule) {
  for (const NamedValue& fact : facts) facts_.emplace(fact.name, fact.value);
}

RuleCase RuleCase::with(NamedValue fact) const {
  RuleCase changed = *this;
  changed.facts_.insert_or_assign(std::move(fact.name), std::move(fact.value));
  return changed;
}

RuleCase RuleCase::without(const std::string& fact) const {
  RuleCase changed = *this;
  EXPECT_EQ(changed.facts_.erase(fact), 1U) << rule_ << ": the case has no " << fact;
  return changed;
}

Outcome RuleCase::outcome() const {
  static const Profile kNoProfile;
  static const Launch kNoLaunch;
  const Rule* rule = find_rule(rule_);
  if (rule == nullptr) {
    ADD_FAILURE() << "there is no rule " << rule_;
    return Clean{};
  }
  Facts facts(kNoProfile, kNoLaunch);
  for (const auto& [name, value] : facts_) {
    expect_known(rule_, name);
    facts.add({name, "", value, {}});
  }
  Trial trial(facts);
  Outcome outcome = rule->evaluate(trial);
  for (const std::string& name : trial.asked()) expect_known(rule_, name);
  return outcome;
}

std::string RuleCase::describe() const {
  std::string text = rule_;
  const char* separator = " on ";
  for (const auto& [name, value] : facts_) {
    text += separator + name + " = " + to_text(value);
    separator = ", ";
  }
  return text;
}

testing::AssertionResult is_found(const RuleCase& rule_case) {
  const Outcome outcome = rule_case.outcome();
  return judge(std::holds_alternative<Finding>(outcome), rule_case, outcome);
}

testing::AssertionResult is_silent(const RuleCase& rule_case) {
  const Outcome outcome = rule_case.outcome();
  return judge(std::holds_alternative<Clean>(outcome), rule_case, outcome);
}

testing::AssertionResult is_not_evaluated(const RuleCase& rule_case, std::string_view fact) {
  const Outcome outcome = rule_case.outcome();
  const auto* unknown = std::get_if<NotEvaluated>(&outcome);
  const bool names_it =
      unknown != nullptr &&
      std::find(unknown->missing.begin(), unknown->missing.end(), fact) != unknown->missing.end();
  return judge(names_it, rule_case, outcome);
}

testing::AssertionResult is_found_from(const RuleCase& rule_case, std::string_view fact,
                                       double threshold) {
  return changes_at(rule_case, fact, threshold, 0.999 * threshold);
}

testing::AssertionResult is_found_up_to(const RuleCase& rule_case, std::string_view fact,
                                        double threshold) {
  return changes_at(rule_case, fact, threshold, 1.001 * threshold);
}

testing::AssertionResult has_gain(const RuleCase& rule_case, double low, double high) {
  constexpr double kHundredth = 0.01;
  const Outcome outcome = rule_case.outcome();
  const auto* finding = std::get_if<Finding>(&outcome);
  return judge(finding != nullptr && std::abs(finding->gain.low - low) < kHundredth &&
                   std::abs(finding->gain.high - high) < kHundredth,
               rule_case, outcome);
}

testing::AssertionResult says(const RuleCase& rule_case, std::string_view words) {
  const Outcome outcome = rule_case.outcome();
  const auto* finding = std::get_if<Finding>(&outcome);
  return judge(finding != nullptr && finding->statement.find(words) != std::string::npos, rule_case,
               outcome);
}

testing::AssertionResult advises(const RuleCase& rule_case, std::string_view words) {
  const Outcome outcome = rule_case.outcome();
  const auto* finding = std::get_if<Finding>(&outcome);
  return judge(finding != nullptr && finding->next.find(words) != std::string::npos, rule_case,
               outcome);
}

}  // namespace proofline

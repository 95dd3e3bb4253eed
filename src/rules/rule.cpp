// SPDX-License-Identifier: Apache-2.0
//
// Turns a rule's comparisons into evidence, and absent facts into "not evaluated".
#include "rules/rule.h"

#include <algorithm>
#include <utility>

namespace proofline {

const Facts& Trial::ask(const FactRef& fact) const {
  asked_.insert(fact.name);
  return facts_;
}

std::optional<double> Trial::read(const FactRef& fact) {
  const auto value = ask(fact).number(fact);
  if (!value && std::find(missing_.begin(), missing_.end(), fact.name) == missing_.end()) {
    missing_.push_back(fact.name);
  }
  return value;
}

bool Trial::at_least(const FactRef& fact, double threshold) {
  const auto value = read(fact);
  if (!value || *value < threshold) return false;
  evidence_.push_back({fact.name, *value, facts_.find(fact)->unit, ">=", threshold});
  return true;
}

bool Trial::at_most(const FactRef& fact, double threshold) {
  const auto value = read(fact);
  if (!value || *value > threshold) return false;
  evidence_.push_back({fact.name, *value, facts_.find(fact)->unit, "<=", threshold});
  return true;
}

bool Trial::is(const FactRef& fact, std::string_view text) {
  const auto value = ask(fact).text(fact);
  if (!value) missing_.push_back(fact.name);
  if (!value || *value != text) return false;
  show(fact);
  return true;
}

double Trial::need(const FactRef& fact) {
  const auto value = read(fact);
  if (value) show(fact);
  return value.value_or(0);
}

void Trial::show(const FactRef& fact) {
  const auto known = [&](const Evidence& evidence) { return evidence.fact == fact.name; };
  if (std::any_of(evidence_.begin(), evidence_.end(), known)) return;
  if (auto found = ask(fact).find(fact)) {
    evidence_.push_back({found->name, std::move(found->value), std::move(found->unit), "", 0});
  }
}

Outcome Trial::clean() const {
  if (missing_.empty()) return Clean{};
  return NotEvaluated{"", missing_, facts_.absence(missing_.front()).reason, ""};
}

Outcome Trial::found(std::string statement, Gain gain, std::string next) const {
  gain.low = std::clamp(gain.low, 0.0, 1.0);
  gain.high = std::clamp(gain.high, gain.low, 1.0);
  Finding finding;
  finding.statement = std::move(statement);
  finding.evidence = evidence_;
  finding.gain = gain;
  finding.next = std::move(next);
  return finding;
}

const Rule* find_rule(std::string_view id) {
  for (const std::span<const Rule> all : {rules(), timeline_rules()}) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Rule& rule) { return rule.id == id; });
    if (found != all.end()) return &*found;
  }
  return nullptr;
}

}  // namespace proofline

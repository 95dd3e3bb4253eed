// SPDX-License-Identifier: Apache-2.0
//
// Reading metrics by name, and running every analysis over a launch.
#include "analysis/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/characters.h"

namespace proofline {

const Metric* Subject::metric(std::string_view name) const {
  const auto id = profile.metric_names.find(name);
  return id ? launch.find(*id) : nullptr;
}

std::optional<double> Subject::number(std::string_view name) const {
  const Metric* found = metric(name);
  if (found == nullptr) return std::nullopt;
  const auto value = as_number(found->value);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> Subject::first(std::span<const std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const auto value = number(name)) return value;
  }
  return std::nullopt;
}

double Formula::read(std::string_view metric) { return read_any({metric}); }

double Formula::read_any(std::span<const std::string_view> metrics) {
  for (const std::string_view name : metrics) {
    if (const auto value = subject_.number(name)) {
      sources_.add(name);
      return *value;
    }
  }
  missing_.emplace_back(metrics.front());
  return std::numeric_limits<double>::quiet_NaN();
}

double Formula::read_or(std::string_view metric, double otherwise) {
  return subject_.number(metric) ? read(metric) : otherwise;
}

std::string Formula::why_missing() const {
  const std::string& metric = missing_.front();
  const Metric* found = subject_.metric(metric);
  if (found != nullptr && is_negative(found->value)) return metric + " is below zero";
  return "the capture lacks " + metric;
}

void Formula::publish(Facts& facts, const FactRef& fact, double value) const {
  if (!missing_.empty()) {
    facts.mark_absent(fact, why_missing(), missing_);
  } else if (!std::isfinite(value)) {
    facts.mark_absent(fact, "nothing of the kind happened in this launch");
  } else if (fact.unit == kShare && value < 0) {
    facts.mark_absent(fact, "the capture's counters contradict each other");
  } else {
    facts.add(fact, value, sources_);
  }
}

void Formula::publish(Facts& facts, const FactRef& fact, std::string_view text) const {
  if (!missing_.empty()) {
    facts.mark_absent(fact, why_missing(), missing_);
  } else {
    facts.add(fact, std::string(text), sources_);
  }
}

void publish_metric(const Subject& subject, Facts& facts, const FactInfo& fact) {
  std::vector<std::string_view> names = {fact.needs};
  for (std::string_view rest = fact.formerly; !rest.empty();) {
    names.push_back(take_until(' ', rest));
  }
  Formula formula(subject);
  const double value = formula.read_any(names);
  formula.publish(facts, fact, value);
}

void publish_metric(const Subject& subject, Facts& facts, const FactRef& fact,
                    std::string_view metric) {
  Formula formula(subject);
  const double value = formula.read(metric);
  formula.publish(facts, fact, value);
}

void publish_percent(const Subject& subject, Facts& facts, const FactInfo& fact) {
  publish_percent(subject, facts, fact, fact.needs);
}

void publish_percent(const Subject& subject, Facts& facts, const FactRef& fact,
                     std::string_view metric) {
  Formula formula(subject);
  const double percent = formula.read(metric);
  formula.publish(facts, fact, percent / 100);
}

std::vector<std::string> metrics_of(const FactInfo& fact) {
  std::vector<std::string> metrics;
  for (std::string_view rest = fact.needs; !rest.empty();) {
    metrics.emplace_back(take_until(' ', rest));
  }
  if (fact.value == nullptr) return metrics;
  // A launch without metrics lacks each that the formula reads.
  const Profile profile;
  const Launch launch;
  const Declared declared;
  const Subject nothing{profile, launch, declared};
  Formula formula(nothing);
  fact.value(formula);
  return formula.missing();
}

Facts gather_facts(const Profile& profile, const Launch& launch, const Declared& declared) {
  Facts facts(profile, launch);
  const Subject subject{profile, launch, declared};
  for (const Analysis& analysis : analyses()) {
    if (analysis.publish == nullptr) continue;
    analysis.publish(subject, facts);
    for (const FactInfo& fact : analysis.facts) {
      if (fact.value == nullptr) continue;
      Formula formula(subject);
      const double value = fact.value(formula);
      formula.publish(facts, fact, value);
    }
  }
  return facts;
}

}  // namespace proofline

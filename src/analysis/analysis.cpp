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

void Formula::publish(Facts& facts, std::string_view name, std::string_view unit,
                      double value) const {
  if (!missing_.empty()) {
    facts.add_absent({std::string(name), why_missing(), missing_});
  } else if (!std::isfinite(value)) {
    facts.add_absent({std::string(name), "nothing of the kind happened in this launch", {}});
  } else if (unit == kShare && value < 0) {
    facts.add_absent({std::string(name), "the capture's counters contradict each other", {}});
  } else {
    facts.add({std::string(name), std::string(unit), value, sources_});
  }
}

void Formula::publish(Facts& facts, std::string_view name, std::string_view text) const {
  if (!missing_.empty()) {
    facts.add_absent({std::string(name), why_missing(), missing_});
  } else {
    facts.add({std::string(name), "", std::string(text), sources_});
  }
}

void publish_metric(const Subject& subject, Facts& facts, std::string_view name,
                    std::string_view unit, std::initializer_list<std::string_view> metrics) {
  Formula formula(subject);
  const double value = formula.read_any(metrics);
  formula.publish(facts, name, unit, value);
}

void publish_percent(const Subject& subject, Facts& facts, std::string_view name,
                     std::string_view metric) {
  Formula formula(subject);
  const double percent = formula.read(metric);
  formula.publish(facts, name, kShare, percent / 100);
}

bool matches_fact(std::string_view pattern, std::string_view name) {
  // Nearly always there is no more to be seen.
  if (!pattern.empty() && pattern[0] != '<' && (name.empty() || pattern[0] != name[0]))
    return false;
  const std::size_t open = pattern.find('<');
  const std::size_t close = pattern.find('>', std::min(open, pattern.size()));
  if (close == pattern.npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, open))) return false;
  std::string_view choices = pattern.substr(open + 1, close - open - 1);
  const std::string_view after = pattern.substr(close + 1);
  name.remove_prefix(open);
  if (choices.find('|') != choices.npos) {
    while (!choices.empty()) {
      const std::string_view word = take_until('|', choices);
      if (name.starts_with(word) && matches_fact(after, name.substr(word.size()))) return true;
    }
    return false;
  }
  const std::size_t longest = std::min(name.find('.'), name.size());
  for (std::size_t size = 1; size <= longest; ++size) {
    if (matches_fact(after, name.substr(size))) return true;
  }
  return false;
}

Facts gather_facts(const Profile& profile, const Launch& launch, const Declared& declared) {
  Facts facts(profile, launch);
  const Subject subject{profile, launch, declared};
  for (const Analysis& analysis : analyses()) {
    if (analysis.publish != nullptr) analysis.publish(subject, facts);
  }
  return facts;
}

}  // namespace proofline

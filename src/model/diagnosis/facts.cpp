// SPDX-License-Identifier: Apache-2.0
//
// Looking up facts, published ones before metrics.
#include "model/diagnosis/facts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proofline {

Facts::Facts(const Profile& profile, const Launch& launch) : metric_names_(profile.metric_names) {
  metrics_.reserve(launch.metrics.size());
  for (const Metric& metric : launch.metrics) metrics_.push_back({metric.id, metric.value});
}

void Facts::add(Fact fact) {
  if (by_name_.contains(fact.name) || absent_by_name_.contains(fact.name)) return;
  facts_.push_back(std::move(fact));
  by_name_.emplace(facts_.back().name, &facts_.back());
}

void Facts::add_absent(AbsentFact absent) {
  if (by_name_.contains(absent.name) || absent_by_name_.contains(absent.name)) return;
  absent_.push_back(std::move(absent));
  absent_by_name_.emplace(absent_.back().name, &absent_.back());
}

const Facts::MetricValue* Facts::metric(std::string_view name) const {
  const auto id = metric_names_.find(name);
  if (!id) return nullptr;
  const auto found = std::lower_bound(
      metrics_.begin(), metrics_.end(), *id,
      [](const MetricValue& metric, MetricId wanted) { return metric.id < wanted; });
  return found != metrics_.end() && found->id == *id ? &*found : nullptr;
}

std::optional<Fact> Facts::find(std::string_view name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return *found->second;
  if (absent_by_name_.contains(name)) return std::nullopt;
  const MetricValue* metric = this->metric(name);
  if (metric == nullptr) return std::nullopt;
  Fact fact{std::string(name), "", 0.0, {std::string(name)}};
  fact.unit = metric_names_[metric->id].unit;
  if (const auto* text = std::get_if<std::string>(&metric->value)) {
    fact.value = *text;
  } else if (const auto value = as_number(metric->value); value && std::isfinite(*value)) {
    fact.value = *value;
  } else {
    return std::nullopt;
  }
  return fact;
}

std::optional<double> Facts::number(std::string_view name) const {
  const auto fact = find(name);
  if (!fact) return std::nullopt;
  const auto* value = std::get_if<double>(&fact->value);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::string> Facts::text(std::string_view name) const {
  const auto fact = find(name);
  if (!fact) return std::nullopt;
  const auto* value = std::get_if<std::string>(&fact->value);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

AbsentFact Facts::absence(std::string_view name) const {
  if (const auto found = absent_by_name_.find(name); found != absent_by_name_.end()) {
    return *found->second;
  }
  const std::string metric(name);
  return {metric, "the capture lacks " + metric, {metric}};
}

std::vector<std::string> Facts::metrics_for(const std::vector<std::string>& missing) const {
  std::vector<std::string> metrics;
  for (const std::string& fact : missing) {
    for (std::string& metric : absence(fact).metrics) metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace proofline

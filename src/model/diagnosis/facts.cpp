// SPDX-License-Identifier: Apache-2.0
//
// Looking up facts, published ones before metrics.
#include "model/diagnosis/facts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proofline {

void Sources::add(std::string_view metric) {
  if (metrics_.use_count() != 1) *this = Sources(metrics());
  metrics_->emplace_back(metric);
}

const std::vector<std::string>& Sources::metrics() const {
  static const std::vector<std::string> kNone;
  return metrics_ != nullptr ? *metrics_ : kNone;
}

template <class T>
void Facts::Metrics<T>::add(MetricId id, const T& value) {
  ids.push_back(id);
  values.push_back(value);
}

template <class T>
const T* Facts::Metrics<T>::find(MetricId id) const {
  const auto found = std::lower_bound(ids.begin(), ids.end(), id);
  if (found == ids.end() || *found != id) return nullptr;
  return &values[static_cast<std::size_t>(found - ids.begin())];
}

Facts::Facts(const Profile& profile, const Launch& launch) : metric_names_(profile.metric_names) {
  numbers_.ids.reserve(launch.metrics.size());
  numbers_.values.reserve(launch.metrics.size());
  for (const Metric& metric : launch.metrics) {
    if (const auto* text = std::get_if<std::string>(&metric.value)) {
      texts_.add(metric.id, *text);
    } else if (const auto value = as_number(metric.value)) {
      numbers_.add(metric.id, *value);
    } else if (is_negative(metric.value)) {
      below_zero_.push_back(metric.id);
    }
  }
}

void Facts::add(Fact fact) {
  const double* number = std::get_if<double>(&fact.value);
  if (number != nullptr && !std::isfinite(*number)) return;
  const Fact& added = facts_.emplace_back(std::move(fact));
  if (!by_name_.try_emplace(added.name, Word{&added, nullptr}).second) facts_.pop_back();
}

void Facts::add_absent(AbsentFact absent) {
  const bool as_before = !absent_.empty() && absent_.back().reason->text == absent.reason &&
                         absent_.back().reason->metrics == absent.metrics;
  auto reason = as_before ? absent_.back().reason
                          : std::make_shared<const Reason>(
                                Reason{std::move(absent.reason), std::move(absent.metrics)});
  const Absence& added = absent_.emplace_back(Absence{std::move(absent.name), std::move(reason)});
  if (!by_name_.try_emplace(added.name, Word{nullptr, &added}).second) absent_.pop_back();
}

void Facts::add(FactRef fact, std::variant<double, std::string> value, Sources sources) {
  add(Fact{std::move(fact.name), std::string(fact.unit), std::move(value), std::move(sources)});
}

void Facts::mark_absent(FactRef fact, std::string reason, std::vector<std::string> metrics) {
  add_absent({std::move(fact.name), std::move(reason), std::move(metrics)});
}

std::vector<AbsentFact> Facts::absent() const {
  std::vector<AbsentFact> all;
  all.reserve(absent_.size());
  for (const Absence& one : absent_) all.push_back(one.fact());
  return all;
}

const Facts::Word* Facts::word(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? &found->second : nullptr;
}

std::optional<Fact> Facts::find(std::string_view name) const {
  if (const Word* published = word(name)) {
    return published->fact != nullptr ? std::optional(*published->fact) : std::nullopt;
  }
  const auto id = metric_names_.find(name);
  if (!id) return std::nullopt;
  Fact fact{std::string(name), metric_names_[*id].unit, 0.0, {std::string(name)}};
  if (const double* number = numbers_.find(*id)) {
    fact.value = *number;
  } else if (const std::string* text = texts_.find(*id)) {
    fact.value = *text;
  } else {
    return std::nullopt;
  }
  return fact;
}

std::optional<double> Facts::number(std::string_view name) const {
  const double* number = nullptr;
  if (const Word* published = word(name)) {
    if (published->fact != nullptr) number = std::get_if<double>(&published->fact->value);
  } else if (const auto id = metric_names_.find(name)) {
    number = numbers_.find(*id);
  }
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<std::string> Facts::text(std::string_view name) const {
  const std::string* text = nullptr;
  if (const Word* published = word(name)) {
    if (published->fact != nullptr) text = std::get_if<std::string>(&published->fact->value);
  } else if (const auto id = metric_names_.find(name)) {
    text = texts_.find(*id);
  }
  return text != nullptr ? std::optional(*text) : std::nullopt;
}

std::optional<AbsentFact> Facts::find_absent(std::string_view name) const {
  const Word* published = word(name);
  if (published == nullptr || published->absent == nullptr) return std::nullopt;
  return published->absent->fact();
}

AbsentFact Facts::absence(std::string_view name) const {
  if (auto published = find_absent(name)) return *std::move(published);
  const auto id = metric_names_.find(name);
  const bool negative = id && std::binary_search(below_zero_.begin(), below_zero_.end(), *id);
  const std::string metric(name);
  return {metric, negative ? metric + " is below zero" : "the capture lacks " + metric, {metric}};
}

std::vector<std::string> Facts::metrics_for(const std::vector<std::string>& missing) const {
  std::vector<std::string> metrics;
  for (const std::string& fact : missing) {
    for (std::string& metric : absence(fact).metrics) metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace proofline

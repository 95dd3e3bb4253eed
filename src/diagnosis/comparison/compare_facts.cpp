// SPDX-License-Identifier: Apache-2.0
//
// Sets values side by side in one unit or not at all, and weighs their change.
#include "diagnosis/comparison/compare_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/launch/launch_facts.h"

namespace proofline {
namespace {

// Closer than this, two doubles are one number that went through different roundings.
constexpr double kSameNumber = 1e-9;
// A change of a word (the limiter, the roof) weighs as much as a quarter of a share.
constexpr double kWordEffect = 0.25;
// A quantity that comes or goes whole weighs as much as half of a share.
constexpr double kQuantityEffect = 0.5;
// Of the largest quantity in the same unit: a count far below it changes by any factor without
// mattering, so its relative change is taken over at least this much.
constexpr double kFloor = 0.05;

std::optional<double> number_of(const std::optional<FactValue>& value) {
  const auto* number = value ? std::get_if<double>(&*value) : nullptr;
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

bool same(const FactValue& a, const FactValue& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return a == b;
  return std::abs(*x - *y) <= kSameNumber * std::max(std::abs(*x), std::abs(*y));
}

// Absurd values overflow on the way; their effect is as large as any.
double bounded(double effect) { return std::isfinite(effect) ? std::clamp(effect, 0.0, 1.0) : 1.0; }

// Of all launches, not of the two whose facts are compared.
FactChange duration_change(const KernelComparison& pair) {
  FactChange change;
  change.name = facts::kDuration.name;
  change.unit = facts::kDuration.unit;
  if (pair.a.spread.median_ns) change.a = *pair.a.spread.median_ns;
  if (pair.b.spread.median_ns) change.b = *pair.b.spread.median_ns;
  if (!change.a || !change.b) change.absence = "the capture lacks gpu__time_duration.sum";
  change.change = pair.change_ns;
  if (pair.ratio) {
    change.relative = *pair.ratio - 1;
    change.effect = bounded(std::abs(*change.relative) / std::max(1.0, *pair.ratio));
  }
  return change;
}

// The names of the facts of both sides: those of A in its order, then those that only B has.
class FactNames {
 public:
  FactNames(const CompareOptions& options, const ComparedSide& side_a, const KernelDiagnosis& a,
            const ComparedSide& side_b, const KernelDiagnosis& b)
      : options_(options) {
    add_all(side_a, a);
    add_all(side_b, b);
  }

  const std::vector<std::string>& names() const { return names_; }
  bool listed(std::string_view name) const { return options_.listed && options_.listed(name); }

 private:
  void add_all(const ComparedSide& side, const KernelDiagnosis& kernel) {
    for (const Fact& fact : kernel.facts.published()) add(fact.name);
    for (const Metric& metric : side.profile->launches[kernel.launch].metrics) {
      const std::string& name = side.profile->metric_names[metric.id].name;
      if (options_.metrics || listed(name)) add(name);
    }
  }

  void add(const std::string& name) {
    if (name != facts::kDuration.name && known_.insert(name).second) names_.push_back(name);
  }

  const CompareOptions& options_;
  std::vector<std::string> names_;
  std::set<std::string> known_;
};

std::string in_unit(const Fact& fact) {
  if (std::holds_alternative<std::string>(fact.value)) return "a word";
  return fact.unit.empty() ? "a plain number" : "in " + fact.unit;
}

// Nothing where the fact is on neither side.
std::optional<FactChange> compare_fact(const std::string& name, const Facts& a, const Facts& b) {
  const auto in_a = a.find(name);
  const auto in_b = b.find(name);
  if (!in_a && !in_b) return std::nullopt;
  FactChange change;
  change.name = name;
  change.unit = in_a ? in_a->unit : in_b->unit;
  if (in_a) change.a = in_a->value;
  if (in_b) change.b = in_b->value;
  if (!in_a) change.absence = a.absence(name).reason;
  if (!in_b) change.absence = b.absence(name).reason;
  if (!in_a || !in_b) return change;
  if (in_a->unit != in_b->unit || in_a->value.index() != in_b->value.index()) {
    // A percentage is not a rate, whatever the name says.
    change.b.reset();
    change.absence = fmt::format("{} in A, {} in B", in_unit(*in_a), in_unit(*in_b));
    return change;
  }
  const auto number_a = number_of(change.a);
  const auto number_b = number_of(change.b);
  if (number_a && number_b) {
    change.change = *number_b - *number_a;
    if (*number_a != 0) change.relative = *change.change / *number_a;
  }
  return change;
}

// How much a change matters; 1 is as much as there is. Shares by their difference; a stall's by
// cycles, since the shares of all other reasons grow when one goes. Quantities by their relative
// change; a rate by that of its amount, since the same work in less time says nothing new.
class Weighing {
 public:
  Weighing(const Facts& a, const Facts& b, const std::vector<FactChange>& facts)
      : duration_a_(a.number(facts::kDuration)), duration_b_(b.number(facts::kDuration)) {
    const auto latency_a = a.number(facts::kWarpsLatency);
    const auto latency_b = b.number(facts::kWarpsLatency);
    if (latency_a && latency_b && a.text(facts::kStallSource) == b.text(facts::kStallSource)) {
      latency_ = {*latency_a, *latency_b};
    }
    for (const FactChange& fact : facts) {
      for (const auto& amount : amounts(fact)) {
        if (amount) largest_[fact.unit] = std::max(largest_[fact.unit], std::abs(*amount));
      }
    }
  }

  double effect(const FactChange& fact) const {
    if (!fact.a || !fact.b || is_of_capture_or_layout(fact.name)) return 0;
    const auto a = number_of(fact.a);
    const auto b = number_of(fact.b);
    if (!a || !b) return word_effect(*fact.a, *fact.b);
    if (fact.name.starts_with("stall.") && fact.unit == kShare && latency_.first > 0) {
      const double longest = std::max(latency_.first, latency_.second);
      return std::abs(*b * latency_.second - *a * latency_.first) / longest;
    }
    if (fact.unit == kShare) return std::abs(*b - *a);
    if (fact.unit == "%") return std::abs(*b - *a) / 100;
    const auto [amount_a, amount_b] = amounts(fact);
    const double floor = fact.unit.empty() ? 0 : kFloor * largest_.at(fact.unit);
    const double scale = std::max({std::abs(*amount_a), std::abs(*amount_b), floor});
    return scale > 0 ? kQuantityEffect * std::abs(*amount_b - *amount_a) / scale : 0;
  }

 private:
  // Of the capture rather than the kernel, or of addresses that every build lays out anew.
  static bool is_of_capture_or_layout(std::string_view name) {
    return name.starts_with("capture.") || name.starts_with("hot");
  }

  static double word_effect(const FactValue& a, const FactValue& b) {
    if (same(a, b)) return 0;
    // Which of a level's counters reads highest is a detail of that level.
    const auto* text = std::get_if<std::string>(&b);
    const bool metric = text != nullptr && text->find("__") != std::string::npos;
    return metric ? 0 : kWordEffect;
  }

  std::array<std::optional<double>, 2> amounts(const FactChange& fact) const {
    auto a = number_of(fact.a);
    auto b = number_of(fact.b);
    if (fact.unit.ends_with("/s") && duration_a_ && duration_b_) {
      if (a) *a *= *duration_a_;
      if (b) *b *= *duration_b_;
    }
    return {a, b};
  }

  std::optional<double> duration_a_;  // of the two launches, not medians
  std::optional<double> duration_b_;
  std::pair<double, double> latency_ = {0, 0};  // 0: stalls cannot be told in cycles
  std::map<std::string, double> largest_;       // amount of each unit
};

}  // namespace

void compare_facts(const ComparedSide& side_a, const KernelDiagnosis& a, const ComparedSide& side_b,
                   const KernelDiagnosis& b, const CompareOptions& options,
                   KernelComparison& result) {
  const FactNames names(options, side_a, a, side_b, b);
  for (const std::string& name : names.names()) {
    auto change = compare_fact(name, a.facts, b.facts);
    if (!change) continue;
    const bool unchanged = change->a && change->b && same(*change->a, *change->b);
    change->listed = names.listed(name);
    if (unchanged && !change->listed) {
      ++result.unchanged_facts;
    } else {
      result.facts.push_back(std::move(*change));
    }
  }
  const Weighing weighing(a.facts, b.facts, result.facts);
  for (FactChange& fact : result.facts) fact.effect = bounded(weighing.effect(fact));
  std::stable_sort(result.facts.begin(), result.facts.end(),
                   [](const FactChange& x, const FactChange& y) { return x.effect > y.effect; });
  result.facts.insert(result.facts.begin(), duration_change(result));
}

}  // namespace proofline

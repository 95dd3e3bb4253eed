// SPDX-License-Identifier: Apache-2.0
//
// An analysis turns the metrics of one launch into named facts. Each is one file in launch/ that
// defines `Analysis <stem>()`, beside <stem>_facts.h with the declarations of the facts it
// publishes. An analysis reads metrics only, never another analysis's facts, so that their order
// does not matter.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnosis/facts.h"
#include "model/profile/profile.h"

namespace proofline {

// What only the user can know of a kernel.
struct Declared {
  std::optional<double> unique_bytes;  // distinct bytes of device memory that it reads or writes
};

// One launch, seen by metric name.
struct Subject {
  const Profile& profile;
  const Launch& launch;
  const Declared& declared;

  const Metric* metric(std::string_view name) const;
  // Finite numbers only.
  std::optional<double> number(std::string_view name) const;
  // The first of several names that the launch has; see vocabulary/metric_names.h.
  std::optional<double> first(std::span<const std::string_view> names) const;
};

// Reads metrics for one fact and remembers which it used and which were missing, so that a fact
// names its sources and an absent one what to capture:
//
//   Formula formula(subject);
//   const double threads = formula.read("launch__block_size");
//   formula.publish(facts, facts::kLaunchLanesShare, threads / (32 * std::ceil(threads / 32)));
//
// A missing metric reads as NaN.
class Formula {
 public:
  explicit Formula(const Subject& subject) : subject_(subject) {}

  double read(std::string_view metric);
  // The first of several names that the launch has: ncu renamed some over the years. Missing, it is
  // the first name that is asked for.
  double read_any(std::span<const std::string_view> metrics);
  double read_any(std::initializer_list<std::string_view> metrics) {
    return read_any(std::span(metrics.begin(), metrics.size()));
  }
  // Of a metric that may rightly be absent (the unit does not exist on that GPU): then `otherwise`.
  double read_or(std::string_view metric, double otherwise);

  // What was asked for and is not there.
  const std::vector<std::string>& missing() const { return missing_; }

  void publish(Facts& facts, const FactRef& fact, double value) const;
  void publish(Facts& facts, const FactRef& fact, std::string_view text) const;

 private:
  const Subject& subject_;
  Sources sources_;
  std::vector<std::string> missing_;

  std::string why_missing() const;
};

// A fact that is one metric: the one that it is declared with, by the first of its names that the
// launch has, or, for a member of a family, the one that is given.
void publish_metric(const Subject& subject, Facts& facts, const FactInfo& fact);
void publish_metric(const Subject& subject, Facts& facts, const FactRef& fact,
                    std::string_view metric);
// A share that ncu counts in percent.
void publish_percent(const Subject& subject, Facts& facts, const FactInfo& fact);
void publish_percent(const Subject& subject, Facts& facts, const FactRef& fact,
                     std::string_view metric);

// The metrics that a fact is made of: those that it declares, or those that its formula reads.
std::vector<std::string> metrics_of(const FactInfo& fact);

struct Analysis {
  std::string_view name;
  std::span<const FactInfo> facts;
  // Null where its facts are not those of a launch (analysis/timeline).
  void (*publish)(const Subject& subject, Facts& facts);
};

std::span<const Analysis> analyses();

// All facts of one launch.
Facts gather_facts(const Profile& profile, const Launch& launch, const Declared& declared);

}  // namespace proofline

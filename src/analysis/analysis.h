// SPDX-License-Identifier: Apache-2.0
//
// An analysis turns the metrics of one launch into named facts. Each is one file in launch/ that
// defines `Analysis <stem>()` with the catalogue of the facts it publishes; `explain` and the
// rules take it from there. An analysis reads metrics only, never another analysis's facts, so that
// their order does not matter.
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
//   const double hits = formula.read("lts__t_sectors_lookup_hit.sum");
//   formula.publish(facts, "memory.l2.hit.share", kShare, hits / all);
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

  void publish(Facts& facts, std::string_view name, std::string_view unit, double value) const;
  void publish(Facts& facts, std::string_view name, std::string_view text) const;

 private:
  const Subject& subject_;
  Sources sources_;
  std::vector<std::string> missing_;

  std::string why_missing() const;
};

// The fact that is one metric: the first name that the launch has.
void publish_metric(const Subject& subject, Facts& facts, std::string_view name,
                    std::string_view unit, std::initializer_list<std::string_view> metrics);
// The share that ncu counts in percent.
void publish_percent(const Subject& subject, Facts& facts, std::string_view name,
                     std::string_view metric);

// A placeholder such as <reason> stands for one part of a name ("stall.<reason>.share"),
// <load|store> for one of these words.
struct FactInfo {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;  // one sentence
};

struct Analysis {
  std::string_view name;
  std::span<const FactInfo> facts;
  // Null where its facts are not those of a launch (analysis/timeline).
  void (*publish)(const Subject& subject, Facts& facts);
};

std::span<const Analysis> analyses();

// Whether a name of the catalogue, with its placeholders, covers the name of a fact.
bool matches_fact(std::string_view pattern, std::string_view name);

// All facts of one launch.
Facts gather_facts(const Profile& profile, const Launch& launch, const Declared& declared);

}  // namespace proofline

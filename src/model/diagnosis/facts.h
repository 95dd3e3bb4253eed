// SPDX-License-Identifier: Apache-2.0
//
// Facts are the one language between analysis and everything that judges: a fact is a named value
// with a unit and the metrics it was made of, or absent with the reason. Absent is not zero.
// Every metric of the launch is a fact too, under its own name.
//
//   stall.barrier.share  0.41 share   from smsp__average_warps_issue_stalled_barrier_..., ...
//   occupancy.limiter    registers    from launch__occupancy_limit_registers, ...
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "model/diagnosis/fact_info.h"
#include "model/profile/profile.h"

namespace proofline {

// The metrics that a fact was made of. Copies share one list until one of them is added to: a
// launch has hundreds of facts, and many are made of the same.
class Sources {
 public:
  Sources() = default;
  Sources(std::initializer_list<std::string> metrics) : Sources(std::vector(metrics)) {}
  explicit Sources(std::vector<std::string> metrics)
      : metrics_(std::make_shared<std::vector<std::string>>(std::move(metrics))) {}

  void add(std::string_view metric);
  const std::vector<std::string>& metrics() const;

 private:
  std::shared_ptr<std::vector<std::string>> metrics_;  // null: none
};

struct Fact {
  std::string name;
  std::string unit;  // "" for a plain number or a text
  std::variant<double, std::string> value;
  Sources sources;
};
Record describe(const Fact*);

struct AbsentFact {
  std::string name;
  std::string reason;                // "the capture lacks dram__bytes_read.sum"
  std::vector<std::string> metrics;  // what to capture; empty: no capture would help
};
Record describe(const AbsentFact*);

// The facts of one launch. The values of its metrics are copied, so the profile may go; of several
// thousand names there is still one table.
class Facts {
 public:
  Facts() = default;
  Facts(const Profile& profile, const Launch& launch);
  Facts(const Facts&) =
      delete;  // the map points into the deques, which only moving leaves in place
  Facts& operator=(const Facts&) = delete;
  Facts(Facts&&) = default;
  Facts& operator=(Facts&&) = default;

  // The first word on a name stands; a later one is ignored, and so is a number that is not
  // finite.
  void add(Fact fact);
  void add(FactRef fact, std::variant<double, std::string> value, Sources sources = {});
  void add_absent(AbsentFact absent);
  void mark_absent(FactRef fact, std::string reason, std::vector<std::string> metrics = {});

  // A published fact or, where none has that name, the launch's metric; finite numbers only.
  std::optional<Fact> find(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<std::string> text(std::string_view name) const;

  // Why a fact is not there, where somebody said so.
  std::optional<AbsentFact> find_absent(std::string_view name) const;
  // The same; a name that was not published is taken for a metric.
  AbsentFact absence(std::string_view name) const;

  // What to capture for all of these.
  std::vector<std::string> metrics_for(const std::vector<std::string>& missing) const;

  // In the order of publication.
  const std::deque<Fact>& published() const { return facts_; }
  std::vector<AbsentFact> absent() const;

 private:
  // Facts that are absent together share the reason: a capture without a section lacks dozens.
  struct Reason {
    std::string text;
    std::vector<std::string> metrics;
  };
  struct Absence {
    std::string name;
    std::shared_ptr<const Reason> reason;

    AbsentFact fact() const { return {name, reason->text, reason->metrics}; }
  };
  // What was published under a name; one of the two.
  struct Word {
    const Fact* fact = nullptr;
    const Absence* absent = nullptr;
  };
  template <class T>
  struct Metrics {  // of one type, sorted by id
    std::vector<MetricId> ids;
    std::vector<T> values;

    void add(MetricId id, const T& value);
    const T* find(MetricId id) const;
  };
  // What was published; null: nothing under that name.
  const Word* word(std::string_view name) const;

  MetricNames metric_names_;
  // A kernel has thousands of metrics, nearly all of them numbers.
  Metrics<double> numbers_;  // finite
  Metrics<std::string> texts_;
  std::vector<MetricId> below_zero_;  // counted wrongly, so not measured
  std::deque<Fact> facts_;            // deques: the map points into them
  std::deque<Absence> absent_;
  std::unordered_map<std::string_view, Word> by_name_;
};

}  // namespace proofline

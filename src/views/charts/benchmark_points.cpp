// SPDX-License-Identifier: Apache-2.0
#include "views/charts/benchmark_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/measurement/measured_time.h"

namespace proofline {
namespace {

// Why there is no time to show; "" where there is one.
std::string_view time_of(const Measurement& measurement, BenchmarkPoint& point) {
  if (measurement.state != MeasurementState::kMeasured) return to_string(measurement.state);
  const MeasuredTime time = measured_time(measurement);
  if (!time.median_ns || !std::isfinite(*time.median_ns) || *time.median_ns <= 0) {
    return "without a time";
  }
  point.ns = *time.median_ns;
  point.interval = time.interval;
  point.throttled_only = time.throttled_only;
  return "";
}

// What all of the benchmark's points have in common, and what sets some of them apart.
class Conditions {
 public:
  void add(const BenchmarkMachine& machine, const BenchmarkPoint& point) {
    gpus_.insert(machine.gpu);
    timed_by_.insert(point.measurement->timed_by);
    caches_.insert(point.measurement->cache);
    if (point.throttled_only) ++throttled_;
  }

  std::string text() const {
    std::string text;
    const auto join = [&](const std::string& words) {
      if (!text.empty()) text += ", ";
      text += words;
    };
    for (const std::string_view gpu : gpus_) {
      if (!gpu.empty()) join(std::string(gpu));
    }
    if (timed_by_.size() == 1 && *timed_by_.begin() != TimedBy::kUnknown) {
      join(fmt::format("timed by {}", to_string(*timed_by_.begin())));
    }
    if (caches_.size() == 1 && *caches_.begin() != CacheState::kUnknown) {
      join(fmt::format("cache {}", to_string(*caches_.begin())));
    }
    if (throttled_ > 0) join(fmt::format("{} throttled throughout", throttled_));
    return text;
  }

 private:
  std::set<std::string_view> gpus_;
  std::set<TimedBy> timed_by_;
  std::set<CacheState> caches_;
  std::size_t throttled_ = 0;
};

// "before tiled": the parts that tell one from another.
std::string subject_text(const std::string& side, const std::string& implementation,
                         bool several_sides, bool several_implementations) {
  if (!several_sides) return implementation;
  if (!several_implementations || implementation.empty()) return side;
  return fmt::format("{} {}", side, implementation);
}

// Benchmarks with more than one implementation.
std::set<std::string_view> with_several_implementations(const BenchmarkSeries& series) {
  std::map<std::string_view, std::string_view> first;
  std::set<std::string_view> several;
  for (const BenchmarkSide& side : series.sides) {
    for (const Measurement& one : side.benchmark.measurements) {
      const auto known = first.emplace(one.benchmark, one.implementation).first;
      if (known->second != one.implementation) several.insert(one.benchmark);
    }
  }
  return several;
}

// The same for axes in any order.
std::string place_of(const std::vector<Axis>& axes) {
  std::vector<std::string> parts;
  parts.reserve(axes.size());
  // Names and values are a stranger's: only with its length a part cannot be taken for two.
  for (const Axis& axis : axes) {
    parts.push_back(fmt::format("{}:{}={}", axis.name.size(), axis.name, axis.value));
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += fmt::format("{}:{}", part.size(), part);
  return text;
}

}  // namespace

std::vector<BenchmarkPoints> benchmark_points(const BenchmarkSeries& series) {
  std::vector<BenchmarkPoints> all;
  std::vector<Conditions> conditions;
  std::map<std::string_view, std::size_t> index;
  const std::set<std::string_view> several = with_several_implementations(series);
  std::set<std::pair<std::size_t, std::string>> known;  // subjects, by benchmark
  for (std::size_t i = 0; i < series.sides.size(); ++i) {
    const BenchmarkSide& side = series.sides[i];
    for (const Measurement& one : side.benchmark.measurements) {
      const auto [at, is_new] = index.emplace(one.benchmark, all.size());
      if (is_new) {
        all.push_back({one.benchmark, {}, {}, {}, {}});
        conditions.emplace_back();
      }
      BenchmarkPoints& group = all[at->second];
      BenchmarkPoint point{&one, i, "", place_of(one.axes), 0, {}, false};
      if (const std::string_view why = time_of(one, point); !why.empty()) {
        ++group.omitted[why];
        continue;
      }
      point.subject = subject_text(side.label, one.implementation, series.sides.size() > 1,
                                   several.contains(one.benchmark));
      if (known.emplace(at->second, point.subject).second) group.subjects.push_back(point.subject);
      conditions[at->second].add(side.benchmark.machine, point);
      group.points.push_back(std::move(point));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].conditions = conditions[i].text();
  return all;
}

}  // namespace proofline

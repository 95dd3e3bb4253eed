// SPDX-License-Identifier: Apache-2.0
//
// The base names of all metrics that `ncu --query-metrics` of ncu 2025.3.1 lists for some chips, by
// scripts/make-metric-table. Reports hold other names too: attributes, samples, computed ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vocabulary/metric_name.h"

namespace proofline {

enum class MetricKind { kCounter, kRatio, kThroughput };
std::string_view to_string(MetricKind kind);

struct KnownMetric {
  std::string_view name;  // "smsp__inst_executed"
  MetricKind kind;
  std::vector<std::string_view> chips;  // those that have it
};

// The chips that were asked, "gh100".
std::vector<std::string_view> metric_chips();
// By base name, without rollup and submetric.
std::optional<KnownMetric> find_known_metric(std::string_view base);
// Why the metric has no such form; "" where it has. ncu itself passes over such a name in silence.
std::string wrong_form(const KnownMetric& metric, const MetricNameParts& name);
// Sorted.
std::vector<std::string_view> known_metric_names();

}  // namespace proofline

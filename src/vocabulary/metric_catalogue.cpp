// SPDX-License-Identifier: Apache-2.0
//
// The compiled-in list of metrics. A row's data is a letter for the kind and a digit for each chip.
#include "vocabulary/metric_catalogue.h"

#include "vocabulary/name_table.h"

namespace proofline {
namespace {

constexpr std::string_view kMetricTable[] = {
#include "vocabulary/ncu_metrics.inc"
};

const NameTable& table() {
  static const NameTable kRead = read_name_table(kMetricTable);
  return kRead;
}

}  // namespace

std::string_view to_string(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter: return "counter";
    case MetricKind::kRatio: return "ratio";
    case MetricKind::kThroughput: return "throughput";
  }
  return "counter";
}

std::vector<std::string_view> metric_chips() { return table().legend; }

std::optional<KnownMetric> find_known_metric(std::string_view base) {
  const NamedRow* row = table().find(base);
  if (row == nullptr) return std::nullopt;
  KnownMetric metric{row->name, MetricKind::kCounter, {}};
  if (row->data[0] == 'r') metric.kind = MetricKind::kRatio;
  if (row->data[0] == 't') metric.kind = MetricKind::kThroughput;
  for (const char digit : row->data.substr(1)) {
    metric.chips.push_back(table().legend.at(static_cast<std::size_t>(digit - '0')));
  }
  return metric;
}

std::string wrong_form(const KnownMetric& metric, const MetricNameParts& name) {
  if (name.rollup.empty() && name.submetric.empty()) return "";
  if (metric.kind != MetricKind::kRatio) {
    if (!name.rollup.empty()) return "";
    return "a " + std::string(to_string(metric.kind)) + " needs .sum, .avg, .min or .max first";
  }
  const bool fits =
      name.submetric == "ratio" || name.submetric == "pct" || name.submetric == "max_rate";
  if (fits && name.rollup.empty()) return "";
  return "a ratio has the forms .ratio, .pct and .max_rate only";
}

std::vector<std::string_view> known_metric_names() {
  std::vector<std::string_view> names;
  for (const NamedRow& row : table().rows) names.push_back(row.name);
  return names;
}

}  // namespace proofline

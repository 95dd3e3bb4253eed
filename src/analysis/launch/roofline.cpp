// SPDX-License-Identifier: Apache-2.0
//
// The roofline of a launch, hierarchical (DRAM, L2, L1) and by precision. Peaks are those of the
// device at the clocks that it had during the launch, as the report counts them: operations a cycle
// times cycles a second, never a datasheet's number.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/roofline_facts.h"
#include "vocabulary/levels.h"

namespace proofline {
namespace {

// Rounding and passes that differ a little keep honest points below this.
constexpr double kAbove = 1.02;
constexpr double kOn = 0.9;

// What means the section that counts operations, where nothing is known of any.
constexpr std::string_view kCountedOperations =
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed";

struct Operations {
  std::string precision;
  double achieved;
  double peak;
};

// Per-thread instruction counts weighted by operations; ncu counts a packed half FMA as one.
std::optional<Operations> vector_operations(const Subject& subject, Precision precision,
                                            char letter, double lanes, Facts& facts) {
  Formula formula(subject);
  const auto rate = [&](const char* op) {
    return formula.read(std::string("smsp__sass_thread_inst_executed_op_") + letter + op +
                        "_pred_on.sum.per_cycle_elapsed");
  };
  const double clock = formula.read("smsp__cycles_elapsed.avg.per_second");
  const double achieved = lanes * (rate("add") + rate("mul") + 2 * rate("fma")) * clock;
  formula.publish(facts, facts::kRooflinePrecisionAchieved[precision], achieved);
  Formula top(subject);
  const double peak = 2 * lanes *
                      top.read(std::string("sm__sass_thread_inst_executed_op_") + letter +
                               "fma_pred_on.sum.peak_sustained") *
                      top.read("sm__cycles_elapsed.avg.per_second");
  top.publish(facts, facts::kRooflinePrecisionPeak[precision], peak);
  if (!std::isfinite(achieved) || !std::isfinite(peak) || peak <= 0) return std::nullopt;
  return Operations{std::string(to_string(precision)), achieved, peak};
}

// "bf16" of sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum.per_second; "" where
// the name is not of that form.
std::string_view tensor_source(std::string_view name) {
  constexpr std::string_view kStart = "sm__ops_path_tensor_";
  constexpr std::string_view kSource = "src_";
  if (!name.starts_with(kStart)) return {};
  const std::size_t source = name.find(kSource);
  if (source == std::string_view::npos) return {};
  const std::string_view type = name.substr(source + kSource.size());
  return type.substr(0, std::min({type.find("_dst_"), type.find("_sparsity_"), type.find('.')}));
}

// Of operands without 2:4 sparsity, by which the plain peak is twice what can be had; 0 where the
// capture does not tell them apart or sparse ones were used.
double dense_peak(const Subject& subject, std::string_view type) {
  double peak = 0;
  for (const Metric& metric : subject.launch.metrics) {
    const std::string_view name = subject.profile.metric_names[metric.id].name;
    if (tensor_source(name) != type) continue;
    const double value = subject.number(name).value_or(0);
    if (name.ends_with("_sparsity_on.sum.per_second") && value > 0) return 0;
    if (name.ends_with("_sparsity_off.sum.peak_sustained_elapsed.per_second")) {
      peak = std::max(peak, value);
    }
  }
  return peak;
}

std::vector<Operations> tensor_operations(const Subject& subject, Facts& facts) {
  // sm__ops_path_tensor_src_<type>[_dst_<type>].sum.per_second and its peak.
  constexpr std::string_view kPrefix = "sm__ops_path_tensor_src_";
  constexpr std::string_view kSuffix = ".sum.per_second";
  std::vector<Operations> found;
  for (const Metric& metric : subject.launch.metrics) {
    const std::string_view name = subject.profile.metric_names[metric.id].name;
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    if (name.find("_sparsity_") != std::string_view::npos) continue;
    const std::string base(name.substr(0, name.size() - std::string_view(".per_second").size()));
    Formula formula(subject);
    const double achieved = formula.read(name);
    double peak = formula.read(base + ".peak_sustained_elapsed.per_second");
    if (!(achieved > 0) || !(peak > 0)) continue;
    std::string type(tensor_source(name));
    if (const double dense = dense_peak(subject, type); dense > 0) peak = std::min(peak, dense);
    std::replace(type.begin(), type.end(), '_', '-');
    const std::string precision = "tensor-" + type;
    formula.publish(facts, facts::kRooflinePrecisionAchieved.named(precision), achieved);
    formula.publish(facts, facts::kRooflinePrecisionPeak.named(precision), peak);
    found.push_back({precision, achieved, peak});
  }
  return found;
}

// The facts of one point under one level's roof.
struct PointFacts {
  FactRef ridge;
  FactRef intensity;
  FactRef roof;
  FactRef fraction;
  FactRef position;
};

// Of the precision that does the most.
PointFacts main_point(Level level) {
  return {facts::kRooflineLevelRidge[level], facts::kRooflineLevelIntensity[level],
          facts::kRooflineLevelRoof[level], facts::kRooflineLevelFraction[level],
          facts::kRooflineLevelPosition[level]};
}

PointFacts point_of(Level level, std::string_view precision) {
  return {facts::kRooflinePointRidge.at(level, precision),
          facts::kRooflinePointIntensity.at(level, precision),
          facts::kRooflinePointRoof.at(level, precision),
          facts::kRooflinePointFraction.at(level, precision),
          facts::kRooflinePointPosition.at(level, precision)};
}

void publish_point(const PointFacts& point, double bandwidth, double peak_bandwidth,
                   const Operations& operations, const Formula& formula, Facts& facts) {
  const double intensity = operations.achieved / bandwidth;
  const double ridge = operations.peak / peak_bandwidth;
  const double roof = std::min(operations.peak, intensity * peak_bandwidth);
  const double fraction = operations.achieved / roof;
  formula.publish(facts, point.ridge, ridge);
  formula.publish(facts, point.intensity, intensity);
  formula.publish(facts, point.roof, roof);
  formula.publish(facts, point.fraction, fraction);
  const char* position = fraction > kAbove   ? "above"
                         : fraction >= kOn   ? "on"
                         : intensity < ridge ? "left"
                                             : "right";
  if (std::isfinite(fraction)) {
    formula.publish(facts, point.position, position);
  } else {
    formula.publish(facts, point.position, fraction);
  }
}

// Of the precision that does the most; absent as the operations themselves are.
void publish_main(const Subject& subject, const Operations& main, Facts& facts) {
  if (std::isfinite(main.achieved)) {
    facts.add(facts::kRooflinePrecision, main.precision);
    facts.add(facts::kRooflineAchieved, main.achieved);
    facts.add(facts::kRooflinePeak, main.peak);
    return;
  }
  Formula formula(subject);
  formula.read(kCountedOperations);
  for (const FactInfo& fact :
       {facts::kRooflinePrecision, facts::kRooflineAchieved, facts::kRooflinePeak}) {
    formula.publish(facts, fact, NAN);
  }
}

void publish_roofline(const Subject& subject, Facts& facts) {
  std::vector<Operations> all;
  for (const auto& [precision, letter, lanes] :
       {std::tuple{Precision::kFp64, 'd', 1.0}, std::tuple{Precision::kFp32, 'f', 1.0},
        std::tuple{Precision::kFp16, 'h', 2.0}}) {
    if (auto found = vector_operations(subject, precision, letter, lanes, facts)) {
      all.push_back(std::move(*found));
    }
  }
  for (Operations& found : tensor_operations(subject, facts)) all.push_back(std::move(found));
  const auto relative = [](const Operations& a) { return a.achieved / a.peak; };
  const auto best = std::max_element(
      all.begin(), all.end(),
      [&](const Operations& a, const Operations& b) { return relative(a) < relative(b); });
  const bool any = best != all.end() && best->achieved > 0;
  const Operations operations = any ? *best : Operations{"", NAN, NAN};
  publish_main(subject, operations, facts);
  for (const LevelInfo& level : levels()) {
    if (level.bytes.empty()) continue;
    Formula formula(subject);
    const double bandwidth = formula.read(std::string(level.bytes) + ".per_second");
    const double peak =
        formula.read(std::string(level.bytes) + ".peak_sustained") * formula.read(level.clock);
    formula.publish(facts, facts::kRooflineLevelBandwidth[level.level], bandwidth);
    formula.publish(facts, facts::kRooflineLevelPeakBandwidth[level.level], peak);
    if (!any) {
      formula.read(kCountedOperations);
      publish_point(point_of(level.level, "<precision>"), bandwidth, peak, operations, formula,
                    facts);
    }
    publish_point(main_point(level.level), bandwidth, peak, operations, formula, facts);
    for (const Operations& one : all) {
      if (one.achieved > 0) {
        publish_point(point_of(level.level, one.precision), bandwidth, peak, one, formula, facts);
      }
    }
  }
}

}  // namespace

Analysis roofline() { return {"roofline", kRooflineFacts, publish_roofline}; }

}  // namespace proofline

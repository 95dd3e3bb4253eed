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
#include "vocabulary/levels.h"

namespace proofline {
namespace {

constexpr FactInfo kRooflineFacts[] = {
    {"roofline.<precision>.achieved", "FLOP/s",
     "Operations a second: fp64, fp32, fp16 (vector pipes) and tensor-<type>."},
    {"roofline.<precision>.peak", "FLOP/s", "The device's peak for them at its clocks."},
    {"roofline.precision", "", "The precision with the most operations relative to its peak."},
    {"roofline.achieved", "FLOP/s", "Operations a second in that precision."},
    {"roofline.peak", "FLOP/s", "The peak in that precision."},
    {"roofline.<level>.bandwidth", "byte/s", "Bytes a second at that level: dram, l2, l1."},
    {"roofline.<level>.peak_bandwidth", "byte/s", "Its peak at the clocks of the launch."},
    {"roofline.<level>.intensity", "FLOP/byte", "Operations of the main precision a byte."},
    {"roofline.<level>.ridge", "FLOP/byte", "The intensity at which both roofs meet."},
    {"roofline.<level>.roof", "FLOP/s", "What the roofs allow at this intensity."},
    {"roofline.<level>.fraction", kShare, "Achieved operations over that roof."},
    {"roofline.<level>.position", "",
     "left (memory side: raise intensity or bandwidth), right (compute side: feed the pipe), on "
     "(at "
     "least 0.9 of the roof) or above (broken measurement)."},
    {"roofline.<level>.<precision>.intensity", "FLOP/byte", "The same for one precision."},
    {"roofline.<level>.<precision>.ridge", "FLOP/byte", "The same for one precision."},
    {"roofline.<level>.<precision>.roof", "FLOP/s", "The same for one precision."},
    {"roofline.<level>.<precision>.fraction", kShare, "The same for one precision."},
    {"roofline.<level>.<precision>.position", "", "The same for one precision."},
};

// Rounding and passes that differ a little keep honest points below this.
constexpr double kAbove = 1.02;
constexpr double kOn = 0.9;

// What stands for the section that counts operations, where nothing is known of any.
constexpr std::string_view kCountedOperations =
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed";

struct Operations {
  std::string precision;
  double achieved;
  double peak;
};

// Per-thread instruction counts weighted by operations; ncu counts a packed half FMA as one.
std::optional<Operations> vector_operations(const Subject& subject, const std::string& precision,
                                            char letter, double lanes, Facts& facts) {
  Formula formula(subject);
  const auto rate = [&](const char* op) {
    return formula.read(std::string("smsp__sass_thread_inst_executed_op_") + letter + op +
                        "_pred_on.sum.per_cycle_elapsed");
  };
  const double clock = formula.read("smsp__cycles_elapsed.avg.per_second");
  const double achieved = lanes * (rate("add") + rate("mul") + 2 * rate("fma")) * clock;
  formula.publish(facts, "roofline." + precision + ".achieved", "FLOP/s", achieved);
  Formula top(subject);
  const double peak = 2 * lanes *
                      top.read(std::string("sm__sass_thread_inst_executed_op_") + letter +
                               "fma_pred_on.sum.peak_sustained") *
                      top.read("sm__cycles_elapsed.avg.per_second");
  top.publish(facts, "roofline." + precision + ".peak", "FLOP/s", peak);
  if (!std::isfinite(achieved) || !std::isfinite(peak) || peak <= 0) return std::nullopt;
  return Operations{precision, achieved, peak};
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
    formula.publish(facts, "roofline." + precision + ".achieved", "FLOP/s", achieved);
    formula.publish(facts, "roofline." + precision + ".peak", "FLOP/s", peak);
    found.push_back({precision, achieved, peak});
  }
  return found;
}

// Where one precision stands under one level's roof; `prefix` is "roofline.dram" or, for one
// precision of several, "roofline.dram.fp32".
void publish_point(const std::string& prefix, double bandwidth, double peak_bandwidth,
                   const Operations& operations, const Formula& formula, Facts& facts) {
  const double intensity = operations.achieved / bandwidth;
  const double ridge = operations.peak / peak_bandwidth;
  const double roof = std::min(operations.peak, intensity * peak_bandwidth);
  const double fraction = operations.achieved / roof;
  formula.publish(facts, prefix + ".ridge", "FLOP/byte", ridge);
  formula.publish(facts, prefix + ".intensity", "FLOP/byte", intensity);
  formula.publish(facts, prefix + ".roof", "FLOP/s", roof);
  formula.publish(facts, prefix + ".fraction", kShare, fraction);
  const char* position = fraction > kAbove   ? "above"
                         : fraction >= kOn   ? "on"
                         : intensity < ridge ? "left"
                                             : "right";
  if (std::isfinite(fraction)) {
    formula.publish(facts, prefix + ".position", position);
  } else {
    formula.publish(facts, prefix + ".position", "", fraction);
  }
}

// Of the precision that does the most; absent as the operations themselves are.
void publish_main(const Subject& subject, const Operations& main, Facts& facts) {
  if (std::isfinite(main.achieved)) {
    facts.add({"roofline.precision", "", main.precision, {}});
    facts.add({"roofline.achieved", "FLOP/s", main.achieved, {}});
    facts.add({"roofline.peak", "FLOP/s", main.peak, {}});
    return;
  }
  Formula formula(subject);
  formula.read(kCountedOperations);
  for (const char* name : {"roofline.precision", "roofline.achieved", "roofline.peak"}) {
    formula.publish(facts, name, "", NAN);
  }
}

void publish_roofline(const Subject& subject, Facts& facts) {
  std::vector<Operations> all;
  for (const auto& [precision, letter, lanes] :
       {std::tuple{"fp64", 'd', 1.0}, std::tuple{"fp32", 'f', 1.0}, std::tuple{"fp16", 'h', 2.0}}) {
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
  for (const Level& level : levels()) {
    if (level.bytes.empty()) continue;
    Formula formula(subject);
    const double bandwidth = formula.read(std::string(level.bytes) + ".per_second");
    const double peak =
        formula.read(std::string(level.bytes) + ".peak_sustained") * formula.read(level.clock);
    const std::string prefix = "roofline." + std::string(level.name);
    formula.publish(facts, prefix + ".bandwidth", "byte/s", bandwidth);
    formula.publish(facts, prefix + ".peak_bandwidth", "byte/s", peak);
    if (!any) {
      formula.read(kCountedOperations);
      publish_point(prefix + ".<precision>", bandwidth, peak, operations, formula, facts);
    }
    publish_point(prefix, bandwidth, peak, operations, formula, facts);
    for (const Operations& one : all) {
      if (one.achieved > 0) {
        publish_point(prefix + "." + one.precision, bandwidth, peak, one, formula, facts);
      }
    }
  }
}

}  // namespace

Analysis roofline() { return {"roofline", kRooflineFacts, publish_roofline}; }

}  // namespace proofline

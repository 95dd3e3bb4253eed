// SPDX-License-Identifier: Apache-2.0

#include "tools/ncu/ncu_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "vocabulary/levels.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// What a diagnosis depends on, and no more, since each section of ncu brings counters that no fact
// needs: the metrics of the facts that are declared so, the data paths of every level and the
// counter of every stall reason.
std::vector<std::string> gather_quick_metrics() {
  std::set<std::string> metrics;
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& fact : analysis.facts) {
      if (!fact.quick) continue;
      for (std::string& metric : metrics_of(fact)) metrics.insert(std::move(metric));
    }
  }
  for (const LevelInfo& level : levels()) {
    const std::size_t names = level.renamed ? 1 : level.paths.size();
    metrics.insert(level.paths.begin(), level.paths.begin() + static_cast<std::ptrdiff_t>(names));
  }
  for (const StallReason& reason : stall_reasons()) metrics.insert(stall_counter(reason));
  return {metrics.begin(), metrics.end()};
}

std::span<const std::string_view> quick_metrics() {
  static const std::vector<std::string> kQuickNames = gather_quick_metrics();
  static const std::vector<std::string_view> kViews(kQuickNames.begin(), kQuickNames.end());
  return kViews;
}

constexpr std::string_view kFullSet[] = {"full"};
constexpr std::string_view kRooflineSet[] = {"roofline"};
constexpr std::string_view kRooflineSections[] = {"LaunchStats", "Occupancy"};
constexpr std::string_view kSourceSections[] = {"SourceCounters", "SpeedOfLight", "LaunchStats",
                                                "Occupancy"};

std::vector<NcuPreset> make_presets() {
  return {
      {"quick",
       "What the diagnosis needs, in the fewest passes.",
       {},
       {},
       quick_metrics(),
       false,
       true},
      {"full", "All that ncu has, with the sources.", kFullSet, {}, {}, true, true},
      {"roofline",
       "Rooflines of every precision over L1, L2 and DRAM.",
       kRooflineSet,
       kRooflineSections,
       {},
       false,
       false},
      {"source",
       "Stall samples and counts by instruction, with the sources.",
       {},
       kSourceSections,
       {},
       true,
       false},
  };
}

void append(std::vector<std::string>& list, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.emplace_back(name);
  }
}

}  // namespace

std::span<const NcuPreset> ncu_presets() {
  static const std::vector<NcuPreset> kPresets = make_presets();
  return kPresets;
}

const NcuPreset* find_ncu_preset(std::string_view name) {
  const auto presets = ncu_presets();
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const NcuPreset& preset) { return preset.name == name; });
  return found != presets.end() ? &*found : nullptr;
}

void add_preset(const NcuPreset& preset, NcuRequest& request) {
  append(request.sets, preset.sets);
  append(request.sections, preset.sections);
  append(request.metrics, preset.metrics);
  request.import_source = request.import_source || preset.import_source;
}

std::string ncu_section_file(std::string_view id, std::span<const std::string_view> metrics) {
  std::string text = fmt::format("Identifier: \"{0}\"\nDisplayName: \"{0}\"\nMetrics {{\n", id);
  for (const std::string_view metric : metrics) {
    text += fmt::format("  Metrics {{\n    Label: \"{0}\"\n    Name: \"{0}\"\n  }}\n", metric);
  }
  return text + "}\n";
}

}  // namespace proofline

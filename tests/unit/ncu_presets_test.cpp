// SPDX-License-Identifier: Apache-2.0
//
// That the presets bring what they promise. The committed captures are full ones; each is diagnosed
// once as it is and once with only the metrics that the preset would have brought.
#include "tools/ncu/ncu_presets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "rules/rule.h"
#include "support/captures.h"
#include "support/effort.h"
#include "tools/ncu/ncu_names.h"
#include "vocabulary/metric_catalogue.h"
#include "vocabulary/ncu_sections.h"

namespace proofline::ncu_presets_test {
namespace {

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool brings(const NcuPreset& preset, std::string_view metric) {
  if (is_in_every_capture(metric) || contains(preset.metrics, metric)) return true;
  const auto sections = sections_with(metric);
  return std::any_of(sections.begin(), sections.end(), [&](std::string_view id) {
    const NcuSection* section = find_ncu_section(id);
    return contains(preset.sections, id) ||
           std::any_of(preset.sets.begin(), preset.sets.end(),
                       [&](std::string_view set) { return is_in_set(*section, set); });
  });
}

Profile as_captured_with(const NcuPreset& preset, Profile profile) {
  for (Launch& launch : profile.launches) {
    launch.metrics.erase(std::remove_if(launch.metrics.begin(), launch.metrics.end(),
                                        [&](const Metric& metric) {
                                          return !brings(preset,
                                                         profile.metric_names[metric.id].name);
                                        }),
                         launch.metrics.end());
  }
  return profile;
}

const std::vector<Profile>& full_captures() {
  static const std::vector<Profile> kCaptures = [] {
    std::vector<Profile> captures;
    if (!kSanitized) captures = read_captures("tests/fixtures/zoo");
    for (const char* name : {"compute", "memory", "pytorch", "triton"}) {
      captures.push_back(
          read_capture("tests/fixtures/ncu_rep/h200-" + std::string(name) + ".ncu-rep.gz"));
    }
    return captures;
  }();
  return kCaptures;
}

Profile read_again(const Profile& capture) {
  auto profile = read_profile(capture.path, diagnosis_read_options());
  EXPECT_TRUE(profile);
  return std::move(*profile);
}

template <class List>
std::set<std::string> ids(const List& list) {
  std::set<std::string> found;
  for (const auto& one : list) found.insert(one.id);
  return found;
}

const NcuPreset& preset(std::string_view name) {
  const NcuPreset* found = find_ncu_preset(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

TEST(NcuPresets, QuickLeadsToTheDiagnosisOfTheFullSet) {
  for (const Profile& full : full_captures()) {
    const Profile quick = as_captured_with(preset("quick"), read_again(full));
    const Diagnosis expected = diagnose({&full, 1});
    const Diagnosis found = diagnose({&quick, 1});
    ASSERT_EQ(found.kernels.size(), expected.kernels.size()) << full.path;
    for (std::size_t i = 0; i < found.kernels.size(); ++i) {
      const KernelDiagnosis& one = found.kernels[i];
      const KernelDiagnosis& all = expected.kernels[i];
      EXPECT_EQ(one.verdict.bound, all.verdict.bound) << full.path << ": " << all.name;
      EXPECT_EQ(one.verdict.at, all.verdict.at) << full.path << ": " << all.name;
      EXPECT_EQ(ids(one.findings), ids(all.findings)) << full.path << ": " << all.name;
      EXPECT_EQ(ids(one.not_evaluated), ids(all.not_evaluated)) << full.path << ": " << all.name;
    }
  }
}

TEST(NcuPresets, EveryRuleCanBeEvaluatedWhereThatIsPromised) {
  for (const NcuPreset& preset : ncu_presets()) {
    if (!preset.every_rule) continue;
    for (const Profile& full : full_captures()) {
      const Profile profile = as_captured_with(preset, read_again(full));
      for (const Launch& launch : profile.launches) {
        const Facts facts = gather_facts(profile, launch, {});
        for (const Rule& rule : rules()) {
          if (rule.id == "poor-locality") continue;  // needs what only the user can say
          Trial trial(facts);
          const Outcome outcome = rule.evaluate(trial);
          const auto* unknown = std::get_if<NotEvaluated>(&outcome);
          EXPECT_EQ(unknown, nullptr)
              << preset.name << ": " << rule.id << " of " << launch.name << ": " << unknown->reason;
        }
      }
    }
  }
}

// Recorded: a metric more may cost a pass of every capture, one less a cause.
TEST(NcuPresets, QuickAsksForTheRecordedMetrics) {
  std::ifstream file(PROOFLINE_SOURCE_DIR "/tests/fixtures/tools/quick-metrics.txt");
  std::vector<std::string_view> found(preset("quick").metrics.begin(),
                                      preset("quick").metrics.end());
  std::string recorded;
  for (std::string line; std::getline(file, line);) recorded += line + "\n";
  EXPECT_EQ(fmt::format("{}\n", fmt::join(found, "\n")), recorded);
}

TEST(NcuPresets, SourceFindsTheHotInstructions) {
  const Profile profile = as_captured_with(
      preset("source"), read_capture("tests/fixtures/zoo/h200-zoo-latency.ncu-rep.gz"));
  for (const Launch& launch : profile.launches) {
    const Facts facts = gather_facts(profile, launch, {});
    EXPECT_TRUE(facts.find("hot[0].reason")) << launch.name;
    EXPECT_TRUE(facts.find("hot[0].inst_executed")) << launch.name;
    EXPECT_TRUE(facts.find("roof.level")) << launch.name;
  }
}

TEST(NcuPresets, RooflinePlacesTheKernelUnderItsRoofs) {
  const Profile profile = as_captured_with(
      preset("roofline"), read_capture("tests/fixtures/ncu_rep/h200-compute.ncu-rep.gz"));
  for (const Launch& launch : profile.launches) {
    const Facts facts = gather_facts(profile, launch, {});
    for (const char* fact : {"roofline.dram.peak_bandwidth", "roofline.l2.bandwidth",
                             "roofline.fp32.peak", "roofline.fp64.peak", "duration"}) {
      EXPECT_TRUE(facts.find(fact)) << fact << " of " << launch.name;
    }
  }
}

TEST(NcuPresets, NamesAreOnesThatNcuTakes) {
  std::vector<NcuMetric> known;
  for (const std::string_view base : known_metric_names()) {
    const auto metric = find_known_metric(base);
    known.push_back({std::string(base), metric->kind});
  }
  for (const NcuPreset& preset : ncu_presets()) {
    for (const std::string_view set : preset.sets) EXPECT_TRUE(find_ncu_set(set)) << set;
    for (const std::string_view id : preset.sections) EXPECT_TRUE(find_ncu_section(id)) << id;
    const auto checked = check_ncu_metrics({preset.metrics.begin(), preset.metrics.end()}, known);
    ASSERT_TRUE(checked) << checked.error().message;
    EXPECT_TRUE(checked->notes.empty()) << checked->notes.front().what;
  }
  EXPECT_EQ(find_ncu_preset("fast"), nullptr);
}

TEST(NcuPresets, AddToWhatTheUserAskedFor) {
  NcuRequest request;
  request.sections = {"LaunchStats", "PmSampling"};
  add_preset(preset("source"), request);
  EXPECT_TRUE(request.import_source);
  EXPECT_EQ(std::count(request.sections.begin(), request.sections.end(), "LaunchStats"), 1);
  EXPECT_EQ(request.sections.front(), "LaunchStats");
  EXPECT_EQ(request.sections[1], "PmSampling");
  EXPECT_EQ(request.sections.size(), 1 + preset("source").sections.size());
}

TEST(NcuPresets, SectionFileNamesEachMetric) {
  const std::string_view metrics[] = {"dram__bytes.sum", "inst_executed"};
  EXPECT_EQ(ncu_section_file("Ours", metrics),
            "Identifier: \"Ours\"\nDisplayName: \"Ours\"\nMetrics {\n"
            "  Metrics {\n    Label: \"dram__bytes.sum\"\n    Name: \"dram__bytes.sum\"\n  }\n"
            "  Metrics {\n    Label: \"inst_executed\"\n    Name: \"inst_executed\"\n  }\n}\n");
}

}  // namespace
}  // namespace proofline::ncu_presets_test

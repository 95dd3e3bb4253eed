// SPDX-License-Identifier: Apache-2.0
//
// The diagnosis on real and on edited captures. That the first cause of every planted kernel is
// right is what scripts/accuracy checks; here is what must hold besides.
#include "diagnosis/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "analysis/analysis.h"
#include "rules/rule.h"
#include "support/captures.h"
#include "support/known_facts.h"

namespace proofline::diagnose_test {
namespace {

std::vector<std::string> ids(const KernelDiagnosis& kernel) {
  std::vector<std::string> found;
  for (const Finding& finding : kernel.findings) found.push_back(finding.id);
  return found;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const NotEvaluated* not_evaluated(const KernelDiagnosis& kernel, std::string_view id) {
  const auto& all = kernel.not_evaluated;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const NotEvaluated& one) { return one.id == id; });
  return found != all.end() ? &*found : nullptr;
}

Profile copy_kernel() {
  return only_kernel(read_capture("tests/fixtures/zoo/h200-zoo-roofs.ncu-rep.gz"), "copy_frames");
}

TEST(Diagnose, EveryRuleAnswersOnceForEveryKernel) {
  const std::vector<Profile> zoo = read_captures("tests/fixtures/zoo");
  const Diagnosis diagnosis = diagnose(zoo);
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    std::multiset<std::string> answered(kernel.clean.begin(), kernel.clean.end());
    for (const NotEvaluated& unknown : kernel.not_evaluated) answered.insert(unknown.id);
    for (const Finding& finding : kernel.findings) {
      answered.insert(finding.id);
      for (const Finding& symptom : finding.symptoms) answered.insert(symptom.id);
    }
    EXPECT_EQ(answered.size(), rules().size()) << kernel.function;
    for (const Rule& rule : rules()) {
      EXPECT_EQ(answered.count(std::string(rule.id)), 1U) << kernel.function << ": " << rule.id;
    }
  }
}

TEST(Diagnose, RulesAskOnlyForFactsThatAnAnalysisPublishes) {
  std::set<std::string, std::less<>> asked;
  for (const Profile& profile : read_captures("tests/fixtures/zoo")) {
    for (const Launch& launch : profile.launches) {
      const Facts facts = gather_facts(profile, launch, {});
      for (const Rule& rule : rules()) {
        Trial trial(facts);
        rule.evaluate(trial);
        asked.insert(trial.asked().begin(), trial.asked().end());
      }
    }
  }
  EXPECT_GT(asked.size(), 80U);
  for (const std::string& name : asked) EXPECT_TRUE(known_facts().contains(name)) << name;
}

TEST(Diagnose, FindingsAreCompleteAndRanked) {
  const std::vector<Profile> zoo = read_captures("tests/fixtures/zoo");
  const Diagnosis diagnosis = diagnose(zoo);
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    SCOPED_TRACE(kernel.function);
    EXPECT_FALSE(kernel.verdict.headline.empty());
    double last = 2;
    for (const Finding& finding : kernel.findings) {
      EXPECT_FALSE(finding.evidence.empty()) << finding.id;
      EXPECT_FALSE(finding.statement.empty()) << finding.id;
      EXPECT_FALSE(finding.next.empty()) << finding.id;
      EXPECT_LE(finding.gain.low, finding.gain.high) << finding.id;
      EXPECT_GE(finding.gain.low, 0) << finding.id;
      EXPECT_LE(finding.gain.high, 1) << finding.id;
      // A roof goes first where nothing that was found would relieve it.
      const bool is_roof = find_rule(finding.id)->group == CauseGroup::kRoof;
      const double middle = (finding.gain.low + finding.gain.high) / 2;
      if (is_roof) continue;
      EXPECT_LE(middle, last) << finding.id;
      last = middle;
    }
  }
}

TEST(Diagnose, RulesHaveTheirTextsAndExplainKnownIds) {
  std::set<std::string_view> known;
  for (const Rule& rule : rules()) EXPECT_TRUE(known.insert(rule.id).second) << rule.id;
  for (const Rule& rule : rules()) {
    EXPECT_FALSE(rule.what.empty() || rule.why.empty() || rule.fix.empty() || rule.limits.empty())
        << rule.id;
    for (const std::string_view id : rule.explains) {
      EXPECT_TRUE(known.contains(id)) << rule.id << " explains " << id;
      EXPECT_NE(id, rule.id);
    }
  }
}

TEST(Diagnose, AKernelAtItsRoofGetsOneSentence) {
  const Profile profile = copy_kernel();
  const KernelDiagnosis kernel = diagnose_one(profile);
  ASSERT_EQ(ids(kernel), std::vector<std::string>{"dram-bandwidth"});
  EXPECT_EQ(kernel.findings[0].severity, Severity::kInfo);
  EXPECT_EQ(kernel.verdict.bound, Bound::kMemory);
  EXPECT_EQ(kernel.verdict.at, "dram");
}

TEST(Diagnose, AMemoryRoofIsNotCalledCleanWhenAccessesAreUnknown) {
  Profile profile = copy_kernel();
  Launch& launch = profile.launches.front();
  drop_metrics(profile, launch, "memory_l2_theoretical");
  drop_metrics(profile, launch, "smsp__sass_average_data_bytes_per_sector");
  const KernelDiagnosis kernel = diagnose_one(profile);
  ASSERT_EQ(ids(kernel), std::vector<std::string>{"dram-bandwidth"});
  EXPECT_NE(kernel.findings[0].severity, Severity::kInfo);
  ASSERT_NE(not_evaluated(kernel, "uncoalesced-global"), nullptr);
  EXPECT_NE(not_evaluated(kernel, "uncoalesced-global")->capture.find("--section"),
            std::string::npos);
}

TEST(Diagnose, PeerMemoryIsFoundWhereSectorsComeFromAnotherGpu) {
  Profile profile =
      only_kernel(read_capture("tests/fixtures/zoo/h200-zoo-origin.ncu-rep.gz"), "apply_gains");
  Launch& launch = profile.launches.front();
  const std::string sectors = "lts__t_sectors_srcunit_tex_aperture_";
  for (const char* op : {"_op_read_lookup_miss.sum", "_op_write.sum"}) {
    const auto id = profile.metric_names.find(sectors + "sysmem" + op);
    ASSERT_TRUE(id);
    set_metric(profile, launch, sectors + "peer" + op, launch.find(*id)->value);
    set_metric(profile, launch, sectors + "sysmem" + op, 0.0);
  }
  const KernelDiagnosis kernel = diagnose_one(profile);
  ASSERT_FALSE(kernel.findings.empty());
  EXPECT_EQ(kernel.findings[0].id, "peer-memory");
  EXPECT_TRUE(contains(kernel.clean, "host-memory"));
}

TEST(Diagnose, PoorLocalityNeedsTheDeclaredBytes) {
  const Profile profile =
      only_kernel(read_capture("tests/fixtures/zoo/h200-zoo-origin.ncu-rep.gz"), "field_summary");
  const KernelDiagnosis unknown = diagnose_one(profile);
  const NotEvaluated* reason = not_evaluated(unknown, "poor-locality");
  ASSERT_NE(reason, nullptr);
  EXPECT_NE(reason->reason.find("unique_bytes"), std::string::npos);
  EXPECT_EQ(reason->capture, "");
  DiagnoseOptions options;
  options.unique_bytes["field_summary"] = 276840960;
  const KernelDiagnosis known = diagnose_one(profile, options);
  EXPECT_EQ(known.findings[0].id, "poor-locality");
}

TEST(Diagnose, AnEmptyCaptureIsInvalidAndNothingIsGuessed) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  launch.name = launch.function = "anything";
  const KernelDiagnosis kernel = diagnose_one(profile);
  EXPECT_EQ(ids(kernel), std::vector<std::string>{"capture-invalid"});
  EXPECT_EQ(kernel.not_evaluated.size() + kernel.clean.size() + 1, rules().size());
  EXPECT_FALSE(kernel.duration_ns);
}

TEST(Diagnose, ALaunchOfNoTimeIsInvalid) {
  Profile profile = copy_kernel();
  Launch& launch = profile.launches.front();
  set_metric(profile, launch, "gpu__time_duration.sum", 0.0);
  const KernelDiagnosis kernel = diagnose_one(profile);
  ASSERT_FALSE(kernel.findings.empty());
  EXPECT_EQ(kernel.findings[0].id, "capture-invalid");
}

TEST(Diagnose, SamplingWithoutASampleIsInvalid) {
  Profile profile = copy_kernel();
  set_metric(profile, profile.launches.front(), "smsp__pcsamp_sample_count", 0.0);
  EXPECT_EQ(diagnose_one(profile).findings[0].id, "capture-invalid");
}

TEST(Diagnose, AKernelThatDidNothingIsTheWrongOne) {
  Profile profile = copy_kernel();
  set_metric(profile, profile.launches.front(), "smsp__inst_executed.sum", 0.0);
  EXPECT_EQ(diagnose_one(profile).findings[0].id, "capture-invalid");
}

// What ncu prints as text has the aggregates alone.
Profile aggregates(double sm, double l1, double dram) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  launch.compute_capability = "8.6";
  set_metric(profile, launch, "gpu__time_duration.sum", 140e6);
  set_metric(profile, launch, "sm__throughput.avg.pct_of_peak_sustained_elapsed", sm);
  set_metric(profile, launch, "l1tex__throughput.avg.pct_of_peak_sustained_active", l1);
  set_metric(profile, launch, "lts__throughput.avg.pct_of_peak_sustained_elapsed", 6.4);
  set_metric(profile, launch, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", dram);
  return profile;
}

TEST(Diagnose, NamesTheLevelThatAggregatesShow) {
  const KernelDiagnosis l1 = diagnose_one(aggregates(97.9, 98.3, 50.9));
  ASSERT_FALSE(l1.findings.empty());
  EXPECT_EQ(l1.findings[0].id, "l1-bandwidth");
  const KernelDiagnosis sm = diagnose_one(aggregates(87.6, 33.7, 12.6));
  EXPECT_EQ(sm.verdict.bound, Bound::kCompute);
  EXPECT_EQ(sm.verdict.at, "sm");
  EXPECT_NE(sm.verdict.headline.find("The SM is at 88 % of its peak"), std::string::npos);
}

TEST(Diagnose, SaysThatTooLittleWasCapturedInsteadOfNoCause) {
  const KernelDiagnosis kernel = diagnose_one(aggregates(20, 30, 41));
  EXPECT_TRUE(kernel.findings.empty());
  EXPECT_TRUE(kernel.verdict.provisional);
  EXPECT_EQ(kernel.verdict.headline.find("Not enough was captured"), 0U) << kernel.verdict.headline;
  EXPECT_NE(kernel.verdict.headline.find("DRAM is at 41 %"), std::string::npos);
  EXPECT_NE(kernel.verdict.headline.find("ncu --set full"), std::string::npos);
}

TEST(Diagnose, ACaptureWithoutThroughputSaysSoFirst) {
  Profile profile = copy_kernel();
  Launch& launch = profile.launches.front();
  for (const char* unit :
       {"sm__", "gpu__dram", "gpu__compute_memory", "lts__", "l1tex__", "dram__", "idc__"}) {
    drop_metrics(profile, launch, unit);
  }
  const KernelDiagnosis kernel = diagnose_one(profile);
  ASSERT_FALSE(kernel.findings.empty());
  EXPECT_EQ(kernel.findings[0].id, "capture-invalid");
  EXPECT_NE(kernel.findings[0].next.find("--section SpeedOfLight"), std::string::npos);
}

TEST(Diagnose, ClocksThatChangedBetweenPassesAreInvalid) {
  Profile profile = copy_kernel();
  Launch& launch = profile.launches.front();
  set_metric(profile, launch, "gpc__cycles_elapsed.avg.per_second", 1.0e9);
  set_metric(profile, launch, "sm__cycles_elapsed.avg.per_second", 1.9e9);
  EXPECT_EQ(diagnose_one(profile).findings[0].id, "capture-invalid");
}

TEST(Diagnose, APointAboveTheRoofIsABrokenMeasurement) {
  Profile profile =
      only_kernel(read_capture("tests/fixtures/zoo/h200-zoo-roofs.ncu-rep.gz"), "affine_orbits");
  Launch& launch = profile.launches.front();
  set_metric(profile, launch,
             "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed", 4.0e4);
  EXPECT_EQ(diagnose_one(profile).findings[0].id, "above-roofline");
}

TEST(Diagnose, AbsurdValuesAreAbsentOrSurvived) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), -1e300, 1e300, 0.0}) {
    Profile profile = copy_kernel();
    for (Metric& metric : profile.launches.front().metrics) metric.value = value;
    const KernelDiagnosis kernel = diagnose_one(profile);
    for (const Finding& finding : kernel.findings) {
      EXPECT_LE(finding.gain.high, 1) << finding.id;
      EXPECT_GE(finding.gain.low, 0) << finding.id;
    }
  }
}

TEST(Diagnose, LaunchesOfOneKernelAndShapeAreOneEntryWithItsSpread) {
  Profile profile;
  for (int i = 0; i < 100; ++i) {
    Launch& launch = profile.launches.emplace_back();
    launch.name = launch.function = "step";
    launch.grid = Dim3{64, 1, 1};
    launch.block = Dim3{256, 1, 1};
    set_metric(profile, launch, "gpu__time_duration.sum", 1000.0 + i);
  }
  const Diagnosis diagnosis = diagnose({&profile, 1});
  ASSERT_EQ(diagnosis.kernels.size(), 1U);
  const KernelDiagnosis& kernel = diagnosis.kernels[0];
  EXPECT_EQ(kernel.spread.count, 100U);
  EXPECT_EQ(kernel.spread.min_ns, 1000);
  EXPECT_EQ(kernel.spread.max_ns, 1099);
  EXPECT_NEAR(*kernel.spread.median_ns, 1049.5, 0.51);
}

TEST(Diagnose, ABasicCaptureSaysWhatToCapture) {
  const Profile profile = read_capture("tests/fixtures/ncu_rep/h200-basic.ncu-rep.gz");
  const Diagnosis diagnosis = diagnose({&profile, 1});
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    const NotEvaluated* barrier = not_evaluated(kernel, "barrier-stalls");
    ASSERT_NE(barrier, nullptr);
    EXPECT_NE(barrier->capture.find("--section WarpStateStats"), std::string::npos)
        << barrier->capture;
  }
}

TEST(Diagnose, NvidiasRulesAreNotRead) {
  Profile profile = copy_kernel();
  const KernelDiagnosis before = diagnose_one(profile);
  NvidiaRule rule;
  rule.id = "UncoalescedGlobalAccess";
  rule.speedup = NvidiaRule::Speedup{true, 99};
  profile.launches.front().nvidia_rules = {rule};
  EXPECT_EQ(ids(diagnose_one(profile)), ids(before));
}

}  // namespace
}  // namespace proofline::diagnose_test

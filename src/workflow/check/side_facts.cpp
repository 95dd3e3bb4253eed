// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/side_facts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/measurement/measured_time.h"
#include "model/profile/display_name.h"
#include "playbook/evidence_facts.h"
#include "rules/rule.h"
#include "views/quantity.h"

namespace proofline {
namespace {

void put_number(Facts& facts, const FactRef& fact, const std::optional<double>& value,
                std::string_view missing) {
  if (value) {
    facts.add(fact, *value);
  } else {
    facts.mark_absent(fact, std::string(missing));
  }
}

void put_text(Facts& facts, const FactRef& fact, std::string value, std::string_view missing) {
  if (value.empty()) {
    facts.mark_absent(fact, std::string(missing));
  } else {
    facts.add(fact, std::move(value));
  }
}

void publish_correctness(const Benchmark& benchmark, const Correctness& worst, Facts& facts) {
  const bool checked = worst.state != CheckState::kNotChecked;
  constexpr std::string_view kUnchecked = "the benchmark did not check its result";
  std::string passed;
  if (checked) passed = worst.state == CheckState::kPassed ? "yes" : "no";
  put_text(facts, facts::kCorrectPassed, passed, kUnchecked);
  put_text(facts, facts::kCorrectReference, worst.reference, kUnchecked);
  const auto count = [&](std::uint64_t number) {
    return checked ? std::optional(static_cast<double>(number)) : std::nullopt;
  };
  put_number(facts, facts::kCorrectNans, count(worst.nans), kUnchecked);
  put_number(facts, facts::kCorrectInfinities, count(worst.infinities), kUnchecked);
  put_number(facts, facts::kCorrectMaxAbsError, worst.max_abs_error, kUnchecked);
  put_number(facts, facts::kCorrectMaxRelError, worst.max_rel_error, kUnchecked);
  std::string stable;
  if (checked && benchmark.measurements.size() > 1) {
    const bool all = std::all_of(
        benchmark.measurements.begin(), benchmark.measurements.end(),
        [](const Measurement& one) { return one.correctness.state == CheckState::kPassed; });
    stable = all ? "yes" : "no";
  }
  put_text(facts, facts::kCorrectStable, stable, "there is only one measurement");
}

}  // namespace

void publish_benchmark(const Benchmark& benchmark, Facts& facts) {
  const Measurement* slowest = nullptr;
  const Measurement* worst = nullptr;
  std::optional<double> longest;
  for (const Measurement& one : benchmark.measurements) {
    const auto median = measured_time(one).median_ns;
    if (median && (!longest || *median > *longest)) {
      longest = median;
      slowest = &one;
    }
    const bool wrong = one.correctness.state == CheckState::kFailed;
    if (worst == nullptr || (wrong && worst->correctness.state != CheckState::kFailed)) {
      worst = &one;
    }
  }
  if (worst != nullptr) publish_correctness(benchmark, worst->correctness, facts);
  if (slowest == nullptr) return;
  const MeasuredTime time = measured_time(*slowest);
  constexpr std::string_view kNoInterval = "too few samples for an interval";
  put_number(facts, facts::kBenchMedian, time.median_ns, "there is no time");
  put_number(facts, facts::kBenchLow,
             time.interval ? std::optional(time.interval->low) : std::nullopt, kNoInterval);
  put_number(facts, facts::kBenchHigh,
             time.interval ? std::optional(time.interval->high) : std::nullopt, kNoInterval);
  put_number(facts, facts::kBenchSpread, time.spread, kNoInterval);
  const auto samples = static_cast<double>(time.samples);
  put_number(facts, facts::kBenchSamples, samples, "");
  put_number(
      facts, facts::kBenchThrottled,
      samples > 0 ? std::optional(static_cast<double>(time.throttled) / samples) : std::nullopt,
      "the result holds no samples");
  put_number(facts, facts::kBenchRoofShare, slowest->roof_share,
             "no ceiling of this GPU is known, or the benchmark declares no work");
  const double seconds = *time.median_ns * 1e-9;
  const auto rate = [&](const std::optional<double>& work) {
    return work && seconds > 0 ? std::optional(*work / seconds) : std::nullopt;
  };
  put_number(facts, facts::kBenchBytesPerSecond, rate(slowest->bytes),
             "the benchmark declares no bytes");
  put_number(facts, facts::kBenchFlops, rate(slowest->flops),
             "the benchmark declares no operations");
}

void publish_sanitizer(const SanitizerToolResult& result, Facts& facts) {
  if (result.tool.empty()) return;
  const SanitizerCounts counts = result.log.counts();
  facts.add(facts::kSanitizerOutcome[result.tool], std::string(to_string(result.outcome)));
  facts.add(facts::kSanitizerErrors[result.tool], static_cast<double>(counts.errors));
  facts.add(facts::kSanitizerWarnings[result.tool], static_cast<double>(counts.warnings));
}

void publish_preflight(const Preflight& preflight, Facts& facts) {
  for (const PreflightCheck& check : preflight.checks) {
    facts.add(facts::kPreflight[check.id], std::string(to_string(check.status)));
  }
}

void publish_ceilings(const Ceilings& ceilings, Facts& facts) {
  for (const Ceiling& one : ceilings.ceilings) {
    const auto& family = one.bytes ? facts::kCeilingBandwidth : facts::kCeilingArithmetic;
    facts.add(family[one.name], one.per_second);
  }
}

void publish_arch(const SmLimits& limits, Facts& facts) {
  const auto put = [&](const FactInfo& fact, std::uint32_t value) {
    facts.add(fact, static_cast<double>(value));
  };
  put(facts::kArchSharedPerBlock, limits.max_shared_per_block);
  put(facts::kArchRegisters, limits.registers);
  put(facts::kArchMaxWarps, limits.max_warps);
  put(facts::kArchClusterMax, limits.max_cluster_size);
  put(facts::kArchTmemColumns, limits.tmem_columns);
}

void publish_diagnosis(const KernelDiagnosis& kernel, Facts& facts) {
  constexpr std::string_view kNotTold = "the report does not tell";
  put_text(facts, facts::kKernelName, std::string(without_signature(kernel.display_name)),
           kNotTold);
  put_text(facts, facts::kDeviceName, kernel.device_name, kNotTold);
  put_text(facts, facts::kDeviceCc, kernel.compute_capability, kNotTold);
  put_text(facts, facts::kLaunchGrid, kernel.grid ? dim_text(kernel.grid) : "", kNotTold);
  put_text(facts, facts::kLaunchBlock, kernel.block ? dim_text(kernel.block) : "", kNotTold);
  put_text(facts, facts::kVerdictBound, std::string(to_string(kernel.verdict.bound)), kNotTold);
  put_text(facts, facts::kVerdictAt, kernel.verdict.at, "nothing in particular binds");
  put_number(facts, facts::kFindingCount, static_cast<double>(kernel.findings.size()), "");
  for (const Rule& rule : rules()) {
    const auto found = std::find_if(kernel.findings.begin(), kernel.findings.end(),
                                    [&](const Finding& one) { return one.id == rule.id; });
    std::optional<Gain> gain;
    if (found != kernel.findings.end()) {
      gain = found->gain;
    } else if (std::find(kernel.clean.begin(), kernel.clean.end(), rule.id) != kernel.clean.end()) {
      gain = Gain{};
    }
    constexpr std::string_view kOpen =
        "the rule could not be evaluated, or is a symptom of another";
    put_number(facts, facts::kFindingGain.at(rule.id, End::kLow),
               gain ? std::optional(gain->low) : std::nullopt, kOpen);
    put_number(facts, facts::kFindingGain.at(rule.id, End::kHigh),
               gain ? std::optional(gain->high) : std::nullopt, kOpen);
  }
}

}  // namespace proofline

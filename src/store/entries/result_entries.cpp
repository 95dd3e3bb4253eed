// SPDX-License-Identifier: Apache-2.0
#include "store/entries/result_entries.h"

#include <optional>
#include <utility>

#include "analysis/measurement/measured_time.h"

namespace proofline {
namespace {

RecordedMeasurement recorded(const Measurement& measurement) {
  const MeasuredTime time = measured_time(measurement);
  RecordedMeasurement kept;
  kept.configuration = configuration_name(measurement);
  kept.state = to_string(measurement.state);
  kept.reason = measurement.reason;
  kept.correctness = to_string(measurement.correctness.state);
  kept.max_abs_error = measurement.correctness.max_abs_error;
  kept.max_rel_error = measurement.correctness.max_rel_error;
  kept.median_ns = time.median_ns;
  if (time.interval) {
    kept.low_ns = time.interval->low;
    kept.high_ns = time.interval->high;
  }
  kept.samples = time.samples;
  kept.throttled = time.throttled;
  kept.throttled_only = time.throttled_only;
  return kept;
}

RecordedRatio recorded(const RatioEstimate& estimate) {
  return {estimate.ratio, estimate.low, estimate.high};
}

RecordedChange recorded(const DecidedConfiguration& decided) {
  RecordedChange kept;
  kept.configuration = configuration_name(decided);
  kept.change = decided.change;
  kept.a_ns = decided.a_ns;
  kept.b_ns = decided.b_ns;
  kept.time = recorded(decided.time);
  if (decided.cycles) kept.cycles = recorded(*decided.cycles);
  kept.pairs = decided.pairs;
  kept.throttled = decided.throttled;
  kept.flags = decided.flags;
  return kept;
}

}  // namespace

std::vector<RecordedSide> recorded_sides(const BenchmarkSeries& series) {
  std::vector<RecordedSide> sides;
  sides.reserve(series.sides.size());
  for (const BenchmarkSide& side : series.sides) {
    const BenchmarkMachine& machine = side.benchmark.machine;
    RecordedSide& kept = sides.emplace_back(RecordedSide{side.label,
                                                         side.benchmark.command,
                                                         machine.gpu,
                                                         machine.driver,
                                                         machine.locked_sm_mhz,
                                                         {}});
    for (const Measurement& one : side.benchmark.measurements) {
      kept.measurements.push_back(recorded(one));
    }
  }
  return sides;
}

BenchmarkEntry benchmark_entry(const BenchmarkSeries& series, std::string run) {
  return {series.interleaved, recorded_sides(series), std::move(run)};
}

DecisionEntry decision_entry(const Decision& decision, std::string run) {
  DecisionEntry entry;
  entry.verdict = decision.verdict;
  entry.reason = decision.reason;
  entry.a = decision.a_path;
  entry.a_label = decision.a_label;
  entry.b = decision.b_path;
  entry.b_label = decision.b_label;
  entry.confidence = decision.confidence;
  entry.threshold = decision.threshold;
  if (decision.overall) entry.overall = recorded(*decision.overall);
  entry.gates = decision.gates;
  for (const DecidedConfiguration& one : decision.configurations) {
    entry.configurations.push_back(recorded(one));
  }
  entry.unmatched = decision.unmatched;
  entry.explanation = decision.explanation;
  entry.next = decision.next;
  entry.run = std::move(run);
  return entry;
}

}  // namespace proofline

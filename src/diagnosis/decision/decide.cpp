// SPDX-License-Identifier: Apache-2.0
//
// The order of a decision: match, gates, configurations, verdict, explanation.
#include "diagnosis/decision/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "diagnosis/decision/decide_configuration.h"
#include "diagnosis/decision/decide_explain.h"
#include "diagnosis/decision/decide_gates.h"
#include "diagnosis/decision/decide_verdict.h"
#include "diagnosis/decision/decide_words.h"

namespace proofline {
namespace {

void add_notes_of(const Benchmark& benchmark, NoteSide side, Decision& decision) {
  for (Note note : benchmark.notes) {
    note.side = side;
    decision.notes.push_back(std::move(note));
  }
}

// "3 configurations: ..."; nothing where there are none.
void add_note(std::size_t count, std::string_view things, std::string what, Decision& decision) {
  if (count == 0) return;
  decision.notes.push_back({NoteKind::kInfo, plural(count, things), std::move(what)});
}

void add_unmatched(const MeasurementMatching& matching, Decision& decision) {
  const auto add = [&](const char* side, const Measurement& one, std::string_view why) {
    decision.unmatched.push_back(fmt::format("{}: {}{}", side, configuration_name(one), why));
  };
  for (const Measurement* one : matching.only_in_a) add("A", *one, "");
  for (const Measurement* one : matching.only_in_b) add("B", *one, "");
  for (const MeasurementPair& pair : matching.pairs) {
    for (const auto& [side, one] : {std::pair("A", pair.a), std::pair("B", pair.b)}) {
      if (one->state == MeasurementState::kMeasured) continue;
      add(side, *one, fmt::format(" ({})", to_string(one->state)));
    }
  }
  add_note(decision.unmatched.size(), "measurement",
           "not compared, since the other side has none of that configuration", decision);
}

std::vector<ComparedConfiguration> compare_pairs(const MeasurementMatching& matching,
                                                 bool interleaved, const DecideOptions& options) {
  std::vector<ComparedConfiguration> result;
  for (const MeasurementPair& pair : matching.pairs) {
    if (was_measured(pair)) result.push_back(pair_samples(pair, interleaved));
  }
  ChangeOptions change;
  change.confidence = options.confidence;
  change.threshold = options.threshold;
  change.comparisons = static_cast<std::size_t>(std::count_if(
      result.begin(), result.end(),
      [](const ComparedConfiguration& one) { return one.obstacle == Obstacle::kNone; }));
  for (ComparedConfiguration& one : result) compare_samples(change, one);
  return result;
}

// Each configuration weighs the same; a pair of the whole is the mean of theirs on a log scale, of
// the runs that all of them have.
std::optional<RatioEstimate> overall_ratio(const std::vector<ComparedConfiguration>& all,
                                           const DecideOptions& options) {
  struct Sum {
    double logs = 0;
    std::size_t configurations = 0;
  };
  std::map<std::uint32_t, Sum> sums;  // of each run
  const ComparedConfiguration* first = nullptr;
  std::size_t count = 0;
  for (const ComparedConfiguration& one : all) {
    if (one.obstacle != Obstacle::kNone) continue;
    if (first == nullptr) first = &one;
    if (one.by_run != first->by_run) return std::nullopt;
    for (std::size_t i = 0; i < one.runs.size(); ++i) {
      Sum& sum = sums[one.runs[i]];
      sum.logs += std::log(one.b_ns[i] / one.a_ns[i]);
      ++sum.configurations;
    }
    ++count;
  }
  std::vector<double> ratios;
  ratios.reserve(sums.size());
  for (const auto& [run, sum] : sums) {
    if (sum.configurations != count) continue;
    ratios.push_back(std::exp(sum.logs / static_cast<double>(count)));
  }
  if (ratios.empty()) return std::nullopt;
  ChangeOptions change;
  change.confidence = options.confidence;
  change.threshold = options.threshold;
  const PairedChange whole = paired_change(std::vector<double>(ratios.size(), 1.0), ratios, change);
  return RatioEstimate{whole.ratio, whole.interval.low, whole.interval.high};
}

// What is to be known of the samples, once for all configurations.
void add_sample_notes(const std::vector<ComparedConfiguration>& all, Decision& decision) {
  std::size_t throttled = 0;
  std::size_t one_start = 0;
  std::size_t apart = 0;
  for (const ComparedConfiguration& one : all) {
    throttled += one.shown.throttled;
    if (one.obstacle != Obstacle::kNone) continue;
    if (!one.by_run) ++one_start;
    if (!one.shown.interleaved) ++apart;
  }
  add_note(throttled, "sample", "taken while the GPU was held back, and set apart", decision);
  add_note(one_start, "configuration",
           "from fewer than 3 starts of a program: what differs between starts is not in the "
           "interval",
           decision);
  add_note(apart, "configuration",
           "not measured in turn, so what drifts in between counts as a change; `proofline bench "
           "--a CMD --b CMD` takes turns",
           decision);
}

// What B no longer does is no gain.
void withhold_for_missing(const std::vector<const Measurement*>& missing, const PlaceNames& places,
                          Decision& decision) {
  if (missing.empty() || decision.verdict != DecisionVerdict::kKeep) return;
  decision.verdict = DecisionVerdict::kInconclusive;
  decision.reason += fmt::format("; but B has no time {}, which A has", places_of(missing, places));
  decision.next.emplace_back("measure B there too, or decide without it (--force)");
}

bool was_checked(const Decision& decision) {
  return std::any_of(decision.gates.begin(), decision.gates.end(), [](const Gate& gate) {
    return (gate.name == "correctness" || gate.name == "check") && gate.state == GateState::kPassed;
  });
}

}  // namespace

Decision decide(const Benchmark& a, const Benchmark& b, bool interleaved,
                const DecideOptions& options, const DecideEvidence& evidence) {
  Decision decision;
  decision.a_path = a.path;
  decision.b_path = b.path;
  decision.confidence = options.confidence;
  decision.threshold = options.threshold;
  add_notes_of(a, NoteSide::kA, decision);
  add_notes_of(b, NoteSide::kB, decision);
  const MeasurementMatching matching = match_measurements(a, b, options.force);
  add_unmatched(matching, decision);
  const PlaceNames places(a, b);
  const auto stopped =
      pass_gates({a, b, matching, places, evidence, interleaved, options.force}, decision);
  const bool refused =
      !options.force && std::any_of(decision.differences.begin(), decision.differences.end(),
                                    [](const Difference& one) { return one.refuses; });
  // Durations that do not compare, or that may be wrong, are not set side by side.
  if (!refused && (!stopped || stopped->verdict == DecisionVerdict::kRevert)) {
    std::vector<ComparedConfiguration> all = compare_pairs(matching, interleaved, options);
    add_sample_notes(all, decision);
    decision.overall = overall_ratio(all, options);
    if (!stopped) judge_configurations(all, options, places, decision);
    if (!options.force) withhold_for_missing(missing_in_b(matching), places, decision);
    decision.configurations.reserve(all.size());
    for (ComparedConfiguration& one : all) decision.configurations.push_back(std::move(one.shown));
  }
  if (stopped) {
    decision.verdict = stopped->verdict;
    decision.reason = stopped->reason;
    decision.next = {stopped->next};
  }
  if (decision.verdict == DecisionVerdict::kKeep && !was_checked(decision)) {
    decision.next.emplace_back("check B's results against a reference: not all of them were");
  }
  if (evidence.profiles != nullptr) explain_by_profiles(*evidence.profiles, decision);
  return decision;
}

}  // namespace proofline

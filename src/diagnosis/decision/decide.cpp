// SPDX-License-Identifier: Apache-2.0
//
// The order of a decision: match, gates, configurations, verdict, explanation.
#include "diagnosis/decision/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/option.h"
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

bool is_of(const DecidedConfiguration& one, const ConfigurationWeight& given) {
  const bool is_axis = std::any_of(one.axes.begin(), one.axes.end(), [&](const Axis& axis) {
    return given.name == axis.name + "=" + axis.value;
  });
  return is_axis || given.name == one.benchmark || given.name == one.implementation_b ||
         given.name == configuration_name(one);
}

// The last name that is its own counts.
double weight_of(const DecidedConfiguration& one, const DecideOptions& options) {
  double weight = 1;
  for (const ConfigurationWeight& given : options.weights) {
    if (is_of(one, given)) weight = given.weight;
  }
  return weight;
}

// Those that weigh nothing that was compared.
std::vector<std::string> unused_weights(const std::vector<ComparedConfiguration>& all,
                                        const DecideOptions& options) {
  std::vector<std::string> names;
  for (const ConfigurationWeight& given : options.weights) {
    const bool used = std::any_of(all.begin(), all.end(), [&](const ComparedConfiguration& one) {
      return is_of(one.shown, given);
    });
    if (!used) names.push_back(quote(given.name));
  }
  return names;
}

ChangeOptions change_options(const DecideOptions& options, const Decision& decision) {
  ChangeOptions change;
  change.confidence = options.confidence;
  change.threshold = options.threshold;
  change.until_clear = decision.until_clear;
  return change;
}

std::vector<ComparedConfiguration> compare_pairs(const MeasurementMatching& matching,
                                                 bool interleaved, const DecideOptions& options,
                                                 const Decision& decision) {
  std::vector<ComparedConfiguration> result;
  for (const MeasurementPair& pair : matching.pairs) {
    if (!was_measured(pair)) continue;
    result.push_back(pair_samples(pair, interleaved));
    result.back().shown.weight = weight_of(result.back().shown, options);
  }
  ChangeOptions change = change_options(options, decision);
  change.comparisons = static_cast<std::size_t>(std::count_if(
      result.begin(), result.end(),
      [](const ComparedConfiguration& one) { return one.obstacle == Obstacle::kNone; }));
  for (ComparedConfiguration& one : result) compare_samples(change, one);
  return result;
}

// The time of all configurations together, each as often as it runs; a pair of the whole is the
// ratio of these sums, of the runs that all of them have.
std::optional<RatioEstimate> overall_ratio(const std::vector<ComparedConfiguration>& all,
                                           const ChangeOptions& options) {
  struct Sum {
    double a = 0;
    double b = 0;
    std::size_t configurations = 0;
  };
  Sum summaries;
  std::map<std::uint32_t, Sum> sums;  // of each run
  const ComparedConfiguration* first = nullptr;
  std::size_t count = 0;
  for (const ComparedConfiguration& one : all) {
    if (one.obstacle != Obstacle::kNone) continue;
    if (first == nullptr) first = &one;
    if (one.by_run != first->by_run || one.of_summaries != first->of_summaries) {
      return std::nullopt;
    }
    const auto add = [&](double a, double b, Sum& sum) {
      sum.a += one.shown.weight * a;
      sum.b += one.shown.weight * b;
      ++sum.configurations;
    };
    if (one.of_summaries) add(one.shown.a_ns, one.shown.b_ns, summaries);
    for (std::size_t i = 0; i < one.runs.size(); ++i) {
      add(one.a_ns[i], one.b_ns[i], sums[one.runs[i]]);
    }
    ++count;
  }
  if (summaries.a > 0) {
    const double ratio = summaries.b / summaries.a;
    return RatioEstimate{ratio, ratio / (1 + kBetweenStarts), ratio * (1 + kBetweenStarts)};
  }
  std::vector<double> before;
  std::vector<double> after;
  for (const auto& [run, sum] : sums) {
    if (sum.configurations != count) continue;
    before.push_back(sum.a);
    after.push_back(sum.b);
  }
  if (before.empty()) return std::nullopt;
  const PairedChange whole = paired_change(before, after, options);
  return RatioEstimate{whole.ratio, whole.interval.low, whole.interval.high};
}

// What is to be known of the samples, once for all configurations.
void add_sample_notes(const std::vector<ComparedConfiguration>& all, Decision& decision) {
  std::size_t throttled = 0;
  std::size_t summaries = 0;
  std::size_t one_start = 0;
  std::size_t apart = 0;
  for (const ComparedConfiguration& one : all) {
    throttled += one.shown.throttled;
    if (one.obstacle != Obstacle::kNone) continue;
    if (one.of_summaries) {
      ++summaries;
    } else if (!one.by_run) {
      ++one_start;
    } else if (!one.shown.interleaved) {
      ++apart;
    }
  }
  add_note(throttled, "sample", "taken while the GPU was held back; they count like any other",
           decision);
  add_note(summaries, "configuration",
           fmt::format("compared by a summary without samples: only changes beyond {} are decided",
                       percent(kBetweenStarts)),
           decision);
  add_note(one_start, "configuration",
           fmt::format("measured in too few runs of a program: what differs between runs is not in "
                       "the interval, so only changes beyond {} are decided",
                       percent(kBetweenStarts)),
           decision);
  add_note(
      apart, "configuration",
      fmt::format("not measured alternately, so what drifts in between counts as a change, and "
                  "only changes beyond {} are decided; `proofline bench --a CMD --b CMD` "
                  "takes turns",
                  percent(kBetweenMeasurements)),
      decision);
}

bool would_pass(const Decision& decision) {
  return decision.verdict == DecisionVerdict::kKeep ||
         decision.verdict == DecisionVerdict::kNoDifference;
}

// What B no longer does is no gain.
void withhold_for_missing(const std::vector<const Measurement*>& missing, const PlaceNames& places,
                          Decision& decision) {
  if (missing.empty() || !would_pass(decision)) return;
  decision.verdict = DecisionVerdict::kInconclusive;
  decision.reason += fmt::format("; but B has no time {}, which A has", places_of(missing, places));
  decision.next.emplace_back(
      fmt::format("measure B there too, or decide without it ({})", option("force")));
}

// With what the user meant, the verdict may be another.
void withhold_for_weights(const std::vector<std::string>& unused, Decision& decision) {
  for (const std::string& name : unused) {
    decision.notes.push_back(
        {NoteKind::kInfo, option("weight"), fmt::format("no configuration is called {}", name)});
  }
  if (unused.empty() || !would_pass(decision)) return;
  decision.verdict = DecisionVerdict::kInconclusive;
  decision.reason += fmt::format("; but {} names what no configuration is called: {}",
                                 option("weight"), unused.front());
  decision.next.emplace_back(
      "call it as the result does: a benchmark, an implementation, axis=value, or leave it out");
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
  decision.keep_same = options.keep_same;
  decision.until_clear = a.until_clear || b.until_clear;
  add_notes_of(a, NoteSide::kA, decision);
  add_notes_of(b, NoteSide::kB, decision);
  const MeasurementMatching matching = match_measurements(a, b, options.force);
  add_unmatched(matching, decision);
  const PlaceNames places(a, b);
  const auto stopped = pass_gates(
      {a, b, matching, places, evidence, interleaved, options.force, options.gate_leaks}, decision);
  const bool refused =
      !options.force && std::any_of(decision.differences.begin(), decision.differences.end(),
                                    [](const Difference& one) { return one.refuses; });
  // Durations that do not compare, or that may be wrong, are not set side by side.
  if (!refused && (!stopped || stopped->verdict == DecisionVerdict::kRevert)) {
    std::vector<ComparedConfiguration> all =
        compare_pairs(matching, interleaved, options, decision);
    add_sample_notes(all, decision);
    decision.overall = overall_ratio(all, change_options(options, decision));
    if (!stopped) judge_configurations(all, options, places, decision);
    if (!options.force) withhold_for_missing(missing_in_b(matching), places, decision);
    withhold_for_weights(unused_weights(all, options), decision);
    decision.configurations.reserve(all.size());
    for (ComparedConfiguration& one : all) decision.configurations.push_back(std::move(one.shown));
  }
  if (stopped) {
    decision.verdict = stopped->verdict;
    decision.reason = stopped->reason;
    decision.next = {stopped->next};
  }
  if (decision.verdict == DecisionVerdict::kKeep && !was_checked(decision)) {
    decision.next.emplace_back(
        "check B's results against a reference: some or all were not checked");
  }
  if (evidence.profiles != nullptr) explain_by_profiles(*evidence.profiles, decision);
  return decision;
}

}  // namespace proofline

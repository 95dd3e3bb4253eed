// SPDX-License-Identifier: Apache-2.0
//
// The JSON bodies of the journal's entries, one function for each kind of entry. attempts_of() and
// baselines_of() read them back. `run` is the folder with the artefacts, "" none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/journal/attempt.h"
#include "model/journal/baseline.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

// kind "open": hypothesis, kind, expected, risk, commit, diff_stat and commands (their secrets
// taken out) of the attempt.
std::string open_body(const Attempt& attempt);
// kind "correctness": what must hold before anything is measured; a failed gate fails the attempt.
std::string correctness_body(const std::vector<Gate>& gates, std::string_view run);
// kind "benchmark": for each configuration the median with its interval, not the samples.
std::string benchmark_body(const BenchmarkSeries& series, std::string_view run);
// kind "profile": what changed in counters and code, in words.
std::string profile_body(const std::vector<std::string>& explanation, std::string_view run);
// kind "decision"
std::string decision_body(const Decision& decision, std::string_view run);
// kind "close": an empty reason leaves that of the decision.
std::string close_body(AttemptState state, std::string_view reason);
// kind "baseline": name, path, side and sha256 of the baseline, and what it holds.
std::string baseline_body(const Baseline& baseline, const BenchmarkSeries& series);
// kind "note"
std::string note_body(std::string_view text);

}  // namespace proofline

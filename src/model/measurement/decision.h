// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a change: KEEP, REVERT, NO DIFFERENCE, INCONCLUSIVE or INVALID, from duration
// alone, after the gates of correctness; with the evidence for each configuration, and what
// explains it. Plain data; `proofline decide --format json` is this and nothing else. A is before,
// B after the change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnosis/comparison.h"
#include "model/measurement/benchmark.h"
#include "model/note.h"

namespace proofline {

enum class DecisionVerdict {
  kKeep,
  kRevert,
  kInconclusive,
  kInvalid,
  kNoDifference,  // above the threshold: nothing is gained, and nothing lost
};
std::string_view to_string(DecisionVerdict verdict);  // "KEEP"

enum class GateState { kPassed, kFailed, kNotRun };
std::string_view to_string(GateState state);

// What must hold before any duration counts.
struct Gate {
  std::string name;  // "correctness", "check", "sanitizer", "same-machine"
  GateState state = GateState::kNotRun;
  std::string detail;
  friend bool operator==(const Gate&, const Gate&) = default;
};
Record describe(const Gate*);

// A ratio of B to A with its interval; below 1 = faster.
struct RatioEstimate {
  double ratio = 1;
  double low = 1;
  double high = 1;
};

struct DecidedConfiguration {
  std::string benchmark;
  std::string implementation_a;  // may differ: one binary can hold both sides
  std::string implementation_b;
  std::vector<Axis> axes;
  double a_ns = 0;  // medians
  double b_ns = 0;
  RatioEstimate time;  // of medians
  // Of the mean, and of the slow end: the time that nine starts in ten stay below, of each start
  // the one that nine samples in ten do. What the median does not see shows here.
  std::optional<double> mean_ratio;
  std::optional<double> upper_ratio;
  std::optional<RatioEstimate> cycles;
  std::string change;  // "faster", "slower", "same", "unclear"
  std::size_t pairs = 0;
  std::optional<std::size_t> pairs_needed;
  bool interleaved = false;   // the sides were measured in turn
  double margin = 0;          // by which equal programs may differ, measured like this
  double weight = 1;          // how often it runs, as far as the user says; its time counts so
  std::size_t throttled = 0;  // samples taken while the GPU was held back; they count
  double a_throttled = 0;     // their share of A's samples
  double b_throttled = 0;
  std::vector<std::string> flags;  // what is odd about the samples, by name
  std::optional<double> a_rate;    // bytes or FLOP a second, as declared
  std::optional<double> b_rate;
  std::string rate_unit;  // "B/s", "FLOP/s"
  // What the GPU drew, and what the program allocated at most, where that is known of both sides.
  std::optional<double> a_watts;
  std::optional<double> b_watts;
  std::optional<std::uint64_t> a_peak_bytes;
  std::optional<std::uint64_t> b_peak_bytes;
};

// "transpose naive -> tiled n=8192"
std::string configuration_name(const DecidedConfiguration& decided);

// "a: ./bench --n 8192"; without the command where none is known.
std::string side_label(const BenchmarkSide& side);

struct Decision {
  std::string a_path;
  std::string b_path;
  std::string a_label;  // what is meant in a file that holds more than one side; "" all of it
  std::string b_label;
  DecisionVerdict verdict = DecisionVerdict::kInconclusive;
  std::string reason;        // one sentence, with the numbers
  double confidence = 0.95;  // that no configuration's change is a false alarm
  double threshold = 0.005;
  bool keep_same = false;                // NO DIFFERENCE is good enough
  bool until_clear = false;              // starts were added until the answer was clear
  std::optional<RatioEstimate> overall;  // of the time of all configurations together
  std::vector<Gate> gates;
  std::vector<Difference> differences;  // between the machines and inputs of the two sides
  std::vector<DecidedConfiguration> configurations;
  std::vector<std::string> unmatched;    // configurations of one side alone
  std::vector<std::string> explanation;  // counters and SASS, in words; they never decide
  std::vector<std::string> next;         // what would settle it, or what to do now
  std::vector<Note> notes;
};
Record describe(const Decision*);

// "NO DIFFERENCE (above 0.5 %)"; the verdict alone for all others.
std::string verdict_text(const Decision& decision);

// How often a configuration runs, for all whose benchmark, implementation, "axis=value" or whole
// name is this.
struct ConfigurationWeight {
  std::string name;
  double weight = 1;
};

struct DecideOptions {
  double confidence = 0.95;
  double threshold = 0.005;  // relative changes below this do not matter
  double clear_gain = 0.05;  // from here on a gain is worth keeping whatever it costs
  bool keep_same = false;    // no difference is good enough (a clean-up): it must not be slower
  bool force = false;        // compare across machines, clocks and inputs that differ
  bool gate_leaks = false;   // memory that B still holds when it ends reverts it
  std::vector<ConfigurationWeight> weights;  // none: each counts by its time
};

}  // namespace proofline

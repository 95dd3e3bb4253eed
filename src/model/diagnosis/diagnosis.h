// SPDX-License-Identifier: Apache-2.0
//
// What a diagnosis says: for each kernel one verdict, the causes found, ranked by what removing
// each could gain in wall time, with the numbers that prove them, and what could not be evaluated.
// Plain data that refers to nothing else, so the profiles may go; `proofline diagnose --format
// json` is this and nothing else.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/diagnosis/diagnosis_source.h"
#include "model/diagnosis/facts.h"
#include "model/diagnosis/shared_list.h"
#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

// One comparison that held: fact op threshold. An empty op is a value shown for context only.
struct Evidence {
  std::string fact;
  std::variant<double, std::string> value;
  std::string unit;
  std::string op;  // ">=", "<=", "" = context
  double threshold = 0;
};

enum class GainKind {
  kCeiling,     // from the distance to a roof
  kStallShare,  // from the time warps spend on it
  kMeasured,    // from a measurement of both versions
};
std::string_view to_string(GainKind kind);

// The share of the duration that would go, 0 to 1.
struct Gain {
  double low = 0;
  double high = 0;
  GainKind kind = GainKind::kStallShare;
};
Record describe(const Gain*);

enum class Severity { kHigh, kMedium, kLow, kInfo };
std::string_view to_string(Severity severity);

struct Finding {
  std::string id;  // of the rule
  Severity severity = Severity::kInfo;
  std::string statement;  // one sentence with its numbers
  std::vector<Evidence> evidence;
  Gain gain;
  std::string next;               // what to do now
  std::vector<Finding> symptoms;  // found too, and accounted for by this cause
  // Earlier attempts against it, from the journal: a sentence each, the last one first.
  std::vector<std::string> tried = {};
};
Record describe(const Finding*);

// Ids of rules are permanent: more may join, none is renamed.
inline constexpr std::string_view kRuleIdPattern = "^[a-z0-9]+(-[a-z0-9]+)*$";

struct NotEvaluated {
  std::string id;                    // of the rule
  std::vector<std::string> missing;  // facts
  std::string reason;                // in words, of the first
  std::string capture;               // the ncu flags that would tell; "" = no capture would

  auto operator<=>(const NotEvaluated&) const = default;
};
Record describe(const NotEvaluated*);

enum class Bound { kMemory, kCompute, kLatency, kSync, kOccupancy, kLaunch, kNone };
std::string_view to_string(Bound bound);

struct Verdict {
  Bound bound = Bound::kNone;
  std::string at;            // "dram", "tensor", "barrier", ...; "" where there is no such place
  std::string headline;      // one sentence
  bool provisional = false;  // too many of the rules could not be evaluated
};
Record describe(const Verdict*);

// Launches of one kernel with one shape on one device are one entry.
struct LaunchSpread {
  std::size_t count = 0;
  std::optional<double> min_ns;
  std::optional<double> median_ns;
  std::optional<double> max_ns;
  std::optional<double> total_ns;  // the sum of those that have a duration
};
Record describe(const LaunchSpread*);

struct KernelDiagnosis {
  std::size_t source = 0;             // index in Diagnosis::sources
  std::size_t launch = 0;             // the representative: the launch of median duration
  std::vector<std::size_t> launches;  // all of them, positions in the source's profile
  LaunchSpread spread;
  LaunchKind kind = LaunchKind::kKernel;
  std::string name;
  std::string display_name;  // short, as ncu prints it; model/profile/display_name.h
  std::string function;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::string device_name;
  std::string compute_capability;
  std::optional<double> duration_ns;
  Verdict verdict;
  std::vector<Finding> findings;  // ranked
  SharedList<NotEvaluated> not_evaluated;
  std::vector<std::string> clean;  // ids of rules that looked and found nothing
  std::vector<Note> notes;         // about this kernel's capture: a single launch, unlocked clocks
  std::vector<NvidiaRule> nvidia_rules;  // where the reader was asked for them
  Facts facts;
};

struct Diagnosis {
  std::vector<DiagnosisSource> sources;
  std::vector<Note> notes;
  std::vector<KernelDiagnosis> kernels;  // worst first: by total time
};
Record describe(const Diagnosis*);

struct DiagnoseOptions {
  // Distinct bytes of device memory a kernel touches, by its function name: only the user can know.
  std::map<std::string, double> unique_bytes;
  // The launches to look at, as positions in each profile; empty: all launches of all profiles.
  std::vector<std::vector<std::size_t>> launches;
  // Whether the rule of that id looks; empty: all do.
  std::function<bool(std::string_view rule)> looks;
};

}  // namespace proofline

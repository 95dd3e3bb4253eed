// SPDX-License-Identifier: Apache-2.0
//
// What comparing two profiles says: which kernels are the same, how their durations differ, which
// facts explain it, and which causes went or came. Plain data; `proofline compare --format json` is
// this and nothing else. A is the earlier or reference profile, B the later one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

// How the two kernels of a pair were found to be the same, surest first.
enum class MatchKind {
  kExact,       // name and shape
  kName,        // name; the shape differs
  kNormalised,  // name without symbol hashes and counters
  kFunction,    // function name; its parameters or the numbers in its template arguments differ
  kForced,      // the only kernel on each side, and the user insisted
  kChosen,      // the user named both
  kWork,        // what takes nearly all of the time on each side
};
std::string_view to_string(MatchKind kind);

// One side of a pair.
struct ComparedKernel {
  std::size_t launch = 0;    // the representative, a position in its profile
  std::string display_name;  // short, for people
  std::string name;
  std::string function;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::string device_name;
  std::string compute_capability;
  LaunchSpread spread;
  std::optional<double> time_share;  // of all profiled time on its side
  Verdict verdict;
};

// Something about the two captures, not about the code, that is not the same.
struct Difference {
  std::string what;  // "gpu", "compute-capability", "sm-clock", "clock-lock", "grid", "block", ...
  std::string a;
  std::string b;
  bool refuses = false;  // a comparison across it misleads
};
Record describe(const Difference*);

// Where the difference between two durations stands to the spread of launches.
enum class SpreadVerdict {
  kUnknown,  // a single launch on each side
  kWithin,   // one side's median lies among the other's launches
  kOutside,
};
std::string_view to_string(SpreadVerdict verdict);

using FactValue = std::variant<double, std::string>;

struct FactChange {
  std::string name;
  std::string unit;
  std::optional<FactValue> a;  // nothing: absent, which is not zero
  std::optional<FactValue> b;
  std::string absence;             // why the absent side is absent
  std::optional<double> change;    // b - a
  std::optional<double> relative;  // change over a; nothing where a is 0
  double effect = 0;               // 0 to 1; what the ranking is by
  bool listed = false;             // the user asked for it, changed or not
};

// One factor of a duration: ratios of all factors multiply to the ratio of durations.
struct DurationFactor {
  std::string name;
  std::string unit;
  double a = 0;
  double b = 0;
  double ratio = 1;             // what it does to the duration; above 1 = slower
  std::optional<double> share;  // of the change in duration, on a log scale; all add up to one
};

// "issue": instructions x cycles per instruction x ... / clock; "dram": bytes / rate.
struct Decomposition {
  std::string id;
  std::vector<DurationFactor> factors;
};

// What a warp waits for between two of its instructions, in cycles rather than as a share: shares
// of a shorter wait all grow when one reason goes.
struct StallChange {
  std::string reason;
  double a = 0;
  double b = 0;
};

struct Explanation {
  std::vector<Decomposition> decompositions;
  std::vector<StallChange> stalls;     // largest change first
  std::vector<std::string> sentences;  // the same in words; the first is about the duration
};

enum class FindingStatus {
  kGone,     // found in A, looked for and not found in B
  kNew,      // the other way round
  kStayed,   // found in both
  kUnknown,  // found in one, not evaluated in the other
};
std::string_view to_string(FindingStatus status);

struct FindingChange {
  std::string id;
  FindingStatus status = FindingStatus::kStayed;
  std::optional<Gain> a;
  std::optional<Gain> b;
  std::string remark;  // "not evaluated in B: ...", "explained by low-occupancy in B"; may be empty
};

struct KernelComparison {
  MatchKind match = MatchKind::kExact;
  ComparedKernel a;
  ComparedKernel b;
  std::vector<Difference> differences;
  bool refused = false;  // then nothing below is filled
  std::optional<double> change_ns;
  std::optional<double> ratio;  // duration of B over that of A; nothing where A's is 0 or absent
  SpreadVerdict spread = SpreadVerdict::kUnknown;
  Explanation explanation;
  std::vector<FactChange> facts;  // duration first, then by effect, then those absent in one
  std::size_t unchanged_facts = 0;
  std::vector<FindingChange> findings;
};

struct UnmatchedKernel {
  ComparedKernel kernel;
  std::string reason;
  std::optional<ComparedKernel> candidate;  // the nearest on the other side
};

struct ProfileComparison {
  DiagnosisSource a;
  DiagnosisSource b;
  std::vector<Note> notes;
  std::vector<Difference> differences;    // of the captures as a whole
  std::vector<KernelComparison> kernels;  // largest change of time first
  std::vector<UnmatchedKernel> only_in_a;
  std::vector<UnmatchedKernel> only_in_b;
};

struct CompareOptions {
  bool force = false;  // compare what would be refused
  // Both do the same work, and how long it takes was measured elsewhere: shapes and clocks may
  // differ, and names too where each side has one kernel.
  bool same_work = false;
  // Functions of A and of B that do the same work under other names.
  std::vector<std::pair<std::string, std::string>> pairs;
  bool metrics = false;  // every metric too, not only the facts made of them
  // Facts and metrics that are listed whether they changed or not; empty: none.
  std::function<bool(std::string_view name)> listed;
};

}  // namespace proofline

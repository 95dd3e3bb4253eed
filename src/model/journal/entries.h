// SPDX-License-Identifier: Apache-2.0
//
// The journal is a list of entries that only grows: an attempt is opened before anything is done,
// each result is added as it comes, and the verdict closes it. An attempt's present state is the
// sum of its entries. Each entry carries the hash of the one before it, so that a changed, lost or
// inserted entry shows.
//
// First entries as they are stored, then what they say, one struct for each kind of entry.
// store/entries/entry_codec makes their bytes and reads them back. What is only shown again (names
// of states, of changes) is a text, so that a word of another version is shown as it is; `run` is
// the folder with the artefacts, "" none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/measurement/decision.h"

namespace proofline {

// What somebody wants to have written.
struct NewEntry {
  std::string id;       // 32 hex digits, chosen by the writer: written twice, it is stored once
  std::string attempt;  // the id of the entry that opened the attempt; "" for the others
  std::string kind;     // "open", "correctness", "benchmark", "profile", "decision", "close", ...
  std::string body;     // a JSON object, as text
  std::string written = {};  // when, as JournalEntry has it; "" now
};

struct JournalEntry {
  std::string chain;           // which journal wrote it: 32 hex digits
  std::uint64_t sequence = 0;  // in its chain; the first is 1
  std::string id;
  std::string attempt;
  std::string kind;
  std::string written;  // "2026-11-15T16:40:00.123Z"
  std::string body;
  std::string previous;  // hash of the entry before it in the chain; of the first: 64 zeros
  std::string hash;      // of all of the above
};

// The last entry of a chain. Without it, entries removed from its end would go unnoticed.
struct ChainHead {
  std::string chain;
  std::uint64_t sequence = 0;
  std::string hash;
};

// Where a chain is not what was written.
struct ChainBreak {
  std::string chain;
  std::uint64_t sequence = 0;
  std::string what;  // "its text is not what was hashed", "entry 7 is missing"
};

struct Verification {
  std::uint64_t entries = 0;
  std::uint64_t chains = 0;
  std::vector<ChainBreak> breaks;
};

enum class AttemptState {
  kOpen,  // nothing is decided yet, or the program was ended in between
  kKept,
  kReverted,
  kNoDifference,  // measured, and neither faster nor slower by more than the threshold
  kInconclusive,
  kInvalid,
  kFailed,     // a gate before the measurement: wrong results, sanitizer errors, no build
  kAbandoned,  // closed by hand without a verdict
};
std::string_view to_string(AttemptState state);

// Shares of time saved: 0.10 to 0.20; negative is slower.
struct GainRange {
  double low = 0;
  double high = 0;
  friend bool operator==(const GainRange&, const GainRange&) = default;
};
Record describe(const GainRange*);

// The item of a playbook that an attempt tries, and what it is tried on: by this later diagnoses
// know that it was tried. Ids match, never words.
struct AttemptItem {
  std::string playbook = {};
  std::string id = {};
  std::string kernel = {};                // its short name; "" not told
  std::string gpu = {};                   // "NVIDIA H200"
  std::string cc = {};                    // "9.0"
  std::vector<std::string> answers = {};  // ids of rules whose findings it is meant to remove
  std::string play = {};                  // the run and its attempt that this is: "NAME/3"; "" none
  friend bool operator==(const AttemptItem&, const AttemptItem&) = default;
};

// Opens an attempt: what is to be changed, why, and what that should bring. It is stored before
// anything is done.
struct Intent {
  static constexpr std::string_view kKind = "open";
  std::string hypothesis;
  std::string kind = {};  // of change, for calibration: "synchronisation", "vector-loads"; "" none
  std::optional<GainRange> expected = {};
  std::string risk = {};
  std::string commit = {};                 // of the work tree when it was opened; "" no repository
  std::string diff_stat = {};              // "3 files changed, 40 insertions(+), 12 deletions(-)"
  std::vector<std::string> commands = {};  // their secrets are not stored
  std::optional<AttemptItem> item = {};    // of a playbook
  friend bool operator==(const Intent&, const Intent&) = default;
};

// What must hold before anything is measured; a failed gate fails the attempt.
struct CorrectnessEntry {
  static constexpr std::string_view kKind = "correctness";
  std::vector<Gate> gates;
  std::string run;
  friend bool operator==(const CorrectnessEntry&, const CorrectnessEntry&) = default;
};

// The median with its interval, not the samples.
struct RecordedMeasurement {
  std::string configuration;  // "transpose tiled n=8192"
  std::string state;          // "measured", "wrong", ...
  std::string reason;
  std::string correctness;
  std::optional<double> max_abs_error;
  std::optional<double> max_rel_error;
  std::optional<double> median_ns;
  std::optional<double> low_ns;  // of the median, with 95 % confidence
  std::optional<double> high_ns;
  std::uint64_t samples = 0;
  std::uint64_t throttled = 0;
  bool throttled_only = false;  // the GPU was held back during all of them
  friend bool operator==(const RecordedMeasurement&, const RecordedMeasurement&) = default;
};
Record describe(const RecordedMeasurement*);

struct RecordedSide {
  std::string label;
  std::string command;  // its secrets are not stored
  std::string gpu;
  std::string driver;
  std::optional<double> locked_sm_mhz;
  std::vector<RecordedMeasurement> measurements;
  friend bool operator==(const RecordedSide&, const RecordedSide&) = default;
};

struct BenchmarkEntry {
  static constexpr std::string_view kKind = "benchmark";
  bool interleaved = false;
  std::vector<RecordedSide> sides;
  std::string run;
  friend bool operator==(const BenchmarkEntry&, const BenchmarkEntry&) = default;
};

// What changed in counters and code, in words.
struct ProfileEntry {
  static constexpr std::string_view kKind = "profile";
  std::vector<std::string> explanation;
  std::string run;
  friend bool operator==(const ProfileEntry&, const ProfileEntry&) = default;
};

// Whether what the playbook's task promises came true. It explains and does not decide.
struct AcceptanceEntry {
  static constexpr std::string_view kKind = "acceptance";
  std::string state;  // "accepted", "not accepted", "undecided"
  std::string text;   // with the values of each expression
  friend bool operator==(const AcceptanceEntry&, const AcceptanceEntry&) = default;
};

// Of B to A; below 1 = faster. An interval may have no end.
struct RecordedRatio {
  std::optional<double> ratio;
  std::optional<double> low;
  std::optional<double> high;
  friend bool operator==(const RecordedRatio&, const RecordedRatio&) = default;
};

struct RecordedChange {
  std::string configuration;  // "transpose naive -> tiled n=8192"
  std::string change;         // "faster", "slower", "same", "unclear"
  std::optional<double> a_ns;
  std::optional<double> b_ns;
  std::optional<RecordedRatio> time;
  std::optional<RecordedRatio> cycles;
  std::uint64_t pairs = 0;
  std::uint64_t throttled = 0;
  std::vector<std::string> flags;
  friend bool operator==(const RecordedChange&, const RecordedChange&) = default;
};

struct DecisionEntry {
  static constexpr std::string_view kKind = "decision";
  std::optional<DecisionVerdict> verdict;  // absent: this version does not know its name
  std::string reason;
  std::string a;  // files
  std::string a_label;
  std::string b;
  std::string b_label;
  std::optional<double> confidence;
  std::optional<double> threshold;
  std::optional<RecordedRatio> overall;
  std::vector<Gate> gates;
  std::vector<RecordedChange> configurations;
  std::vector<std::string> unmatched;
  std::vector<std::string> explanation;
  std::vector<std::string> next;
  std::string run;
  friend bool operator==(const DecisionEntry&, const DecisionEntry&) = default;
};

struct CloseEntry {
  static constexpr std::string_view kKind = "close";
  std::optional<AttemptState> state;  // absent: this version does not know its name
  std::string reason;                 // "": that of the decision
  friend bool operator==(const CloseEntry&, const CloseEntry&) = default;
};

// A name for a file of measurements that later ones are compared with, and what it holds.
struct BaselineEntry {
  static constexpr std::string_view kKind = "baseline";
  std::string name;
  std::string path;    // absolute
  std::string side;    // the label of the side of it that is meant; "" it has only one
  std::string sha256;  // of the file when it was named; "" by a version that kept none
  bool interleaved = false;
  std::vector<RecordedSide> sides;
  friend bool operator==(const BaselineEntry&, const BaselineEntry&) = default;
};

struct NoteEntry {
  static constexpr std::string_view kKind = "note";
  std::string text;
  friend bool operator==(const NoteEntry&, const NoteEntry&) = default;
};

// A note that belongs to no attempt.
struct Remark {
  std::string written;
  std::string text;
};

// The attempt continues in a journal that has lost its beginning: somebody removed or replaced the
// file while the attempt ran. Names the entry that began it there, so that `journal verify` misses
// it.
struct MissedEntry {
  static constexpr std::string_view kKind = "missed";
  std::string chain;
  std::uint64_t sequence = 0;
  std::string hash;
  friend bool operator==(const MissedEntry&, const MissedEntry&) = default;
};

// Of a kind that this version does not know. It cannot be written: a kind is never empty.
struct UnknownEntry {
  static constexpr std::string_view kKind{};
  std::string run;
  friend bool operator==(const UnknownEntry&, const UnknownEntry&) = default;
};

using EntryContent =
    std::variant<Intent, CorrectnessEntry, BenchmarkEntry, ProfileEntry, AcceptanceEntry,
                 DecisionEntry, CloseEntry, BaselineEntry, NoteEntry, MissedEntry, UnknownEntry>;

}  // namespace proofline

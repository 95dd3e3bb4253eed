// SPDX-License-Identifier: Apache-2.0
//
// What compute-sanitizer, or cuda-memcheck before it, said of a program: its messages merged to
// findings, its own summary, and what a run of it means. Plain data; words, names and paths are a
// stranger's text, kept as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

// Their names are stable: other programs select by them.
enum class SanitizerKind {
  kOutOfBounds,
  kMisaligned,
  kAccessDenied,   // to memory that was made unreadable or unwritable
  kInvalidAccess,  // where the tool does not say which of these it is
  kUseAfterFree,
  kUseBeforeAllocation,
  kInvalidFree,
  kSharedRace,
  kDivergentBarrier,
  kInvalidBarrier,
  kWarpgroupSequence,
  kTensorMemory,
  kDeadlock,
  kUninitialisedRead,
  kUnusedMemory,
  kLeak,
  kApiError,
  kDeviceException,
  kNotChecked,  // the tool could not look at a part of the program
  kHang,
  kUnknown,
};
std::string_view to_string(SanitizerKind kind);

enum class SanitizerLevel { kError, kWarning, kInfo };
std::string_view to_string(SanitizerLevel level);

// Where in device code; parts that the tool did not say are empty.
struct DevicePlace {
  std::string function;
  std::optional<std::uint64_t> offset;  // of the instruction in the function
  std::string file;
  std::uint32_t line = 0;

  bool empty() const { return function.empty() && file.empty() && !offset; }
};

// All between the corners were not necessarily seen.
struct IndexRange {
  Dim3 first{};
  Dim3 last{};
};

struct AddressRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// The allocation next to an invalid address.
struct NearestAllocation {
  std::string relation;  // "inside", "before", "after"
  std::uint64_t distance = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

// One of the accesses that race with each other.
struct RaceSide {
  std::string access;  // "read", "write"
  DevicePlace at;
  std::uint64_t hazards = 0;
};

struct HostStack {
  std::string when;  // "at kernel launch time"
  std::vector<std::string> frames;
};

// Messages that differ only in numbers. What they share is here once; threads, blocks and addresses
// are ranges; the rest is of the first of them.
struct SanitizerFinding {
  std::string tool;  // "memcheck"; "" not known
  SanitizerKind kind = SanitizerKind::kUnknown;
  SanitizerLevel level = SanitizerLevel::kError;
  std::string words;                  // the tool's own
  std::string space;                  // "global", "shared", "local"
  std::string access;                 // "read", "write", "atomic"
  std::optional<std::uint64_t> size;  // bytes
  std::uint64_t total_size = 0;       // of all that were merged
  DevicePlace at;
  std::vector<DevicePlace> device_frames;  // innermost first; the last one is the kernel
  std::optional<AddressRange> address;
  std::optional<NearestAllocation> allocation;
  std::optional<IndexRange> threads;
  std::optional<IndexRange> blocks;
  std::vector<RaceSide> sides;
  std::vector<HostStack> stacks;
  std::vector<std::string> details;  // lines of the message that are in no other member
  std::uint64_t count = 1;

  // Where it is, as far as the tool says: of a race, the place of its first access.
  const DevicePlace& place() const { return sides.empty() ? at : sides.front().at; }
  const std::string& kernel() const {
    return device_frames.empty() ? place().function : device_frames.back().function;
  }
  std::uint64_t hazards() const;
  // A leak of memory that a framework's pool keeps until the program ends: no fault of the program.
  bool is_pooled() const;
};

// Messages by level, as they were listed.
struct SanitizerCounts {
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t infos = 0;
};

struct SanitizerSummary {
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t not_printed = 0;
  std::uint64_t leaked_bytes = 0;
  std::uint64_t leaked_allocations = 0;
};

struct SanitizerLog {
  std::string path;
  std::string producer;                     // "compute-sanitizer", "cuda-memcheck"
  std::string tool;                         // "" where the log does not tell
  std::vector<SanitizerFinding> findings;   // in the order in which they first came
  std::optional<SanitizerSummary> summary;  // of all runs in the log together
  bool complete = false;                    // every run in the log has its summary
  bool application_returned_error = false;  // the tool says that the program did
  bool application_crashed = false;         // it says that the program was ended
  std::string failure;  // why the tool could not work at all, in its words; "" it did
  std::vector<Note> notes;

  SanitizerCounts counts() const;
};

enum class SanitizerOutcome {
  kClean,  // all was checked; there may be warnings
  kFindings,
  kHang,
  kTooSlow,            // the tool did not end in its time, but the program alone does
  kFailed,             // the tool broke, or nothing was checked
  kApplicationFailed,  // nothing was found, but the program itself failed
  kInterrupted,
  kNotRun,
};
std::string_view to_string(SanitizerOutcome outcome);

struct SanitizerToolResult {
  std::string tool;
  std::string command;  // as a shell takes it; "" for a saved log
  std::string version;
  std::optional<double> seconds;
  std::optional<double> limit_seconds;
  std::optional<int> exit_code;
  std::optional<int> signal;
  SanitizerOutcome outcome = SanitizerOutcome::kNotRun;
  std::string explanation;  // a sentence; "" where the outcome says all
  SanitizerLog log;
};

// The program without any tool.
struct AloneResult {
  double seconds = 0;
  std::optional<int> exit_code;
  std::optional<int> signal;
  bool hang = false;
};

// A run of several tools, or saved logs.
struct SanitizerRun {
  std::string command;  // the user's; "" for saved logs
  std::string folder;   // where all files of the run are
  std::optional<AloneResult> alone;
  std::vector<SanitizerToolResult> tools;
  std::vector<Note> notes;

  // The outcome that matters most. A hang outranks what was found before it; that the program hangs
  // alone does not, since the findings may explain it.
  SanitizerOutcome outcome() const;
  // Nothing else was found but memory that is still allocated when the program ends.
  bool has_only_leaks() const;
};

// What a log alone says: kClean only where its summary was seen and counts no errors.
void judge_log(SanitizerToolResult& result);

}  // namespace proofline

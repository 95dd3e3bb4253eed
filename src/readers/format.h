// SPDX-License-Identifier: Apache-2.0
//
// All formats, in one list. A format is one file below this folder that defines `Format <stem>()`:
// its name, how its bytes are recognised, and what it can be read as. The list is made from the
// folders (cmake/collect.cmake).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "model/input_kind.h"

namespace proofline {

// What the readers fill or give; their headers say more.
struct BenchmarkPlace;
struct BenchmarkSeries;
struct Ceilings;
class FunctionSink;
struct Listing;
struct Preflight;
struct Profile;
struct ReadOptions;
struct Recording;
struct SanitizerLog;
struct Timeline;

// Program output may precede an ncu table, so text formats are looked for this far.
inline constexpr std::size_t kSniffBytes = 1U << 16U;

struct Format {
  std::string_view name;     // "ncu-rep"
  std::string_view what;     // "an Nsight Compute report": what errors call such a file
  std::string_view summary;  // one line for `list readers`
  // Says yes by content alone, and to what no other format says yes; prefix holds the first
  // kSniffBytes, or the whole input if shorter.
  bool (*sniff)(std::string_view prefix);

  // One for each kind that it offers; the others stay null. Damage that a reader survives becomes a
  // note; an error means no result at all.
  Result<void> (*read_profile)(Input& input, const ReadOptions& options,
                               Profile& profile) = nullptr;
  // Gives functions to the sink in the order of the input, and the rest to the listing.
  Result<void> (*read_code)(Input& input, Listing& listing, const FunctionSink& sink) = nullptr;
  Result<BenchmarkSeries> (*read_benchmark)(Input& input, const BenchmarkPlace& place) = nullptr;
  // `tool` is what was run, where that is known.
  Result<SanitizerLog> (*read_sanitizer_log)(Input& input, std::string_view tool) = nullptr;
  Result<Ceilings> (*read_ceilings)(Input& input) = nullptr;
  // Adds the processes of this file.
  Result<void> (*read_recording)(Input& input, Recording& recording) = nullptr;
  Result<Timeline> (*read_timeline)(Input& input) = nullptr;
  Result<Preflight> (*read_preflight)(Input& input) = nullptr;

  bool offers(InputKind kind) const;
};

std::span<const Format> formats();

// The format of a file with this prefix; null for an unknown one.
const Format* identify(std::string_view prefix);

// How a report of Nsight Systems begins, which only nsys can read.
inline constexpr std::string_view kNsysReportMagic = "NVIDIA Tegra Profiler Report ";

// The format of an input that is wanted as one of these kinds; nothing of it is consumed. Otherwise
// the error says what the input is and which commands take that.
Result<const Format*> identify(Input& input, std::initializer_list<InputKind> wanted);

}  // namespace proofline

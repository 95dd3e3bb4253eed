// SPDX-License-Identifier: Apache-2.0
//
// Single lines of what compute-sanitizer and cuda-memcheck print, as far as they are about the run
// as a whole: the prefix that tells their lines from the program's, banner, summaries, and what
// they say of themselves and of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/machine/sanitizer.h"

namespace proofline {

inline constexpr std::string_view kUsualPrefix = "=========";

// A line of the tool's, without its prefix.
struct SanitizerLine {
  std::string_view
      source;  // what a launcher put before it ("[1,0]<stdout>:"), one for each process
  std::string_view text;
  bool indented = false;  // it belongs to the message above
};

// Nothing for lines of the program.
std::optional<SanitizerLine> split_sanitizer_line(std::string_view line, std::string_view prefix);

// What the banner says who printed it; "" for other lines.
std::string_view sanitizer_of_banner(std::string_view text);

// The prefix of a banner line that has another than the usual one (--prefix); "" for other lines.
std::string_view unusual_prefix(std::string_view line);

enum class SummaryLine { kNone, kPart, kLast };
// Adds what the line counts. One run of the tool prints one kLast line.
SummaryLine read_summary_line(std::string_view text, SanitizerSummary& summary);

enum class RunRemark {
  kNone,
  kIgnored,           // says nothing of this run
  kApplicationError,  // the program returned an error
  kApplicationCrash,  // the program was ended
  kFailure,           // the tool could not work
  kAfterFailure,      // more words about that
};
RunRemark run_remark(std::string_view text);

// "12,345" -> 12345; as much as fits where it is longer.
std::uint64_t parse_counted(std::string_view text);

}  // namespace proofline

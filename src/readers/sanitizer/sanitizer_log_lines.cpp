// SPDX-License-Identifier: Apache-2.0
#include "readers/sanitizer/sanitizer_log_lines.h"

#include <re2/re2.h>

#include <limits>
#include <string>

#include "base/regex_text.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::string_view kBanners[] = {"COMPUTE-SANITIZER", "CUDA-MEMCHECK"};
// One space follows the prefix; old versions put a second before some headings.
constexpr std::size_t kMostHeadingIndent = 2;

// The text before the prefix: a comment or quotation mark, a log's timestamp, or the rank mark of a
// launcher of several processes. Anything else is a line of the program that was cut short.
std::string_view source_of(std::string_view before) {
  static const RE2 kMark(R"((?:\d{4}-\d\d-\d\dT\S+\s+)?[\s/#>*]*(\[[^\]]*\]\S*|\d+:|<\w+>)?\s*)");
  re2::StringPiece mark;
  if (before.empty() || !RE2::FullMatch(regex_text(before), kMark, &mark)) return {};
  return {mark.data(), mark.size()};
}

}  // namespace

std::optional<SanitizerLine> split_sanitizer_line(std::string_view line, std::string_view prefix) {
  const std::size_t at = line.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + prefix.size());
  // A longer rule of the same sign is the program's.
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\r') return std::nullopt;
  const std::size_t indent = rest.find_first_not_of(' ');
  return SanitizerLine{
      source_of(line.substr(0, at)), trim(rest),
      (indent == std::string_view::npos ? rest.size() : indent) > kMostHeadingIndent};
}

std::string_view sanitizer_of_banner(std::string_view text) {
  if (text == kBanners[0]) return "compute-sanitizer";
  if (text == kBanners[1]) return "cuda-memcheck";
  return {};
}

std::string_view unusual_prefix(std::string_view line) {
  constexpr std::size_t kLongest = 64;
  line = trim(line);
  for (const std::string_view banner : kBanners) {
    if (!line.ends_with(banner)) continue;
    std::string_view prefix = line.substr(0, line.size() - banner.size());
    if (prefix.size() < 2 || prefix.size() > kLongest || prefix.back() != ' ') return {};
    prefix.remove_suffix(1);
    if (!prefix.ends_with(kUsualPrefix)) return prefix;
  }
  return {};
}

std::uint64_t parse_counted(std::string_view text) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') continue;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (kMost - digit) / 10) return kMost;
    number = number * 10 + digit;
  }
  return number;
}

SummaryLine read_summary_line(std::string_view text, SanitizerSummary& summary) {
  static const RE2 kErrors(R"(ERROR SUMMARY: ([\d,]+) errors?)");
  static const RE2 kNotPrinted(R"(ERROR SUMMARY: ([\d,]+) errors? (?:was|were) not printed.*)");
  static const RE2 kRaces(
      R"(RACECHECK SUMMARY: ([\d,]+) hazards? displayed \(([\d,]+) errors?, ([\d,]+) warnings?\))");
  static const RE2 kLeaks(R"(LEAK SUMMARY: ([\d,]+) bytes? leaked in ([\d,]+) allocations?)");
  if (text.find(" SUMMARY: ") == std::string_view::npos) return SummaryLine::kNone;
  std::string first;
  std::string second;
  std::string third;
  if (RE2::FullMatch(regex_text(text), kErrors, &first)) {
    summary.errors += parse_counted(first);
    return SummaryLine::kLast;
  }
  if (RE2::FullMatch(regex_text(text), kNotPrinted, &first)) {
    summary.not_printed += parse_counted(first);
    return SummaryLine::kPart;
  }
  if (RE2::FullMatch(regex_text(text), kLeaks, &first, &second)) {
    summary.leaked_bytes += parse_counted(first);
    summary.leaked_allocations += parse_counted(second);
    return SummaryLine::kPart;
  }
  if (RE2::FullMatch(regex_text(text), kRaces, &first, &second, &third)) {
    const std::uint64_t errors = parse_counted(second);
    const std::uint64_t warnings = parse_counted(third);
    summary.errors += errors;
    summary.warnings += warnings;
    if (errors + warnings > parse_counted(first)) {
      summary.not_printed += errors + warnings - parse_counted(first);
    }
    return SummaryLine::kLast;
  }
  return SummaryLine::kNone;
}

RunRemark run_remark(std::string_view text) {
  struct Known {
    std::string_view begin;
    RunRemark remark;
  };
  static constexpr Known kKnown[] = {
      {"This tool is deprecated", RunRemark::kIgnored},
      {"Please use the compute-sanitizer tool", RunRemark::kIgnored},
      {"Target application returned an error", RunRemark::kApplicationError},
      {"Error: process didn't terminate successfully", RunRemark::kApplicationCrash},
      {"Error: Target application terminated before", RunRemark::kFailure},
      {"Target application doesn't exist", RunRemark::kFailure},
      {"Error: No attachable process found", RunRemark::kFailure},
      {"Tracking kernels launched by child processes", RunRemark::kAfterFailure},
      {"Default timeout can be adjusted", RunRemark::kAfterFailure},
  };
  for (const Known& known : kKnown) {
    if (text.starts_with(known.begin)) return known.remark;
  }
  return RunRemark::kNone;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Lines are put together to messages, one open for each process whose lines are told apart; a
// message ends with an empty line, a new heading, or the log.
#include "readers/sanitizer/sanitizer_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/sanitizer/sanitizer_log_findings.h"
#include "readers/sanitizer/sanitizer_log_lines.h"
#include "readers/sanitizer/sanitizer_log_messages.h"

namespace proofline {
namespace {

constexpr std::size_t kLogPieceBytes = 256U << 10U;
// Names of kernels reach some kilobytes; what is longer is cut.
constexpr std::size_t kMostLineBytes = 32U << 10U;
constexpr std::size_t kMostProcesses = 256;
constexpr std::size_t kMostHeadings = 256;

// The tool that makes findings of this kind; "" for more than one.
std::string_view tool_of(SanitizerKind kind) {
  switch (kind) {
    case SanitizerKind::kSharedRace:
    case SanitizerKind::kDeadlock: return "racecheck";
    case SanitizerKind::kDivergentBarrier:
    case SanitizerKind::kInvalidBarrier:
    case SanitizerKind::kWarpgroupSequence: return "synccheck";
    case SanitizerKind::kUninitialisedRead:
    case SanitizerKind::kUnusedMemory: return "initcheck";
    case SanitizerKind::kOutOfBounds:
    case SanitizerKind::kMisaligned:
    case SanitizerKind::kAccessDenied:
    case SanitizerKind::kInvalidAccess:
    case SanitizerKind::kUseAfterFree:
    case SanitizerKind::kUseBeforeAllocation:
    case SanitizerKind::kInvalidFree:
    case SanitizerKind::kTensorMemory:
    case SanitizerKind::kLeak:
    case SanitizerKind::kApiError: return "memcheck";
    case SanitizerKind::kDeviceException:
    case SanitizerKind::kNotChecked:
    case SanitizerKind::kHang:
    case SanitizerKind::kUnknown: return "";
  }
  return "";
}

class LogReader {
 public:
  explicit LogReader(std::string_view tool) { log_.tool = tool; }

  // Takes the text in pieces of any size.
  void feed(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      keep(text.substr(0, end));
      if (end == text.size()) return;
      take_begun();
      text.remove_prefix(end + 1);
    }
  }

  SanitizerLog finish() {
    if (!begun_.empty() && is_worth_taking(begun_)) take_begun();
    for (auto& [source, message] : open_) close(message);
    for (const auto& [text, heading] : headings_) {
      if (heading.repeated > 0) findings_.add(with_tool(heading.finding), heading.repeated);
    }
    log_.findings = std::move(findings_.list());
    log_.complete = last_lines_ > 0 && last_lines_ >= banners_;
    if (last_lines_ > 0) log_.summary = summary_;
    name_tool();
    promote_unknown();
    add_notes();
    excuse_pools();
    return std::move(log_);
  }

 private:
  // A program makes the same mistakes a million times, in the same words. Those without details
  // are counted.
  struct Heading {
    SanitizerFinding finding;
    bool is_listed = false;
    std::uint64_t repeated = 0;
  };
  // A message that has not ended: its heading alone, or with what came below it.
  struct Message {
    Heading* heading = nullptr;
    std::optional<SanitizerFinding> finding;
  };

  void keep(std::string_view part) {
    const std::size_t room = kMostLineBytes - std::min(kMostLineBytes, begun_.size());
    begun_.append(part.substr(0, room));
    cut_ = cut_ || part.size() > room;
  }

  void take_begun() {
    if (take_line(begun_) && cut_) ++cut_lines_;
    begun_.clear();
    cut_ = false;
  }

  // Of the last line where it has no end. Before the summary the log may be cut in it, so that it
  // could be the front of anything; what is a message even so is one.
  bool is_worth_taking(std::string_view whole) const {
    if (last_lines_ > 0 && last_lines_ >= banners_) return true;
    const auto line = split_sanitizer_line(whole, prefix_);
    if (!line) return true;
    SanitizerSummary ignored;
    return read_summary_line(line->text, ignored) == SummaryLine::kLast ||
           begin_finding(line->text).kind != SanitizerKind::kUnknown;
  }

  // Whether it is the tool's.
  bool take_line(std::string_view whole) {
    if (banners_ == 0) {
      if (const std::string_view other = unusual_prefix(whole); !other.empty()) prefix_ = other;
    }
    const auto line = split_sanitizer_line(whole, prefix_);
    if (!line) return false;
    std::string source(line->source);
    if (open_.size() >= kMostProcesses && !open_.contains(source)) source.clear();
    take(line->text, line->indented, open_[source]);
    return true;
  }

  void take(std::string_view text, bool indented, Message& message) {
    if (text.empty()) {
      if (!indented) close(message);
      return;
    }
    if (!indented) {
      if (const auto known = headings_.find(text); known != headings_.end()) {
        close(message);
        message.heading = &known->second;
        return;
      }
    }
    if (take_banner(text) || take_summary(text)) return close(message);
    if (take_remark(text)) {
      close(message);
      swallow_ = true;
      return;
    }
    if (indented || is_detail(text)) {
      if (message.heading != nullptr) {
        message.finding = std::exchange(message.heading, nullptr)->finding;
      }
      if (message.finding) return add_detail(text, *message.finding);
      if (!swallow_) ++headless_;
      return;
    }
    close(message);
    SanitizerFinding finding = begin_finding(text);
    if (headings_.size() < kMostHeadings) {
      message.heading = &headings_.try_emplace(std::string(text)).first->second;
      message.heading->finding = std::move(finding);
    } else {
      message.finding = std::move(finding);
    }
  }

  bool take_banner(std::string_view text) {
    const std::string_view producer = sanitizer_of_banner(text);
    if (producer.empty()) return false;
    ++banners_;
    log_.producer = producer;
    return true;
  }

  bool take_summary(std::string_view text) {
    const SummaryLine line = read_summary_line(text, summary_);
    if (line == SummaryLine::kLast) ++last_lines_;
    if (text.starts_with("RACECHECK")) seen_races_ = true;
    return line != SummaryLine::kNone;
  }

  // What the tool says of the run; its further words are no messages.
  bool take_remark(std::string_view text) {
    switch (run_remark(text)) {
      case RunRemark::kNone: return false;
      case RunRemark::kApplicationError: log_.application_returned_error = true; return true;
      case RunRemark::kApplicationCrash: log_.application_crashed = true; return true;
      case RunRemark::kFailure:
        if (log_.failure.empty()) log_.failure = text;
        return true;
      case RunRemark::kIgnored:
      case RunRemark::kAfterFailure: return true;
    }
    return false;
  }

  void close(Message& message) {
    swallow_ = false;
    if (message.heading != nullptr) {
      Heading& heading = *std::exchange(message.heading, nullptr);
      if (heading.is_listed) {
        ++heading.repeated;
        return;
      }
      message.finding = heading.finding;
      heading.is_listed = true;
    }
    if (!message.finding) return;
    findings_.add(with_tool(*std::exchange(message.finding, std::nullopt)));
  }

  SanitizerFinding with_tool(SanitizerFinding finding) const {
    finding.tool = log_.tool.empty() ? std::string(tool_of(finding.kind)) : log_.tool;
    return finding;
  }

  void name_tool() {
    if (!log_.tool.empty()) return;
    for (const SanitizerFinding& finding : log_.findings) {
      if (finding.tool.empty()) continue;
      if (!log_.tool.empty() && log_.tool != finding.tool) {
        log_.tool.clear();
        return;
      }
      log_.tool = finding.tool;
    }
    if (log_.tool.empty() && seen_races_) log_.tool = "racecheck";
  }

  // Words that we do not know count as errors where the tool counts more errors than we do.
  void promote_unknown() {
    if (log_.complete && summary_.errors <= log_.counts().errors + summary_.not_printed) return;
    for (SanitizerFinding& finding : log_.findings) {
      const bool unknown = finding.kind == SanitizerKind::kUnknown;
      if (unknown && finding.level == SanitizerLevel::kWarning) {
        finding.level = SanitizerLevel::kError;
      }
    }
  }

  void excuse_pools() {
    for (SanitizerFinding& finding : log_.findings) {
      if (!finding.is_pooled()) continue;
      finding.level = SanitizerLevel::kWarning;
      finding.details.emplace_back("a framework's memory pool keeps it until the program ends");
    }
  }

  void note(NoteKind kind, std::string what, std::uint64_t count = 1) {
    log_.notes.push_back({kind, "", std::move(what), count});
  }

  void add_notes() {
    if (!log_.complete) {
      note(NoteKind::kLoss,
           last_lines_ == 0 ? "no summary line of the tool: the log is cut, or the tool was ended"
                            : "fewer summary lines than runs of the tool: the log is cut");
    }
    if (headless_ > 0)
      note(NoteKind::kLoss, "lines of a message whose heading is missing", headless_);
    if (findings_.left_out() > 0) {
      note(NoteKind::kLoss, "messages not kept: there are too many different ones",
           findings_.left_out());
    }
    if (cut_lines_ > 0) note(NoteKind::kLoss, "overlong lines cut", cut_lines_);
    if (summary_.not_printed > 0) {
      note(NoteKind::kInfo,
           "messages that the tool did not print (compute-sanitizer --print-limit 0 prints all)",
           summary_.not_printed);
    }
    compare_with_summary();
  }

  void compare_with_summary() {
    if (!log_.complete) return;
    const SanitizerCounts counts = log_.counts();
    const std::uint64_t listed = counts.errors + counts.warnings + findings_.left_out();
    const std::uint64_t counted = summary_.errors + summary_.warnings;
    const std::uint64_t expected = counted - std::min(counted, summary_.not_printed);
    const bool more_listed = counts.errors > summary_.errors;
    if (expected <= listed && !more_listed && summary_.not_printed <= counted) return;
    note(NoteKind::kLoss,
         fmt::format("the summary counts {} errors and {} warnings, the log lists "
                     "{} and {}",
                     summary_.errors, summary_.warnings, counts.errors, counts.warnings));
  }

  SanitizerLog log_;
  SanitizerFindings findings_;
  SanitizerSummary summary_;
  std::string prefix_{kUsualPrefix};
  std::string begun_;                    // a line whose end has not come
  bool cut_ = false;                     // it was longer
  std::map<std::string, Message> open_;  // by process
  std::map<std::string, Heading, std::less<>> headings_;
  bool swallow_ = false;  // indented lines belong to a remark
  bool seen_races_ = false;
  std::uint64_t banners_ = 0;
  std::uint64_t last_lines_ = 0;
  std::uint64_t headless_ = 0;
  std::uint64_t cut_lines_ = 0;
};

bool sniff_sanitizer_log(std::string_view prefix) {
  std::string_view other;  // prefix of a banner
  while (!prefix.empty()) {
    const std::size_t end = std::min(prefix.find('\n'), prefix.size());
    const std::string_view whole = prefix.substr(0, end);
    prefix.remove_prefix(std::min(end + 1, prefix.size()));
    if (const auto line = split_sanitizer_line(whole, kUsualPrefix)) {
      SanitizerSummary ignored;
      if (!sanitizer_of_banner(line->text).empty() || run_remark(line->text) != RunRemark::kNone ||
          read_summary_line(line->text, ignored) != SummaryLine::kNone ||
          !tool_of(begin_finding(line->text).kind).empty()) {
        return true;
      }
    } else if (!other.empty() && whole.starts_with(other)) {
      // A banner alone could be a heading of somebody's text.
      SanitizerSummary ignored;
      const auto ours = split_sanitizer_line(whole, other);
      if (ours &&
          (is_detail(ours->text) || read_summary_line(ours->text, ignored) != SummaryLine::kNone)) {
        return true;
      }
    } else if (other.empty()) {
      other = unusual_prefix(whole);
    }
  }
  return false;
}

}  // namespace

Format sanitizer_log() {
  return {.name = "sanitizer-log",
          .what = "a log of compute-sanitizer",
          .summary = "what compute-sanitizer and cuda-memcheck print, with all their tools",
          .sniff = sniff_sanitizer_log,
          .read_sanitizer_log = read_sanitizer_log};
}

Result<SanitizerLog> read_sanitizer_log(Input& input, std::string_view tool) {
  LogReader reader(tool);
  while (true) {
    ASSIGN_OR_RETURN(const auto piece, input.take(kLogPieceBytes));
    if (piece.empty()) break;
    reader.feed(piece);
  }
  RETURN_IF_ERROR(input.finish());
  SanitizerLog log = reader.finish();
  log.path = input.name();
  if (const auto damage = input.damage()) {
    log.notes.push_back({NoteKind::kLoss, "", damage->message, 1});
    log.complete = false;
  }
  return log;
}

}  // namespace proofline

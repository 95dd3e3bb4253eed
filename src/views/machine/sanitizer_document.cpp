// SPDX-License-Identifier: Apache-2.0
#include "views/machine/sanitizer_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "model/profile/kernel_name.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostFindingsOfTool = 25;  // of one tool
constexpr std::size_t kMostFrames = 6;

std::string seconds_text(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.1f} s", *seconds) : "-";
}

// A log without messages does not tell which tool wrote it.
std::string_view tool_name(const SanitizerToolResult& result) {
  if (!result.tool.empty()) return result.tool;
  return result.log.producer.empty() ? "sanitizer" : std::string_view(result.log.producer);
}

// "a.cu:8"; where the tool does not say, the offset in the function.
std::string line_text(const DevicePlace& place) {
  if (!place.file.empty()) return fmt::format("{}:{}", place.file, place.line);
  return place.offset ? fmt::format("offset {:#x}", *place.offset) : "";
}

std::string place_text(const DevicePlace& place) {
  std::string text = shown_name(place.function);
  if (place.offset) text += fmt::format("+{:#x}", *place.offset);
  if (!place.file.empty()) text += fmt::format(" in {}:{}", place.file, place.line);
  return text;
}

std::string index_text(const Dim3& index) { return fmt::format("({})", fmt::join(index, ",")); }

std::string range_text(const IndexRange& range) {
  if (range.first == range.last) return index_text(range.first);
  return index_text(range.first) + " to " + index_text(range.last);
}

std::string address_text(const SanitizerFinding& finding) {
  std::string text;
  if (finding.address) {
    text = fmt::format("{:#x}", finding.address->first);
    if (finding.address->last != finding.address->first) {
      text += fmt::format(" to {:#x}", finding.address->last);
    }
  }
  if (!finding.allocation) return text;
  const NearestAllocation& nearest = *finding.allocation;
  const std::string where =
      nearest.relation == "inside"
          ? "inside"
          : fmt::format("{} {}", plural(nearest.distance, "byte"), nearest.relation);
  return text + fmt::format("; the first {} the allocation of {} at {:#x}", where,
                            plural(nearest.size, "byte"), nearest.address);
}

// "out-of-bounds global write of 4 bytes in write_past_end, out_of_bounds.cu:8"
std::string title_of(const SanitizerFinding& finding) {
  std::string title(to_string(finding.kind));
  if (!finding.access.empty()) {
    title += fmt::format(" {} {}", finding.space, finding.access);
    if (finding.size) title += " of " + plural(*finding.size, "byte");
  } else if (finding.total_size > 0) {
    title += " of " + plural(finding.total_size, "byte");
  }
  if (!finding.kernel().empty()) {
    title += " in " + shown_name(short_function_name(finding.kernel()));
  }
  if (const std::string line = line_text(finding.place()); !line.empty()) title += ", " + line;
  return title;
}

std::string frames_text(const HostStack& stack) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMostFrames, stack.frames.size()); ++i) {
    shown.push_back(shown_name(stack.frames[i]));
  }
  std::string text = fmt::format("{}", fmt::join(shown, ", called by "));
  if (stack.frames.size() > kMostFrames) text += ", ...";
  return stack.when.empty() ? text : stack.when + ": " + text;
}

Point point_of(const SanitizerFinding& finding, std::size_t number) {
  Point point;
  point.marker = fmt::format("{}.", number);
  point.title = title_of(finding);
  point.remark = plural(finding.count, to_string(finding.level));
  const auto line = [&](std::string label, std::string text) {
    if (!text.empty()) point.lines.push_back({std::move(label), std::move(text)});
  };
  line("says", shown_name(finding.words));
  for (const std::string& detail : finding.details) line("", detail);
  // Some headings hold the place themselves.
  if (finding.words.find(finding.at.function) == std::string::npos || finding.at.function.empty()) {
    line("at", place_text(finding.at));
  }
  for (const DevicePlace& frame : finding.device_frames) line("called by", place_text(frame));
  for (const RaceSide& side : finding.sides) {
    const std::string hazards =
        side.hazards > 0 ? fmt::format(" ({})", plural(side.hazards, "hazard")) : "";
    line(side.access, place_text(side.at) + hazards);
  }
  if (finding.threads) line("threads", range_text(*finding.threads));
  if (finding.blocks) line("blocks", range_text(*finding.blocks));
  line("address", address_text(finding));
  for (const HostStack& stack : finding.stacks) line("host", frames_text(stack));
  line("next", next_step(finding.kind));
  return point;
}

std::string verdict(const SanitizerRun& run) {
  const auto with = [&](SanitizerOutcome outcome) {
    std::vector<std::string_view> names;
    for (const SanitizerToolResult& result : run.tools) {
      if (result.outcome == outcome) names.push_back(tool_name(result));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  };
  switch (run.outcome()) {
    case SanitizerOutcome::kClean: return "No errors: " + with(SanitizerOutcome::kClean);
    case SanitizerOutcome::kFindings: return "Errors found by " + with(SanitizerOutcome::kFindings);
    case SanitizerOutcome::kHang: {
      const std::string hung = with(SanitizerOutcome::kHang);
      return hung.empty() ? "The program hangs, without any tool too"
                          : "The program hangs under " + hung;
    }
    case SanitizerOutcome::kTooSlow:
      return "Not all was checked: " + with(SanitizerOutcome::kTooSlow) + " did not end in time";
    case SanitizerOutcome::kFailed:
      return "Not checked: " + with(SanitizerOutcome::kFailed) + " failed";
    case SanitizerOutcome::kApplicationFailed:
      return "Nothing found, but the program itself failed, so not all of it may have been checked";
    case SanitizerOutcome::kInterrupted: return "Interrupted: not all was checked";
    case SanitizerOutcome::kNotRun: break;
  }
  return "Nothing was run";
}

std::string alone_text(const AloneResult& alone) {
  if (alone.hang) return fmt::format("did not end within {:.1f} s and was ended", alone.seconds);
  if (alone.signal)
    return fmt::format("died of signal {} after {:.1f} s", *alone.signal, alone.seconds);
  return fmt::format("exit code {} after {:.1f} s", alone.exit_code.value_or(0), alone.seconds);
}

void add_facts(const SanitizerRun& run, Document& document) {
  Properties properties;
  if (!run.command.empty()) properties.rows.emplace_back("program", run.command);
  if (run.alone) properties.rows.emplace_back("alone", alone_text(*run.alone));
  for (const SanitizerToolResult& result : run.tools) {
    if (result.command.empty() && !result.log.path.empty()) {
      properties.rows.emplace_back("log", result.log.path);
    }
  }
  if (!run.folder.empty()) properties.rows.emplace_back("files", run.folder);
  if (!properties.rows.empty()) document.blocks.emplace_back(std::move(properties));
}

void add_table(const SanitizerRun& run, Document& document) {
  Table table{{{"Tool"},
               {"Outcome"},
               {"Findings", Align::kRight},
               {"Errors", Align::kRight},
               {"Warnings", Align::kRight},
               {"Time", Align::kRight},
               {"", Align::kLeft, true}},
              {}};
  for (const SanitizerToolResult& result : run.tools) {
    const SanitizerCounts counts = result.log.counts();
    table.rows.push_back({{std::string(tool_name(result))},
                          {std::string(to_string(result.outcome))},
                          {group_digits(result.log.findings.size()), true},
                          {group_digits(counts.errors), true},
                          {group_digits(counts.warnings), true},
                          {seconds_text(result.seconds), true},
                          {result.explanation}});
  }
  document.blocks.emplace_back(std::move(table));
}

void add_findings(const SanitizerToolResult& result, Document& document) {
  const std::vector<SanitizerFinding>& findings = result.log.findings;
  if (findings.empty()) return;
  document.blocks.emplace_back(Heading{std::string(tool_name(result))});
  Points points;
  for (std::size_t i = 0; i < std::min(kMostFindingsOfTool, findings.size()); ++i) {
    points.points.push_back(point_of(findings[i], i + 1));
  }
  document.blocks.emplace_back(std::move(points));
  if (findings.size() > kMostFindingsOfTool) {
    document.blocks.emplace_back(Paragraph{
        fmt::format("{} more; {} json lists all",
                    plural(findings.size() - kMostFindingsOfTool, "finding"), option("format"))});
  }
}

}  // namespace

std::string next_step(SanitizerKind kind) {
  switch (kind) {
    case SanitizerKind::kOutOfBounds:
      return "compare the index with the size of the allocation at this line; a missing bounds "
             "check shows in the last block";
    case SanitizerKind::kMisaligned:
      return "a vector access needs an address that is a multiple of its size: align the pointer, "
             "or load narrower";
    case SanitizerKind::kAccessDenied:
      return "give this access permission (cudaMemPoolSetAccess, cudaMemAdvise, NVTX permissions), "
             "or "
             "take memory that it may use";
    case SanitizerKind::kInvalidAccess: return "check the pointer at this line";
    case SanitizerKind::kUseAfterFree:
      return "order the free after the last use: synchronise the streams with an event";
    case SanitizerKind::kUseBeforeAllocation:
      return "order the use after the allocation: synchronise the streams with an event";
    case SanitizerKind::kInvalidFree: return "free each device allocation once";
    case SanitizerKind::kSharedRace:
      return "put a barrier between the two accesses: __syncthreads(), or __syncwarp() within a "
             "warp";
    case SanitizerKind::kDivergentBarrier:
      return "let all threads reach the barrier: move it out of the branch";
    case SanitizerKind::kInvalidBarrier:
      return "check what the barrier was given: mask, count, phase and initialisation";
    case SanitizerKind::kWarpgroupSequence:
      return "let all warps of the warpgroup execute the same wgmma instructions in one order";
    case SanitizerKind::kTensorMemory: return "check allocation and columns of tensor memory";
    case SanitizerKind::kDeadlock:
      return "count who arrives at this barrier: expected count, phase, and transaction bytes";
    case SanitizerKind::kUninitialisedRead:
      return "write the memory first: a kernel, cudaMemcpy or cudaMemset";
    case SanitizerKind::kUnusedMemory: return "allocate less, or find out why it is not written";
    case SanitizerKind::kLeak: return "free it; where the program stopped early, fix that first";
    case SanitizerKind::kApiError:
      return "where a kernel failed before, this follows from it; else check the call's arguments";
    case SanitizerKind::kDeviceException:
      return "the hardware stopped the kernel; build with -lineinfo to see the line";
    case SanitizerKind::kNotChecked:
      return fmt::format("errors there would not be seen; {} or {} lets the tool need less memory",
                         option("kernel"), option("launch-count"));
    case SanitizerKind::kHang:
      return fmt::format("look at barriers and loops that wait; where the program is only slow, {}",
                         option("time-limit"));
    case SanitizerKind::kUnknown: return "";
  }
  return "";
}

Document compose_sanitizer(const SanitizerRun& run) {
  Document document;
  document.blocks.emplace_back(
      Points{{Point{"",
                    verdict(run),
                    "",
                    {},
                    run.outcome() == SanitizerOutcome::kClean ? Tone::kGood : Tone::kBad}}});
  add_facts(run, document);
  add_table(run, document);
  for (const SanitizerToolResult& result : run.tools) add_findings(result, document);
  add_notes(run.notes, document);
  for (const SanitizerToolResult& result : run.tools) {
    std::vector<Note> notes = result.log.notes;
    for (Note& note : notes) note.place = tool_name(result);
    add_notes(notes, document);
  }
  return document;
}

Document compose_sanitizer_rows(const SanitizerRun& run) {
  Table table{{{"tool"},
               {"kind"},
               {"level"},
               {"count", Align::kRight},
               {"kernel"},
               {"file"},
               {"line", Align::kRight},
               {"words"}},
              {}};
  for (const SanitizerToolResult& result : run.tools) {
    for (const SanitizerFinding& finding : result.log.findings) {
      const DevicePlace& place = finding.place();
      table.rows.push_back({{finding.tool},
                            {std::string(to_string(finding.kind))},
                            {std::string(to_string(finding.level))},
                            {std::to_string(finding.count), true},
                            {finding.kernel()},
                            {place.file},
                            {place.line == 0 ? "" : std::to_string(place.line), true},
                            {finding.words}});
    }
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline

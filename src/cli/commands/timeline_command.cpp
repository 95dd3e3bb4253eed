// SPDX-License-Identifier: Apache-2.0
//
// `proofline timeline FILE...`: whether the host, copies, communication or kernels hold a program
// back, and where the time of its GPUs goes.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/output_flags.h"
#include "views/timeline/timeline_document.h"
#include "views/timeline/timeline_rows.h"
#include "workflow/timeline/chrome_export.h"
#include "workflow/timeline/timeline_files.h"

namespace proofline {
namespace {

struct TimelineFlags {
  TimelinePlan plan;
  std::optional<std::size_t> rank;
  std::optional<std::size_t> stream;
  std::string from;
  std::string to;
  std::string chrome;
  TimelineParts parts;
};

// "1.5s", "200ms", "30us", "7ns"; a number alone could mean anything.
Result<std::int64_t> parse_time(std::string_view flag, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  const std::string_view suffix(unit, static_cast<std::size_t>(end - unit));
  double scale = 0;
  if (suffix == "s") scale = 1e9;
  if (suffix == "ms") scale = 1e6;
  if (suffix == "us") scale = 1e3;
  if (suffix == "ns") scale = 1;
  constexpr double kMostNanoseconds = 4e18;
  if (error != std::errc() || scale == 0 || !(number >= 0) || number * scale > kMostNanoseconds) {
    return fail(ErrorKind::kUsage, fmt::format("{} {}: must be a time since the timeline's start, "
                                               "such as 1.5s, 200ms or 30us",
                                               flag, quote(text)));
  }
  return static_cast<std::int64_t>(std::llround(number * scale));
}

Result<ExitCode> run(TimelineFlags flags, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  TimelineFilter& filter = flags.plan.filter;
  flags.plan.limits = limits;
  if (flags.rank) flags.plan.rank = *flags.rank;
  if (flags.stream) filter.stream = *flags.stream;
  if (!flags.from.empty()) {
    ASSIGN_OR_RETURN(const auto from, parse_time("--from", flags.from));
    filter.from_ns = from;
  }
  if (!flags.to.empty()) {
    ASSIGN_OR_RETURN(const auto to, parse_time("--to", flags.to));
    filter.to_ns = to;
  }
  if (!flags.chrome.empty()) {
    if (flags.plan.paths.size() != 1) {
      return fail(ErrorKind::kUsage, "--chrome writes one timeline: give one file");
    }
    ASSIGN_OR_RETURN(const auto notes,
                     export_chrome_trace(flags.plan.paths[0], flags.chrome, limits));
    print_notes(notes);
    return exit_code_after(notes);
  }
  ASSIGN_OR_RETURN(const auto diagnosis, read_timeline_files(flags.plan));
  present({.document = [&] { return compose_timeline(diagnosis, flags.parts); },
           .json = [&](JsonWriter& json) { write_record(diagnosis, json); },
           .rows = [&] { return compose_timeline_rows(diagnosis); },
           .headline = diagnosis.verdict.headline,
           .notes = diagnosis.report.notes},
          output, context);
  return exit_code_after(diagnosis.report.notes);
}

Run configure_timeline(Flags line) {
  auto flags = std::make_shared<TimelineFlags>();
  line.add("FILE", flags->plan.paths,
           "Timelines, or folders of them: several are the ranks of one job")
      .required();
  const Flag step =
      line.add("--step", flags->plan.filter.step,
               "Only this step: the N of ProfilerStep#N, or else its place among the steps")
          .shown_as("N");
  const Flag range = line.add("--range", flags->plan.filter.range,
                              "Only within annotations (NVTX, record_function) of this name")
                         .shown_as("NAME")
                         .excludes(step);
  const Flag from =
      line.add("--from", flags->from, "Only from this time on, since the first event: 1.5s, 200ms")
          .shown_as("TIME")
          .excludes(step)
          .excludes(range);
  const Flag to = line.add("--to", flags->to, "Only up to this time")
                      .shown_as("TIME")
                      .excludes(step)
                      .excludes(range);
  const Flag stream =
      line.add("--stream", flags->stream, "Only operations of this stream").shown_as("N");
  const Flag rank =
      line.add("--rank", flags->rank,
               "Of several ranks, judge this one; default: the one that the others wait for")
          .shown_as("N");
  Flag chrome =
      line.add("--chrome", flags->chrome,
               "Write the timeline as a trace for Perfetto (ui.perfetto.dev) instead of judging it")
          .shown_as("OUT.json")
          .not_for_agents();
  // The export always covers the whole timeline, so a selection is refused.
  for (const Flag& part : {step, range, from, to, stream, rank}) chrome.excludes(part);
  line.add_switch("--all", flags->parts.all, "Every row of every table").not_for_agents();
  line.add_switch("--facts", flags->parts.facts, "Every fact that rules and playbooks can read")
      .not_for_agents();
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command timeline_command() {
  return {
      "timeline",
      CommandGroup::kReport,
      "Find what holds a program back: host, copies, network or kernels",
      "  proofline timeline trace.json.gz\n"
      "      the verdict on a trace of PyTorch's profiler, where the time goes, and what to do\n"
      "  proofline timeline trace.json.gz --step 12\n"
      "      one step of a training loop; --range, --from and --to choose other parts\n"
      "  proofline timeline ranks/\n"
      "      all ranks of a job side by side, and the one that the others wait for\n"
      "  proofline timeline trace.json.gz --format csv > rows.csv\n"
      "      every row of every table, for a script; --format json has the facts too\n",
      configure_timeline,
      AgentTool{}};
}

}  // namespace proofline

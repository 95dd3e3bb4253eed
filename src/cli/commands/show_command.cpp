// SPDX-License-Identifier: Apache-2.0
//
// `proofline show FILE`: the launches and metrics of a report, as table, CSV or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/launch/launch_summary.h"
#include "base/propagate.h"
#include "base/text.h"
#include "cli/benchmark_file.h"
#include "cli/ceilings_result.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/order_flags.h"
#include "cli/output_flags.h"
#include "cli/sanitizer_file.h"
#include "cli/shared_flags.h"
#include "diagnosis/order_kernels.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "views/notes.h"
#include "views/profile/raw_page.h"
#include "views/profile/show_document.h"
#include "views/profile/show_json.h"
#include "workflow/profile/extract.h"
#include "workflow/profile/select_launches.h"
#include "workflow/profile/select_metrics.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {
namespace {

struct ShowFlags {
  std::string file;
  std::vector<std::string> metrics;
  std::vector<std::string> extract;  // kind, folder
  bool all = false;
  bool instances = false;
  bool session = false;
  bool source = false;
  bool nvidia_rules = false;

  bool wants_metrics() const { return all || instances || !metrics.empty(); }
};

Document compose(const Profile& profile, const Selection& selection,
                 const std::vector<LaunchSummary>& summaries, const ShowFlags& flags) {
  Document document;
  add_source(profile, document);
  if (flags.session) add_session(profile, document);
  if (flags.source) add_modules(profile, document);
  if (flags.nvidia_rules) add_nvidia_rules(profile, selection, document);
  if (flags.wants_metrics()) {
    add_metrics(profile, selection, document);
  } else if (!flags.session && !flags.source && !flags.nvidia_rules) {
    add_launches(profile, selection, summaries, document);
  }
  add_notes(profile.notes, document);
  return document;
}

Result<ExitCode> run_extract(const Profile& profile, const ShowFlags& flags,
                             const OutputFlags& output, Context& context) {
  const ExtractKind kind = flags.extract[0] == "cubin" ? ExtractKind::kCubin
                           : flags.extract[0] == "ptx" ? ExtractKind::kPtx
                                                       : ExtractKind::kSource;
  const auto files = extract(profile, kind, flags.extract[1]);
  RETURN_IF_ERROR(files);
  const auto document = [&] {
    Table table{{{"Bytes", Align::kRight}, {"Written to"}, {"Stored as"}}, {}};
    for (const ExtractedFile& file : *files) {
      table.rows.push_back({{group_digits(file.bytes), true}, {file.path}, {file.stored_name}});
    }
    return Document{{std::move(table)}};
  };
  const auto json = [&](JsonWriter& writer) {
    writer.begin_object();
    write_schema_version(writer);
    writer.objects("files", *files, [&](const ExtractedFile& file) {
      writer.member("path", file.path);
      writer.member("stored_name", file.stored_name);
      writer.member("bytes", file.bytes);
    });
    writer.end_object();
  };
  present({document, json}, output, context);
  return ExitCode::kDone;
}

ReadOptions read_options(const ShowFlags& flags) {
  ReadOptions options;
  options.instances = flags.instances;
  options.code = !flags.extract.empty();
  options.nvidia_rules = flags.nvidia_rules;
  return options;
}

std::vector<LaunchSummary> summaries_of(const Profile& profile, const Selection& selection) {
  std::vector<LaunchSummary> summaries;
  summaries.reserve(selection.launches.size());
  for (const std::size_t position : selection.launches) {
    summaries.push_back(summarise(profile, profile.launches[position]));
  }
  return summaries;
}

LaunchOrder launch_order(std::string_view name) {
  if (name == "duration") return LaunchOrder::kTime;
  return name == "name" ? LaunchOrder::kName : LaunchOrder::kLaunch;
}

Result<ExitCode> run(const ShowFlags& flags, const LaunchFilter& filter, const OrderFlags& order,
                     const OutputFlags& output, const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(auto input, Input::open(flags.file, limits));
  ASSIGN_OR_RETURN(const Format* format,
                   identify(input, {InputKind::kProfile, InputKind::kBenchmark,
                                    InputKind::kSanitizerLog, InputKind::kCeilings}));
  if (format->offers(InputKind::kSanitizerLog)) {
    return show_sanitizer_logs(std::move(input), {}, output, limits, context);
  }
  if (format->offers(InputKind::kBenchmark)) {
    return show_benchmark(std::move(input), flags.file, output, limits, context);
  }
  if (format->offers(InputKind::kCeilings)) return show_ceilings(std::move(input), output, context);
  ASSIGN_OR_RETURN(const auto profile, read_profile(input, read_options(flags)));
  const ExitCode done = exit_code_after(profile.notes);
  if (!flags.extract.empty()) {
    const auto extracted = run_extract(profile, flags, output, context);
    return extracted ? Result<ExitCode>(done) : extracted;
  }
  ASSIGN_OR_RETURN(auto launches, select_launches({&profile, 1}, filter));
  order_launches(profile, launch_order(order.sort), launches.front());
  launches.front().resize(order.shown(launches.front().size()));
  ASSIGN_OR_RETURN(const auto metrics, select_metrics(profile, flags.metrics, context.announcer));
  const Selection all{launches.front(), metrics};
  // JSON lists metrics only on request: two thousand a launch are noise to most.
  Selection asked = all;
  if (!flags.wants_metrics()) asked.metrics.clear();
  const auto summaries = [&] { return summaries_of(profile, asked); };
  const JsonParts parts{flags.session, flags.source, flags.nvidia_rules};
  present(
      {.document = [&] { return compose(profile, asked, summaries(), flags); },
       .json =
           [&](JsonWriter& json) { write_profile_json(profile, asked, summaries(), parts, json); },
       .rows = [&] { return compose_raw_page(profile, all); },
       .notes = profile.notes},
      output, context);
  return done;
}

Run configure_show(Flags line) {
  auto flags = std::make_shared<ShowFlags>();
  line.add("FILE", flags->file,
           "A report, what ncu printed, a log of compute-sanitizer, results of benchmarks, or "
           "a GPU's ceilings; - reads standard input")
      .required();
  auto filter = add_launch_flags(line);
  auto order = add_order_flags(line, {"launch", "duration", "name"});
  line.add("--metrics", flags->metrics,
           "These metrics: names with * and ?, base names, or regex:RE; separated by commas")
      .shown_as("PATTERN,...")
      .separated_by(',');
  line.add_switch("--all", flags->all, "Every metric");
  line.add_switch("--instances", flags->instances,
                  "Metrics with their values by instruction, opcode, time or unit");
  line.add_switch("--session", flags->session,
                  "Who recorded it, how and on what; environment values are hidden");
  line.add_switch("--source", flags->source, "What code is embedded");
  line.add_switch("--nvidia-rules", flags->nvidia_rules, "What NVIDIA's own rules say");
  line.add("--extract", flags->extract, "Write the embedded cubin, ptx or source files to DIR")
      .shown_as("cubin|ptx|source DIR")
      .counted(2, 2)
      .not_empty();  // each of the two; the folder may be any
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, filter, order, output, limits](Context& context) -> Result<ExitCode> {
    if (!flags->extract.empty() && flags->extract[0] != "cubin" && flags->extract[0] != "ptx" &&
        flags->extract[0] != "source") {
      return fail(ErrorKind::kUsage, fmt::format("--extract {}: must be cubin, ptx or source",
                                                 quote(flags->extract[0])));
    }
    return run(*flags, *filter, *order, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command show_command() {
  return {"show", CommandGroup::kReport,
          "Print a report's kernels and metrics as table, CSV or JSON",
          "  proofline show report.ncu-rep\n"
          "      the launches with time, speed of light by level, occupancy and stall reasons\n"
          "  proofline show report.ncu-rep -k gemm --metrics 'dram__bytes*,lts__t_sectors'\n"
          "      some metrics of some kernels\n"
          "  proofline show report.ncu-rep --format csv > raw.csv\n"
          "      what 'ncu --import report.ncu-rep --page raw --csv --print-units base' prints\n"
          "  proofline show report.ncu-rep --extract cubin code/\n"
          "      the embedded machine code, for cuobjdump or nvdisasm\n",
          configure_show};
}

}  // namespace proofline

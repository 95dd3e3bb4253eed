// SPDX-License-Identifier: Apache-2.0
//
// `proofline show FILE`: the launches and metrics of a report, as table, CSV or JSON.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/launch/launch_summary.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/order_flags.h"
#include "cli/output_flags.h"
#include "cli/present_ceilings.h"
#include "cli/present_sanitizer.h"
#include "cli/shared_flags.h"
#include "views/measurement/benchmark_document.h"
#include "views/measurement/benchmark_rows.h"
#include "views/notes.h"
#include "views/profile/raw_page.h"
#include "views/profile/show_document.h"
#include "views/profile/show_result.h"
#include "workflow/profile/show_file.h"

namespace proofline {
namespace {

struct ShowFlags {
  ShowPlan plan;
  std::vector<std::string> extract;  // kind, folder
  bool all = false;
  bool session = false;
  bool source = false;

  bool wants_metrics() const { return all || plan.instances || !plan.metrics.empty(); }
};

std::vector<LaunchSummary> summaries_of(const Profile& profile, const Selection& selection) {
  std::vector<LaunchSummary> summaries;
  summaries.reserve(selection.launches.size());
  for (const std::size_t position : selection.launches) {
    summaries.push_back(summarise(profile, profile.launches[position]));
  }
  return summaries;
}

Document compose(const Profile& profile, const Selection& selection, const ShowFlags& flags) {
  Document document;
  add_source(profile, document);
  if (flags.session) add_session(profile, document);
  if (flags.source) add_modules(profile, document);
  if (flags.plan.nvidia_rules) add_nvidia_rules(profile, selection, document);
  if (flags.wants_metrics()) {
    add_metrics(profile, selection, document);
  } else if (!flags.session && !flags.source && !flags.plan.nvidia_rules) {
    add_launches(profile, selection, summaries_of(profile, selection), document);
  }
  add_notes(profile.notes, document);
  return document;
}

// One overload for each kind of file: presents it, and says how the program ends.
struct ShowPresenter {
  const ShowFlags& flags;
  const OutputFlags& output;
  Context& context;

  ExitCode operator()(const ShownProfile& shown) const {
    const Profile& profile = shown.profile;
    // JSON lists metrics only on request: a launch has two thousand of them.
    Selection asked = shown.selection;
    if (!flags.wants_metrics()) asked.metrics.clear();
    WriteOptions options;
    if (flags.session) options.requested.emplace_back("processes");
    if (flags.source) options.requested.emplace_back("modules");
    if (flags.plan.nvidia_rules) options.requested.emplace_back("nvidia_rules");
    present(
        {.document = [&] { return compose(profile, asked, flags); },
         .json = [&](JsonWriter& json) { write_record(ShowResult(profile, asked), json, options); },
         .rows = [&] { return compose_raw_page(profile, shown.selection); },
         .notes = profile.notes},
        output, context);
    return exit_code_after(profile.notes);
  }

  ExitCode operator()(const ExtractedCode& code) const {
    const auto document = [&] {
      Table table{{{"Bytes", Align::kRight}, {"Written to"}, {"Stored as"}}, {}};
      for (const ExtractedFile& file : code.files) {
        table.rows.push_back({{group_digits(file.bytes), true}, {file.path}, {file.stored_name}});
      }
      return Document{{std::move(table)}};
    };
    const auto json = [&](JsonWriter& writer) {
      writer.begin_object();
      write_schema_version(writer);
      writer.objects("files", code.files, [&](const ExtractedFile& file) {
        writer.member("path", file.path);
        writer.member("stored_name", file.stored_name);
        writer.member("bytes", file.bytes);
      });
      writer.end_object();
    };
    present({document, json}, output, context);
    return exit_code_after(code.notes);
  }

  ExitCode operator()(const SanitizerRun& logs) const {
    return present_sanitizer_logs(logs, output, context);
  }

  ExitCode operator()(const BenchmarkSeries& series) const {
    present({.document = [&] { return compose_benchmark(series); },
             .json = [&](JsonWriter& json) { write_record(series, json); },
             .rows = [&] { return compose_benchmark_rows(series); },
             .notes = notes_of(series)},
            output, context);
    return exit_code_after(notes_of(series));
  }

  ExitCode operator()(const Ceilings& ceilings) const {
    present_ceilings(ceilings, output, context);
    return exit_code_after(ceilings.notes);
  }
};

LaunchOrder launch_order(std::string_view name) {
  if (name == "duration") return LaunchOrder::kTime;
  return name == "name" ? LaunchOrder::kName : LaunchOrder::kLaunch;
}

Result<ShowPlan::Extraction> parse_extraction(const std::vector<std::string>& words) {
  const std::string& kind = words[0];
  if (kind == "cubin") return ShowPlan::Extraction{ExtractKind::kCubin, words[1]};
  if (kind == "ptx") return ShowPlan::Extraction{ExtractKind::kPtx, words[1]};
  if (kind == "source") return ShowPlan::Extraction{ExtractKind::kSource, words[1]};
  return fail(ErrorKind::kUsage,
              fmt::format("--extract {}: must be cubin, ptx or source", quote(kind)));
}

Result<ExitCode> run(ShowFlags flags, const OrderFlags& order, const OutputFlags& output,
                     const InputLimits& limits, Context& context) {
  flags.plan.order = launch_order(order.sort);
  flags.plan.top = order.top;
  if (!flags.extract.empty()) {
    ASSIGN_OR_RETURN(flags.plan.extract, parse_extraction(flags.extract));
  }
  ASSIGN_OR_RETURN(const auto shown, show_file(flags.plan, limits, context.announcer));
  return std::visit(ShowPresenter{flags, output, context}, shown);
}

Run configure_show(Flags line) {
  auto flags = std::make_shared<ShowFlags>();
  ShowPlan& plan = flags->plan;
  line.add("FILE", plan.file,
           "A report, what ncu printed, a log of compute-sanitizer, results of benchmarks, or "
           "a GPU's ceilings; - reads standard input")
      .required();
  add_launch_flags(line, plan.launches);
  auto order = add_order_flags(line, {"launch", "duration", "name"});
  line.add("--metrics", plan.metrics,
           "These metrics: names with * and ?, base names, or regex:RE; separated by commas")
      .shown_as("PATTERN,...")
      .separated_by(',');
  line.add_switch("--all", flags->all, "Every metric");
  line.add_switch("--instances", plan.instances,
                  "Metrics with their values by instruction, opcode, time or unit");
  line.add_switch("--session", flags->session,
                  "Who recorded it, how and on what; environment values are hidden");
  line.add_switch("--source", flags->source, "What code is embedded");
  line.add_switch("--nvidia-rules", plan.nvidia_rules, "What NVIDIA's own rules say");
  line.add("--extract", flags->extract, "Write the embedded cubin, ptx or source files to DIR")
      .shown_as("cubin|ptx|source DIR")
      .counted(2, 2)
      .not_empty()  // each of the two; the folder may be any
      .not_for_agents();
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, order, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *order, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command show_command() {
  return {"show",
          CommandGroup::kReport,
          "Print a report's kernels and metrics as table, CSV or JSON",
          "  proofline show report.ncu-rep\n"
          "      the launches with time, speed of light by level, occupancy and stall reasons\n"
          "  proofline show report.ncu-rep -k gemm --metrics 'dram__bytes*,lts__t_sectors'\n"
          "      some metrics of some kernels\n"
          "  proofline show report.ncu-rep --format csv > raw.csv\n"
          "      what 'ncu --import report.ncu-rep --page raw --csv --print-units base' prints\n"
          "  proofline show report.ncu-rep --extract cubin code/\n"
          "      the embedded machine code, for cuobjdump or nvdisasm\n",
          configure_show,
          AgentTool{}};
}

}  // namespace proofline

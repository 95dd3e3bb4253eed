// SPDX-License-Identifier: Apache-2.0
//
// `proofline show FILE`: the launches and metrics of a report, as table, CSV or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/launch/launch_summary.h"
#include "base/nearest.h"
#include "base/propagate.h"
#include "base/text.h"
#include "cli/benchmark_file.h"
#include "cli/ceilings_result.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/sanitizer_file.h"
#include "cli/shared_flags.h"
#include "readers/reader.h"
#include "views/profile/raw_page.h"
#include "views/notes.h"
#include "views/profile/show_document.h"
#include "views/profile/show_json.h"
#include "vocabulary/metric_catalogue.h"
#include "vocabulary/metric_name.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/outdated_names.h"
#include "workflow/profile/extract.h"
#include "workflow/profile/patterns.h"
#include "workflow/profile/select_launches.h"
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

Result<std::vector<MetricId>> metrics_matching(const Profile& profile, const std::string& pattern) {
  ASSIGN_OR_RETURN(const auto compiled, NamePatterns::compile({pattern}, "--metrics"));
  std::vector<MetricId> found;
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    if (compiled.matches(profile.metric_names[id].name)) found.push_back(id);
  }
  return found;
}

// What else the user may have meant, or which flags would have brought it; "" where nothing is
// known.
std::string hint(const Profile& profile, const std::string& pattern) {
  constexpr std::size_t kMost = 3;
  const MetricNameParts parts = split_metric_name(pattern);
  const auto metric = find_known_metric(parts.base);
  std::string problem = metric ? wrong_form(*metric, parts) : "";
  if (!problem.empty()) return problem;
  if (metric || !sections_with(pattern).empty()) {
    return fmt::format("the report was taken without it; ncu {} brings it",
                       capture_flags({&pattern, 1}));
  }
  // A base name is compared with base names.
  const bool with_suffix = pattern.find('.') != pattern.npos;
  std::vector<std::string_view> known;
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    const std::string_view name = profile.metric_names[id].name;
    known.push_back(with_suffix ? name : name.substr(0, name.find('.')));
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::string letters = pattern;
  std::erase_if(letters, [](char c) { return c == '*' || c == '?'; });
  std::string text;
  for (const std::string_view name : nearest(letters, known, kMost)) {
    text += (text.empty() ? "nearest: " : ", ") + escape_terminal(name);
  }
  if (!text.empty()) return text;
  const std::vector<std::string_view> elsewhere = nearest(parts.base, known_metric_names(), 1);
  if (elsewhere.empty()) return "";
  return fmt::format("nearest: {}, which the report was taken without", elsewhere.front());
}

std::string_view verdict(NameFault fault) {
  switch (fault) {
    case NameFault::kOutdated: return "is outdated";
    case NameFault::kUnknown: return "is not a name of ncu's";
    case NameFault::kMisread: return "is rarely what is wanted";
  }
  return "is outdated";
}

std::string outdated_text(const OutdatedName& entry, const std::string& pattern) {
  return fmt::format("{} {}; take {}. {}", quote(pattern), verdict(entry.fault),
                     right_name(entry, pattern), entry.why);
}

void print_note(std::string_view text) { fmt::print(stderr, "proofline: note: {}\n", text); }

// The metrics that one pattern means: those that match, or under the right name where the one that
// was typed is outdated.
Result<std::vector<MetricId>> select_pattern(const Profile& profile, const std::string& pattern) {
  auto found = metrics_matching(profile, pattern);
  if (!found) return found;
  const OutdatedName* entry = find_outdated(pattern);
  if (entry == nullptr) return found;
  if (!found->empty()) {
    // A misread name is a right one to ask for.
    if (entry->fault != NameFault::kMisread) print_note(outdated_text(*entry, pattern));
    return found;
  }
  if (!entry->same_meaning) {
    return fail(ErrorKind::kUsage, "--metrics: " + outdated_text(*entry, pattern));
  }
  print_note(outdated_text(*entry, pattern));
  const std::string right = right_name(*entry, pattern);
  return metrics_matching(profile,
                          entry->kind == "stall reason" ? "*issue_stalled_" + right + "*" : right);
}

// All metrics where no pattern was given.
Result<std::vector<MetricId>> select_metrics(const Profile& profile, const ShowFlags& flags) {
  std::vector<MetricId> chosen;
  if (flags.metrics.empty()) {
    for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
      if (on_raw_page(profile.metric_names[id].name)) chosen.push_back(id);
    }
  }
  std::vector<std::string> without_match;
  for (const std::string& typed : flags.metrics) {
    const std::string pattern(trim(typed));  // of "a, b"
    auto found = select_pattern(profile, pattern);
    if (!found) return found;
    if (found->empty()) without_match.push_back(pattern);
    chosen.insert(chosen.end(), found->begin(), found->end());
  }
  const bool nothing = chosen.empty() && !flags.metrics.empty();
  std::string hints;
  for (const std::string& pattern : without_match) {
    const std::string text = hint(profile, pattern);
    if (nothing) {
      if (!text.empty()) hints += fmt::format("\n  {}: {}", quote(pattern), text);
    } else {
      print_note(
          fmt::format("no metric matches {}{}{}", quote(pattern), text.empty() ? "" : "; ", text));
    }
  }
  if (nothing) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: none of its {} metrics matches --metrics; list them with --all{}",
                            quote(profile.path), profile.metric_names.size(), hints));
  }
  std::sort(chosen.begin(), chosen.end(), [&](MetricId a, MetricId b) {
    return profile.metric_names[a].name < profile.metric_names[b].name;
  });
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

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
  if (!files) return tl::make_unexpected(files.error());
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
    writer.key("files");
    writer.begin_array();
    for (const ExtractedFile& file : *files) {
      writer.begin_object();
      writer.member("path", file.path);
      writer.member("stored_name", file.stored_name);
      writer.member("bytes", file.bytes);
      writer.end_object();
    }
    writer.end_array();
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

Result<ExitCode> run(const ShowFlags& flags, const LaunchFilter& filter, const OutputFlags& output,
                     const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(auto input, Input::open(flags.file, limits));
  ASSIGN_OR_RETURN(const auto is_log, holds_sanitizer_log(input));
  if (is_log) return show_sanitizer_logs(std::move(input), {}, output, limits, context);
  ASSIGN_OR_RETURN(const auto is_benchmark, holds_benchmark(input));
  if (is_benchmark) return show_benchmark(std::move(input), flags.file, output, limits, context);
  ASSIGN_OR_RETURN(const auto is_ceilings, holds_ceilings(input));
  if (is_ceilings) return show_ceilings(std::move(input), output, context);
  ASSIGN_OR_RETURN(const auto profile, read_profile(input, read_options(flags)));
  const ExitCode done = exit_code_after(profile.notes);
  if (!flags.extract.empty()) {
    const auto extracted = run_extract(profile, flags, output, context);
    return extracted ? Result<ExitCode>(done) : extracted;
  }
  ASSIGN_OR_RETURN(const auto launches, select_launches({&profile, 1}, filter));
  ASSIGN_OR_RETURN(const auto metrics, select_metrics(profile, flags));
  const bool csv = output.format == "csv";
  Selection selection{launches.front(), metrics};
  // JSON lists metrics only on request: two thousand a launch are noise to most.
  if (!csv && !flags.wants_metrics()) selection.metrics.clear();
  std::vector<LaunchSummary> summaries;
  if (!csv) {
    for (const std::size_t position : selection.launches) {
      summaries.push_back(summarise(profile, profile.launches[position]));
    }
  }
  if (csv) print_notes(profile.notes);
  const JsonParts parts{flags.session, flags.source, flags.nvidia_rules};
  present(
      {[&] {
         return csv ? compose_raw_page(profile, selection)
                    : compose(profile, selection, summaries, flags);
       },
       [&](JsonWriter& json) { write_profile_json(profile, selection, summaries, parts, json); }},
      output, context);
  return done;
}

Run configure_show(CLI::App& app) {
  auto flags = std::make_shared<ShowFlags>();
  app.add_option(
         "FILE", flags->file,
         "A report, what ncu printed, a log of compute-sanitizer, results of benchmarks, or "
         "a GPU's ceilings; - reads standard input")
      ->required();
  auto filter = add_launch_flags(app);
  app.add_option("--metrics", flags->metrics,
                 "These metrics: names with * and ?, base names, or regex:RE; separated by commas")
      ->type_name("PATTERN,...")
      ->delimiter(',');
  app.add_flag("--all", flags->all, "Every metric");
  app.add_flag("--instances", flags->instances,
               "Metrics with their values by instruction, opcode, time or unit");
  app.add_flag("--session", flags->session,
               "Who recorded it, how and on what; environment values are hidden");
  app.add_flag("--source", flags->source, "What code is embedded");
  app.add_flag("--nvidia-rules", flags->nvidia_rules, "What NVIDIA's own rules say");
  app.add_option("--extract", flags->extract,
                 "Write the embedded cubin, ptx or source files to DIR")
      ->type_name("cubin|ptx|source DIR")
      ->expected(2)
      ->check([](const std::string& word) {
        // CLI11 checks each word; the folder may be any.
        return word.empty() ? std::string("must not be empty") : std::string();
      });
  auto output = add_output_flags(app);
  auto limits = add_input_flags(app);
  return [flags, filter, output, limits](Context& context) -> Result<ExitCode> {
    if (!flags->extract.empty() && flags->extract[0] != "cubin" && flags->extract[0] != "ptx" &&
        flags->extract[0] != "source") {
      return fail(ErrorKind::kUsage, fmt::format("--extract {}: must be cubin, ptx or source",
                                                 quote(flags->extract[0])));
    }
    return run(*flags, *filter, *output, *limits, context);
  };
}

}  // namespace

Command show_command() {
  return {"show", "Kernels and metrics of a report, as table, CSV or JSON",
          "  proofline show report.ncu-rep\n"
          "      the launches with time, speed of light by level, occupancy and stall reasons\n"
          "  proofline show report.ncu-rep --kernel gemm --metrics 'dram__bytes*,lts__t_sectors'\n"
          "      some metrics of some kernels\n"
          "  proofline show report.ncu-rep --format csv > raw.csv\n"
          "      what 'ncu --import report.ncu-rep --page raw --csv --print-units base' prints\n"
          "  proofline show report.ncu-rep --extract cubin code/\n"
          "      the embedded machine code, for cuobjdump or nvdisasm\n",
          configure_show};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Each result has three forms: a document, rows for programs, and JSON. A view takes one of them.
#include "proofline/render.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "analysis/launch/launch_summary.h"
#include "api/access.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "base/record_json.h"
#include "base/text.h"
#include "diagnosis/comparison/compare.h"
#include "views/code/code_comparison_document.h"
#include "views/code/code_document.h"
#include "views/code/code_rows.h"
#include "views/diagnosis/comparison_document.h"
#include "views/diagnosis/diagnosis_document.h"
#include "views/machine/sanitizer_document.h"
#include "views/measurement/benchmark_document.h"
#include "views/measurement/benchmark_rows.h"
#include "views/measurement/decision_document.h"
#include "views/notes.h"
#include "views/playbook/check_document.h"
#include "views/playbook/check_record.h"
#include "views/profile/raw_page.h"
#include "views/profile/show_document.h"
#include "views/profile/show_result.h"
#include "views/timeline/timeline_document.h"
#include "views/timeline/timeline_rows.h"
#include "views/view.h"

namespace proofline {
namespace {

Result<std::string> rendered(const Presentation& presentation, std::string_view format,
                             const RenderOptions& options) {
  const View* view = find_view(format);
  if (view == nullptr) {
    return fail(ErrorKind::kUsage, "no view is called " + quote(format));
  }
  std::string text;
  Output output(text);
  view->render(presentation, {options.width, false}, output);
  return text;
}

// All launches, and the metrics that ncu's own pages show in the order of their names.
Selection all_of(const Profile& profile) {
  Selection all;
  all.launches.resize(profile.launches.size());
  std::iota(all.launches.begin(), all.launches.end(), std::size_t{0});
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    if (on_raw_page(profile.metric_names[id].name)) all.metrics.push_back(id);
  }
  std::sort(all.metrics.begin(), all.metrics.end(), [&](MetricId a, MetricId b) {
    return profile.metric_names[a].name < profile.metric_names[b].name;
  });
  return all;
}

std::vector<LaunchSummary> summaries_of(const Profile& profile) {
  std::vector<LaunchSummary> summaries;
  for (const Launch& launch : profile.launches) summaries.push_back(summarise(profile, launch));
  return summaries;
}

}  // namespace

Result<std::string> render(const Profile& profile, std::string_view format,
                           const RenderOptions& options) {
  const Selection all = all_of(profile);
  const auto document = [&] {
    Document result;
    add_source(profile, result);
    if (options.verbose) {
      add_metrics(profile, all, result);
    } else {
      add_launches(profile, all, summaries_of(profile), result);
    }
    add_notes(profile.notes, result);
    return result;
  };
  const auto rows = [&] { return compose_raw_page(profile, all); };
  const auto json = [&](JsonWriter& writer) {
    const Selection selection{all.launches,
                              options.verbose ? all.metrics : std::vector<MetricId>{}};
    write_record(ShowResult(profile, selection), writer);
  };
  return rendered({.document = document, .json = json, .rows = rows}, format, options);
}

Result<std::string> render(const Diagnosis& diagnosis, std::string_view format,
                           const RenderOptions& options) {
  DiagnosisParts parts;
  parts.verbose = options.verbose;
  parts.all = true;
  WriteOptions members;
  if (options.verbose) members.requested = {"facts", "absent"};
  return rendered({.document = [&] { return compose_diagnosis(diagnosis, parts); },
                   .json = [&](JsonWriter& writer) { write_record(diagnosis, writer, members); },
                   .rows = [&] { return compose_diagnosis_rows(diagnosis); }},
                  format, options);
}

Result<std::string> render(const ProfileComparison& comparison, std::string_view format,
                           const RenderOptions& options) {
  const auto document = [&] {
    Document result;
    add_comparison(comparison, {options.verbose}, result);
    return result;
  };
  return rendered(
      {.document = document,
       .json = [&](JsonWriter& writer) { write_record(ComparisonResult{&comparison}, writer); },
       .rows = [&] { return compose_comparison_rows(comparison); }},
      format, options);
}

Result<std::string> render(const Code& code, std::string_view format,
                           const RenderOptions& options) {
  const CodeReport& report = ApiAccess::side(code).report;
  return rendered({.document = [&] { return compose_code(report, {options.verbose}); },
                   .json = [&](JsonWriter& writer) { write_record(report, writer); },
                   .rows = [&] { return compose_code_rows(report); }},
                  format, options);
}

Result<std::string> render(const CodeChanges& changes, std::string_view format,
                           const RenderOptions& options) {
  const CodeSide& a = ApiAccess::side_a(changes);
  const CodeSide& b = ApiAccess::side_b(changes);
  const CodeComparison& comparison = ApiAccess::comparison(changes);
  return rendered(
      {.document = [&] { return compose_code_comparison(a, b, comparison, {options.verbose}); },
       .json = [&](JsonWriter& writer) { write_record(result_of(a, b, comparison), writer); },
       .rows = [&] { return compose_code_comparison_rows(a, comparison); }},
      format, options);
}

Result<std::string> render(const JudgedTimeline& timeline, std::string_view format,
                           const RenderOptions& options) {
  const TimelineDiagnosis& diagnosis = ApiAccess::diagnosis(timeline);
  TimelineParts parts;
  parts.all = options.verbose;
  parts.facts = options.verbose;
  return rendered({.document = [&] { return compose_timeline(diagnosis, parts); },
                   .json = [&](JsonWriter& writer) { write_record(diagnosis, writer); },
                   .rows = [&] { return compose_timeline_rows(diagnosis); }},
                  format, options);
}

Result<std::string> render(const Checked& checked, std::string_view format,
                           const RenderOptions& options) {
  const CheckRun& run = ApiAccess::run(checked);
  return rendered({.document = [&] { return compose_checks(run); },
                   .json = [&](JsonWriter& writer) { write_record(run, writer); },
                   .rows = [&] { return compose_check_rows(run); }},
                  format, options);
}

Result<std::string> render(const SanitizerRun& logs, std::string_view format,
                           const RenderOptions& options) {
  return rendered({.document = [&] { return compose_sanitizer(logs); },
                   .json = [&](JsonWriter& writer) { write_record(logs, writer); },
                   .rows = [&] { return compose_sanitizer_rows(logs); }},
                  format, options);
}

Result<std::string> render(const BenchmarkSeries& series, std::string_view format,
                           const RenderOptions& options) {
  return rendered({.document = [&] { return compose_benchmark(series); },
                   .json = [&](JsonWriter& writer) { write_record(series, writer); },
                   .rows = [&] { return compose_benchmark_rows(series); }},
                  format, options);
}

Result<std::string> render(const Decision& decision, std::string_view format,
                           const RenderOptions& options) {
  return rendered({.document = [&] { return compose_decision(decision); },
                   .json = [&](JsonWriter& writer) { write_record(decision, writer); },
                   .rows = [&] { return compose_decision_rows(decision); }},
                  format, options);
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline compare A B`: what changed between two profiles, and what explains it; between the
// machine code of two listings or binaries; or between two timelines. A timeline and a report are
// joined.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/propagate.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/message.h"
#include "cli/notes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "diagnosis/comparison/compare.h"
#include "diagnosis/comparison/compare_code.h"
#include "diagnosis/comparison/compare_timelines.h"
#include "diagnosis/comparison/join_report.h"
#include "readers/format.h"
#include "views/code/code_comparison_document.h"
#include "views/code/code_comparison_json.h"
#include "views/diagnosis/comparison_document.h"
#include "views/diagnosis/comparison_json.h"
#include "views/timeline/report_join_document.h"
#include "views/timeline/timeline_comparison.h"
#include "vocabulary/outdated_names.h"
#include "workflow/code/analysed_code.h"
#include "workflow/code/report_code.h"
#include "workflow/profile/diagnosed_file.h"
#include "workflow/profile/patterns.h"
#include "workflow/timeline/timeline_files.h"

namespace proofline {
namespace {

struct CompareFlags {
  std::string a;
  std::string b;
  std::string kernel;
  std::vector<std::string> metrics;
  std::vector<std::string> pairs;
  bool all = false;
  bool force = false;
  bool code = false;
  double fail_above = HUGE_VAL;  // a share
};

// The right name where the meaning is the same; the user is told either way.
std::string current_name(const std::string& typed) {
  const OutdatedName* entry = find_outdated(typed);
  if (entry == nullptr || entry->fault == NameFault::kMisread) return typed;
  const std::string right = right_name(*entry, typed);
  print_message(
      fmt::format("proofline: note: --metrics {}: take {}. {}\n", quote(typed), right, entry->why));
  return entry->same_meaning ? right : typed;
}

Result<CompareOptions> compare_options(const CompareFlags& flags) {
  CompareOptions options;
  options.force = flags.force;
  options.metrics = flags.all;
  for (const std::string& pair : flags.pairs) {
    std::string_view b = pair;
    const std::string_view a = take_until('=', b);
    if (a.empty() || b.empty()) {
      return fail(
          ErrorKind::kUsage,
          fmt::format("--pair {}: must be A=B, a function of each side, such as naive=tiled",
                      quote(pair)));
    }
    options.pairs.emplace_back(a, b);
  }
  if (flags.metrics.empty()) return options;
  std::vector<std::string> names;
  for (const std::string& name : flags.metrics) names.push_back(current_name(name));
  auto patterns = NamePatterns::compile(names, "--metrics");
  RETURN_IF_ERROR(patterns);
  options.listed = [patterns = *patterns](std::string_view name) { return patterns.matches(name); };
  return options;
}

bool lists_something(const ProfileComparison& comparison, const CompareOptions& options) {
  for (const KernelComparison& pair : comparison.kernels) {
    for (const FactChange& fact : pair.facts) {
      if (options.listed(fact.name)) return true;
    }
  }
  return false;
}

// The kernels of one side, once for each name, with the nearest of the other.
std::string names_of(std::string_view side, const std::vector<UnmatchedKernel>& kernels) {
  constexpr std::size_t kMost = 5;
  std::string text;
  std::set<std::string> seen;
  for (const UnmatchedKernel& one : kernels) {
    if (!seen.insert(one.kernel.name).second || seen.size() > kMost) continue;
    text += fmt::format("\n  {} has {}", side, quote(one.kernel.name));
    if (one.candidate) text += ", nearest to " + quote(one.candidate->name);
  }
  if (seen.size() > kMost) text += fmt::format("\n  {} has {} more", side, seen.size() - kMost);
  return text;
}

Error refused(const ProfileComparison& comparison, const std::string& why) {
  const bool nothing_in_common = comparison.kernels.empty();
  const bool alone = comparison.only_in_a.size() == 1 && comparison.only_in_b.size() == 1;
  std::string text = fmt::format("cannot compare {} with {}: {}", quote(comparison.a.path),
                                 quote(comparison.b.path), why);
  if (!nothing_in_common || alone) text += "; --force compares anyway";
  if (nothing_in_common) {
    text += names_of("A", comparison.only_in_a) + names_of("B", comparison.only_in_b);
  }
  return {ErrorKind::kInput, std::move(text)};
}

// Null for standard input, which can be read only once.
Result<const Format*> format_of(const std::string& path, const InputLimits& limits) {
  if (path == "-") return nullptr;
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  return identify(input, {InputKind::kProfile, InputKind::kCode, InputKind::kTimeline});
}

enum class Compared { kProfiles, kCode, kTimelines, kTimelineAndReport };

// Two profiles or two timelines where both can be one, a timeline and a report, else two files of
// machine code.
Result<Compared> compared_as(const CompareFlags& flags, const InputLimits& limits) {
  const bool a_is_timeline = is_timeline(flags.a, limits);
  const bool b_is_timeline = is_timeline(flags.b, limits);
  if (a_is_timeline && b_is_timeline) return Compared::kTimelines;
  if (is_folder(flags.a) && is_folder(flags.b)) return Compared::kCode;
  if (a_is_timeline || b_is_timeline) {
    const std::string& timeline = a_is_timeline ? flags.a : flags.b;
    const std::string& other = a_is_timeline ? flags.b : flags.a;
    ASSIGN_OR_RETURN(const Format* format, format_of(other, limits));
    if (format == nullptr || format->offers(InputKind::kProfile)) {
      return Compared::kTimelineAndReport;
    }
    return fail(ErrorKind::kInput,
                fmt::format("cannot compare {}, which is a timeline, with {}, which is {}",
                            quote(timeline), quote(other), format->what));
  }
  ASSIGN_OR_RETURN(const Format* a, format_of(flags.a, limits));
  ASSIGN_OR_RETURN(const Format* b, format_of(flags.b, limits));
  const auto both_offer = [&](InputKind kind) {
    return (a == nullptr || a->offers(kind)) && (b == nullptr || b->offers(kind));
  };
  if (both_offer(InputKind::kProfile) && !flags.code) return Compared::kProfiles;
  if (both_offer(InputKind::kCode)) return Compared::kCode;
  const bool a_holds_code = a == nullptr || a->offers(InputKind::kCode);
  return fail(ErrorKind::kInput,
              fmt::format("cannot compare machine code: {} is {}, which holds none",
                          quote(a_holds_code ? flags.b : flags.a), (a_holds_code ? b : a)->what));
}

// A flag that would be passed over in silence is an error: a gate that never closes is none.
Result<void> refuse_flags(const CompareFlags& flags, Compared kind) {
  std::vector<std::string_view> unused;
  if (kind != Compared::kProfiles) {
    if (std::isfinite(flags.fail_above)) unused.emplace_back("--fail-above");
    if (!flags.metrics.empty()) unused.emplace_back("--metrics");
    if (!flags.pairs.empty()) unused.emplace_back("--pair");
  }
  if (kind == Compared::kTimelines || kind == Compared::kTimelineAndReport) {
    if (flags.force) unused.emplace_back("--force");
    if (flags.code) unused.emplace_back("--code");
  }
  if (kind == Compared::kTimelines && !flags.kernel.empty()) unused.emplace_back("--kernel");
  if (unused.empty()) return {};
  return fail(ErrorKind::kUsage,
              fmt::format("{}: only where two reports are compared", fmt::join(unused, ", ")));
}

Result<ExitCode> run_on_code(const CompareFlags& flags, CodeOptions code, const OutputFlags& output,
                             const InputLimits& limits, Context& context) {
  if (code.function.empty()) code.function = flags.kernel;
  ASSIGN_OR_RETURN(const auto a, analyse_code(flags.a, code, {.functions = true}, limits));
  ASSIGN_OR_RETURN(const auto b, analyse_code(flags.b, code, {.functions = true}, limits));
  const CodeComparison comparison = compare_code(a, b, flags.force);
  if (comparison.pairs.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("no function of {} is in {}; --force compares where each has one",
                            quote(flags.a), quote(flags.b)));
  }
  present({.document = [&] { return compose_code_comparison(a, b, comparison, {flags.all}); },
           .json = [&](JsonWriter& json) { write_code_comparison_json(a, b, comparison, json); },
           .rows = [&] { return compose_code_comparison_rows(a, comparison); }},
          output, context);
  const ExitCode exit_a = exit_code_after(a.report.notes);
  return exit_a != ExitCode::kDone ? exit_a : exit_code_after(b.report.notes);
}

// Slower by more than --fail-above allows; a kernel that cannot be compared is not known not to be.
ExitCode gate(const ProfileComparison& comparison, double fail_above) {
  if (!std::isfinite(fail_above)) return exit_code_after(comparison);
  ExitCode exit = exit_code_after(comparison);
  for (const KernelComparison& pair : comparison.kernels) {
    const auto tell = [&](const std::string& what) {
      print_message(fmt::format("proofline: --fail-above {}: {} {}\n", share_text(fail_above),
                                escape_terminal(pair.b.display_name), what));
    };
    if (pair.ratio && *pair.ratio > 1 + fail_above) {
      tell(fmt::format("takes {} longer", percent(*pair.ratio - 1, 1)));
      exit = ExitCode::kFailed;
    } else if (!pair.ratio) {
      tell("could not be compared");
      if (exit == ExitCode::kDone) exit = ExitCode::kInconclusive;
    }
  }
  return exit;
}

bool is_paired(const ProfileComparison& comparison, std::string_view a, std::string_view b) {
  return std::any_of(
      comparison.kernels.begin(), comparison.kernels.end(), [&](const KernelComparison& pair) {
        return pair.match == MatchKind::kChosen && pair.a.function == a && pair.b.function == b;
      });
}

Result<ExitCode> run_on_profiles(const CompareFlags& flags, const OutputFlags& output,
                                 const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(const auto options, compare_options(flags));
  ASSIGN_OR_RETURN(const auto a, read_diagnosed(flags.a, flags.kernel, {}, limits));
  ASSIGN_OR_RETURN(const auto b, read_diagnosed(flags.b, flags.kernel, {}, limits));
  const ProfileComparison comparison = compare_profiles(a.side, b.side, options);
  for (const auto& [function_a, function_b] : options.pairs) {
    if (is_paired(comparison, function_a, function_b)) continue;
    return fail(
        ErrorKind::kInput,
        fmt::format("--pair {}={}: each must be the function of exactly one kernel, without "
                    "namespaces and template arguments; --kernel narrows down",
                    quote(function_a), quote(function_b)));
  }
  if (const std::string why = refusal(comparison); !why.empty()) {
    return tl::make_unexpected(refused(comparison, why));
  }
  if (options.listed && !lists_something(comparison, options)) {
    return fail(ErrorKind::kInput,
                "no fact or metric of the kernels on both sides matches --metrics; --all lists "
                "what changed");
  }
  // Rows have no place for code.
  const auto code = [&] {
    return compare_report_code(kernels_of(a.side), kernels_of(b.side), limits);
  };
  present({.document =
               [&] {
                 Document document;
                 add_comparison(comparison, {flags.all}, document);
                 if (const auto both = code()) add_profiled_code(*both, flags.all, document);
                 return document;
               },
           .json =
               [&](JsonWriter& json) {
                 const auto both = code();
                 write_comparison_json(comparison, both ? &*both : nullptr, json);
               },
           .rows = [&] { return compose_comparison_rows(comparison); },
           .notes = comparison.notes},
          output, context);
  return gate(comparison, flags.fail_above);
}

Result<TimelineDiagnosis> read_side(const std::string& path, bool with_program,
                                    const InputLimits& limits) {
  TimelinePlan plan;
  plan.paths = {path};
  plan.with_program = with_program;
  plan.limits = limits;
  return read_timeline_files(plan);
}

Result<ExitCode> run_on_timelines(const CompareFlags& flags, const OutputFlags& output,
                                  const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(const auto a, read_side(flags.a, false, limits));
  ASSIGN_OR_RETURN(const auto b, read_side(flags.b, false, limits));
  const TimelineComparison comparison = compare_timelines(a, b);
  present({.document = [&] { return compose_timeline_comparison(comparison, flags.all); },
           .json = [&](JsonWriter& json) { write_timeline_comparison_json(comparison, json); },
           .rows = [&] { return compose_timeline_comparison_rows(comparison); },
           .headline = timeline_comparison_headline(comparison),
           .notes = comparison.notes},
          output, context);
  return exit_code_after(comparison.notes);
}

Result<ExitCode> run_on_timeline_and_report(const CompareFlags& flags, const OutputFlags& output,
                                            const InputLimits& limits, Context& context) {
  const bool a_is_timeline = is_timeline(flags.a, limits);
  ASSIGN_OR_RETURN(const auto timeline, read_side(a_is_timeline ? flags.a : flags.b, true, limits));
  ASSIGN_OR_RETURN(const auto report,
                   read_diagnosed(a_is_timeline ? flags.b : flags.a, flags.kernel, {}, limits));
  const ReportJoin join = join_report(timeline, report.profiles[0], report.diagnosis);
  if (join.savings.kernels.empty()) return fail(ErrorKind::kInput, nothing_joined_text(join));
  present({.document = [&] { return compose_report_join(join, flags.all); },
           .json = [&](JsonWriter& json) { write_report_join_json(join, json); },
           .rows = [&] { return compose_report_join_rows(join); },
           .headline = report_join_headline(join),
           .notes = join.notes},
          output, context);
  return exit_code_after(join.notes);
}

Result<ExitCode> run(const CompareFlags& flags, const CodeOptions& code, const OutputFlags& output,
                     const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(const Compared kind, compared_as(flags, limits));
  RETURN_IF_ERROR(refuse_flags(flags, kind));
  switch (kind) {
    case Compared::kCode: return run_on_code(flags, code, output, limits, context);
    case Compared::kTimelines: return run_on_timelines(flags, output, limits, context);
    case Compared::kTimelineAndReport:
      return run_on_timeline_and_report(flags, output, limits, context);
    case Compared::kProfiles: break;
  }
  return run_on_profiles(flags, output, limits, context);
}

Run configure_compare(Flags line) {
  auto flags = std::make_shared<CompareFlags>();
  line.add("A", flags->a,
           "What to compare with: a report, what ncu printed, a timeline, a listing or a binary")
      .required();
  line.add("B", flags->b, "What is compared with it").required();
  line.add("--metrics", flags->metrics,
           "List these facts and metrics too, changed or not: names with * and ?, base "
           "names, or regex:RE; separated by commas")
      .shown_as("PATTERN,...")
      .separated_by(',');
  line.add("--pair", flags->pairs,
           "Compare function A with function B, which does the same work under another name")
      .shown_as("A=B");
  line.add_switch("--all", flags->all, "Every kernel, and every fact and metric that changed");
  line.add_switch("--force", flags->force, "Compare although GPU, clocks or shapes differ");
  line.add_percent("--fail-above", flags->fail_above, {0, 10000},
                   "Of reports: exit with 1 where a kernel takes more than this longer");
  line.add_switch("--code", flags->code, "Of two reports, compare the machine code in them");
  auto code = add_code_flags(line);
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, code, output, limits](Context& context) -> Result<ExitCode> {
    flags->kernel = code->function;
    return run(*flags, *code, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command compare_command() {
  return {
      "compare",
      CommandGroup::kReport,
      "Show what changed between two profiles, timelines or binaries",
      "  proofline compare before.ncu-rep after.ncu-rep\n"
      "      kernels matched by name and shape, durations, what explains the difference\n"
      "  proofline compare before.ncu-rep after.ncu-rep -k gemm --metrics 'dram__*'\n"
      "      one kernel, with some metrics whether they changed or not\n"
      "  proofline compare n128.ncu-rep n256.ncu-rep --force\n"
      "      two configurations of one kernel, although their grids differ\n"
      "  proofline compare before.cubin after.cubin --kernel gemm\n"
      "      the machine code: same or not, what changed in loops, widths, registers, spills\n"
      "  proofline compare before/recording after/recording\n"
      "      two timelines, from trace, nsys or PyTorch: what got slower, by kernel, copy, idle\n"
      "      class, operator and step\n"
      "  proofline compare recording report.ncu-rep\n"
      "      a timeline and a report of the same program: each kernel's share of the time, its\n"
      "      cause and gain, and what the program would save\n",
      configure_compare,
      AgentTool{.always = "--disassembler=native"}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "workflow/compare/compare_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/list_folder.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/comparison/compare.h"
#include "readers/format.h"
#include "views/timeline/report_join_document.h"
#include "vocabulary/outdated_names.h"
#include "workflow/profile/diagnosed_file.h"
#include "workflow/profile/patterns.h"
#include "workflow/timeline/timeline_files.h"

namespace proofline {
namespace {

enum class Compared { kProfiles, kCode, kTimelines, kTimelineAndReport };

// Null for standard input, which can be read only once.
Result<const Format*> format_of(const std::string& path, const InputLimits& limits) {
  if (path == "-") return nullptr;
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  return identify(input, {InputKind::kProfile, InputKind::kCode, InputKind::kTimeline});
}

// Two profiles or two timelines where both can be one, a timeline and a report, else two files of
// machine code.
Result<Compared> compared_as(const ComparePlan& plan, const InputLimits& limits) {
  const bool a_is_timeline = is_timeline(plan.a, limits);
  const bool b_is_timeline = is_timeline(plan.b, limits);
  if (a_is_timeline && b_is_timeline) return Compared::kTimelines;
  if (is_folder(plan.a) && is_folder(plan.b)) return Compared::kCode;
  if (a_is_timeline || b_is_timeline) {
    const std::string& timeline = a_is_timeline ? plan.a : plan.b;
    const std::string& other = a_is_timeline ? plan.b : plan.a;
    ASSIGN_OR_RETURN(const Format* format, format_of(other, limits));
    if (format == nullptr || format->offers(InputKind::kProfile)) {
      return Compared::kTimelineAndReport;
    }
    return fail(ErrorKind::kInput,
                fmt::format("cannot compare {}, which is a timeline, with {}, which is {}",
                            quote(timeline), quote(other), format->what));
  }
  ASSIGN_OR_RETURN(const Format* a, format_of(plan.a, limits));
  ASSIGN_OR_RETURN(const Format* b, format_of(plan.b, limits));
  const auto both_offer = [&](InputKind kind) {
    return (a == nullptr || a->offers(kind)) && (b == nullptr || b->offers(kind));
  };
  if (both_offer(InputKind::kProfile) && !plan.machine_code) return Compared::kProfiles;
  if (both_offer(InputKind::kCode)) return Compared::kCode;
  const bool a_holds_code = a == nullptr || a->offers(InputKind::kCode);
  return fail(ErrorKind::kInput,
              fmt::format("cannot compare machine code: {} is {}, which holds none",
                          quote(a_holds_code ? plan.b : plan.a), (a_holds_code ? b : a)->what));
}

Result<void> refuse_unused(const ComparePlan& plan, Compared kind) {
  std::vector<std::string> unused;
  const auto refuse = [&](bool given, std::string_view name) {
    if (given) unused.push_back(option(name));
  };
  if (kind != Compared::kProfiles) {
    refuse(plan.fail_above.has_value(), "fail-above");
    refuse(!plan.metrics.empty(), "metrics");
    refuse(!plan.pairs.empty(), "pair");
  }
  if (kind == Compared::kTimelines || kind == Compared::kTimelineAndReport) {
    refuse(plan.force, "force");
    refuse(plan.machine_code, "code");
  }
  if (kind == Compared::kTimelines) refuse(!plan.code.function.empty(), "kernel");
  if (unused.empty()) return {};
  return fail(ErrorKind::kUsage,
              fmt::format("{}: only where two reports are compared", fmt::join(unused, ", ")));
}

// The name of today where the meaning is the same.
std::string current_name(const std::string& given, Announcer& announcer) {
  const OutdatedName* entry = find_outdated(given);
  if (entry == nullptr || entry->fault == NameFault::kMisread) return given;
  const std::string right = right_name(*entry, given);
  announcer.say(
      fmt::format("note: {} {}: take {}. {}", option("metrics"), quote(given), right, entry->why));
  return entry->same_meaning ? right : given;
}

Result<CompareOptions> compare_options(const ComparePlan& plan, Announcer& announcer) {
  CompareOptions options;
  options.force = plan.force;
  options.metrics = plan.all_changes;
  options.pairs = plan.pairs;
  if (plan.metrics.empty()) return options;
  std::vector<std::string> names;
  for (const std::string& name : plan.metrics) names.push_back(current_name(name, announcer));
  ASSIGN_OR_RETURN(auto patterns, NamePatterns::compile(names, option("metrics")));
  options.listed = [patterns = std::move(patterns)](std::string_view name) {
    return patterns.matches(name);
  };
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
  if (!nothing_in_common || alone) text += fmt::format("; {} compares anyway", option("force"));
  if (nothing_in_common) {
    text += names_of("A", comparison.only_in_a) + names_of("B", comparison.only_in_b);
  }
  return {ErrorKind::kInput, std::move(text)};
}

bool is_paired(const ProfileComparison& comparison, std::string_view a, std::string_view b) {
  return std::any_of(
      comparison.kernels.begin(), comparison.kernels.end(), [&](const KernelComparison& pair) {
        return pair.match == MatchKind::kChosen && pair.a.function == a && pair.b.function == b;
      });
}

// A kernel that could not be compared is not known to be fast enough.
std::vector<ComparedProfiles::GateAnswer> gate(const ProfileComparison& comparison,
                                               double fail_above) {
  std::vector<ComparedProfiles::GateAnswer> answers;
  for (const KernelComparison& pair : comparison.kernels) {
    if (!pair.ratio) {
      answers.push_back({pair.b.display_name, std::nullopt});
    } else if (*pair.ratio > 1 + fail_above) {
      answers.push_back({pair.b.display_name, *pair.ratio - 1});
    }
  }
  return answers;
}

Result<ComparedProfiles> compare_two_profiles(const ComparePlan& plan, const InputLimits& limits,
                                              Announcer& announcer) {
  ASSIGN_OR_RETURN(const auto options, compare_options(plan, announcer));
  ASSIGN_OR_RETURN(const auto a, read_diagnosed(plan.a, plan.code.function, {}, limits));
  ASSIGN_OR_RETURN(const auto b, read_diagnosed(plan.b, plan.code.function, {}, limits));
  ComparedProfiles result;
  result.comparison = compare_profiles(a.side, b.side, options);
  const ProfileComparison& comparison = result.comparison;
  for (const auto& [function_a, function_b] : options.pairs) {
    if (is_paired(comparison, function_a, function_b)) continue;
    return fail(
        ErrorKind::kInput,
        fmt::format("{} {}={}: each must be the function of exactly one kernel, without "
                    "namespaces and template arguments; {} narrows down",
                    option("pair"), quote(function_a), quote(function_b), option("kernel")));
  }
  if (const std::string why = refusal(comparison); !why.empty()) {
    return tl::make_unexpected(refused(comparison, why));
  }
  if (options.listed && !lists_something(comparison, options)) {
    return fail(ErrorKind::kInput,
                fmt::format("no fact or metric of the kernels on both sides matches {}; {} lists "
                            "what changed",
                            option("metrics"), option("all")));
  }
  if (plan.fail_above) result.gate = gate(comparison, *plan.fail_above);
  result.kernels_a = kernels_of(a.side);
  result.kernels_b = kernels_of(b.side);
  return result;
}

Result<ComparedCode> compare_code_files(const ComparePlan& plan, const InputLimits& limits) {
  ComparedCode result;
  ASSIGN_OR_RETURN(result.a, analyse_code(plan.a, plan.code, {.functions = true}, limits));
  ASSIGN_OR_RETURN(result.b, analyse_code(plan.b, plan.code, {.functions = true}, limits));
  result.comparison = compare_code(result.a, result.b, plan.force);
  if (!result.comparison.pairs.empty()) return result;
  return fail(ErrorKind::kInput,
              fmt::format("no function of {} is in {}; {} compares where each has one",
                          quote(plan.a), quote(plan.b), option("force")));
}

Result<TimelineDiagnosis> read_side(const std::string& path, bool with_program,
                                    const InputLimits& limits) {
  TimelinePlan plan;
  plan.paths = {path};
  plan.with_program = with_program;
  plan.limits = limits;
  return read_timeline_files(plan);
}

Result<TimelineComparison> compare_timeline_files(const ComparePlan& plan,
                                                  const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto a, read_side(plan.a, false, limits));
  ASSIGN_OR_RETURN(const auto b, read_side(plan.b, false, limits));
  return compare_timelines(a, b);
}

Result<ReportJoin> join_files(const ComparePlan& plan, const InputLimits& limits) {
  const bool a_is_timeline = is_timeline(plan.a, limits);
  ASSIGN_OR_RETURN(const auto timeline, read_side(a_is_timeline ? plan.a : plan.b, true, limits));
  ASSIGN_OR_RETURN(const auto report,
                   read_diagnosed(a_is_timeline ? plan.b : plan.a, plan.code.function, {}, limits));
  ReportJoin join = join_report(timeline, report.profiles[0], report.diagnosis);
  if (join.savings.kernels.empty()) return fail(ErrorKind::kInput, nothing_joined_text(join));
  return join;
}

}  // namespace

Result<ComparedFiles> compare_files(const ComparePlan& plan, const InputLimits& limits,
                                    Announcer& announcer) {
  ASSIGN_OR_RETURN(const Compared kind, compared_as(plan, limits));
  RETURN_IF_ERROR(refuse_unused(plan, kind));
  switch (kind) {
    case Compared::kProfiles: return compare_two_profiles(plan, limits, announcer);
    case Compared::kCode: return compare_code_files(plan, limits);
    case Compared::kTimelines: return compare_timeline_files(plan, limits);
    case Compared::kTimelineAndReport: break;
  }
  return join_files(plan, limits);
}

}  // namespace proofline

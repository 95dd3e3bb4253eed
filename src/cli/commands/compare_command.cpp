// SPDX-License-Identifier: Apache-2.0
//
// `proofline compare A B`: what changed between two profiles, and what explains it; between the
// machine code of two listings or binaries; or between two timelines. A timeline and a report are
// joined.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/characters.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/message.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "views/code/code_comparison_document.h"
#include "views/diagnosis/comparison_document.h"
#include "views/timeline/report_join_document.h"
#include "views/timeline/timeline_comparison.h"
#include "workflow/compare/compare_files.h"

namespace proofline {
namespace {

struct CompareFlags {
  ComparePlan plan;
  std::vector<std::string> pairs;  // A=B
  double fail_above = HUGE_VAL;    // a share
};

// One overload for each kind of comparison: presents it, and says how the program ends.
struct ComparePresenter {
  const ComparePlan& plan;
  const OutputFlags& output;
  const InputLimits& limits;
  Context& context;

  ExitCode operator()(const ComparedProfiles& compared) const {
    const ProfileComparison& comparison = compared.comparison;
    // Rows have no place for code.
    const auto code = [&] {
      return compare_report_code(compared.kernels_a, compared.kernels_b, limits);
    };
    present({.document =
                 [&] {
                   Document document;
                   add_comparison(comparison, {plan.all_changes}, document);
                   if (const auto both = code()) {
                     add_profiled_code(*both, plan.all_changes, document);
                   }
                   return document;
                 },
             .json =
                 [&](JsonWriter& json) {
                   const auto both = code();
                   write_record(ComparisonResult{&comparison, both ? &both->comparison : nullptr},
                                json);
                 },
             .rows = [&] { return compose_comparison_rows(comparison); },
             .notes = comparison.notes},
            output, context);
    return after_gate(compared);
  }

  ExitCode operator()(const ComparedCode& compared) const {
    const CodeSide& a = compared.a;
    const CodeSide& b = compared.b;
    const CodeComparison& changes = compared.comparison;
    present({.document = [&] { return compose_code_comparison(a, b, changes, {plan.all_changes}); },
             .json = [&](JsonWriter& json) { write_record(result_of(a, b, changes), json); },
             .rows = [&] { return compose_code_comparison_rows(a, changes); }},
            output, context);
    const ExitCode exit_a = exit_code_after(a.report.notes);
    return exit_a != ExitCode::kDone ? exit_a : exit_code_after(b.report.notes);
  }

  ExitCode operator()(const TimelineComparison& comparison) const {
    present({.document = [&] { return compose_timeline_comparison(comparison, plan.all_changes); },
             .json = [&](JsonWriter& json) { write_record(comparison, json); },
             .rows = [&] { return compose_timeline_comparison_rows(comparison); },
             .headline = timeline_comparison_headline(comparison),
             .notes = comparison.notes},
            output, context);
    return exit_code_after(comparison.notes);
  }

  ExitCode operator()(const ReportJoin& join) const {
    present({.document = [&] { return compose_report_join(join, plan.all_changes); },
             .json = [&](JsonWriter& json) { write_record(join, json); },
             .rows = [&] { return compose_report_join_rows(join); },
             .headline = report_join_headline(join),
             .notes = join.notes},
            output, context);
    return exit_code_after(join.notes);
  }

 private:
  // 1 where a kernel takes longer than --fail-above allows, 10 where one could not be compared.
  ExitCode after_gate(const ComparedProfiles& compared) const {
    ExitCode exit = exit_code_after(compared.comparison);
    for (const ComparedProfiles::GateAnswer& answer : compared.gate) {
      print_message(fmt::format("proofline: --fail-above {}: {} {}\n", share_text(*plan.fail_above),
                                escape_terminal(answer.kernel),
                                answer.longer
                                    ? fmt::format("takes {} longer", percent(*answer.longer, 1))
                                    : "could not be compared"));
      if (answer.longer) {
        exit = ExitCode::kFailed;
      } else if (exit == ExitCode::kDone) {
        exit = ExitCode::kInconclusive;
      }
    }
    return exit;
  }
};

Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(
    const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& word : words) {
    std::string_view b = word;
    const std::string_view a = take_until('=', b);
    if (a.empty() || b.empty()) {
      return fail(
          ErrorKind::kUsage,
          fmt::format("--pair {}: must be A=B, a function of each side, such as naive=tiled",
                      quote(word)));
    }
    pairs.emplace_back(a, b);
  }
  return pairs;
}

Result<ExitCode> run(CompareFlags flags, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  ComparePlan& plan = flags.plan;
  ASSIGN_OR_RETURN(plan.pairs, parse_pairs(flags.pairs));
  if (std::isfinite(flags.fail_above)) plan.fail_above = flags.fail_above;
  ASSIGN_OR_RETURN(const auto compared, compare_files(plan, limits, context.announcer));
  return std::visit(ComparePresenter{plan, output, limits, context}, compared);
}

Run configure_compare(Flags line) {
  auto flags = std::make_shared<CompareFlags>();
  ComparePlan& plan = flags->plan;
  line.add("A", plan.a,
           "What to compare with: a report, what ncu printed, a timeline, a listing or a binary")
      .required();
  line.add("B", plan.b, "What is compared with it").required();
  line.add("--metrics", plan.metrics,
           "List these facts and metrics too, changed or not: names with * and ?, base "
           "names, or regex:RE; separated by commas")
      .shown_as("PATTERN,...")
      .separated_by(',');
  line.add("--pair", flags->pairs,
           "Compare function A with function B, which does the same work under another name")
      .shown_as("A=B");
  line.add_switch("--all", plan.all_changes,
                  "Every kernel, and every fact and metric that changed");
  line.add_switch("--force", plan.force, "Compare although GPU, clocks or shapes differ");
  line.add_percent("--fail-above", flags->fail_above, {0, 10000},
                   "Of reports: exit with 1 where a kernel takes more than this longer");
  line.add_switch("--code", plan.machine_code, "Of two reports, compare the machine code in them");
  add_code_flags(line, plan.code);
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context.watched(*limits), context);
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

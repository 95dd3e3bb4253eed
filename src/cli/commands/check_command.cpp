// SPDX-License-Identifier: Apache-2.0
//
// `proofline check PLAYBOOK FILE...`: what must hold, judged over evidence: PASS, FAIL or UNKNOWN,
// with the numbers. It needs no GPU and runs nothing.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "playbook/captures.h"
#include "views/playbook/check_document.h"
#include "views/playbook/check_record.h"
#include "vocabulary/ncu_sections.h"
#include "workflow/check/check_files.h"
#include "workflow/check/playbook_text.h"

namespace proofline {
namespace {

struct CheckFlags {
  CheckPlan plan;
  std::vector<std::string> cases;  // ID=FILE
  bool lint = false;
  bool print = false;
};

Result<ExitCode> print_playbook(const CheckFlags& flags, const InputLimits& limits,
                                Context& context) {
  ASSIGN_OR_RETURN(const auto source, find_playbook(flags.plan.playbook, limits));
  context.out.write(source.text);
  return ExitCode::kDone;
}

Result<ExitCode> lint(const CheckFlags& flags, const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(const auto linted,
                   find_linted_playbook(flags.plan.playbook, flags.plan.workload, limits));
  context.out.write(problems_text(linted.problems));
  if (!linted.ok()) return ExitCode::kUsage;
  const std::vector<std::string> metrics = metrics_for(linted.playbook);
  const std::string captured_by = capture_flags(metrics);
  context.out.write(fmt::format("{}: {}\n", escape_terminal(linted.playbook.path),
                                linted.problems.empty() ? "no problems" : "no errors"));
  if (!captured_by.empty()) {
    context.out.write(fmt::format("its expressions need {} of a capture: ncu {}\n",
                                  plural(metrics.size(), "metric"), captured_by));
  }
  return ExitCode::kDone;
}

Result<std::vector<CaseFiles>> parse_cases(const std::vector<std::string>& words) {
  std::vector<CaseFiles> cases;
  for (const std::string& word : words) {
    ASSIGN_OR_RETURN(auto pair, split_pair(word, "--case", "ID=FILE"));
    auto one = std::find_if(cases.begin(), cases.end(),
                            [&](const CaseFiles& known) { return known.id == pair.first; });
    if (one == cases.end()) one = cases.insert(one, {pair.first, {}});
    one->files.push_back(std::move(pair.second));
  }
  return cases;
}

Result<ExitCode> run(CheckFlags flags, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  if (flags.print) return print_playbook(flags, limits, context);
  if (flags.lint) return lint(flags, limits, context);
  ASSIGN_OR_RETURN(flags.plan.evidence.cases, parse_cases(flags.cases));
  ASSIGN_OR_RETURN(const auto result, check_files(flags.plan, limits));
  present({.document = [&] { return compose_checks(result); },
           .json = [&](JsonWriter& json) { write_record(result, json); },
           .rows = [&] { return compose_check_rows(result); },
           .headline = check_headline(result),
           .notes = result.notes},
          output, context);
  return exit_code_after(result);
}

Run configure_check(Flags line) {
  auto flags = std::make_shared<CheckFlags>();
  CheckPlan& plan = flags->plan;
  line.add("PLAYBOOK", plan.playbook,
           "A shipped playbook (list playbooks) or a TOML file; docs/playbooks.md")
      .required();
  line.add("FILE", plan.evidence.files,
           "Evidence: reports, code, benchmarks, sanitizer logs, ceilings, or a run's folder");
  line.add("--before", plan.evidence.before, "Evidence of before the change, for tasks' acceptance")
      .shown_as("FILE")
      .one_at_a_time();
  line.add("--case", flags->cases, "Evidence of one of the playbook's cases; may be repeated")
      .shown_as("ID=FILE")
      .one_at_a_time();
  line.add("--workload", plan.workload,
           "What the playbook asks about the workload, or a TOML file of it; may be repeated")
      .shown_as("KEY=VALUE|FILE")
      .one_at_a_time();
  line.add("-k,--kernel", plan.evidence.kernel,
           "Of the kernels that a lock fits, those whose name matches")
      .shown_as("REGEX");
  line.add("--only", plan.only, "Only these checks").shown_as("IDS").separated_by(',');
  line.add("--cc", plan.evidence.cc, "Compute capability, where no file tells it: 9.0")
      .shown_as("CC");
  line.add_switch("--lint", flags->lint, "Look the playbook over: all errors at once, exit code 2")
      .not_for_agents();
  line.add_switch("--print", flags->print,
                  "Print a shipped playbook, or `skeleton`, to start your own from")
      .not_for_agents();
  add_journal_flag(line, plan.journal);
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command check_command() {
  return {"check",
          CommandGroup::kDecide,
          "Judge evidence by a playbook: PASS, FAIL or UNKNOWN",
          "  proofline check moe-evidence report.ncu-rep\n"
          "      every check of a shipped playbook; exit code 1 where a `must` fails, 10 where\n"
          "      one is UNKNOWN\n"
          "  proofline check mine.toml after.ncu-rep --before before.ncu-rep race.log\n"
          "      tasks are accepted or not by what both sides show\n"
          "  proofline check --print skeleton > mine.toml\n"
          "      a playbook to start your own from; then check mine.toml --lint\n",
          configure_check,
          AgentTool{}};
}

}  // namespace proofline

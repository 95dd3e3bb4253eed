// SPDX-License-Identifier: Apache-2.0
//
// `proofline check PLAYBOOK FILE...`: what must hold, judged over evidence: PASS, FAIL or UNKNOWN,
// with the numbers. It needs no GPU and runs nothing.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "playbook/captures.h"
#include "playbook/check.h"
#include "playbook/lint.h"
#include "views/playbook/check_document.h"
#include "views/playbook/check_json.h"
#include "vocabulary/ncu_sections.h"
#include "workflow/check/evidence.h"
#include "workflow/check/playbook_text.h"
#include "workflow/journal/tried_changes.h"

namespace proofline {
namespace {

struct CheckFlags {
  std::string playbook;
  std::vector<std::string> files;
  std::vector<std::string> before;
  std::vector<std::string> cases;     // ID=FILE
  std::vector<std::string> workload;  // KEY=VALUE, or a file of them
  std::vector<std::string> only;
  std::string kernel;
  std::string cc;
  std::string journal;
  bool lint = false;
  bool print = false;
};

Result<ExitCode> lint(const LintedPlaybook& linted, Context& context) {
  context.out.write(problems_text(linted.problems));
  if (!linted.ok()) return ExitCode::kUsage;
  const std::vector<std::string> metrics = metrics_for(linted.playbook);
  const std::string flags = capture_flags(metrics);
  context.out.write(fmt::format("{}: {}\n", escape_terminal(linted.playbook.path),
                                linted.problems.empty() ? "no problems" : "no errors"));
  if (!flags.empty()) {
    context.out.write(fmt::format("its expressions need {} of a capture: ncu {}\n",
                                  plural(metrics.size(), "metric"), flags));
  }
  return ExitCode::kDone;
}

Result<ExitCode> run(const CheckFlags& flags, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  ASSIGN_OR_RETURN(const auto source, find_playbook(flags.playbook, limits));
  if (flags.print) {
    context.out.write(source.text);
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const auto workload, parse_workload(flags.workload, limits));
  const LintedPlaybook linted = lint_playbook(source.text, source.name, workload);
  if (flags.lint) return lint(linted, context);
  if (!linted.ok()) {
    return fail(ErrorKind::kUsage, first_error(linted));
  }
  if (flags.files.empty()) {
    return fail(ErrorKind::kUsage,
                "no evidence to check: name reports, code, benchmarks or logs behind the "
                "playbook (--lint needs none)");
  }
  EvidencePlan plan{flags.files, flags.before, {}, flags.kernel, flags.cc};
  for (const std::string& word : flags.cases) {
    ASSIGN_OR_RETURN(auto pair, split_pair(word, "--case", "ID=FILE"));
    auto one = std::find_if(plan.cases.begin(), plan.cases.end(),
                            [&](const CaseFiles& known) { return known.id == pair.first; });
    if (one == plan.cases.end()) one = plan.cases.insert(one, {pair.first, {}});
    one->files.push_back(std::move(pair.second));
  }
  for (const std::string& id : flags.only) {
    if (linted.playbook.find_check(id) != nullptr || id.ends_with("/lock")) continue;
    return fail(ErrorKind::kUsage,
                fmt::format("--only: there is no check {}; 'proofline check {} --print' shows the "
                            "playbook",
                            quote(id), flags.playbook));
  }
  ASSIGN_OR_RETURN(const auto evidence, GatheredEvidence::gather(linted.playbook, plan, limits));
  CheckOptions options;
  options.only = flags.only;
  options.paired = evidence.has_before();
  ASSIGN_OR_RETURN(const auto tried, TriedChanges::read(flags.journal));
  if (!evidence.kernels().empty()) {
    const LockedKernel& kernel = evidence.kernels().front().locked;
    options.tried = [&tried, &linted, &kernel](const std::string& id) {
      return tried.item(linted.playbook.id, id, kernel.name, kernel.cc);
    };
    tried.count(kernel.name, kernel.cc, options);
  }
  CheckRun result = run_checks(linted.playbook, evidence.kernels(), options);
  result.sources = evidence.sources();
  result.notes = evidence.notes();
  present({.document = [&] { return compose_checks(result); },
           .json = [&](JsonWriter& json) { write_checks_json(result, json); },
           .rows = [&] { return compose_check_rows(result); },
           .headline = check_headline(result),
           .notes = result.notes},
          output, context);
  return exit_code_after(result);
}

Run configure_check(Flags line) {
  auto flags = std::make_shared<CheckFlags>();
  line.add("PLAYBOOK", flags->playbook,
           "A shipped playbook (list playbooks) or a TOML file; docs/playbooks.md")
      .required();
  line.add("FILE", flags->files,
           "Evidence: reports, code, benchmarks, sanitizer logs, ceilings, or a run's folder");
  line.add("--before", flags->before, "Evidence of before the change, for tasks' acceptance")
      .shown_as("FILE")
      .one_at_a_time();
  line.add("--case", flags->cases, "Evidence of one of the playbook's cases; may be repeated")
      .shown_as("ID=FILE")
      .one_at_a_time();
  line.add("--workload", flags->workload,
           "What the playbook asks about the workload, or a TOML file of it; may be repeated")
      .shown_as("KEY=VALUE|FILE")
      .one_at_a_time();
  line.add("-k,--kernel", flags->kernel,
           "Of the kernels that a lock fits, those whose name matches")
      .shown_as("REGEX");
  line.add("--only", flags->only, "Only these checks").shown_as("IDS").separated_by(',');
  line.add("--cc", flags->cc, "Compute capability, where no file tells it: 9.0").shown_as("CC");
  line.add_switch("--lint", flags->lint, "Look the playbook over: all errors at once, exit code 2");
  line.add_switch("--print", flags->print,
                  "Print a shipped playbook, or `skeleton`, to start your own from");
  add_journal_flag(line, flags->journal);
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command check_command() {
  return {"check", CommandGroup::kDecide, "Judge evidence by a playbook: PASS, FAIL or UNKNOWN",
          "  proofline check moe-evidence report.ncu-rep\n"
          "      every check of a shipped playbook; exit code 1 where a `must` fails, 10 where\n"
          "      one is UNKNOWN\n"
          "  proofline check mine.toml after.ncu-rep --before before.ncu-rep race.log\n"
          "      tasks are accepted or not by what both sides show\n"
          "  proofline check --print skeleton > mine.toml\n"
          "      a playbook to start your own from; then check mine.toml --lint\n",
          configure_check};
}

}  // namespace proofline

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
#include "playbook/captures.h"
#include "playbook/check.h"
#include "playbook/lint.h"
#include "playbook/shipped.h"
#include "views/playbook/check_document.h"
#include "views/playbook/check_json.h"
#include "vocabulary/ncu_sections.h"
#include "workflow/check/evidence.h"

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
  bool lint = false;
  bool print = false;
};

struct PlaybookText {
  std::string name;  // what problems call it
  std::string text;
};

// A shipped id, else a path.
Result<PlaybookText> find_playbook(const std::string& name, const InputLimits& limits) {
  if (name == "skeleton") return PlaybookText{name, std::string(skeleton_playbook())};
  if (const ShippedPlaybook* shipped = find_shipped_playbook(name)) {
    return PlaybookText{name, std::string(shipped->text)};
  }
  auto input = Input::open(name, limits);
  if (!input) {
    std::string ids;
    for (const ShippedPlaybook& one : shipped_playbooks()) {
      ids += (ids.empty() ? "" : ", ") + std::string(one.id);
    }
    return fail(input.error().kind,
                fmt::format("{}; shipped playbooks are {}", input.error().message, ids));
  }
  ASSIGN_OR_RETURN(const auto text, input->take(ParsedToml::kMostBytes + 1));
  return PlaybookText{name, std::string(text)};
}

Result<std::pair<std::string, std::string>> split_pair(const std::string& word,
                                                       std::string_view flag,
                                                       std::string_view form) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return fail(ErrorKind::kUsage, fmt::format("{} {}: must be {}", flag, quote(word), form));
  }
  return std::pair(word.substr(0, equals), word.substr(equals + 1));
}

// KEY=VALUE, or a file with a [workload] table or such lines.
Result<Workload> parse_workload(const std::vector<std::string>& words, const InputLimits& limits) {
  Workload workload;
  for (const std::string& word : words) {
    if (word.find('=') != std::string::npos) {
      ASSIGN_OR_RETURN(const auto pair, split_pair(word, "--workload", "KEY=VALUE or a file"));
      workload[pair.first] = told_value(pair.second);
      continue;
    }
    ASSIGN_OR_RETURN(auto input, Input::open(word, limits));
    ASSIGN_OR_RETURN(const auto text, input.take(ParsedToml::kMostBytes + 1));
    const ParsedToml toml = parse_toml(text);
    if (!toml.problem.empty()) {
      return fail(ErrorKind::kUsage, fmt::format("--workload {}: line {}: {}", quote(word),
                                                 toml.place.line, toml.problem));
    }
    const TomlNode* table = toml.root.find("workload");
    const TomlNode& values = table != nullptr ? *table : toml.root;
    for (std::size_t i = 0; i < values.keys.size(); ++i) {
      const TomlNode& value = values.items[i];
      switch (value.type) {
        case TomlNode::Type::kText: workload[values.keys[i]] = told_value(value.text); break;
        case TomlNode::Type::kNumber: workload[values.keys[i]] = {value.number, ""}; break;
        case TomlNode::Type::kLogic: workload[values.keys[i]] = {value.logic, ""}; break;
        default: break;
      }
    }
  }
  return workload;
}

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

// The first one in a line; --lint has all of them with their place marked.
std::string first_error(const LintedPlaybook& linted) {
  const auto is_error = [](const PlaybookProblem& one) { return !one.warning; };
  const auto& problems = linted.problems;
  const auto first = std::find_if(problems.begin(), problems.end(), is_error);
  const auto count = std::count_if(problems.begin(), problems.end(), is_error);
  std::string text = fmt::format("{}:{}:{}: {}", escape_terminal(first->file), first->place.line,
                                 first->place.column, escape_terminal(first->message));
  if (count > 1) text += fmt::format(" (one of {} errors; --lint shows all)", count);
  return text;
}

ExitCode exit_code_of(const CheckRun& run) {
  if (run.count_must(CheckVerdict::kFail) > 0) return ExitCode::kFailed;
  if (run.count_must(CheckVerdict::kUnknown) > 0) return ExitCode::kInconclusive;
  return exit_code_after(run.notes);
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
    return fail(ErrorKind::kUsage, "which evidence? FILE... is missing (--lint needs none)");
  }
  EvidencePlan plan{flags.files, flags.before, {}, flags.kernel, flags.cc};
  for (const std::string& word : flags.cases) {
    ASSIGN_OR_RETURN(auto pair, split_pair(word, "--case", "ID=FILE"));
    plan.cases.push_back(std::move(pair));
  }
  for (const std::string& id : flags.only) {
    if (linted.playbook.find_check(id) != nullptr || id.ends_with("/lock")) continue;
    return fail(ErrorKind::kUsage, fmt::format("--only: there is no check {}", quote(id)));
  }
  ASSIGN_OR_RETURN(const auto evidence, GatheredEvidence::gather(linted.playbook, plan, limits));
  CheckOptions options;
  options.only = flags.only;
  options.paired = !flags.before.empty();
  CheckRun result = run_checks(linted.playbook, evidence.kernels(), options);
  result.sources = evidence.sources();
  result.notes = evidence.notes();
  present({.document = [&] { return compose_checks(result); },
           .json = [&](JsonWriter& json) { write_checks_json(result, json); },
           .rows = [&] { return compose_check_rows(result); },
           .headline = check_headline(result),
           .notes = result.notes},
          output, context);
  return exit_code_of(result);
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
  line.add("--kernel", flags->kernel, "Of the kernels that a lock fits, those whose name matches")
      .shown_as("REGEX");
  line.add("--only", flags->only, "Only these checks").shown_as("IDS").separated_by(',');
  line.add("--cc", flags->cc, "Compute capability, where no file tells it: 9.0").shown_as("CC");
  line.add_switch("--lint", flags->lint, "Look the playbook over: all errors at once, exit code 2");
  line.add_switch("--print", flags->print,
                  "Print a shipped playbook, or `skeleton`, to start your own from");
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, *limits, context);
  };
}

}  // namespace

Command check_command() {
  return {"check", "Judge evidence by a playbook: PASS, FAIL or UNKNOWN, with the numbers",
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

// SPDX-License-Identifier: Apache-2.0
//
// `proofline try HYPOTHESIS --a CMD -- CMD`: one attempt at making a kernel faster, from the
// expectation to the verdict, in the journal.
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/split_command.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "playbook/lint.h"
#include "views/journal/journal_document.h"
#include "views/json_parts.h"
#include "views/measurement/decision_document.h"
#include "workflow/check/playbook_text.h"
#include "workflow/expectation.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_results.h"
#include "workflow/try/try_session.h"

namespace proofline {
namespace {

struct TryWords {
  TryPlan flags;
  std::string before;  // in one string
  std::string expect;
  std::string task;  // PLAYBOOK/ID
  AttemptItem item;
  std::optional<LintedPlaybook> playbook;  // that has the task
};

// The item of a playbook that the attempt is, so that it is not advised again.
Result<void> fill_item(TryWords& words) {
  if (words.task.empty()) {
    if (words.item.kernel.empty() && words.item.cc.empty()) return {};
    return fail(ErrorKind::kUsage, "--on and --cc say what a --task is tried on");
  }
  const std::size_t slash = words.task.rfind('/');
  if (slash == std::string::npos) {
    return fail(ErrorKind::kUsage,
                fmt::format("--task {}: must be PLAYBOOK/ID", quote(words.task)));
  }
  ASSIGN_OR_RETURN(const auto source, find_playbook(words.task.substr(0, slash), {}));
  words.playbook = lint_playbook(source.text, source.name);
  const LintedPlaybook& linted = *words.playbook;
  if (!linted.ok()) return fail(ErrorKind::kUsage, "--task: " + first_error(linted));
  const PlaybookTask* task = linted.playbook.find_task(words.task.substr(slash + 1));
  if (task == nullptr) {
    return fail(ErrorKind::kUsage,
                fmt::format("--task: {} has no task or option {}", quote(source.name),
                            quote(words.task.substr(slash + 1))));
  }
  words.item.playbook = linted.playbook.id;
  words.item.id = task->id;
  words.item.answers = task->answers;
  words.flags.intent.item = words.item;
  words.flags.playbook = &linted.playbook;
  words.flags.task = task;
  if (words.flags.intent.kind.empty() && !task->change.empty()) {
    words.flags.intent.kind = task->change.front();
  }
  if (words.expect.empty()) words.expect = task->expect;
  return {};
}

Result<void> check_flags(TryWords& words) {
  TryPlan& flags = words.flags;
  if (trim(flags.intent.hypothesis).empty()) {
    return fail(ErrorKind::kUsage, "the hypothesis is empty: say what the change is");
  }
  if (words.before.empty() == flags.baseline.empty()) {
    return fail(ErrorKind::kUsage,
                "the program before the change is needed, as --a CMD or --baseline NAME");
  }
  if (!words.before.empty()) {
    ASSIGN_OR_RETURN(auto before, split_command(words.before));
    flags.before = std::move(before);
  }
  flags.sanitize = flags.sanitize || !flags.sanitized.empty() || !flags.sanitized_kernel.empty();
  flags.profile = flags.profile || !flags.profiled.empty();
  RETURN_IF_ERROR(fill_item(words));
  if (words.expect.empty()) return {};
  ASSIGN_OR_RETURN(const auto expected, parse_expectation(words.expect));
  flags.intent.expected = expected;
  return {};
}

Document compose_try(const TryResult& result) {
  const Attempt& attempt = result.attempt;
  Document document;
  if (result.decision) {
    document = compose_decision(*result.decision);
  } else {
    Point point;
    point.title = fmt::format("{}: {}", to_string(attempt.state), attempt.reason);
    document.blocks.emplace_back(Points{{point}});
  }
  Properties kept;
  kept.rows = {{"attempt", attempt.id}, {"hypothesis", attempt.hypothesis}};
  if (attempt.expected) kept.rows.emplace_back("expected", gain_range_text(*attempt.expected));
  if (attempt.realised_gain) kept.rows.emplace_back("realised", realised_text(attempt));
  kept.rows.emplace_back("journal", result.journal);
  document.blocks.emplace_back(std::move(kept));
  return document;
}

void write_try(const TryResult& result, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.key("journal");
  JournalReading reading;
  reading.where = result.journal;
  reading.attempts = {result.attempt};
  write_record(reading, json, {.requested = {"entries"}});
  json.key("decision");
  if (result.decision) {
    write_record(*result.decision, json);
  } else {
    json.null();
  }
  json.end_object();
}

Result<ExitCode> run(TryWords words, const OutputFlags& output, Context& context) {
  RETURN_IF_ERROR(check_flags(words));
  if (words.flags.bench.run.dry_run) {
    ASSIGN_OR_RETURN(const auto commands, describe_try(words.flags, context.announcer));
    context.out.write(commands);
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const auto done, try_change(words.flags, context.announcer));
  present({[&] { return compose_try(done); }, [&](JsonWriter& json) { write_try(done, json); }},
          output, context);
  // Without a decision a gate before it tripped.
  return done.decision ? exit_code_after(*done.decision) : ExitCode::kFailed;
}

Run configure_try(Flags line) {
  auto words = std::make_shared<TryWords>();
  TryPlan& flags = words->flags;
  line.add("HYPOTHESIS", flags.intent.hypothesis, "What the change is and why it helps").required();
  line.add("CMD", flags.after, "The program after the change and its arguments, after --")
      .required();
  line.add("--a", words->before, "The program before the change, in one string").shown_as("CMD");
  line.add("--baseline", flags.baseline,
           "A baseline of the journal instead; measured apart, so less is seen")
      .shown_as("NAME");
  line.add("--expect", words->expect, "The gain you expect: 10-20%, 15%, 1.2x-1.5x")
      .shown_as("GAIN");
  line.add("--kind", flags.intent.kind, "The kind of change, by which expectations are calibrated")
      .shown_as("WORD");
  line.add("--risk", flags.intent.risk, "What may go wrong").shown_as("TEXT");
  line.add("--task", words->task,
           "The playbook's task or option that this is; check and diagnose then know that it was "
           "tried")
      .shown_as("PLAYBOOK/ID");
  line.add("--on", words->item.kernel, "With --task: the kernel that it is tried on")
      .shown_as("NAME");
  line.add("--cc", words->item.cc, "With --task: the GPU's compute capability: 9.0").shown_as("CC");
  line.add("--check", flags.check,
           "A program that returns 0 where the results are right; it runs first, before "
           "anything is measured, so it must itself run the changed program or test what it "
           "produced")
      .shown_as("CMD");
  line.add_switch("--sanitize", flags.sanitize,
                  "compute-sanitizer over the changed program, before it is measured");
  line.add("--sanitize-with", flags.sanitized,
           "compute-sanitizer over this program instead: the changed kernel on a small problem")
      .shown_as("CMD");
  line.add("--sanitize-kernel", flags.sanitized_kernel,
           "compute-sanitizer over kernels with a match of this in their mangled name only: on "
           "references and fills racecheck spends minutes")
      .shown_as("REGEX");
  line.add_switch("--gate-leaks", flags.bench.decide.gate_leaks,
                  "Memory that is still allocated when the program ends fails the attempt, as any "
                  "other error does");
  line.add_switch("--profile", flags.profile, "Profile both, to explain the difference");
  line.add("--profile-kernel", flags.profiled,
           "Profile kernels with a match of this in their name; default: those of --kernel, else "
           "those that take most time")
      .shown_as("REGEX");
  add_journal_flag(line, flags.journal);
  add_starts_flags(line, flags.bench);
  add_decision_flags(line, flags.bench.decide);
  add_bench_flags(line, flags.bench);
  auto output = add_output_flags(line);
  return [words, output](Context& context) -> Result<ExitCode> {
    return run(*words, *output, context);
  };
}

}  // namespace

Command try_command() {
  return {"try",
          CommandGroup::kDecide,
          "Try one change, from hypothesis to verdict, and journal it",
          "  proofline try 'float4 loads' --expect 10-20% --a './old --n 8' -- ./new --n 8\n"
          "      run alternately, decided, and recorded whatever comes of it\n"
          "  proofline try mbarriers --kind sync --sanitize --profile --a ./old -- ./new\n"
          "      correctness first, then duration, then what explains it\n",
          configure_try,
          AgentTool{.more = "Checks, times both programs alternately, decides and records. Runs "
                            "the commands that you give.",
                    .writes = true,
                    .runs_programs = true}};
}

}  // namespace proofline

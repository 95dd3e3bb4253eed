// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_attempt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_piece.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/split_command.h"
#include "base/text.h"
#include "readers/benchmark/benchmark.h"
#include "store/file_hash.h"
#include "tools/sanitizer/sanitizer.h"
#include "workflow/expectation.h"
#include "workflow/journal/journal_reading.h"
#include "workflow/journal/journal_records.h"
#include "workflow/run/play_command.h"
#include "workflow/run/play_sweep.h"
#include "workflow/run/user_program.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// A command of the user's in a work tree, as a gate: whatever becomes of it is told, and no error.
Result<Gate> run_gate(std::string_view name, const std::string& command, const std::string& input,
                      const std::string& work_folder, const std::string& runs,
                      const RunOptions& options, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto words, split_command(command));
  auto argv = user_command(std::move(words), work_folder);
  if (!argv) {
    return Gate{std::string(name), GateState::kFailed,
                fmt::format("{}: {}", name, argv.error().message)};
  }
  ASSIGN_OR_RETURN(const auto ran,
                   run_once({std::string(name), std::move(*argv), input, work_folder, runs,
                             fmt::format("{}: {}", name, command)},
                            options, announcer));
  return Gate{
      std::string(name), ran.passed() ? GateState::kPassed : GateState::kFailed,
      fmt::format("{} {}; see {}", name, ran.passed() ? "returned 0" : ran.text(), ran.folder)};
}

Intent intent_of(const Playbook& playbook, const PlaybookTask& task, const CheckRun& checks,
                 const std::string& play) {
  Intent intent;
  intent.hypothesis = task.hypothesis;
  if (intent.hypothesis.empty()) intent.hypothesis = task.title;
  if (intent.hypothesis.empty()) intent.hypothesis = playbook.id + "/" + task.id;
  if (!task.change.empty()) intent.kind = task.change.front();
  intent.risk = task.risk;
  if (const auto expected = parse_expectation(task.expect)) intent.expected = *expected;
  AttemptItem item;
  item.playbook = playbook.id;
  item.id = task.id;
  if (!checks.kernels.empty()) {
    item.kernel = checks.kernels.front().name;
    item.gpu = checks.kernels.front().device;
    item.cc = checks.kernels.front().cc;
  }
  item.answers = task.answers;
  item.play = play;
  intent.item = std::move(item);
  return intent;
}

// The kernels that the play is about, and not those that prepare or check its results.
std::string profiled_kernels(const Playbook& playbook, const std::string& given) {
  if (!given.empty()) return given;
  std::vector<std::string> names;
  for (const KernelLock& lock : playbook.kernels) {
    if (!lock.name.empty()) names.push_back(fmt::format("(?:{})", lock.name));
  }
  return fmt::format("{}", fmt::join(names, "|"));
}

// What all ways of trying have in common.
Result<TryPlan> try_plan(const Playbook& playbook, const PlaybookTask& task, const CheckRun& checks,
                         const PlayOptions& options, const std::string& play,
                         const std::string& runs, Announcer& announcer) {
  TryPlan plan;
  plan.intent = intent_of(playbook, task, checks, play);
  plan.journal = options.request.journal;
  ASSIGN_OR_RETURN(plan.after, timed_command(playbook, options.request.command));
  plan.check = options.request.check;
  plan.bench = options.bench;
  ASSIGN_OR_RETURN(auto timed, timed_change(playbook));
  plan.bench.made_cases = std::move(timed.cases);
  plan.check_arguments = std::move(timed.arguments);
  plan.bench.run.runs = runs;
  plan.playbook = &playbook;
  plan.task = &task;
  plan.profile = true;
  plan.profiled = profiled_kernels(playbook, options.request.kernel);
  plan.sanitizers = sanitizers_for(task.change);
  plan.sanitize = !plan.sanitizers.empty();
  if (plan.sanitize && !find_sanitizer()) {
    announcer.say("there is no compute-sanitizer here: the change is not looked at by it");
    plan.sanitize = false;
  }
  return plan;
}

std::string play_mark(const Play& play, std::uint64_t number) {
  return fmt::format("{}/{}", play.name, number);
}

// Of our own side; all others are the change's fault.
bool is_ours(const Error& error) {
  return error.kind == ErrorKind::kInterrupted || error.kind == ErrorKind::kStorage ||
         error.kind == ErrorKind::kUsage;
}

void end_attempt(PlayedAttempt& attempt, const Attempt& known) {
  attempt.state = known.state;
  attempt.reason = known.reason;
}

// What came of an attempt, as play.json keeps it. Errors of our own side are none of the change's.
Result<void> end_attempt(PlayedAttempt& attempt, const Result<TryResult>& tried) {
  if (tried) {
    end_attempt(attempt, tried->attempt);
    return {};
  }
  if (is_ours(tried.error())) return tl::make_unexpected(tried.error());
  attempt.state = AttemptState::kFailed;
  attempt.reason = tried.error().message.substr(0, tried.error().message.find('\n'));
  return {};
}

std::uint64_t next_number(const Play& play) {
  return play.attempts.empty() ? 1 : play.attempts.back().number + 1;
}

Result<void> keep_change(KeptPlay& kept, WorkTrees& trees, const PlayedAttempt& attempt,
                         const std::string& tree) {
  RETURN_IF_ERROR(trees.keep(attempt.commit));
  Play& play = kept.play();
  const std::string old = std::exchange(play.tree, tree);
  play.base = attempt.commit;
  RETURN_IF_ERROR(kept.store());
  if (!old.empty() && old != tree) trees.remove(old);
  return {};
}

// A setting was decided on: it is not to be tried again, and what is faster is the workload now.
void end_setting(Play& play, const PlayedAttempt& attempt) {
  if (attempt.setting.empty()) return;
  std::erase(play.sweep, attempt.setting_text());
  if (attempt.state != AttemptState::kKept) return;
  auto& workload = play.request.workload;
  for (const std::string& word : attempt.setting) {
    const std::string key = word.substr(0, word.find('=') + 1);
    std::erase_if(workload, [&](const std::string& known) { return known.starts_with(key); });
    workload.push_back(word);
  }
}

std::string attempt_tree(const KeptPlay& kept, std::uint64_t number) {
  return kept.path(fmt::format("attempts/{}/tree", number));
}

}  // namespace

Result<void> prepare_tree(KeptPlay& kept, WorkTrees& trees, const PlayOptions& options,
                          Announcer& announcer) {
  Play& play = kept.play();
  std::error_code ignored;
  if (!play.tree.empty() && fs::exists(play.tree, ignored)) return {};
  if (play.base.empty()) {
    ASSIGN_OR_RETURN(play.base, trees.snapshot());
    RETURN_IF_ERROR(kept.store());
  }
  const std::string tree = kept.path("attempts/0/tree");
  ASSIGN_OR_RETURN(const auto folder, trees.add(tree, play.base));
  if (!options.request.build.empty()) {
    ASSIGN_OR_RETURN(const auto built,
                     run_gate("build", options.request.build, "", folder, kept.path("attempts/0"),
                              options.bench.run, announcer));
    if (built.state == GateState::kFailed) {
      return fail(ErrorKind::kTool, "before any change the " + built.detail);
    }
  }
  play.tree = tree;
  return kept.store();
}

Result<void> settle_open_attempt(KeptPlay& kept, WorkTrees* trees) {
  Play& play = kept.play();
  if (play.attempts.empty() || play.attempts.back().state != AttemptState::kOpen) return {};
  PlayedAttempt& open = play.attempts.back();
  const std::string mark = play_mark(play, open.number);
  open.state = AttemptState::kAbandoned;
  open.reason = "the run was ended in the middle of it";
  if (const auto journal = read_journal(play.request.journal)) {
    for (const Attempt& attempt : journal->attempts) {
      if (!attempt.item || attempt.item->play != mark) continue;
      if (attempt.state == AttemptState::kAbandoned) continue;  // by an earlier kill
      if (attempt.closed.empty()) {
        RETURN_IF_ERROR(
            record_close(play.request.journal, attempt.id, AttemptState::kAbandoned, open.reason));
      } else {
        end_attempt(open, attempt);
        end_setting(play, open);
      }
    }
  }
  const std::string tree = attempt_tree(kept, open.number);
  std::error_code ignored;
  const bool was_kept = open.state == AttemptState::kKept;
  if (was_kept && trees != nullptr && !open.commit.empty() && fs::exists(tree, ignored)) {
    return keep_change(kept, *trees, open, tree);
  }
  if (trees != nullptr && tree != play.tree) trees->remove(tree);
  // Nothing was decided, so it does not count.
  if (open.state == AttemptState::kAbandoned) play.attempts.pop_back();
  return kept.store();
}

Result<void> attempt_change(const Playbook& playbook, const CheckRun& checks,
                            const std::string& task, const std::string& choice, KeptPlay& kept,
                            WorkTrees& trees, const PlayOptions& options, Announcer& announcer) {
  Play& play = kept.play();
  const PlaybookTask& told = *playbook.find_task(task);
  const std::uint64_t number = next_number(play);
  const std::string runs = kept.path(fmt::format("attempts/{}", number));
  std::error_code ignored;
  fs::remove_all(runs, ignored);
  play.attempts.push_back({number, task, AttemptState::kOpen, "", ""});
  RETURN_IF_ERROR(kept.store());
  const std::string tree = attempt_tree(kept, number);
  ASSIGN_OR_RETURN(const auto folder, trees.add(tree, play.base));
  const std::string base_folder = trees.folder_in(play.tree);
  ASSIGN_OR_RETURN(TryPlan plan, try_plan(playbook, told, checks, options, play_mark(play, number),
                                          runs, announcer));
  ASSIGN_OR_RETURN(plan.before, user_command(plan.after, base_folder));
  plan.before_folder = base_folder;
  plan.after_folder = folder;
  plan.makes.emplace_back([&]() -> Result<Gate> {
    ASSIGN_OR_RETURN(auto gate, run_gate("change", options.request.change, choice, folder, runs,
                                         options.bench.run, announcer));
    if (gate.state == GateState::kFailed) return gate;
    const auto commit =
        trees.commit(tree, play.base, fmt::format("{}/{}: attempt {}", playbook.id, task, number));
    RETURN_IF_ERROR(commit);
    if (commit->empty()) {
      gate.state = GateState::kFailed;
      gate.detail = "the change command changed nothing";
      return gate;
    }
    play.attempts.back().commit = *commit;
    RETURN_IF_ERROR(kept.store());
    return gate;
  });
  if (!options.request.build.empty()) {
    plan.makes.emplace_back([&] {
      return run_gate("build", options.request.build, "", folder, runs, options.bench.run,
                      announcer);
    });
  }
  const auto tried = try_change(plan, announcer);
  PlayedAttempt& attempt = play.attempts.back();
  RETURN_IF_ERROR(end_attempt(attempt, tried));
  announcer.say(fmt::format("attempt {}, {}: {}: {}", number, task, to_string(attempt.state),
                            attempt.reason));
  if (attempt.state == AttemptState::kKept) {
    return keep_change(kept, trees, attempt, tree);
  }
  RETURN_IF_ERROR(kept.store());
  trees.remove(tree);
  return {};
}

Result<void> attempt_setting(const Playbook& playbook, const CheckRun& checks, KeptPlay& kept,
                             const std::string& work_folder, const PlayOptions& options,
                             Announcer& announcer) {
  Play& play = kept.play();
  Playbook changed = playbook;
  const PlaybookTask& task = *changed.find_task(play.choice);
  ASSIGN_OR_RETURN(const auto settings, sweep_settings(task));
  const auto setting = std::find_if(settings.begin(), settings.end(), [&](const auto& one) {
    return one.text() == play.sweep.front();
  });
  if (setting == settings.end()) {
    return fail(ErrorKind::kInput, fmt::format("{} has no setting {} in its sweep", task.id,
                                               quote(play.sweep.front())));
  }
  setting->apply(changed.workload);
  const std::uint64_t number = next_number(play);
  const std::string runs = kept.path(fmt::format("attempts/{}", number));
  std::error_code ignored;
  fs::remove_all(runs, ignored);
  play.attempts.push_back({number, task.id, AttemptState::kOpen, "", "", setting->words()});
  RETURN_IF_ERROR(kept.store());
  ASSIGN_OR_RETURN(TryPlan plan, try_plan(changed, task, checks, options, play_mark(play, number),
                                          runs, announcer));
  plan.intent.hypothesis += ": " + setting->text();
  ASSIGN_OR_RETURN(plan.before, timed_command(playbook, options.request.command));
  ASSIGN_OR_RETURN(plan.before, user_command(std::move(plan.before), work_folder));
  plan.before_folder = work_folder;
  plan.after_folder = work_folder;
  const auto tried = try_change(plan, announcer);
  PlayedAttempt& attempt = play.attempts.back();
  RETURN_IF_ERROR(end_attempt(attempt, tried));
  end_setting(play, attempt);
  announcer.say(fmt::format("attempt {}, {} with {}: {}: {}", number, task.id, setting->text(),
                            to_string(attempt.state), attempt.reason));
  return kept.store();
}

Result<void> keep_program(KeptPlay& kept, const PlayOptions& options) {
  constexpr std::size_t kMagicBytes = 4;
  const auto command = user_command(options.request.command, "");
  Play& play = kept.play();
  play.program.clear();
  if (!command || options.request.command.front().find('/') == std::string::npos) return {};
  const std::string& program = command->front();
  // An interpreter's script is not all of a program, so only what was compiled is copied.
  if (read_piece(program, 0, kMagicBytes) !=
      "\x7f"
      "ELF")
    return {};
  std::error_code error;
  fs::create_directories(kept.path("before"), error);
  const std::string copy = kept.path("before/" + fs::path(program).filename().string());
  fs::copy_file(program, copy, fs::copy_options::overwrite_existing, error);
  if (error) {
    return fail(ErrorKind::kStorage,
                fmt::format("cannot copy {}: {}", quote(program), error.message()));
  }
  play.program = kept.relative(copy);
  return {};
}

Result<std::optional<TryResult>> attempt_in_place(const Playbook& playbook, const CheckRun& checks,
                                                  const std::string& task, KeptPlay& kept,
                                                  const PlayOptions& options,
                                                  Announcer& announcer) {
  Play& play = kept.play();
  ASSIGN_OR_RETURN(auto command, user_command(options.request.command, ""));
  const std::string copy = play.program.empty() ? "" : kept.path(play.program);
  if (!copy.empty() && options.a.empty()) {
    const auto before = file_sha256(copy);
    const auto now = file_sha256(command.front());
    if (before && now && *before == *now && play.request.command == options.request.command) {
      return std::optional<TryResult>();
    }
  }
  const std::uint64_t number = next_number(play);
  const std::string runs = kept.path(fmt::format("attempts/{}", number));
  ASSIGN_OR_RETURN(TryPlan plan, try_plan(playbook, *playbook.find_task(task), checks, options,
                                          play_mark(play, number), runs, announcer));
  if (!options.a.empty()) {
    ASSIGN_OR_RETURN(auto words, split_command(options.a));
    ASSIGN_OR_RETURN(plan.before, timed_command(playbook, std::move(words)));
  } else if (!copy.empty()) {
    ASSIGN_OR_RETURN(plan.before, timed_command(playbook, play.request.command));
    plan.before.front() = copy;
  } else {
    const auto measured =
        std::find_if(play.steps.begin(), play.steps.end(), [](const PlayedStep& step) {
          return step.does == PhaseKind::kBench && step.in_case.empty() && !step.evidence.empty();
        });
    if (measured == play.steps.end()) {
      return fail(ErrorKind::kUsage,
                  fmt::format("the program before the change is needed: {} CMD (no copy of it was "
                              "kept, and no benchmark either)",
                              option("a")));
    }
    announcer.say(
        "the program before the change is not there any more: compared with its stored "
        "measurement, which sees less");
    ASSIGN_OR_RETURN(auto series, read_benchmark(kept.path(measured->evidence.front()), {}));
    plan.measured_before = std::move(series.sides.front());
  }
  play.attempts.push_back({number, task, AttemptState::kOpen, "", ""});
  RETURN_IF_ERROR(kept.store());
  auto tried = try_change(plan, announcer);
  RETURN_IF_ERROR(end_attempt(play.attempts.back(), tried));
  RETURN_IF_ERROR(kept.store());
  if (!tried) return tl::make_unexpected(tried.error());
  return std::optional<TryResult>(std::move(*tried));
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline runs [list|show NAME|prune]`: the runs that are kept on the disk.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "views/machine/runs_document.h"
#include "workflow/runs/kept_runs.h"
#include "workflow/runs/prune_runs.h"

namespace proofline {
namespace {

struct RunsFlags {
  std::vector<std::string> words;  // the action and what belongs to it
  std::size_t limit = 0;
  std::string older_than;
  PrunePlan plan;
};

struct RunsAction {
  const RunsFlags& flags;
  const OutputFlags& output;
  Context& context;
};

Result<ExitCode> list_runs(RunsAction& action) {
  const std::vector<KeptRun> runs = kept_runs(action.flags.plan.places);
  const std::size_t limit = action.flags.limit;
  present({.document = [&] { return compose_runs(runs, limit); },
           .json = [&](JsonWriter& json) { write_record(first_runs(runs, limit), json); },
           .rows = [&] { return compose_runs_rows(runs, limit); }},
          action.output, action.context);
  return ExitCode::kDone;
}

Result<ExitCode> show_run(RunsAction& action) {
  ASSIGN_OR_RETURN(const auto details,
                   describe_kept_run(action.flags.plan.places, action.flags.words[1]));
  present({.document = [&] { return compose_run_details(details); },
           .json = [&](JsonWriter& json) { write_record(details, json); },
           .rows = [&] { return compose_run_files_rows(details); }},
          action.output, action.context);
  return ExitCode::kDone;
}

Result<ExitCode> prune(RunsAction& action) {
  PrunePlan plan = action.flags.plan;
  if (!action.flags.older_than.empty()) {
    ASSIGN_OR_RETURN(plan.older_than, parse_age(action.flags.older_than));
  }
  const int asked = int{plan.older_than.has_value()} + int{plan.keep.has_value()} +
                    int{plan.max_bytes.has_value()};
  if (asked != 1) {
    return fail(ErrorKind::kUsage,
                "'runs prune' takes one of --older-than 30d, --keep N and --max-size 2gb");
  }
  ASSIGN_OR_RETURN(const auto pruned, prune_runs(plan));
  present({.document = [&] { return compose_pruned(pruned); },
           .json = [&](JsonWriter& json) { write_record(pruned, json); },
           .rows = [&] { return compose_pruned_rows(pruned); },
           .headline = pruned_headline(pruned),
           .notes = pruned.notes},
          action.output, action.context);
  return exit_code_after(pruned.notes);
}

struct RunsActionEntry {
  std::string_view name;
  std::string_view argument;  // as the help shows it; "" none
  std::string_view flags;     // its own, each with a space before and behind
  Result<ExitCode> (*run)(RunsAction&);
};

constexpr RunsActionEntry kRunsActions[] = {
    {"list", "", " --limit ", list_runs},
    {"show", "NAME", "", show_run},
    {"prune", "", " --older-than --keep --max-size --dry-run --journal ", prune},
};

constexpr std::string_view kOwnFlags =
    " --limit --older-than --keep --max-size --dry-run --journal ";

Result<ExitCode> run(const RunsFlags& flags, const OutputFlags& output, const Flags& line,
                     Context& context) {
  const std::string name = flags.words.empty() ? "list" : flags.words.front();
  const auto* entry = std::find_if(std::begin(kRunsActions), std::end(kRunsActions),
                                   [&](const RunsActionEntry& one) { return one.name == name; });
  if (entry == std::end(kRunsActions)) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} is no action of runs: give list, show NAME or prune", quote(name)));
  }
  const std::size_t arguments = flags.words.empty() ? 0 : flags.words.size() - 1;
  if (arguments != (entry->argument.empty() ? 0U : 1U)) {
    return fail(ErrorKind::kUsage, entry->argument.empty()
                                       ? fmt::format("'runs {}' takes no argument", name)
                                       : fmt::format("write 'runs {} {}'", name, entry->argument));
  }
  for (const std::string& flag : line.given()) {
    const std::string word = fmt::format(" {} ", flag);
    if (kOwnFlags.find(word) == std::string_view::npos) continue;
    if (entry->flags.find(word) != std::string_view::npos) continue;
    return fail(ErrorKind::kUsage, fmt::format("'runs {}' does not take {}", name, flag));
  }
  for (const std::string& flag : line.given()) {
    const RunPlaces& places = flags.plan.places;
    const std::string* place = flag == "--runs"    ? &places.runs
                               : flag == "--plays" ? &places.plays
                                                   : nullptr;
    std::error_code ignored;
    if (place == nullptr || std::filesystem::is_directory(*place, ignored)) continue;
    return fail(ErrorKind::kInput, fmt::format("{}: no folder {}", flag, quote(*place)));
  }
  RunsAction action{flags, output, context};
  return entry->run(action);
}

Run configure_runs(Flags line) {
  auto flags = std::make_shared<RunsFlags>();
  PrunePlan& plan = flags->plan;
  line.add("ACTION", flags->words, "What to do: list, show NAME or prune; default list")
      .shown_as("list|show|prune");
  line.add("--limit", flags->limit, "Of 'list': only the newest N")
      .in_range(1, 1000000)
      .shown_as("N");
  line.add("--older-than", flags->older_than, "Of 'prune': remove runs older than 12h, 30d or 8w")
      .shown_as("AGE");
  line.add("--keep", plan.keep, "Of 'prune': remove all but the newest N")
      .in_range(1, 1000000)
      .shown_as("N");
  line.add_size("--max-size", plan.max_bytes,
                "Of 'prune': remove the oldest until the rest takes no more (suffix kb, mb, gb)")
      .shown_as("SIZE");
  line.add_switch("--dry-run", plan.dry_run, "Of 'prune': say what would go and remove nothing");
  line.add("--runs", plan.places.runs, "Where runs are kept").shown_as("DIR").with_default();
  line.add("--plays", plan.places.plays, "Where plays are kept").shown_as("DIR").with_default();
  add_journal_flag(line, plan.journal);
  auto output = add_output_flags(line);
  return [flags, output, line](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, line, context);
  };
}

}  // namespace

Command runs_command() {
  return {"runs", CommandGroup::kRemember, "List, show and remove the runs that are kept on disk",
          "  proofline runs --limit 20\n"
          "      the newest runs and plays: what was run, how it ended, how much disk it takes\n"
          "  proofline runs show 20261117T1015\n"
          "      its steps and files, and the commands that read them; the start of the name is\n"
          "      enough\n"
          "  proofline runs prune --older-than 30d --dry-run\n"
          "      what would go; runs that the journal, a baseline or a play refers to stay\n"
          "  proofline runs prune --max-size 2gb\n"
          "      removes the oldest until the rest fits\n",
          configure_runs};
}

}  // namespace proofline

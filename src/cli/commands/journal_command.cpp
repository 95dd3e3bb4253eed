// SPDX-License-Identifier: Apache-2.0
//
// `proofline journal ACTION`: what was tried, what was expected, what it gave.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/journal/journal_actions.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "workflow/journal/journal_place.h"

namespace proofline {
namespace {

struct Action {
  std::string_view name;
  std::string_view arguments;  // as the help shows them
  std::size_t fewest;
  std::size_t most;
  std::string_view flags;  // its own, each with a space before and behind
  Result<ExitCode> (*run)(JournalAction&);
};

constexpr Action kActions[] = {
    {"list", "", 0, 0, " --state --kind --since --grep --limit ", list_attempts},
    {"show", "ID", 1, 1, "", show_attempt},
    {"export", "", 0, 0, " --state --kind --since --grep --limit --out ", export_attempts},
    {"regressions", "", 0, 0, "", list_regressions},
    {"open", "HYPOTHESIS", 1, 1, " --expect --kind --risk ", open_attempt},
    {"note", "TEXT", 1, 1, " --attempt ", add_note},
    {"close", "ID", 1, 1, " --state --reason ", close_attempt},
    {"baseline", "list | show NAME | set NAME FILE", 1, 3, " --side ", manage_baselines},
    {"verify", "", 0, 0, "", verify_chains},
    {"sync", "", 0, 0, " --to --from ", sync_journals},
};

constexpr std::string_view kEveryActionsFlags =
    " --help --quiet --journal --format --color --width --no-pager ";

Result<void> check(const Action& action, const JournalFlags& flags,
                   const std::vector<std::string>& given) {
  const std::size_t arguments = flags.texts.size();
  if (arguments < action.fewest || arguments > action.most) {
    return fail(ErrorKind::kUsage,
                action.most == 0
                    ? fmt::format("'journal {}' takes no argument", action.name)
                    : fmt::format("write 'journal {} {}'{}", action.name, action.arguments,
                                  arguments > 1 ? "; a text of several words goes in quotes" : ""));
  }
  for (const std::string& flag : given) {
    const std::string name = fmt::format(" {} ", flag);
    if (kEveryActionsFlags.find(name) != std::string_view::npos) continue;
    if (action.flags.find(name) != std::string_view::npos) continue;
    return fail(ErrorKind::kUsage, fmt::format("'journal {}' does not take {}", action.name, flag));
  }
  return {};
}

Result<ExitCode> run(const JournalFlags& flags, const OutputFlags& output, const Flags& line,
                     Context& context) {
  const auto* action = std::find_if(std::begin(kActions), std::end(kActions),
                                    [&](const Action& one) { return one.name == flags.action; });
  const std::vector<std::string> given = line.given();
  RETURN_IF_ERROR(check(*action, flags, given));
  JournalAction request{flags, output, std::count(given.begin(), given.end(), "--format") > 0,
                        context};
  return action->run(request);
}

void add_flags(Flags line, JournalFlags& flags) {
  std::vector<std::string> names;
  for (const Action& action : kActions) names.emplace_back(action.name);
  line.add("ACTION", flags.action, "What to do")
      .one_of(names)
      .shown_as(fmt::format("{}", fmt::join(names, "|")))
      .with_default();
  line.add(
      "TEXT", flags.texts,
      "Of 'show' and 'close': an attempt's id; of 'open': the hypothesis; of 'note': the note; "
      "of 'baseline': list, show NAME or set NAME FILE");
  add_journal_flag(line, flags.journal);
  line.add("--state", flags.choice.states,
           "Only attempts that are open, kept, no-difference, reverted, inconclusive, invalid, "
           "failed or abandoned; of 'close': what it is from now on, default abandoned")
      .shown_as("STATE,...")
      .separated_by(',')
      .one_at_a_time();
  line.add("--kind", flags.choice.kind, "Only this kind of change; of 'open': its kind")
      .shown_as("KIND");
  line.add("--since", flags.choice.since,
           "Only attempts opened since then: 2026-11-01 or 2026-11-01T12:30, in UTC")
      .shown_as("DATE");
  line.add("--grep", flags.choice.grep, "Only attempts with this text in what is said of them")
      .shown_as("TEXT");
  line.add("--limit", flags.choice.limit, "Only the last N; default: all")
      .in_range(1, 1000000)
      .shown_as("N");
  line.add("-o,--out", flags.out, "Of 'export': the file to write; default standard output")
      .shown_as("FILE")
      .not_for_agents();
  line.add("--expect", flags.expect,
           "Of 'open': time saved (15%, 10-20%) or speed-up (1.3x, 1.2x-1.5x)")
      .shown_as("GAIN");
  line.add("--risk", flags.risk, "Of 'open': what could go wrong").shown_as("TEXT");
  line.add("--attempt", flags.attempt, "Of 'note': the attempt that it belongs to").shown_as("ID");
  line.add("--reason", flags.reason, "Of 'close': why").shown_as("TEXT");
  line.add("--side", flags.side,
           "Of 'baseline set': the side of a file that has several, by its label")
      .shown_as("LABEL")
      .not_for_agents();
  line.add("--to", flags.to, "Of 'sync': the journal to give entries to that it lacks")
      .shown_as("WHERE")
      .not_for_agents();
  line.add("--from", flags.from, "Of 'sync': the journal to take entries from that this one lacks")
      .shown_as("WHERE")
      .not_for_agents();
}

Run configure_journal(Flags line) {
  auto flags = std::make_shared<JournalFlags>();
  add_flags(line, *flags);
  auto output = add_output_flags(line);
  return [flags, output, line](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, line, context);
  };
}

}  // namespace

Command journal_command() {
  return {"journal",
          CommandGroup::kRemember,
          "List, search and export what was tried and what it gave",
          "  proofline journal --state kept,reverted --since 2026-11-01\n"
          "      the attempts, expected against realised gain\n"
          "  proofline journal show 3f2a90c1\n"
          "      all that is known of one; the start of its id is enough\n"
          "  proofline journal export --out OPTIMIZATIONS.md\n"
          "      attempts by outcome with the reasons, and how well expectations were met\n"
          "  proofline journal open 'vector loads' --expect 10-20% --kind loads\n"
          "  proofline journal note 'spills at 168 registers' --attempt 3f2a90c1\n"
          "  proofline journal close 3f2a90c1 --reason 'needs a new layout first'\n"
          "      an attempt that is made by hand; 'open' prints its id\n"
          "  proofline journal baseline set release-1.2 bench.json\n"
          "      a name for measurements to compare with; 'baseline list', 'baseline show NAME'\n"
          "  proofline journal sync --to postgresql://team-server/kernels\n"
          "      gives the team what it lacks; can be repeated at any time\n"
          "  proofline journal sync --journal postgresql://team-server/kernels\n"
          "      delivers what was written while the server could not be reached\n"
          "  proofline journal verify\n"
          "      exit code 7 where an entry was changed, lost or put in between\n",
          configure_journal,
          AgentTool{.writes = true}};
}

}  // namespace proofline

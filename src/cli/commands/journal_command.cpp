// SPDX-License-Identifier: Apache-2.0
//
// `proofline journal ACTION`: what was tried, what was expected, what it gave.
#include <fmt/format.h>

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
    {"open", "HYPOTHESIS", 1, 1, " --expect --kind --risk ", open_attempt},
    {"note", "TEXT", 1, 1, " --attempt ", add_note},
    {"close", "ID", 1, 1, " --state --reason ", close_attempt},
    {"baseline", "list | show NAME | set NAME FILE", 1, 3, " --side ", manage_baselines},
    {"verify", "", 0, 0, "", verify_chains},
    {"sync", "", 0, 0, " --to --from ", sync_journals},
};

constexpr std::string_view kEveryActionsFlags = " --help --journal --format --color --width ";

Result<void> check(const Action& action, const JournalFlags& flags, const CLI::App& app) {
  const std::size_t arguments = flags.words.empty() ? 0 : flags.words.size() - 1;
  if (arguments < action.fewest || arguments > action.most) {
    return fail(ErrorKind::kUsage,
                action.most == 0
                    ? fmt::format("'journal {}' takes no argument", action.name)
                    : fmt::format("write 'journal {} {}'{}", action.name, action.arguments,
                                  arguments > 1 ? "; a text of several words goes in quotes" : ""));
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || option->count() == 0) continue;
    const std::string name = fmt::format(" --{} ", option->get_lnames().front());
    if (kEveryActionsFlags.find(name) != std::string_view::npos) continue;
    if (action.flags.find(name) != std::string_view::npos) continue;
    return fail(ErrorKind::kUsage,
                fmt::format("'journal {}' does not take {}", action.name, trim(name)));
  }
  return {};
}

Result<ExitCode> run(const JournalFlags& flags, const OutputFlags& output, const CLI::App& app,
                     Context& context) {
  const std::string name = flags.words.empty() ? "list" : flags.words.front();
  const auto* action = std::find_if(std::begin(kActions), std::end(kActions),
                                    [&](const Action& one) { return one.name == name; });
  if (action == std::end(kActions)) {
    return fail(ErrorKind::kUsage,
                fmt::format("'journal' cannot {}; see 'proofline help journal'", quote(name)));
  }
  RETURN_IF_ERROR(check(*action, flags, app));
  JournalAction request{flags, flags.words, output, app.get_option("--format")->count() > 0,
                        context};
  if (!request.arguments.empty()) request.arguments.erase(request.arguments.begin());
  return action->run(request);
}

void add_flags(CLI::App& app, JournalFlags& flags) {
  std::string choices;
  for (const Action& action : kActions) {
    if (!choices.empty()) choices += '|';
    choices += action.name;
  }
  app.add_option("ACTION", flags.words, "What to do; default list. One of " + choices)
      ->type_name(choices);
  add_journal_flag(app, flags.journal);
  app.add_option("--state", flags.choice.states,
                 "Only attempts that are open, kept, reverted, inconclusive, invalid, failed or "
                 "abandoned; of 'close': what it is from now on, default abandoned")
      ->type_name("STATE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--kind", flags.choice.kind, "Only this kind of change; of 'open': its kind")
      ->type_name("KIND");
  app.add_option("--since", flags.choice.since,
                 "Only attempts opened since then: 2026-11-01 or 2026-11-01T12:30, in UTC")
      ->type_name("DATE");
  app.add_option("--grep", flags.choice.grep,
                 "Only attempts with this text in what is said of them")
      ->type_name("TEXT");
  app.add_option("--limit", flags.choice.limit, "Only the last so many; default all")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  app.add_option("--out", flags.out, "Of 'export': the file to write; default standard output")
      ->type_name("FILE");
  app.add_option("--expect", flags.expect,
                 "Of 'open': time saved (15%, 10-20%) or speed-up (1.3x, 1.2x-1.5x)")
      ->type_name("GAIN");
  app.add_option("--risk", flags.risk, "Of 'open': what could go wrong")->type_name("TEXT");
  app.add_option("--attempt", flags.attempt, "Of 'note': the attempt that it belongs to")
      ->type_name("ID");
  app.add_option("--reason", flags.reason, "Of 'close': why")->type_name("TEXT");
  app.add_option("--side", flags.side,
                 "Of 'baseline set': the side of a file that has several, by its label")
      ->type_name("LABEL");
  app.add_option("--to", flags.to, "Of 'sync': the journal that gets what it lacks")
      ->type_name("WHERE");
  app.add_option("--from", flags.from, "Of 'sync': the journal that this one gets entries of")
      ->type_name("WHERE");
}

Run configure_journal(CLI::App& app) {
  auto flags = std::make_shared<JournalFlags>();
  add_flags(app, *flags);
  auto output = add_output_flags(app);
  return [flags, output, &app](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, app, context);
  };
}

}  // namespace

Command journal_command() {
  return {"journal", "What was tried, what was expected of it, and what it gave",
          "  proofline journal --state kept,reverted --since 2026-11-01\n"
          "      the attempts, expected against realised gain\n"
          "  proofline journal show 3f2a90c1\n"
          "      all that is known of one; the start of its id is enough\n"
          "  proofline journal export --out OPTIMIZATIONS.md\n"
          "      attempts by outcome with the reasons, and how well expectations were met\n"
          "  proofline journal open 'vector loads in the epilogue' --expect 10-20% --kind loads\n"
          "  proofline journal note 'spills at 168 registers' --attempt 3f2a90c1\n"
          "  proofline journal close 3f2a90c1 --reason 'needs a new layout first'\n"
          "      an attempt that is made by hand; 'open' prints its id\n"
          "  proofline journal baseline set release-1.2 bench.json\n"
          "      a name for measurements to compare with; 'baseline list', 'baseline show NAME'\n"
          "  proofline journal sync --to postgresql://team-server/kernels\n"
          "      gives the team what it lacks; can be repeated at any time\n"
          "  proofline journal verify\n"
          "      exit code 7 where an entry was changed, lost or put in between\n",
          configure_journal};
}

}  // namespace proofline

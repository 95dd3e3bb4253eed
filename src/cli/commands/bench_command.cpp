// SPDX-License-Identifier: Apache-2.0
//
// `proofline bench --a CMD --b CMD`, `proofline bench -- CMD`: measures programs in turn and says
// what differs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "views/measurement/benchmark_document.h"
#include "views/measurement/benchmark_rows.h"
#include "views/measurement/decision_document.h"
#include "workflow/bench/bench_session.h"

namespace proofline {
namespace {

struct SideFlags {
  std::vector<std::string> command;  // after --
  std::optional<std::string> a;
  std::optional<std::string> b;
  std::vector<std::string> named;  // NAME=CMD
  bool gate = false;
};

// Files are named after it; a dot sets apart what belongs to no counted start.
bool is_label(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !text.empty() && text.size() <= 32 &&
         text.find_first_not_of(kPlain) == std::string_view::npos;
}

// A side by its name and its command: in one string, or in words.
using GivenSide =
    std::pair<std::string_view, std::variant<std::string_view, std::vector<std::string>>>;

Result<std::vector<RunSide>> read_sides(const SideFlags& flags) {
  std::vector<GivenSide> given;
  if (flags.a) given.emplace_back("a", *flags.a);
  if (flags.b) given.emplace_back("b", *flags.b);
  // As in `try`: beside --a it is the program after the change.
  if (!flags.command.empty()) given.emplace_back(flags.a ? "b" : "a", flags.command);
  for (const std::string_view text : flags.named) {
    const std::size_t equals = text.find('=');
    const std::string_view label = text.substr(0, equals);
    if (equals == std::string_view::npos || !is_label(label)) {
      return fail(ErrorKind::kUsage,
                  fmt::format("--side {} must be NAME=CMD, with a name of at most 32 letters, "
                              "digits, - and _",
                              quote(text)));
    }
    given.emplace_back(label, text.substr(equals + 1));
  }
  if (given.empty()) {
    return fail(ErrorKind::kUsage,
                "no command to measure; -- CMD measures one, --a 'CMD' --b 'CMD' compares two");
  }
  std::vector<RunSide> sides;
  for (const auto& [label, command] : given) {
    const bool taken = std::any_of(sides.begin(), sides.end(), [name = label](const RunSide& side) {
      return side.label == name;
    });
    if (taken) {
      return fail(ErrorKind::kUsage, fmt::format("there are two sides with the name {}", label));
    }
    ASSIGN_OR_RETURN(
        auto side,
        std::visit([name = label](const auto& text) { return command_side(name, text); }, command));
    sides.push_back(std::move(side));
  }
  return sides;
}

Document compose_bench(const BenchRun& run, const std::vector<Decision>& decisions) {
  Document document;
  const std::vector<BenchmarkSide>& sides = run.series.sides;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (decisions.size() > 1) {
      document.blocks.emplace_back(
          Heading{fmt::format("{} against {}", sides[i + 1].label, sides.front().label)});
    }
    append(compose_decision(decisions[i]), document);
  }
  // What was measured, below what follows from it.
  append(compose_benchmark(run.series), document);
  document.blocks.emplace_back(Properties{{{"files", run.folder}}});
  return document;
}

Result<ExitCode> run(const SideFlags& side_flags, const BenchPlan& flags, const OutputFlags& output,
                     Context& context) {
  const auto sides = read_sides(side_flags);
  RETURN_IF_ERROR(sides);
  if (side_flags.gate && sides->size() != 2) {
    return fail(ErrorKind::kUsage, "--gate needs two sides; give --a and --b");
  }
  if (flags.run.dry_run) {
    context.out.write(describe_schedule(flags, *sides));
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const auto measured, measure_sides(flags, *sides, context.announcer));
  const std::vector<Decision> decisions = decide_against_first(measured.series, flags.decide);
  const std::vector<Note> notes = notes_of(measured.series);
  present({.document = [&] { return compose_bench(measured, decisions); },
           .json =
               [&](JsonWriter& json) {
                 write_record(BenchResult{&measured, decisions}, json);
               },
           .rows = [&] { return compose_benchmark_rows(measured.series); },
           .notes = notes},
          output, context);
  return side_flags.gate ? exit_code_after(decisions.front()) : exit_code_after(notes);
}

Run configure_bench(Flags line) {
  auto sides = std::make_shared<SideFlags>();
  auto flags = std::make_shared<BenchPlan>();
  line.add("CMD", sides->command,
           "One program and its arguments, after --; beside --a the program after the change");
  line.add("--a", sides->a,
           "The program before the change with its arguments, in one string; split by "
           "quotes, no shell is started")
      .shown_as("CMD");
  line.add("--b", sides->b, "The program after the change").shown_as("CMD");
  line.add("--side", sides->named, "One more; may be repeated")
      .shown_as("NAME=CMD")
      .one_at_a_time();
  add_starts_flags(line, *flags);
  line.add_switch("--gate", sides->gate,
                  "Exit code by the decision: 0 KEEP (4 where something was lost), 1 REVERT, 11 NO "
                  "DIFFERENCE (0 with --keep-same), 10 INCONCLUSIVE, 3 INVALID");
  add_decision_flags(line, flags->decide);
  add_bench_flags(line, *flags);
  auto output = add_output_flags(line);
  return [sides, flags, output](Context& context) -> Result<ExitCode> {
    return run(*sides, *flags, *output, context);
  };
}

}  // namespace

Command bench_command() {
  return {
      "bench",
      CommandGroup::kDecide,
      "Time two programs alternately and decide which is faster",
      "  proofline bench --a './gemm_old --n 4096' --b './gemm_new --n 4096'\n"
      "      A B B A or B A A B, by chance, until it is clear: KEEP, REVERT or NO DIFFERENCE\n"
      "  proofline bench -- ./gemm --n 4096\n"
      "      one program: its median time and how sure that is\n"
      "  proofline bench --a ./old --b ./new --time-by cupti -k gemm --starts 20\n"
      "      programs that do not measure themselves, by the GPU time of their kernels\n"
      "  proofline bench --side v1=./v1 --side v2=./v2 --side v3='./v3 --tiles 4'\n"
      "      more than two: each against the first, at a confidence that holds for all of them\n"
      "  proofline bench --a ./old --b ./new --gate --format json > result.json\n"
      "      a gate: exit code 0 KEEP, 1 REVERT, 11 NO DIFFERENCE, 10 INCONCLUSIVE, 3 INVALID\n"
      "  proofline bench --a ./old --b ./new --gate --keep-same --threshold 2%\n"
      "      a gate for clean-ups: exit code 0 unless it is slower by more than 2 %\n",
      configure_bench,
      AgentTool{.more = "KEEP, REVERT, NO DIFFERENCE or INCONCLUSIVE. Runs the commands that you "
                        "give; takes minutes.",
                .writes = true,
                .runs_programs = true}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline decide A B`: keep a change or revert it, by its measured duration.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/percent_flag.h"
#include "diagnosis/decision/decide.h"
#include "diagnosis/decision/decide_explain.h"
#include "views/measurement/decision_document.h"
#include "views/measurement/decision_json.h"
#include "workflow/decide/decide_inputs.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {
namespace {

struct DecideFlags {
  std::vector<std::string> files;
  std::string a;
  std::string b;
  std::string profile_a;
  std::string profile_b;
  std::vector<std::string> sanitizer;
  DecideOptions options;
};

Result<Decision> decide_files(const DecideFlags& flags, const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto sides, read_sides(flags.files, flags.a, flags.b, limits));
  DecideEvidence evidence;
  Result<ProfileComparison> profiles;
  if (!flags.profile_a.empty()) {
    profiles = compare_profile_files(flags.profile_a, flags.profile_b, flags.options.force, limits);
    if (!profiles) return tl::make_unexpected(profiles.error());
    evidence.profiles = &*profiles;
  }
  Result<SanitizerRun> sanitizer;
  if (!flags.sanitizer.empty()) {
    sanitizer = read_sanitizer_logs(flags.sanitizer, limits);
    if (!sanitizer) return tl::make_unexpected(sanitizer.error());
    evidence.sanitizer = &*sanitizer;
  }
  Decision decision = decide(sides.a, sides.b, sides.interleaved, flags.options, evidence);
  decision.a_label = sides.a_label;
  decision.b_label = sides.b_label;
  if (evidence.profiles != nullptr) {
    if (const auto code = compare_report_code(flags.profile_a, flags.profile_b, limits)) {
      explain_by_code(code->a, code->b, code->comparison, decision);
    }
  }
  return decision;
}

Result<ExitCode> run(const DecideFlags& flags, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  if (flags.profile_a.empty() != flags.profile_b.empty()) {
    return fail(ErrorKind::kUsage, "--profile-a and --profile-b go together");
  }
  ASSIGN_OR_RETURN(const auto decision, decide_files(flags, limits));
  const bool csv = output.format == "csv";
  if (csv) {
    fmt::print(stderr, "proofline: {}: {}\n", to_string(decision.verdict),
               escape_terminal(decision.reason));
    print_notes(decision.notes);
  }
  present({[&] { return csv ? compose_decision_rows(decision) : compose_decision(decision); },
           [&](JsonWriter& json) { write_decision_json(decision, json); }},
          output, context);
  return exit_code_after(decision);
}

Run configure_decide(CLI::App& app) {
  auto flags = std::make_shared<DecideFlags>();
  app.add_option(
         "FILE", flags->files,
         "Results of the benchmark before and after the change: of proofline bench, nvbench "
         "or Google Benchmark; or one file with both")
      ->required()
      ->expected(1, 2);
  app.add_option("--a", flags->a,
                 "What is before the change: a side's label, an implementation or a benchmark")
      ->type_name("NAME");
  app.add_option("--b", flags->b, "What is after the change")->type_name("NAME");
  app.add_option("--profile-a", flags->profile_a,
                 "A profile of A; with one of B it explains the difference, and decides nothing")
      ->type_name("FILE");
  app.add_option("--profile-b", flags->profile_b, "A profile of B")->type_name("FILE");
  app.add_option("--sanitizer", flags->sanitizer,
                 "A log of compute-sanitizer on B; errors in it revert the change")
      ->type_name("FILE")
      ->allow_extra_args(false);
  DecideOptions& options = flags->options;
  add_percent_flag(app, "--threshold", options.threshold, {0, 50},
                   "Changes below this do not matter");
  add_percent_flag(app, "--confidence", options.confidence, {50, 99.99},
                   "That no configuration is called changed by chance");
  add_percent_flag(app, "--clear-gain", options.clear_gain, {0, 99},
                   "From this share of time saved on, a gain is clear");
  app.add_flag("--keep-same", options.keep_same,
               "Keep what changes nothing: a clean-up that must not cost");
  app.add_flag("--force", options.force,
               "Decide although GPU, driver, clock lock, method or inputs differ");
  auto output = add_output_flags(app);
  auto limits = add_input_flags(app);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, *limits, context);
  };
}

}  // namespace

Command decide_command() {
  return {"decide",
          "KEEP, REVERT, INCONCLUSIVE or INVALID: what becomes of a change, by its duration",
          "  proofline decide before.json after.json\n"
          "      exit code 0 KEEP (4 where part of a file was lost), 1 REVERT, 10 INCONCLUSIVE, 3 "
          "INVALID\n"
          "  proofline decide result.json --a naive --b tiled\n"
          "      two implementations in one file\n"
          "  proofline decide before.json after.json --profile-a before.ncu-rep --profile-b "
          "after.ncu-rep\n"
          "      with what explains the difference: stalls, registers, occupancy, machine code\n"
          "  proofline decide before.json after.json --sanitizer memcheck.log --keep-same\n"
          "      a clean-up: no errors in it, and no slower than before\n",
          configure_decide};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline sass FILE`: what the compiler made of a kernel, and whether it is what was meant.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "views/code/code_document.h"
#include "views/code/code_rows.h"
#include "views/code/source_view.h"
#include "workflow/code/analysed_code.h"
#include "workflow/code/claims.h"
#include "workflow/code/flow_picture.h"

namespace proofline {
namespace {

struct SassFlags {
  std::string file;
  CodeOptions code;
  std::vector<std::string> expected;
  std::vector<std::string> forbidden;
  std::string picture;  // a file to write; "" none
  bool all = false;
  bool listing = false;
  bool source = false;
};

// A failed expectation trips the gate; where none failed, one that could not be judged leaves the
// answer open.
ExitCode exit_code_of(const CodeReport& report) {
  bool unknown = false;
  for (const FunctionReport& function : report.functions) {
    for (const ExpectationReport& one : function.expectations) {
      if (one.result.verdict == ExpectationVerdict::kFail) return ExitCode::kFailed;
      unknown = unknown || one.result.verdict == ExpectationVerdict::kUnknown;
    }
  }
  return unknown ? ExitCode::kInconclusive : exit_code_after(report.notes);
}

Document rows_of(const CodeReport& report, const SassFlags& flags, bool source) {
  if (source) return compose_source_rows(report);
  return flags.listing ? compose_listing_rows(report) : compose_code_rows(report);
}

Result<ExitCode> run(const SassFlags& flags, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  ASSIGN_OR_RETURN(const auto claims,
                   parse_claims(flags.expected, flags.forbidden, context.announcer));
  const bool pictured = !flags.picture.empty();
  const bool source = flags.source || !flags.code.source_folder.empty();
  const CodeDemand demand = {
      .listing = flags.listing, .source = source, .functions = pictured, .claims = claims};
  ASSIGN_OR_RETURN(const auto side, analyse_code(flags.file, flags.code, demand, limits));
  const CodeReport& report = side.report;
  if (pictured) {
    RETURN_IF_ERROR(draw_flow(report, side.functions, flags.picture));
    context.announcer.say(fmt::format("control flow of {} drawn into {}",
                                      quote(report.functions.front().shown), quote(flags.picture)));
  }
  present({.document = [&] { return compose_code(report, {flags.all}); },
           .json = [&](JsonWriter& json) { write_record(report, json); },
           .rows = [&] { return rows_of(report, flags, source); },
           .notes = report.notes},
          output, context);
  return exit_code_of(report);
}

Run configure_sass(Flags line) {
  auto flags = std::make_shared<SassFlags>();
  line.add("FILE", flags->file,
           "A listing (cuobjdump -sass, nvdisasm), cubin, fatbin, program, library or "
           "report, or a folder of Triton's cache; - reads standard input")
      .required();
  add_code_flags(line, flags->code);
  line.add("--expect", flags->expected,
           "What the code must have, such as 'HGMMA >= 4 in loop'; may be repeated")
      .shown_as("PATTERN")
      .one_at_a_time();
  line.add("--forbid", flags->forbidden,
           "What it must not have, such as 'spill' or 'FENCE after LDTM'; may be repeated")
      .shown_as("PATTERN")
      .one_at_a_time();
  line.add("--cfg", flags->picture,
           "Draw the control flow of one function into this file: Graphviz text (.dot), or, where "
           "dot is installed, a picture (.svg, .png, .pdf)")
      .shown_as("FILE")
      .not_for_agents();
  line.add_switch(
      "--listing", flags->listing,
      "Every instruction with its live registers, scoreboards, samples and source line");
  line.add_switch("--source", flags->source,
                  "Source lines beside the SASS that they became: samples, stalls, live registers, "
                  "lanes; needs -lineinfo");
  line.add("--source-folder", flags->code.source_folder,
           "Where the sources are, if not where the code says; turns --source on")
      .shown_as("DIR");
  line.add_switch("--all", flags->all,
                  "A screen for each function, however many there are, and every row of it")
      .not_for_agents();
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command sass_command() {
  return {"sass",
          CommandGroup::kReport,
          "Show what the compiler made: loops, widths, spills; assert on it",
          "  proofline sass kernel.cubin\n"
          "      instructions, loops, access widths, registers, local memory of each function\n"
          "  proofline sass report.ncu-rep --kernel gemm\n"
          "      the same with the samples: where warps wait, and for which instruction\n"
          "  proofline sass a.out --kernel gemm --expect 'HGMMA in loop' --forbid spill\n"
          "      a gate: exit code 1 where an assertion fails, 10 where one cannot be decided\n"
          "  proofline sass a.out --expect 'instructions <= 45 in loop of role epilogue'\n"
          "      of a warp role; also registers, stack, shared, lanes: docs/sass-patterns.md\n"
          "  proofline sass report.ncu-rep --kernel gemm --source\n"
          "      each hot source line with its instructions\n"
          "  cuobjdump -sass a.out | proofline sass - --cfg gemm.svg --kernel gemm\n"
          "      a listing, with a picture of the control flow\n",
          configure_sass,
          AgentTool{.more = "Also registers, warp roles and where warps wait.",
                    .always = "--disassembler=native"}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline sass FILE`: what the compiler made of a kernel, and whether it is what was meant.
#include <string>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/shared_flags.h"
#include "views/code/code_document.h"
#include "views/code/code_json.h"
#include "workflow/code/analysed_code.h"
#include "workflow/code/claims.h"
#include "workflow/code/flow_picture.h"

namespace proofline {
namespace {

struct SassFlags {
  std::string file;
  std::vector<std::string> expected;
  std::vector<std::string> forbidden;
  std::string picture;  // a file to write; "" none
  bool all = false;
  bool listing = false;
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

Result<ExitCode> run(const SassFlags& flags, const CodeOptions& code, const OutputFlags& output,
                     const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(const auto claims,
                   parse_claims(flags.expected, flags.forbidden, context.announcer));
  std::vector<FunctionReport> functions;
  std::vector<AnalysedFunction> pictured;
  ASSIGN_OR_RETURN(auto report, analyse_code(flags.file, code, flags.listing, limits,
                                             [&](FunctionReport&& one, AnalysedFunction&& function,
                                                 const OpcodeNames& opcodes) {
                                               check_claims(claims, function, opcodes, one);
                                               functions.push_back(std::move(one));
                                               if (!flags.picture.empty())
                                                 pictured.push_back(std::move(function));
                                             }));
  report.functions = std::move(functions);
  if (!flags.picture.empty()) {
    RETURN_IF_ERROR(draw_flow(report, pictured, flags.picture));
  }
  const bool csv = output.format == "csv";
  if (csv) print_notes(report.notes);
  present({[&] {
             if (!csv) return compose_code(report, {flags.all});
             return flags.listing ? compose_listing_rows(report) : compose_code_rows(report);
           },
           [&](JsonWriter& json) { write_code_json(report, json); }},
          output, context);
  return exit_code_of(report);
}

Run configure_sass(CLI::App& app) {
  auto flags = std::make_shared<SassFlags>();
  app.add_option("FILE", flags->file,
                 "A listing (cuobjdump -sass, nvdisasm), cubin, fatbin, program, library, or "
                 "report; - reads standard input")
      ->required();
  auto code = add_code_flags(app);
  app.add_option("--expect", flags->expected,
                 "What the code must have, such as 'HGMMA >= 8 in loop'; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--forbid", flags->forbidden,
                 "What it must not have, such as 'spill' or 'FENCE after LDTM'; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--cfg", flags->picture,
                 "Draw the control flow of one function into this file: Graphviz text, or a "
                 "picture where the name ends in .svg and dot is installed")
      ->type_name("FILE");
  app.add_flag("--listing", flags->listing,
               "Every instruction with its live registers, scoreboards, samples and source line");
  app.add_flag("--all", flags->all, "A screen for each function, however many there are");
  auto output = add_output_flags(app);
  auto limits = add_input_flags(app);
  return [flags, code, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *code, *output, *limits, context);
  };
}

}  // namespace

Command sass_command() {
  return {"sass", "What the compiler made of a kernel: loops, widths, spills, roles; assertions",
          "  proofline sass kernel.cubin\n"
          "      instructions, loops, access widths, registers, local memory of each function\n"
          "  proofline sass report.ncu-rep --function gemm\n"
          "      the same with the samples: where warps wait, and for which instruction\n"
          "  proofline sass a.out --function gemm --expect 'HGMMA in loop' --forbid spill\n"
          "      a gate: exit code 1 where the code is not what was meant\n"
          "  cuobjdump -sass a.out | proofline sass - --cfg gemm.svg --function gemm\n"
          "      a listing, with a picture of the control flow\n",
          configure_sass};
}

}  // namespace proofline

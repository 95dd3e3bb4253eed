// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>

#include "base/propagate.h"
#include "base/whole_file.h"
#include "tools/process/run_folder.h"
#include "views/code/code_document.h"
#include "views/view.h"
#include "workflow/code/analysed_code.h"
#include "workflow/code/flow_picture.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

Result<StepOutcome> run_sass(const StepTask& task, Announcer&) {
  if (task.reports.empty()) return skipped_step("there is no profile to take the code from");
  CodeOptions options;
  options.disassembler = "native";
  CodeDemand demand;
  demand.listing = task.step.text_setting("listing", "false") == "true";
  demand.functions = task.step.text_setting("cfg", "false") == "true";
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(task.folder, step_run_options(task).name));
  std::size_t written = 0;
  std::string trouble;
  for (const std::string& report : task.reports) {
    const auto side = analyse_code(report, options, demand, {});
    if (!side) {
      trouble = side.error().message;
      continue;
    }
    const std::string stem = fmt::format("code-{}", ++written);
    RETURN_IF_ERROR(write_whole_file(folder.path(stem + ".md"),
                                     markdown_text(compose_code(side->report, {true}))));
    if (demand.functions && side->functions.size() == 1) {
      RETURN_IF_ERROR(draw_flow(side->report, side->functions, folder.path(stem + ".dot")));
    }
  }
  if (written == 0) return skipped_step(trouble);
  RETURN_IF_ERROR(folder.finish("written"));
  return done_step({});
}

}  // namespace

Phase sass_phase() {
  return {.kind = PhaseKind::kSass,
          .per_kernel = false,
          .is_evidence = false,
          .is_dispensable = true,
          .inputs = nullptr,
          .describe = describe_nothing,
          .run = run_sass};
}

}  // namespace proofline

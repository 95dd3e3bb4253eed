// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/user_program.h"

#include <utility>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "tools/process/find_tool.h"
#include "tools/process/run_folder.h"

namespace proofline {

Result<std::vector<std::string>> user_command(std::vector<std::string> words,
                                              const std::string& work_folder) {
  ASSIGN_OR_RETURN(words.front(), find_program(path_in_folder(words.front(), work_folder)));
  return words;
}

Result<UserProgramEnd> run_once(const UserProgram& program, const RunOptions& options,
                                Announcer& announcer) {
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(program.runs, program.name));
  Step step;
  step.label = program.name;
  step.argv = program.argv;
  step.input = program.input;
  step.folder = program.work_folder;
  step.time_limit = options.limit();
  step.show_output = options.show_output;
  ProgressLine progress(announcer);
  progress.show(program.progress);
  const auto run = folder.run(step);
  progress.clear();
  UserProgramEnd result;
  if (run) {
    result.end = run->end;
  } else if (run.error().kind == ErrorKind::kStorage) {
    return tl::make_unexpected(run.error());
  } else {
    result.trouble = run.error();
  }
  if (result.end.ending == Ending::kInterrupted) {
    return fail(ErrorKind::kInterrupted, "interrupted; everything that ran was ended");
  }
  ASSIGN_OR_RETURN(result.folder, folder.finish(result.passed() ? "passed" : "failed"));
  return result;
}

}  // namespace proofline

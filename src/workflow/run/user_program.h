// SPDX-License-Identifier: Apache-2.0
//
// The user's own programs in a play: what builds, checks and changes, and the program itself. Each
// is run once, in a folder that is kept whatever comes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/process/process.h"
#include "workflow/announcer.h"
#include "workflow/run_options.h"

namespace proofline {

// The program as an absolute path, in the work folder where it was given as a path. kInput.
Result<std::vector<std::string>> user_command(std::vector<std::string> words,
                                              const std::string& work_folder);

struct UserProgram {
  std::string name;  // "build"
  std::vector<std::string> argv;
  std::string input;        // a file that it reads as its standard input; "" none
  std::string work_folder;  // where it runs; "" here
  std::string runs;         // where its folder is made
  std::string progress;     // what is shown while it runs
};

struct UserProgramEnd {
  std::optional<Error> trouble;  // it could not be started, or not be ended
  ProgramEnd end;
  std::string folder;

  bool passed() const { return !trouble && end.succeeded(); }
  // "exited with 1"
  std::string text() const { return trouble ? trouble->message : end_text(end); }
};

// kInterrupted, kStorage.
Result<UserProgramEnd> run_once(const UserProgram& program, const RunOptions& options,
                                Announcer& announcer);

}  // namespace proofline

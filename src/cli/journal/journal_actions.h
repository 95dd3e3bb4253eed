// SPDX-License-Identifier: Apache-2.0
//
// What `proofline journal` can do, one function for each of its actions. Private to the files
// journal_*.cpp.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "workflow/journal/journal_filter.h"
#include "workflow/journal/journal_records.h"

namespace proofline {

struct JournalFlags {
  std::string journal;
  std::string action = "list";
  std::vector<std::string> texts;  // what the action takes: an id, a hypothesis, a name
  JournalChoice choice;            // the state and kind also of what is written
  std::string out;
  std::string side;
  std::string attempt;
  std::string expect;
  std::string risk;
  std::string reason;
  std::string to;
  std::string from;
};

struct JournalAction {
  const JournalFlags& flags;
  OutputFlags output;
  bool format_given = false;  // --format was typed
  Context& context;
};

Result<ExitCode> list_attempts(JournalAction& action);
Result<ExitCode> show_attempt(JournalAction& action);
Result<ExitCode> export_attempts(JournalAction& action);
Result<ExitCode> list_regressions(JournalAction& action);
Result<ExitCode> verify_chains(JournalAction& action);

Result<ExitCode> open_attempt(JournalAction& action);
Result<ExitCode> close_attempt(JournalAction& action);
Result<ExitCode> add_note(JournalAction& action);

Result<ExitCode> manage_baselines(JournalAction& action);
Result<ExitCode> sync_journals(JournalAction& action);

// Says what was written: its id.
Result<ExitCode> present_written(const Result<WrittenEntry>& written, JournalAction& action);

}  // namespace proofline

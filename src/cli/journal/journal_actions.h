// SPDX-License-Identifier: Apache-2.0
//
// What `proofline journal` can do, one function for each of its actions. Private to the files
// journal_*.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "model/journal/attempt.h"
#include "store/journal_store.h"

namespace proofline {

struct JournalFlags {
  std::string journal;
  std::vector<std::string> words;  // the action and what belongs to it
  std::vector<std::string> states;
  std::string kind;
  std::string since;
  std::string grep;
  std::size_t limit = 0;  // 0: all
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
  std::vector<std::string> arguments;  // after the action's name
  OutputFlags output;
  bool format_given = false;  // --format was typed
  Context& context;
};

Result<ExitCode> list_attempts(JournalAction& action);
Result<ExitCode> show_attempt(JournalAction& action);
Result<ExitCode> export_attempts(JournalAction& action);
Result<ExitCode> verify_chains(JournalAction& action);

Result<ExitCode> open_attempt(JournalAction& action);
Result<ExitCode> close_attempt(JournalAction& action);
Result<ExitCode> add_note(JournalAction& action);

Result<ExitCode> manage_baselines(JournalAction& action);
Result<ExitCode> sync_journals(JournalAction& action);

// The one attempt whose id begins like this. kInput.
Result<Attempt> find_attempt(const std::vector<Attempt>& attempts, const std::string& prefix);

// Appends an entry and says what was written: its id.
Result<ExitCode> write_entry(JournalStore& store, const NewEntry& entry, JournalAction& action);

}  // namespace proofline

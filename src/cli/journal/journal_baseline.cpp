// SPDX-License-Identifier: Apache-2.0
//
// `journal baseline`: names for files of measurements that later ones are compared with.
#include "base/propagate.h"
#include "base/record_json.h"
#include "cli/exit_codes.h"
#include "cli/journal/journal_actions.h"
#include "cli/notes.h"
#include "views/journal/baseline_document.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_records.h"
#include "workflow/journal/journal_results.h"

namespace proofline {
namespace {

Result<ExitCode> print_baselines(const std::string* name, JournalAction& action) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(action.flags.journal));
  const auto read = name == nullptr ? all_baselines(*store)
                                    : find_baseline(*store, *name).map([](const Baseline& one) {
                                        return std::vector<Baseline>{one};
                                      });
  RETURN_IF_ERROR(read);
  const std::vector<Baseline>& baselines = *read;
  ASSIGN_OR_RETURN(const auto entries,
                   all_entries(*store, {"", "", std::string(BaselineEntry::kKind), 0}));
  std::vector<Note> notes = notes_on(entries);
  const std::vector<Note> of_store = notes_on(*store);
  notes.insert(notes.begin(), of_store.begin(), of_store.end());
  present({.document =
               [&] {
                 return name == nullptr ? compose_baselines(baselines, notes)
                                        : compose_baseline(baselines.front(), notes);
               },
           .json =
               [&](JsonWriter& json) {
                 write_record(BaselineReading{store->where(), baselines, notes}, json);
               },
           .notes = notes},
          action.output, action.context);
  return exit_code_after(notes);
}

}  // namespace

Result<ExitCode> manage_baselines(JournalAction& action) {
  const std::vector<std::string>& words = action.flags.texts;
  if (words[0] != "set" && !action.flags.side.empty()) {
    return fail(ErrorKind::kUsage, "--side belongs to 'journal baseline set'");
  }
  if (words[0] == "set" && words.size() == 3) {
    return present_written(
        record_baseline(action.flags.journal, words[1], words[2], action.flags.side), action);
  }
  if (words[0] == "show" && words.size() == 2) return print_baselines(&words[1], action);
  if (words[0] == "list" && words.size() == 1) return print_baselines(nullptr, action);
  return fail(ErrorKind::kUsage,
              "write 'journal baseline list', 'baseline show NAME' or 'baseline set NAME FILE'");
}

}  // namespace proofline

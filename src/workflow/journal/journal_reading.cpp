// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/journal_reading.h"

#include <fmt/format.h>

#include <cstddef>

#include "analysis/journal/calibration.h"
#include "base/propagate.h"
#include "base/text.h"
#include "store/entries/attempts.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_spool.h"

namespace proofline {
Result<JournalReading> read_journal(const std::string& journal) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(journal));
  ASSIGN_OR_RETURN(const auto entries, all_entries(*store));
  JournalReading reading{
      store->where(), attempts_of(entries), {}, remarks_of(entries), notes_on(*store)};
  const std::vector<Note> losses = notes_on(entries);
  reading.notes.insert(reading.notes.end(), losses.begin(), losses.end());
  const std::size_t waiting =
      kept_entries(store->where()).value_or(std::vector<JournalEntry>{}).size();
  if (waiting > 0) {
    reading.notes.push_back({NoteKind::kInfo, "",
                             "entries for this journal wait in this project; 'proofline journal "
                             "sync' delivers them",
                             waiting});
  }
  reading.calibrations = calibrations_of(reading.attempts);
  return reading;
}

Result<Attempt> find_attempt(const std::vector<Attempt>& attempts, const std::string& prefix) {
  std::vector<const Attempt*> found;
  for (const Attempt& attempt : attempts) {
    if (attempt.id.starts_with(prefix)) found.push_back(&attempt);
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    return fail(ErrorKind::kInput, fmt::format("no attempt has an id that begins with {}; "
                                               "'proofline journal' lists them",
                                               quote(prefix)));
  }
  return fail(ErrorKind::kInput,
              fmt::format("{} attempts have an id that begins with {}, such as {} and {}",
                          found.size(), quote(prefix), quote(found[0]->id), quote(found[1]->id)));
}

}  // namespace proofline

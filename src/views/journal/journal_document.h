// SPDX-License-Identifier: Apache-2.0
//
// The journal as documents: the list of attempts, one attempt with all its entries, the record of
// all of them by outcome (OPTIMIZATIONS.md), and whether the chains hold.
//
//   2 attempts: 1 kept, 1 reverted
//
//   ID        When              Hypothesis                          Expected    Realised  State
//   --------  ----------------  ----------------------------------  ----------  --------  --------
//   3f2a90c1  2026-11-15 16:40  mbarriers instead of __syncthreads  10 to 20 %  23.6 %    kept
//   77777777  2026-11-15 17:02  wider loads                         -           -3.1 %    reverted
//
// An id is as long as it must be to tell these attempts apart. Expected and Realised are shares of
// time saved, as it was said before and as it was measured; negative is slower. State is what the
// entries say so far: "open" until somebody decides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/journal/attempt.h"
#include "model/note.h"
#include "views/document.h"

namespace proofline {

// What was read of a journal.
struct JournalReading {
  std::string where;
  std::vector<Attempt> attempts;
  std::vector<Calibration> calibrations;  // over all attempts, listed or not
  std::vector<Remark> remarks;
  std::vector<Note> notes;
};

// How many digits of their ids tell these attempts apart: 8 or more.
std::size_t short_id_length(const std::vector<Attempt>& attempts);

// "2026-11-15T16:40:00.123Z" -> "2026-11-15 16:40"; "-" for no time.
std::string when_text(std::string_view written);
// "10 to 20 %", "15 %"
std::string gain_range_text(const GainRange& range);
// "23.6 % (22.9 to 24.2 %)"; "-" where nothing was measured.
std::string realised_text(const Attempt& attempt);

Document compose_attempts(const JournalReading& reading);
// One row for each, numbers as they are; for CSV.
Document compose_attempt_rows(const JournalReading& reading);
Document compose_attempt(const Attempt& attempt, const std::vector<Note>& notes);
Document compose_optimizations(const JournalReading& reading);

Document compose_verification(std::string_view where, const Verification& verification);

}  // namespace proofline

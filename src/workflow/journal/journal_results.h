// SPDX-License-Identifier: Apache-2.0
//
// What `proofline journal` prints as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/journal/baseline.h"
#include "model/note.h"
#include "views/journal/journal_document.h"
#include "workflow/journal/journal_records.h"

namespace proofline {

Record describe(const JournalReading*);

struct BaselineReading {
  std::string where;
  std::vector<Baseline> baselines;
  std::vector<Note> notes;
};
Record describe(const BaselineReading*);

struct VerifiedJournal {
  std::string where;
  Verification verification;
};
Record describe(const VerifiedJournal*);

Record describe(const WrittenEntry*);

// What `journal sync` did.
struct JournalSync {
  std::string from;
  std::string to;
  std::uint64_t entries = 0;  // in `from`
  std::uint64_t adopted = 0;  // that `to` did not have
};
Record describe(const JournalSync*);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What the entries of a journal tell of attempts, of baselines and of the rest.
#pragma once

#include <vector>

#include "model/journal/attempt.h"
#include "model/journal/baseline.h"
#include "model/journal/entries.h"

namespace proofline {

// The attempts that these entries tell of, oldest first. Entries of kinds that this version does
// not know stay in `entries` and do no harm.
std::vector<Attempt> attempts_of(const std::vector<JournalEntry>& entries);

// What becomes of an attempt that was judged so.
AttemptState state_after(DecisionVerdict verdict);

// The current baseline of each name: its last entry.
std::vector<Baseline> baselines_of(const std::vector<JournalEntry>& entries);

// The notes that belong to no attempt.
std::vector<Remark> remarks_of(const std::vector<JournalEntry>& entries);

}  // namespace proofline

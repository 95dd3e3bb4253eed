// SPDX-License-Identifier: Apache-2.0
//
// What an entry must be before it may be stored, whatever the store.
#pragma once

#include <string>

#include "base/result.h"
#include "model/journal/journal.h"

namespace proofline {

// kUsage for a name that is none; kStorage for a body above the limit of one entry.
Result<void> check_new_entry(const NewEntry& entry);
// The same for one of another journal, which must also be what its hash says: kInput.
Result<void> check_adopted_entry(const JournalEntry& entry);

// "2026-11-15T16:40:00.123Z"
std::string utc_now_ms();

}  // namespace proofline

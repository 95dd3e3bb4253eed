// SPDX-License-Identifier: Apache-2.0
//
// What makes an entry one of a chain, whatever it says and whatever the store: its id, its time and
// its hash, and that they are what they must be before it may be stored.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "model/journal/entries.h"

namespace proofline {

constexpr std::size_t kEntryIdDigits = 32;
// So many hex digits, which nobody else has.
std::string new_entry_id();
// "2026-11-15T16:40:00.123Z"
std::string utc_now_ms();
std::string utc_ms(std::chrono::system_clock::time_point time);
// What JournalEntry::hash must be. Every field goes into it after its length, so that no two
// different entries give the same bytes.
std::string entry_hash(const JournalEntry& entry);

// kUsage for a name that is none; kStorage for a body above the limit of one entry.
Result<void> check_new_entry(const NewEntry& entry);
// The same for one of another journal, which must also be what its hash says: kInput.
Result<void> check_adopted_entry(const JournalEntry& entry);

}  // namespace proofline

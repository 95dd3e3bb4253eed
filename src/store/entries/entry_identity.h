// SPDX-License-Identifier: Apache-2.0
//
// What links an entry into its chain, in any store: its id, time and hash, and the checks that an
// entry must pass before it is stored.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "model/journal/entries.h"

namespace proofline {

constexpr std::size_t kEntryIdDigits = 32;
// A random id in hex digits.
std::string new_entry_id();
// "2026-11-15T16:40:00.123Z"
std::string utc_now_ms();
std::string utc_ms(std::chrono::system_clock::time_point time);
// What JournalEntry::hash must be. Every field goes into it after its length, so that no two
// different entries give the same bytes.
std::string entry_hash(const JournalEntry& entry);

// kUsage for a malformed name; kStorage for a body above the limit of one entry.
Result<void> check_new_entry(const NewEntry& entry);
// The same for one of another journal, which must also be what its hash says: kInput.
Result<void> check_adopted_entry(const JournalEntry& entry);

}  // namespace proofline

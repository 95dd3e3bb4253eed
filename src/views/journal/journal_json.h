// SPDX-License-Identifier: Apache-2.0
//
// What `proofline journal` prints as JSON, by docs/journal.schema.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "model/journal/baseline.h"
#include "model/journal/entries.h"
#include "model/note.h"
#include "views/journal/journal_document.h"

namespace proofline {

// `entries`: all that was written too.
void write_journal_json(const JournalReading& reading, bool entries, JsonWriter& json);

void write_baselines_json(std::string_view where, const std::vector<Baseline>& baselines,
                          const std::vector<Note>& notes, JsonWriter& json);

void write_verification_json(std::string_view where, const Verification& verification,
                             JsonWriter& json);

// An entry that was just written.
void write_written_json(std::string_view where, const JournalEntry& entry, JsonWriter& json);

// What `journal sync` did.
struct JournalSync {
  std::string from;
  std::string to;
  std::uint64_t entries = 0;  // in `from`
  std::uint64_t adopted = 0;  // that `to` did not have
};
void write_sync_json(const JournalSync& sync, JsonWriter& json);

}  // namespace proofline

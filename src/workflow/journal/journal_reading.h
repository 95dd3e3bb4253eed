// SPDX-License-Identifier: Apache-2.0
//
// What a journal holds, as attempts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/attempt.h"
#include "views/journal/journal_document.h"

namespace proofline {

// All of it. `journal` as in open_journal_to_read().
Result<JournalReading> read_journal(const std::string& journal);

// The one attempt whose id begins like this. kInput.
Result<Attempt> find_attempt(const std::vector<Attempt>& attempts, const std::string& prefix);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Gives a journal the entries of another that it lacks. Each is stored before the next is sent, in
// the order of its chain, so that a sync which was cut off goes on where it ended.
#pragma once

#include "base/result.h"
#include "store/journal_store.h"
#include "workflow/journal/journal_results.h"

namespace proofline {

Result<JournalSync> sync_journal(JournalStore& from, JournalStore& to);

}  // namespace proofline

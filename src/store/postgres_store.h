// SPDX-License-Identifier: Apache-2.0
//
// A team's journal in PostgreSQL, in a schema of its own named "proofline".
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/journal_store.h"

namespace proofline {

Result<std::unique_ptr<JournalStore>> open_postgres_journal(const std::string& where,
                                                            const StoreOptions& options);

// What its where() would be, known without the server.
Result<std::string> postgres_journal_name(const std::string& where);

}  // namespace proofline

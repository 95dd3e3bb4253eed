// SPDX-License-Identifier: Apache-2.0
//
// The journal in one SQLite file.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/journal_store.h"

namespace proofline {

Result<std::unique_ptr<JournalStore>> open_sqlite_journal(const std::string& where,
                                                          const StoreOptions& options);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The tables in an SQLite file, and how a file of an older version gets those of this one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/sqlite_session.h"

namespace proofline {

// Step n makes version n + 1 out of version n; version 0 is an empty file. A file's version is its
// user_version. Steps are only ever added.
const std::vector<std::string>& journal_schema();

// Brings the file to the version of the last step, or says why not: it is another program's, of a
// newer version, empty without `create`, or may not be written. All in one transaction; a file with
// entries is copied to PATH.v<version>.backup before.
Result<void> bring_to_schema(SqliteSession& session, const std::string& path, bool read_only,
                             bool create, const std::vector<std::string>& steps = journal_schema());

}  // namespace proofline

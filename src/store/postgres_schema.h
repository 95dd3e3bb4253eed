// SPDX-License-Identifier: Apache-2.0
//
// The tables of a team's journal: those of the SQLite file (store/sqlite_schema.h), in the schema
// "proofline".
#pragma once

#include <string>

#include "base/result.h"
#include "store/sql_store.h"

namespace proofline {

// Creates the tables if they are missing and `create` is set. kStorage for tables of a newer
// version.
Result<void> prepare_postgres_schema(SqlSession& session, const std::string& where, bool create);

}  // namespace proofline

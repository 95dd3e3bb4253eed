// SPDX-License-Identifier: Apache-2.0
//
// A connection string taken apart, so that its password goes to libpq and nowhere else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/libpq.h"

namespace proofline {

struct PostgresTarget {
  std::vector<std::pair<std::string, std::string>> options;
  std::string where;  // "PostgreSQL host=db.example dbname=team"
  std::vector<std::string> secrets;
};

// Either form that libpq takes: "postgresql://user@host/name" or "host=... dbname=...". kUsage; the
// message repeats nothing of the text, which may be a password in the wrong place.
Result<PostgresTarget> parse_postgres_target(const Libpq& pq, const std::string& text);

// A message of libpq or the server, in one line, without what is secret.
std::string without_secrets(std::string message, const PostgresTarget& target);

}  // namespace proofline

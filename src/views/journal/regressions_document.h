// SPDX-License-Identifier: Apache-2.0
//
// What became slower in the course of a journal:
//
//   1 regression in 4 attempts
//
//   Configuration         Slower by              Interval  Since             Where it came from
//   transpose n=8192         12.1 %     6.4 % to 18.3 %    2026-11-15 21:13  after 47c65091 ...
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/journal/history_change.h"
#include "model/note.h"
#include "views/document.h"

namespace proofline {

struct RegressionReading {
  std::string where;         // the journal
  std::size_t attempts = 0;  // that were looked at
  std::vector<HistoryChange> changes;
  std::vector<Note> notes;
};
Record describe(const RegressionReading*);

Document compose_regressions(const RegressionReading& reading);

}  // namespace proofline

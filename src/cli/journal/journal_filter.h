// SPDX-License-Identifier: Apache-2.0
//
// What of a journal is listed: --state, --kind, --since, --grep, --limit.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/journal/journal_actions.h"
#include "model/journal/attempt.h"
#include "views/journal/journal_document.h"

namespace proofline {

// By its name. kUsage.
Result<AttemptState> parse_attempt_state(const std::string& name);

class JournalFilter {
 public:
  static Result<JournalFilter> make(const JournalFlags& flags);

  // Leaves those that are wanted, oldest first, and the notes beside them where they can match.
  void apply(JournalReading& reading) const;

 private:
  bool wants(const Attempt& attempt) const;
  bool wants(const Remark& remark) const;

  std::vector<AttemptState> states_;
  std::string kind_;
  std::string since_;
  std::string text_;  // in lower case
  std::size_t limit_ = 0;
};

}  // namespace proofline

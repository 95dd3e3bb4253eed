// SPDX-License-Identifier: Apache-2.0
//
// What a user asks of a play: the playbook, trusted and without mistakes, and what a resumed play
// need not be told again.
#pragma once

#include <string>

#include "base/result.h"
#include "playbook/lint.h"
#include "playbook/play.h"
#include "workflow/check/playbook_text.h"

namespace proofline {

// Shipped, or a file of this user's. Another user's could add arguments to the command.
// kUsage.
Result<void> check_owner(const std::string& playbook);

// With the request's workload in it. kUsage.
Result<LintedPlaybook> linted_playbook(const PlaybookText& source, const PlayRequest& request);

// What is not said again is as it was.
PlayRequest merged_request(PlayRequest now, const PlayRequest& before);

}  // namespace proofline

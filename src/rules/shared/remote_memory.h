// SPDX-License-Identifier: Apache-2.0
//
// What the rules on memory of others share: the kernel moves sectors over a link while it runs.
#pragma once

#include <string_view>

#include "rules/rule.h"

namespace proofline {

// `origin` as facts spell it ("host", "peer"), `owner` as a sentence does ("host memory").
Outcome evaluate_remote_memory(Trial& trial, std::string_view origin, std::string_view owner,
                               std::string_view next);

}  // namespace proofline

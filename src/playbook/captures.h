// SPDX-License-Identifier: Apache-2.0
//
// Metrics are not listed by hand: a playbook's expressions name facts, and over a launch without a
// single metric each analysis says what its facts need.
#pragma once

#include <string>
#include <vector>

#include "playbook/playbook.h"

namespace proofline {

// The metrics that the playbook's expressions need of a capture, sorted.
std::vector<std::string> metrics_for(const Playbook& playbook);

}  // namespace proofline

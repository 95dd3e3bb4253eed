// SPDX-License-Identifier: Apache-2.0
//
// The metrics that are read down to their instances.
#include "analysis/launch/instances.h"

#include <algorithm>

#include "analysis/launch/opcode_counts.h"

namespace proofline {

bool is_stall_sample(std::string_view metric) {
  return metric.starts_with(kStallSamples) && !metric.ends_with("_not_issued");
}

bool analyses_read_instances_of(std::string_view metric) {
  return metric == kInstructionsExecuted || is_stall_sample(metric) ||
         std::find(std::begin(kOpcodeMetrics), std::end(kOpcodeMetrics), metric) !=
             std::end(kOpcodeMetrics);
}

}  // namespace proofline

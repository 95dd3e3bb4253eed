// SPDX-License-Identifier: Apache-2.0
//
// What an .ncu-rep result says about its surroundings: the NVTX ranges it ran in, the host and
// Python call stacks that launched it, and NVIDIA's own rule results.
#pragma once

#include <vector>

#include "model/profile/profile.h"
#include "readers/ncu/ncu_rep_wire.h"

namespace proofline::ncu_file {

std::vector<NvtxRange> decode_nvtx(Message state);
std::vector<StackFrame> decode_stack(Message stack);
NvidiaRule decode_rule(Message rule);

}  // namespace proofline::ncu_file

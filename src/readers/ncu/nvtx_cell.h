// SPDX-License-Identifier: Apache-2.0
//
// The NVTX ranges of a launch as ncu's CSV writes them into one cell.
#pragma once

#include <string_view>
#include <vector>

#include "model/profile/profile.h"

namespace proofline {

// `7  "<default domain>:step:none:none:RGB:0xff00ff00:ASCII:step"  "..."` for the push/pop ranges
// of thread 7, `"3:<default domain>:step:..."` for a start/end range with id 3. Text that is no
// range is left out.
void parse_nvtx_cell(std::string_view cell, bool push_pop, std::vector<NvtxRange>& ranges);

}  // namespace proofline

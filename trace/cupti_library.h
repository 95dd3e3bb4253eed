// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's libcupti, found when the program runs.
#pragma once

#include "cupti_abi.h"

namespace proofline::trace {

// Finds the one that the program has loaded itself, since two in one process get in each other's
// way; else the one at `path`; else, where that is null or empty, whichever the loader finds.
// Returns null, or why there is none (good until the loader is called again).
const char* load_cupti(const char* path, CuptiFunctions& functions);

// CUDA's version by the driver, 13000 for 13.0; 0: unknown.
std::uint32_t driver_version();

}  // namespace proofline::trace

// SPDX-License-Identifier: Apache-2.0
//
// The cubins inside Nsight Compute's reports. ncu embeds the code of each profiled kernel where the
// capture includes the SourceCounters section.
#pragma once

#include "base/input.h"
#include "base/result.h"
#include "model/code/listing.h"
#include "readers/code/code_reader.h"

namespace proofline {

Result<void> read_ncu_rep_code(Input& input, Listing& listing, const FunctionSink& sink);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Ceilings as JSON, by docs/ceilings.schema.json: the result, and the file that
// readers/benchmark/ceilings.h reads.
#pragma once

#include "base/json_writer.h"
#include "model/measurement/ceilings.h"

namespace proofline {

void write_ceilings(const Ceilings& ceilings, JsonWriter& json);

}  // namespace proofline

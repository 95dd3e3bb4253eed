// SPDX-License-Identifier: Apache-2.0
//
// Ceilings as JSON, by docs/ceilings.schema.json: the result, and the file that
// readers/ceilings.h reads.
#pragma once

#include "model/ceilings.h"
#include "views/json_writer.h"

namespace proofline {

void write_ceilings(const Ceilings& ceilings, JsonWriter& json);

}  // namespace proofline

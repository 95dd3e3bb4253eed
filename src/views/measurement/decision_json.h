// SPDX-License-Identifier: Apache-2.0
//
// A decision as JSON, by docs/decide.schema.json.
#pragma once

#include "base/json_writer.h"
#include "model/measurement/decision.h"

namespace proofline {

void write_decision_json(const Decision& decision, JsonWriter& json);

}  // namespace proofline

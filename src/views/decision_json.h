// SPDX-License-Identifier: Apache-2.0
//
// A decision as JSON, by docs/decide.schema.json.
#pragma once

#include "model/decision.h"
#include "views/json_writer.h"

namespace proofline {

void write_decision_json(const Decision& decision, JsonWriter& json);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// A decision as JSON, by docs/decide.schema.json.
#pragma once

#include <optional>
#include <string_view>

#include "base/json_writer.h"
#include "model/measurement/decision.h"

namespace proofline {

// Null where there is none; so is the end of an interval that has none.
void write_ratio(std::string_view name, const std::optional<RatioEstimate>& ratio,
                 JsonWriter& json);

void write_decision_json(const Decision& decision, JsonWriter& json);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What became slower in the course of a journal, as JSON (docs/regressions.schema.json).
#pragma once

#include "base/json_writer.h"
#include "views/journal/regressions_document.h"

namespace proofline {

void write_regressions_json(const RegressionReading& reading, JsonWriter& json);

}  // namespace proofline

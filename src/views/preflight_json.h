// SPDX-License-Identifier: Apache-2.0
//
// The result of `doctor` as JSON: docs/doctor.schema.json.
#pragma once

#include "model/preflight.h"
#include "views/json_writer.h"

namespace proofline {

void write_preflight_json(const Preflight& preflight, JsonWriter& json);

}  // namespace proofline

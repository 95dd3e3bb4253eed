// SPDX-License-Identifier: Apache-2.0
//
// The result of `doctor` as JSON: docs/doctor.schema.json.
#pragma once

#include "base/json_writer.h"
#include "model/machine/preflight.h"

namespace proofline {

void write_preflight_json(const Preflight& preflight, JsonWriter& json);

}  // namespace proofline

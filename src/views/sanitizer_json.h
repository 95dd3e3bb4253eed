// SPDX-License-Identifier: Apache-2.0
//
// The JSON of `sanitize`, and of `diagnose` and `show` for a sanitizer's log;
// docs/sanitize.schema.json describes it.
#pragma once

#include "model/sanitizer.h"
#include "views/json_writer.h"

namespace proofline {

void write_sanitizer_json(const SanitizerRun& run, JsonWriter& json);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The JSON of `sanitize`, and of `diagnose` and `show` for a sanitizer's log;
// docs/sanitize.schema.json describes it.
#pragma once

#include "base/json_writer.h"
#include "model/machine/sanitizer.h"

namespace proofline {

void write_sanitizer_json(const SanitizerRun& run, JsonWriter& json);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What `sass` says, as JSON: docs/sass.schema.json describes it.
#pragma once

#include "analysis/sass/code_report.h"
#include "base/json_writer.h"

namespace proofline {

void write_code_json(const CodeReport& report, JsonWriter& json);

}  // namespace proofline

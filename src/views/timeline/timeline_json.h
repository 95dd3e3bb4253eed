// SPDX-License-Identifier: Apache-2.0
//
// A judged timeline as JSON, the result of `timeline --format json`; docs/timeline.schema.json says
// it in full.
#pragma once

#include "base/json_writer.h"
#include "diagnosis/timeline/diagnose_timeline.h"

namespace proofline {

void write_timeline_json(const TimelineDiagnosis& diagnosis, JsonWriter& json);

}  // namespace proofline

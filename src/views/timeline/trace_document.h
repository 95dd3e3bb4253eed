// SPDX-License-Identifier: Apache-2.0
//
// What `trace` recorded, in numbers, and where it is kept.
//
//   What was recorded
//
//   What       Count      Total
//   ---------  -----  ---------
//   kernels    2,000   14.21 ms
//   copies        40    1.20 ms
//   calls      2,043
//
//   kept in  .proofline/runs/20260101T120000Z-train/recording
#pragma once

#include <string>

#include "base/json_writer.h"
#include "model/timeline/timeline.h"
#include "views/document.h"

namespace proofline {

Document compose_trace(const Timeline& timeline, const std::string& recorded);

// {"tool", "recorded", "processes", "devices", "kernels", "copies", "sets", "graphs", "calls",
//  "ranges", "notes"}
void write_trace_json(const Timeline& timeline, const std::string& recorded, JsonWriter& json);

}  // namespace proofline

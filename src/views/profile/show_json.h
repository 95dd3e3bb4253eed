// SPDX-License-Identifier: Apache-2.0
//
// A profile as JSON: the result of `show --format json`. Within schema 1.x fields are only added.
//
//   {"schema_version": "1.0", "tool": {...}, "sources": [{"path", "format", "producer", "bytes"}],
//    "notes": [{"kind", "place", "what", "count"}],
//    "launches": [{"id", "kind", "name", "function", "mangled", "process", "grid", "block",
//                  "device": {"id", "name", "cc"}, "duration_ns", "throughput", "occupancy",
//                  "stalls", "metrics": {NAME: {"value", "unit", "instances": [[correlation,
//                  value], ...]}}}],
//    "processes": [...], "modules": [...]}
#pragma once

#include <vector>

#include "analysis/launch/launch_summary.h"
#include "base/json_writer.h"
#include "model/profile/profile.h"
#include "views/profile/selection.h"

namespace proofline {

struct JsonParts {
  bool session = false;
  bool modules = false;
  bool nvidia_rules = false;
};

void write_profile_json(const Profile& profile, const Selection& selection,
                        const std::vector<LaunchSummary>& summaries, const JsonParts& parts,
                        JsonWriter& json);

}  // namespace proofline

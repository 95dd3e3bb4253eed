// SPDX-License-Identifier: Apache-2.0
#include "views/journal/regressions_json.h"

#include <cstdint>

#include "views/json_parts.h"

namespace proofline {

void write_regressions_json(const RegressionReading& reading, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", "regressions");
  json.member("journal", reading.where);
  json.member("attempts", std::uint64_t{reading.attempts});
  json.objects("regressions", reading.changes, [&](const HistoryChange& one) {
    json.member("configuration", one.configuration);
    json.member("ratio", one.ratio);
    json.member("low", one.low);
    json.member("high", one.high);
    json.member("since", one.since);
    json.member("attempt", one.attempt);
    json.member("after", one.after);
    json.member("before", one.before);
    json.member("hypothesis", one.hypothesis);
    json.member("commits", one.commits);
  });
  write_notes(reading.notes, json);
  json.end_object();
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/ceilings_json.h"

#include "views/json_parts.h"
#include "views/machine/machine_json.h"

namespace proofline {
namespace {

void write_ceiling(const Ceiling& ceiling, JsonWriter& json) {
  json.begin_object();
  json.member("name", ceiling.name);
  json.member("unit", ceiling.bytes ? "B/s" : "FLOP/s");
  json.member("per_second", ceiling.per_second);
  json.key("interval");
  if (ceiling.interval) {
    json.begin_object();
    json.member("low", ceiling.interval->low);
    json.member("high", ceiling.interval->high);
    json.end_object();
  } else {
    json.null();
  }
  json.member("samples", ceiling.samples);
  json.member("throttled", ceiling.throttled);
  json.member("sm_mhz", ceiling.sm_mhz);
  json.member("how", ceiling.how);
  json.member("at_least", ceiling.at_least);
  json.end_object();
}

}  // namespace

void write_ceilings(const Ceilings& ceilings, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", "ceilings");
  write_benchmark_machine(ceilings.machine, json);
  json.member("measured_at", ceilings.measured_at);
  write_notes(ceilings.notes, json);
  json.array("ceilings", ceilings.ceilings,
             [&](const Ceiling& ceiling) { write_ceiling(ceiling, json); });
  json.end_object();
}

}  // namespace proofline

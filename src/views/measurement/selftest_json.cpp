// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/selftest_json.h"

#include <cstdint>

#include "views/json_parts.h"

namespace proofline {
namespace {

void write_machine_names(const BenchmarkMachine& machine, JsonWriter& json) {
  json.key("machine");
  json.begin_object();
  json.member("gpu", machine.gpu);
  json.member("uuid", machine.uuid);
  json.member("driver", machine.driver);
  json.member("clocks_locked", machine.clocks_locked);
  json.end_object();
}

void write_false_alarms(const FalseAlarms& alarms, JsonWriter& json) {
  json.key("false_alarms");
  json.begin_object();
  json.member("promised", alarms.promised);
  json.member("kept", alarms.kept());
  json.member("observed", std::uint64_t{alarms.observed});
  json.member("window", std::uint64_t{alarms.window});
  json.member("comparisons", std::uint64_t{alarms.comparisons});
  json.member("alarms", std::uint64_t{alarms.alarms});
  json.member("rate", alarms.rate);
  json.member("low", alarms.low);
  json.member("high", alarms.high);
  json.end_object();
}

void write_configuration(const SelftestConfiguration& one, JsonWriter& json) {
  const DecidedConfiguration& compared = one.compared;
  json.begin_object();
  json.member("benchmark", compared.benchmark);
  json.member("implementation", compared.implementation_b);
  json.objects("axes", compared.axes, [&](const Axis& axis) {
    json.member("name", axis.name);
    json.member("value", axis.value);
  });
  json.member("median_ns", compared.a_ns);
  json.member("pairs", std::uint64_t{compared.pairs});
  json.member("spread", one.spread);
  json.member("drift", one.drift);
  json.member("change", compared.change);
  json.member("ratio", compared.time.ratio);
  json.member("ratio_low", compared.time.low);
  json.member("ratio_high", compared.time.high);
  texts_member(json, "flags", compared.flags);
  json.member("smallest_visible", one.smallest_visible);
  json.objects("detectable", one.detectable, [&](const DetectableChange& seen) {
    json.member("starts", std::uint64_t{seen.starts});
    json.member("change", seen.change);
  });
  json.end_object();
}

}  // namespace

void write_selftest(const Selftest& selftest, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", "selftest");
  json.member("command", selftest.command);
  json.member("timed_by", selftest.timed_by);
  json.member("folder", selftest.folder);
  json.member("starts", std::uint64_t{selftest.starts});
  write_machine_names(selftest.machine, json);
  write_false_alarms(selftest.false_alarms, json);
  json.array("configurations", selftest.configurations,
             [&](const SelftestConfiguration& one) { write_configuration(one, json); });
  write_notes(selftest.notes, json);
  json.end_object();
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// One order of keys, whatever was found.
#include "views/machine/preflight_json.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "views/json_parts.h"

namespace proofline {
namespace {

void write_machine(const Preflight& preflight, JsonWriter& json) {
  json.key("machine");
  json.begin_object();
  json.member("distribution", preflight.distribution);
  json.member("container", preflight.container);
  json.member("driver", preflight.driver);
  json.member("driver_cuda", preflight.driver_cuda);
  json.objects("gpus", preflight.gpus, [&](const PreflightGpu& gpu) {
    json.member("index", std::uint64_t{gpu.index});
    json.member("name", gpu.name);
    json.member("uuid", gpu.uuid);
    json.member("cc", gpu.compute_capability);
  });
  json.end_object();
}

void write_check(const PreflightCheck& check, JsonWriter& json) {
  json.begin_object();
  json.member("id", check.id);
  json.member("status", to_string(check.status));
  json.member("what", check.what);
  json.member("statement", check.statement);
  json.objects("evidence", check.evidence, [&](const CheckEvidence& evidence) {
    json.member("source", evidence.source);
    json.member("value", evidence.value);
  });
  json.member("next", check.next);
  json.end_object();
}

void write_kernels(const PreflightRun& run, JsonWriter& json) {
  json.key("kernels");
  if (!run.not_counted.empty()) return json.null();
  json.begin_array();
  for (const PreflightKernel& kernel : run.kernels) {
    json.begin_object();
    json.member("name", kernel.name);
    json.member("launches", kernel.launches);
    json.member("total_ns", kernel.total_ns);
    json.end_object();
  }
  json.end_array();
}

void write_run(const PreflightRun& run, JsonWriter& json) {
  const auto only_for = [&](RunEnding ending, int number) -> std::optional<std::uint64_t> {
    if (run.ending != ending) return std::nullopt;
    return static_cast<std::uint64_t>(number);
  };
  json.begin_object();
  json.member("program", run.program);
  json.member("ending", to_string(run.ending));
  json.member("exit_code", only_for(RunEnding::kExited, run.exit_code));
  json.member("signal", only_for(RunEnding::kSignal, run.signal));
  json.member("not_counted", run.not_counted);
  write_kernels(run, json);
  json.member("folder", run.folder);
  json.end_object();
}

}  // namespace

void write_preflight_json(const Preflight& preflight, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", "preflight");
  write_notes(preflight.notes, json);
  json.member("readiness", to_string(preflight.readiness));
  json.member("headline", preflight.headline);
  write_machine(preflight, json);
  json.array("checks", preflight.checks,
             [&](const PreflightCheck& check) { write_check(check, json); });
  json.key("command");
  if (preflight.run) {
    write_run(*preflight.run, json);
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/machine/runs_json.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "views/json_parts.h"

namespace proofline {
namespace {

void begin_runs(std::string_view result, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", result);
}

void write_run_members(const KeptRun& run, JsonWriter& json) {
  json.member("name", run.name);
  json.member("folder", run.folder);
  json.member("kind", run.kind);
  json.member("command", run.command);
  json.member("started", run.started);
  json.member("outcome", run.outcome);
  json.member("bytes", run.bytes);
}

}  // namespace

void write_runs_json(const std::vector<KeptRun>& runs, std::size_t limit, JsonWriter& json) {
  std::uint64_t bytes = 0;
  for (const KeptRun& run : runs) bytes += run.bytes;
  begin_runs("runs", json);
  json.member("total_runs", std::uint64_t{runs.size()});
  json.member("total_bytes", bytes);
  json.key("runs");
  json.begin_array();
  const std::size_t count = limit == 0 ? runs.size() : std::min(runs.size(), limit);
  for (std::size_t i = 0; i < count; ++i) {
    json.begin_object();
    write_run_members(runs[i], json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_run_details_json(const KeptRunDetails& details, JsonWriter& json) {
  begin_runs("run", json);
  json.key("run");
  json.begin_object();
  write_run_members(details.run, json);
  json.end_object();
  json.objects("steps", details.steps, [&](const KeptRunStep& step) {
    json.member("label", step.label);
    json.member("command", step.command);
    json.member("ending", step.ending);
    json.member("seconds", step.seconds);
  });
  json.objects("files", details.files, [&](const KeptRunFile& file) {
    json.member("path", file.path);
    json.member("bytes", file.bytes);
    json.member("what", file.what);
    json.member("commands", file.commands);
  });
  texts_member(json, "next", details.next);
  json.end_object();
}

void write_pruned_json(const PrunedRuns& pruned, JsonWriter& json) {
  begin_runs("prune", json);
  write_notes(pruned.notes, json);
  json.member("dry_run", pruned.is_dry);
  json.member("freed_bytes", pruned.freed);
  json.member("kept_runs", pruned.kept_runs);
  json.member("kept_bytes", pruned.kept_bytes);
  json.objects("removed", pruned.removed,
               [&](const KeptRun& run) { write_run_members(run, json); });
  json.objects("spared", pruned.spared, [&](const SparedRun& spared) {
    write_run_members(spared.run, json);
    json.member("reason", spared.reason);
  });
  json.end_object();
}

}  // namespace proofline

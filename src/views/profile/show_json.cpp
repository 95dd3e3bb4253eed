// SPDX-License-Identifier: Apache-2.0
//
// Writes the parts of a profile in a fixed order of keys, so that the same input gives the same
// bytes.
#include "views/profile/show_json.h"

#include <optional>
#include <string>
#include <vector>

#include "base/redact.h"
#include "views/json_parts.h"

namespace proofline {
namespace {

void write_profile_source(const Profile& profile, JsonWriter& json) {
  json.key("sources");
  json.begin_array();
  json.begin_object();
  json.member("path", profile.path);
  json.member("format", profile.format);
  json.member("producer", profile.producer);
  json.key("bytes");
  json.begin_object();
  json.member("total", profile.bytes.total);
  json.member("used", profile.bytes.used);
  json.member("skipped", profile.bytes.skipped);
  json.end_object();
  json.end_object();
  json.end_array();
}

void write_summary(const LaunchSummary& summary, JsonWriter& json) {
  json.member("duration_ns", summary.duration_ns);
  json.key("throughput_percent");
  json.begin_object();
  json.member("sm", summary.sm_percent);
  json.member("l1", summary.l1_percent);
  json.member("l2", summary.l2_percent);
  json.member("dram", summary.dram_percent);
  json.end_object();
  json.key("occupancy_percent");
  json.begin_object();
  json.member("achieved", summary.achieved_occupancy_percent);
  json.member("theoretical", summary.theoretical_occupancy_percent);
  json.end_object();
  json.key("stalls");
  json.begin_object();
  json.member("source", to_string(summary.stalls.source));
  json.key("shares");
  json.begin_object();
  for (const StallShare& stall : summary.stalls.shares) json.member(stall.reason, stall.share);
  json.end_object();
  json.end_object();
}

void write_metrics(const Profile& profile, const std::vector<const Metric*>& metrics,
                   JsonWriter& json) {
  json.key("metrics");
  json.begin_object();
  for (const Metric* metric : metrics) {
    const MetricName& name = profile.metric_names[metric->id];
    json.key(name.name);
    json.begin_object();
    json.key("value");
    write_value(metric->value, json);
    json.member("unit", name.unit);
    if (metric->instances) {
      json.key("instances");
      json.begin_array();
      for (std::size_t i = 0; i < column_size(metric->instances->values); ++i) {
        json.begin_array();
        write_value(column_size(metric->instances->correlation) > i
                        ? column_at(metric->instances->correlation, i)
                        : Value{},
                    json);
        write_value(column_at(metric->instances->values, i), json);
        json.end_array();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_object();
}

void write_stack(std::string_view name, const std::vector<StackFrame>& frames, JsonWriter& json) {
  if (frames.empty()) return;
  json.objects(name, frames, [&](const StackFrame& frame) {
    json.member("function", frame.function);
    json.member("file", frame.file);
    json.member("line", std::uint64_t{frame.line});
    json.member("module", frame.module);
  });
}

void write_nvtx(const Launch& launch, JsonWriter& json) {
  if (launch.nvtx.empty()) return;
  json.objects("nvtx", launch.nvtx, [&](const NvtxRange& range) {
    json.member("domain", range.domain);
    json.member("name", range.name);
    json.member("kind", range.push_pop ? "push-pop" : "start-end");
  });
}

void write_launch(const Profile& profile, std::size_t position, const LaunchSummary& summary,
                  const ChosenMetrics& chosen, const JsonParts& parts, JsonWriter& json) {
  const Launch& launch = profile.launches[position];
  json.begin_object();
  json.member("id", std::uint64_t{position});
  json.member("kind", to_string(launch.kind));
  json.member("name", launch.name);
  json.member("function", launch.function);
  json.member("mangled", launch.mangled);
  json.member("process", std::uint64_t{launch.process});
  dim_member(json, "grid", launch.grid);
  dim_member(json, "block", launch.block);
  json.member("context", launch.context);
  json.member("stream", launch.stream);
  json.key("device");
  json.begin_object();
  json.member("id", launch.device);
  json.member("name", device_name(profile, launch));
  json.member("cc", launch.compute_capability);
  json.end_object();
  json.key("clocks_locked");
  launch.clocks ? json.boolean(launch.clocks->locked) : json.null();
  write_summary(summary, json);
  write_nvtx(launch, json);
  write_stack("host_stack", launch.host_stack, json);
  write_stack("python_stack", launch.python_stack, json);
  write_metrics(profile, chosen.of(launch), json);
  if (parts.nvidia_rules) write_nvidia_rules(launch.nvidia_rules, json);
  json.end_object();
}

void write_process(const Process& process, JsonWriter& json) {
  const Session& session = process.session;
  json.begin_object();
  json.member("pid", process.pid);
  json.member("name", process.name);
  json.member("host", process.host);
  json.member("unix_time", session.unix_time);
  json.member("executable", session.executable);
  json.member("arguments", redact_command(session.arguments));
  json.member("profiler_command", redact_command(session.profiler_command));
  json.key("versions");
  json.begin_object();
  for (const auto& [provider, version] : session.versions) json.member(provider, version);
  json.end_object();
  json.key("environment");
  json.begin_object();
  for (const auto& [name, value] : redact_environment(session.environment))
    json.member(name, value);
  json.end_object();
  json.objects("devices", session.devices, [&](const Device& device) {
    json.member("id", std::uint64_t{device.id});
    json.member("name", device.name);
    json.key("attributes");
    json.begin_object();
    for (const auto& [name, value] : device.attributes) {
      json.key(name);
      write_value(value, json);
    }
    json.end_object();
  });
  json.end_object();
}

void write_module(const Module& module, JsonWriter& json) {
  json.begin_object();
  json.member("sm", std::to_string(module.sm_major) + "." + std::to_string(module.sm_minor));
  json.member("cubin_bytes", module.cubin_bytes);
  json.member("ptx_bytes", module.ptx_bytes);
  json.objects("functions", module.functions, [&](const Symbol& symbol) {
    json.member("name", symbol.name);
    json.member("address", symbol.address);
  });
  json.objects("files", module.files, [&](const SourceFile& file) {
    json.member("name", file.name);
    json.member("bytes", file.bytes);
  });
  json.end_object();
}

}  // namespace

void write_profile_json(const Profile& profile, const Selection& selection,
                        const std::vector<LaunchSummary>& summaries, const JsonParts& parts,
                        JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  write_profile_source(profile, json);
  write_notes(profile.notes, json);
  json.key("launches");
  json.begin_array();
  const ChosenMetrics chosen(selection);
  for (std::size_t i = 0; i < selection.launches.size(); ++i) {
    write_launch(profile, selection.launches[i], summaries[i], chosen, parts, json);
  }
  json.end_array();
  if (parts.session) {
    json.array("processes", profile.processes,
               [&](const Process& process) { write_process(process, json); });
  }
  if (parts.modules) {
    json.array("modules", profile.modules,
               [&](const Module& module) { write_module(module, json); });
  }
  json.end_object();
}

}  // namespace proofline

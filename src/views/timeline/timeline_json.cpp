// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/record_json.h"
#include "views/json_parts.h"
#include "views/timeline/collectives_table.h"
#include "views/timeline/copy_words.h"

namespace proofline {
namespace {

// Only a delay can be below zero, where clocks disagree.
void ns_member(JsonWriter& json, std::string_view name, std::int64_t ns) {
  if (ns < 0) return json.member(name, static_cast<double>(ns));
  json.member(name, static_cast<std::uint64_t>(ns));
}

// "span_ns", "kernels_ns", ..., "idle": {"host": ..., ...}
void write_time(const TimeShares& time, JsonWriter& json) {
  ns_member(json, "span_ns", time.span_ns);
  ns_member(json, "kernels_ns", time.parts.compute_ns);
  ns_member(json, "communication_ns", time.parts.communication_ns);
  ns_member(json, "copies_ns", time.parts.copy_ns);
  ns_member(json, "idle_ns", time.parts.idle_ns);
  json.key("idle");
  json.begin_object();
  for (const IdleClassInfo& one : kIdleClassTable) ns_member(json, one.name, time.of(one.idle));
  json.end_object();
}

void write_verdict(const TimelineVerdict& verdict, JsonWriter& json) {
  json.key("verdict");
  json.begin_object();
  json.member("bound", verdict.bound);
  json.member("headline", verdict.headline);
  json.member("next", verdict.next);
  json.member("kernels", verdict.kernels);
  json.member("host", verdict.host);
  json.member("copies", verdict.copies);
  json.member("communication", verdict.communication);
  json.end_object();
}

void write_devices(const TimelineReport& report, JsonWriter& json) {
  json.objects("devices", report.devices, [&](const DeviceRow& row) {
    json.member("id", std::uint64_t{row.id});
    json.member("name", row.name);
    json.member("operations", row.ops);
    write_time(row.time, json);
    ns_member(json, "before_ns", row.before_ns);
    ns_member(json, "after_ns", row.after_ns);
    ns_member(json, "all_communication_ns", row.communication_ns);
    ns_member(json, "all_copies_ns", row.copies_ns);
    ns_member(json, "concurrent_ns", row.concurrent_ns);
    json.member("most_concurrent", std::uint64_t{row.most_concurrent});
    json.member("gaps", row.gaps);
    ns_member(json, "median_gap_ns", row.median_gap_ns);
    ns_member(json, "longest_gap_ns", row.longest_gap_ns);
  });
}

void write_names(std::string_view key, const std::vector<NameRow>& rows, JsonWriter& json) {
  json.objects(key, rows, [&](const NameRow& row) {
    json.member("name", row.name);
    json.member("count", row.count);
    ns_member(json, "total_ns", row.sum_ns);
    ns_member(json, "min_ns", row.min_ns);
    ns_member(json, "median_ns", row.median_ns);
    ns_member(json, "max_ns", row.max_ns);
    json.member("share", row.share);
    json.member("communication", row.communication);
  });
}

void write_copies(const TimelineReport& report, JsonWriter& json) {
  json.objects("copies", report.copies, [&](const CopyTimes& copy) {
    json.member("direction", direction_text(copy.direction));
    json.member("host_memory", copy.memory == HostMemory::kNone ? "" : memory_text(copy.memory));
    json.member("size", size_text(copy.size));
    json.member("count", copy.count);
    ns_member(json, "total_ns", copy.sum_ns);
    json.member("bytes", copy.bytes);
  });
}

void write_gaps(const TimelineReport& report, JsonWriter& json) {
  json.objects("gaps", report.gaps, [&](const GapRow& gap) {
    json.member("device", std::uint64_t{gap.device});
    ns_member(json, "start_ns", gap.start_ns);
    ns_member(json, "length_ns", gap.length_ns);
    json.member("class", idle_class_info(gap.idle).name);
    json.member("ended_by", gap.ended_by);
    json.member("call", gap.call);
    json.member("asked_by", gap.asked_by);
    json.member("meanwhile", gap.meanwhile);
  });
}

void write_launching(const LaunchDelays& delays, JsonWriter& json) {
  json.key("launches");
  json.begin_object();
  json.member("count", delays.count);
  ns_member(json, "min_delay_ns", delays.min_ns);
  ns_member(json, "median_delay_ns", delays.median_ns);
  ns_member(json, "max_delay_ns", delays.max_ns);
  json.member("negative_delays", delays.negative);
  json.member("mean_queue", delays.mean_queue);
  json.member("deepest_queue", std::uint64_t{delays.deepest_queue});
  json.end_object();
}

void write_threads_and_streams(const TimelineReport& report, JsonWriter& json) {
  json.objects("streams", report.streams, [&](const StreamRow& row) {
    json.member("device", std::uint64_t{row.device});
    json.member("process", row.process);
    json.member("stream", row.stream);
    json.member("operations", row.ops);
    ns_member(json, "busy_ns", row.busy_ns);
  });
  json.objects("threads", report.threads, [&](const ThreadRow& row) {
    json.member("id", row.id);
    json.member("name", row.name);
    json.member("calls", row.calls);
    ns_member(json, "call_ns", row.call_ns);
  });
}

void write_steps(const TimelineReport& report, JsonWriter& json) {
  json.objects("steps", report.steps, [&](const StepRow& row) {
    json.member("name", row.name);
    ns_member(json, "start_ns", row.start_ns);
    write_time(row.time, json);
    ns_member(json, "busy_ns", row.busy_ns);
    json.member("slowest", row.slowest);
    json.member("why", row.why);
  });
}

void write_ranks(const TimelineReport& report, JsonWriter& json) {
  json.objects("ranks", report.ranks, [&](const RankRow& row) {
    json.member("rank", std::uint64_t{row.rank});
    json.member("path", row.path);
    write_time(row.time, json);
    json.member("collectives", row.collectives);
    ns_member(json, "wait_ns", row.wait_ns);
    json.member("came_last", row.came_last);
  });
}

}  // namespace

void write_timeline_json(const TimelineDiagnosis& diagnosis, JsonWriter& json) {
  const TimelineReport& report = diagnosis.report;
  json.begin_object();
  write_tool(json);
  json.member("result", "timeline");
  json.key("source");
  write_source({report.path, report.format, report.producer}, json);
  json.member("rank", report.rank);
  json.member("selected", report.selected);
  ns_member(json, "wall_ns", report.wall_ns);
  json.member("partial", report.partial);
  write_verdict(diagnosis.verdict, json);
  json.key("findings");
  write_described(diagnosis.findings, json);
  json.objects("not_evaluated", diagnosis.not_evaluated, [&](const NotEvaluated& rule) {
    json.member("id", rule.id);
    texts_member(json, "missing", rule.missing);
    json.member("reason", rule.reason);
  });
  texts_member(json, "clean", diagnosis.clean);
  write_devices(report, json);
  write_names("kernels", report.kernels, json);
  write_names("calls", report.calls, json);
  write_names("operators", report.operators, json);
  write_copies(report, json);
  write_collectives(report, json);
  write_gaps(report, json);
  write_launching(report.delays, json);
  write_threads_and_streams(report, json);
  write_steps(report, json);
  write_ranks(report, json);
  json.key("facts");
  write_described(diagnosis.facts.published(), json);
  json.key("absent");
  write_described(diagnosis.facts.absent(), json);
  write_notes(report.notes, json);
  json.end_object();
}

}  // namespace proofline

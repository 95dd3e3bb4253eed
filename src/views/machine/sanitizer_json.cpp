// SPDX-License-Identifier: Apache-2.0
#include "views/machine/sanitizer_json.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "views/json_parts.h"
#include "views/machine/sanitizer_document.h"

namespace proofline {
namespace {

std::string hex(std::uint64_t number) { return fmt::format("{:#x}", number); }

// Exit codes and signals.
void small_member(JsonWriter& json, std::string_view name, const std::optional<int>& number) {
  json.member(name, number ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*number))
                           : std::nullopt);
}

// What the tool did not say is null.
void word_member(JsonWriter& json, std::string_view name, const std::string& word) {
  json.key(name);
  if (word.empty()) {
    json.null();
  } else {
    json.text(word);
  }
}

void write_place(const DevicePlace& place, JsonWriter& json) {
  json.begin_object();
  word_member(json, "function", place.function);
  word_member(json, "offset", place.offset ? hex(*place.offset) : "");
  word_member(json, "file", place.file);
  json.member("line", place.line == 0 ? std::nullopt : std::optional<std::uint32_t>(place.line));
  json.end_object();
}

void write_range(std::string_view name, const std::optional<IndexRange>& range, JsonWriter& json) {
  json.key(name);
  if (!range) return json.null();
  json.begin_object();
  dim_member(json, "first", std::optional<Dim3>(range->first));
  dim_member(json, "last", std::optional<Dim3>(range->last));
  json.end_object();
}

void write_address(const SanitizerFinding& finding, JsonWriter& json) {
  json.key("address");
  if (finding.address) {
    json.begin_object();
    json.member("first", hex(finding.address->first));
    json.member("last", hex(finding.address->last));
    json.end_object();
  } else {
    json.null();
  }
  json.key("allocation");
  if (!finding.allocation) return json.null();
  json.begin_object();
  json.member("relation", finding.allocation->relation);
  json.member("distance", finding.allocation->distance);
  json.member("address", hex(finding.allocation->address));
  json.member("size", finding.allocation->size);
  json.end_object();
}

void write_sides(const std::vector<RaceSide>& sides, JsonWriter& json) {
  json.objects("sides", sides, [&](const RaceSide& side) {
    json.member("access", side.access);
    json.key("at");
    write_place(side.at, json);
    json.member("hazards", side.hazards);
  });
}

void write_stacks(const std::vector<HostStack>& stacks, JsonWriter& json) {
  json.objects("host_stacks", stacks, [&](const HostStack& stack) {
    json.member("when", stack.when);
    texts_member(json, "frames", stack.frames);
  });
}

void write_finding(const SanitizerFinding& finding, JsonWriter& json) {
  json.begin_object();
  word_member(json, "tool", finding.tool);
  json.member("kind", to_string(finding.kind));
  json.member("level", to_string(finding.level));
  json.member("count", finding.count);
  json.member("words", finding.words);
  texts_member(json, "details", finding.details);
  word_member(json, "space", finding.space);
  word_member(json, "access", finding.access);
  json.member("size", finding.size);
  json.member("total_size", finding.total_size);
  word_member(json, "kernel", finding.kernel());
  json.key("at");
  write_place(finding.place(), json);
  json.array("device_frames", finding.device_frames,
             [&](const DevicePlace& frame) { write_place(frame, json); });
  write_range("threads", finding.threads, json);
  write_range("blocks", finding.blocks, json);
  write_address(finding, json);
  write_sides(finding.sides, json);
  json.member("hazards", finding.hazards());
  write_stacks(finding.stacks, json);
  json.member("next", next_step(finding.kind));
  json.end_object();
}

void write_log(const SanitizerLog& log, JsonWriter& json) {
  const SanitizerCounts counts = log.counts();
  json.key("counts");
  json.begin_object();
  json.member("findings", std::uint64_t{log.findings.size()});
  json.member("errors", counts.errors);
  json.member("warnings", counts.warnings);
  json.member("infos", counts.infos);
  json.end_object();
  json.member("complete", log.complete);
  json.key("summary");
  if (log.summary) {
    json.begin_object();
    json.member("errors", log.summary->errors);
    json.member("warnings", log.summary->warnings);
    json.member("not_printed", log.summary->not_printed);
    json.member("leaked_bytes", log.summary->leaked_bytes);
    json.member("leaked_allocations", log.summary->leaked_allocations);
    json.end_object();
  } else {
    json.null();
  }
  json.key("application");
  json.begin_object();
  json.member("returned_error", log.application_returned_error);
  json.member("crashed", log.application_crashed);
  json.end_object();
  write_notes(log.notes, json);
  json.array("findings", log.findings,
             [&](const SanitizerFinding& finding) { write_finding(finding, json); });
}

void write_result(const SanitizerToolResult& result, JsonWriter& json) {
  json.begin_object();
  word_member(json, "name", result.tool);
  word_member(json, "command", result.command);
  word_member(json, "version", result.version);
  word_member(json, "log", result.log.path);
  word_member(json, "producer", result.log.producer);
  json.member("seconds", result.seconds);
  json.member("limit_seconds", result.limit_seconds);
  small_member(json, "exit_code", result.exit_code);
  small_member(json, "signal", result.signal);
  json.member("outcome", to_string(result.outcome));
  json.member("explanation", result.explanation);
  write_log(result.log, json);
  json.end_object();
}

void write_alone(const std::optional<AloneResult>& alone, JsonWriter& json) {
  json.key("alone");
  if (!alone) return json.null();
  json.begin_object();
  json.member("seconds", alone->seconds);
  small_member(json, "exit_code", alone->exit_code);
  small_member(json, "signal", alone->signal);
  json.member("hang", alone->hang);
  json.end_object();
}

}  // namespace

void write_sanitizer_json(const SanitizerRun& run, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  word_member(json, "command", run.command);
  word_member(json, "folder", run.folder);
  json.member("outcome", to_string(run.outcome()));
  write_alone(run.alone, json);
  write_notes(run.notes, json);
  json.array("tools", run.tools,
             [&](const SanitizerToolResult& result) { write_result(result, json); });
  json.end_object();
}

}  // namespace proofline

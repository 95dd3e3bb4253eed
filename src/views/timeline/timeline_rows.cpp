// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_rows.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "views/quantity.h"

namespace proofline {

Document compose_timeline_rows(const TimelineDiagnosis& diagnosis) {
  const TimelineReport& report = diagnosis.report;
  Table table;
  for (const char* title : {"kind", "device", "name", "class", "count", "total_ns", "min_ns",
                            "median_ns", "max_ns", "share", "bytes", "start_ns"}) {
    table.columns.push_back({title});
  }
  struct Row {
    std::string kind;
    std::string device = {};
    std::string name = {};
    std::string sort = {};
    std::optional<double> count = std::nullopt;
    std::optional<double> total = std::nullopt;
    std::optional<double> least = std::nullopt;
    std::optional<double> median = std::nullopt;
    std::optional<double> most = std::nullopt;
    std::optional<double> share = std::nullopt;
    std::optional<double> bytes = std::nullopt;
    std::optional<double> start = std::nullopt;
  };
  const auto add = [&](const Row& row) {
    table.rows.push_back({{row.kind},
                          {row.device},
                          {row.name},
                          {row.sort},
                          number_cell(row.count),
                          number_cell(row.total),
                          number_cell(row.least),
                          number_cell(row.median),
                          number_cell(row.most),
                          number_cell(row.share),
                          number_cell(row.bytes),
                          number_cell(row.start)});
  };
  const auto number = [](auto value) { return static_cast<double>(value); };
  for (const DeviceRow& device : report.devices) {
    const auto add_part = [&](std::string name, std::int64_t ns) {
      add({.kind = "time",
           .device = std::to_string(device.id),
           .name = std::move(name),
           .total = number(ns),
           .share = device.time.share(ns)});
    };
    add_part("kernels", device.time.parts.compute_ns);
    add_part("communication", device.time.parts.communication_ns);
    add_part("copies", device.time.parts.copy_ns);
    for (const IdleClassInfo& one : kIdleClassTable) {
      add_part(fmt::format("idle.{}", one.name), device.time.of(one.idle));
    }
    add_part("span", device.time.span_ns);
  }
  const auto add_names = [&](std::string_view kind, const std::vector<NameRow>& rows) {
    for (const NameRow& row : rows) {
      add({.kind = std::string(kind),
           .name = row.name,
           .sort = row.communication ? "communication" : "",
           .count = number(row.count),
           .total = number(row.sum_ns),
           .least = number(row.min_ns),
           .median = number(row.median_ns),
           .most = number(row.max_ns),
           .share = row.share});
    }
  };
  add_names("kernel", report.kernels);
  add_names("call", report.calls);
  add_names("operator", report.operators);
  for (const CopyTimes& copy : report.copies) {
    add({.kind = "copy",
         .name = std::string(to_string(copy.direction)),
         .sort =
             fmt::format("{}, {}", copy.memory == HostMemory::kNone ? "-" : to_string(copy.memory),
                         to_string(copy.size)),
         .count = number(copy.count),
         .total = number(copy.sum_ns),
         .bytes = copy.bytes ? std::optional(number(*copy.bytes)) : std::nullopt});
  }
  for (const CollectiveTimes& one : report.collectives) {
    add({.kind = "collective",
         .name = one.name,
         .sort = one.bytes ? fmt::format("{} ranks, {}", one.ranks, to_string(one.size)) : "",
         .count = number(one.count),
         .total = number(one.sum_ns),
         .bytes = one.bytes ? std::optional(number(*one.bytes)) : std::nullopt});
  }
  for (const GapRow& gap : report.gaps) {
    add({.kind = "gap",
         .device = std::to_string(gap.device),
         .name = gap.ended_by,
         .sort = std::string(to_string(gap.idle)),
         .total = number(gap.length_ns),
         .start = number(gap.start_ns)});
  }
  for (const StreamRow& stream : report.streams) {
    add({.kind = "stream",
         .device = std::to_string(stream.device),
         .name = std::to_string(stream.stream),
         .count = number(stream.ops),
         .total = number(stream.busy_ns)});
  }
  for (const StepRow& step : report.steps) {
    add({.kind = "step",
         .name = step.name,
         .sort = step.slowest ? "slowest" : "",
         .total = number(step.time.span_ns),
         .share = step.time.share(step.busy_ns),
         .start = number(step.start_ns)});
  }
  for (const RankRow& rank : report.ranks) {
    add({.kind = "rank",
         .name = std::to_string(rank.rank),
         .count = number(rank.came_last),
         .total = number(rank.wait_ns)});
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline

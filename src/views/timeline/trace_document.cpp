// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/trace_document.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "views/json_parts.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

struct Total {
  std::uint64_t count = 0;
  std::int64_t ns = 0;
};

Total total_of(const Timeline& timeline, GpuWork work) {
  Total total;
  for (const GpuOp& op : timeline.ops) {
    if (op.work != work) continue;
    ++total.count;
    total.ns += op.end_ns - op.start_ns;
  }
  return total;
}

struct NamedWork {
  GpuWork work;
  std::string_view name;
};
constexpr NamedWork kWorks[] = {{GpuWork::kKernel, "kernels"},
                                {GpuWork::kGraph, "graphs"},
                                {GpuWork::kCopy, "copies"},
                                {GpuWork::kSet, "sets"}};

}  // namespace

Document compose_trace(const Timeline& timeline, const std::string& recorded) {
  Table table;
  table.columns = {{"What"}, {"Count", Align::kRight}, {"Total", Align::kRight}};
  for (const auto& [work, name] : kWorks) {
    const Total total = total_of(timeline, work);
    if (total.count == 0) continue;
    table.rows.push_back({{std::string(name)},
                          {group_digits(total.count), true},
                          {time_text(static_cast<double>(total.ns)), true}});
  }
  const auto add_count = [&](const char* name, std::size_t count) {
    table.rows.push_back({{name}, {group_digits(count), true}, {}});
  };
  add_count("calls", timeline.calls.size());
  add_count("ranges", timeline.ranges.size());
  add_count("processes", timeline.processes.size());
  add_count("GPUs", timeline.devices.size());
  Document document;
  document.blocks.emplace_back(Heading{"What was recorded"});
  document.blocks.emplace_back(std::move(table));
  document.blocks.emplace_back(Properties{{{"kept in", recorded}}});
  add_notes(timeline.notes, document);
  return document;
}

void write_trace_json(const Timeline& timeline, const std::string& recorded, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("recorded", recorded);
  for (const auto& [work, name] : kWorks) {
    const Total total = total_of(timeline, work);
    json.key(name);
    json.begin_object();
    json.member("count", total.count);
    json.member("ns", static_cast<std::uint64_t>(total.ns));
    json.end_object();
  }
  json.member("calls", std::uint64_t{timeline.calls.size()});
  json.member("ranges", std::uint64_t{timeline.ranges.size()});
  json.member("processes", std::uint64_t{timeline.processes.size()});
  json.member("devices", std::uint64_t{timeline.devices.size()});
  write_notes(timeline.notes, json);
  json.end_object();
}

}  // namespace proofline

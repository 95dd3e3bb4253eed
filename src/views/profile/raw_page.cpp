// SPDX-License-Identifier: Apache-2.0
//
// Composes ncu's raw page. The rules of its number format were read off ncu 2025.3.1's output for
// over 90,000 values.
#include "views/profile/raw_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

// "-1234567.5" with precision 2 -> "-1,234,567.50"
std::string grouped(double number, int precision) {
  char digits[512];  // the longest double has 309 digits before the point
  const auto end =
      std::to_chars(digits, std::end(digits), number, std::chars_format::fixed, precision).ptr;
  std::string text(digits, end);
  const std::size_t first = text[0] == '-' ? 1 : 0;
  std::size_t point = text.find('.');
  if (point == std::string::npos) point = text.size();
  for (std::size_t i = point; i > first + 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

std::string real_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  return grouped(number, number == std::trunc(number) ? 0 : 2);
}

std::string ncu_dim_text(const std::optional<Dim3>& dim) {
  if (!dim) return "";
  return fmt::format("({}, {}, {})", (*dim)[0], (*dim)[1], (*dim)[2]);
}

template <class Number>
std::string number_text(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : std::string();
}

std::string file_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

// domain:range:payload type:payload:colour type:colour:message type:message
std::string nvtx_text(const NvtxRange& range) {
  const NvtxAttributes attributes = range.attributes.value_or(NvtxAttributes{});
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text.c_str(); };
  return fmt::format("{}:{}:{}:{}:{}:{}:{}:{}",
                     range.domain.empty() ? "<default domain>" : range.domain.c_str(), range.name,
                     or_none(attributes.payload_type), or_none(attributes.payload),
                     attributes.argb ? "RGB" : "none",
                     attributes.argb ? fmt::format("{:#x}", *attributes.argb) : "none",
                     or_none(attributes.message_type), or_none(attributes.message));
}

std::string push_pop_text(const Launch& launch) {
  std::string text;
  std::optional<std::uint32_t> thread;
  for (const NvtxRange& range : launch.nvtx) {
    if (!range.push_pop) continue;
    if (range.thread != thread) {
      thread = range.thread;
      text += number_text(thread) + " ";
    }
    text += fmt::format(" \"{}\" ", nvtx_text(range));
  }
  return text;
}

std::string start_end_text(const Launch& launch) {
  std::string text;
  for (const NvtxRange& range : launch.nvtx) {
    if (!range.push_pop) text += fmt::format(" \"{}:{}\" ", range.id, nvtx_text(range));
  }
  return text;
}

// "13", or "13 (left stream)" where NVTX gave it a name; a range belongs to no one stream.
std::string named_text(std::optional<std::uint32_t> id, const std::string& name) {
  if (!id) return "n/a";
  return name.empty() ? std::to_string(*id) : fmt::format("{} ({})", *id, name);
}

// Everything an identity column needs to know of one launch.
struct Row {
  std::size_t id;
  const Launch& launch;
  const Process& process;
  const std::string& name;
};

struct IdentityColumn {
  const char* title;
  std::string (*text)(const Row& row);
};

const IdentityColumn kProcessColumns[] = {
    {"ID", [](const Row& row) { return std::to_string(row.id); }},
    {"Process ID", [](const Row& row) { return number_text(row.process.pid); }},
    {"Process Name", [](const Row& row) { return file_name(row.process.name); }},
    {"Host Name", [](const Row& row) { return row.process.host; }},
};

// Only where NVTX ranges were recorded.
const IdentityColumn kNvtxColumns[] = {
    {"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
     [](const Row& row) { return push_pop_text(row.launch); }},
    {"Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
     [](const Row& row) { return start_end_text(row.launch); }},
};

const IdentityColumn kLaunchColumns[] = {
    {"Kernel Name", [](const Row& row) { return row.name; }},
    {"Context",
     [](const Row& row) { return named_text(row.launch.context, row.launch.context_name); }},
    {"Stream",
     [](const Row& row) { return named_text(row.launch.stream, row.launch.stream_name); }},
};

// Only where something in the report has a shape; a range has none.
const IdentityColumn kShapeColumns[] = {
    {"Block Size", [](const Row& row) { return ncu_dim_text(row.launch.block); }},
    {"Grid Size", [](const Row& row) { return ncu_dim_text(row.launch.grid); }},
};

const IdentityColumn kDeviceColumns[] = {
    {"Device", [](const Row& row) { return number_text(row.launch.device); }},
    {"CC", [](const Row& row) { return row.launch.compute_capability; }},
};

std::vector<IdentityColumn> identity_columns(const Profile& profile) {
  std::vector<IdentityColumn> columns;
  const auto add = [&](const auto& group) {
    columns.insert(columns.end(), std::begin(group), std::end(group));
  };
  const auto any_launch = [&](bool (*has)(const Launch&)) {
    return std::any_of(profile.launches.begin(), profile.launches.end(), has);
  };
  add(kProcessColumns);
  if (any_launch([](const Launch& launch) { return !launch.nvtx.empty(); })) add(kNvtxColumns);
  add(kLaunchColumns);
  if (any_launch([](const Launch& launch) { return launch.grid || launch.block; })) {
    add(kShapeColumns);
  }
  add(kDeviceColumns);
  return columns;
}

}  // namespace

bool on_raw_page(std::string_view metric_name) {
  return metric_name.substr(0, 10) != "breakdown:" && metric_name.substr(0, 6) != "group:";
}

std::string raw_page_text(const Metric& metric) {
  if (const auto* real = std::get_if<double>(&metric.value)) return real_text(*real);
  if (const auto* integer = std::get_if<std::uint64_t>(&metric.value))
    return group_digits(*integer);
  if (const auto* text = std::get_if<std::string>(&metric.value)) return *text;
  return metric.has_instances ? "" : "no data";
}

Document compose_raw_page(const Profile& profile, const Selection& selection) {
  std::vector<IdentityColumn> identity = identity_columns(profile);
  Table table;
  table.columns.reserve(identity.size() + selection.metrics.size());
  for (const IdentityColumn& column : identity) table.columns.push_back({column.title});
  std::vector<Cell> units(identity.size());
  for (const MetricId id : selection.metrics) {
    table.columns.push_back({profile.metric_names[id].name});
    units.push_back({profile.metric_names[id].unit});
  }
  table.rows.push_back(std::move(units));
  table.next_row = [&profile, &selection, identity = std::move(identity),
                    names = display_names(profile),
                    next = std::size_t{0}]() mutable -> std::optional<std::vector<Cell>> {
    if (next == selection.launches.size()) return std::nullopt;
    const std::size_t position = selection.launches[next++];
    const Launch& launch = profile.launches[position];
    std::vector<Cell> row;
    row.reserve(identity.size() + selection.metrics.size());
    const Row source{position, launch, profile.processes[launch.process], names[position]};
    for (const IdentityColumn& column : identity) row.push_back({column.text(source)});
    for (const MetricId id : selection.metrics) {
      const Metric* metric = launch.find(id);
      const bool number = metric != nullptr && !std::holds_alternative<std::string>(metric->value);
      row.push_back({metric != nullptr ? raw_page_text(*metric) : "", number});
    }
    return row;
  };
  return Document{{std::move(table)}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Composes what `show` says about a profile. Nothing is computed here beyond choosing units.
#include "views/profile/show_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <string>

#include "base/redact.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "model/profile/display_name.h"
#include "views/json_parts.h"
#include "views/profile/raw_page.h"
#include "views/quantity.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

std::string percent_text(std::optional<double> percent) {
  return percent ? fmt::format("{:.1f}", *percent) : "-";
}

std::string occupancy_text(const LaunchSummary& summary) {
  if (!summary.achieved_occupancy_percent && !summary.theoretical_occupancy_percent) return "-";
  const auto part = [](std::optional<double> percent) {
    return percent ? fmt::format("{:.0f}", *percent) : std::string("-");
  };
  return part(summary.achieved_occupancy_percent) + "/" +
         part(summary.theoretical_occupancy_percent);
}

// The largest reasons; issuing is not waiting. More than two would not fit a terminal; JSON has
// all.
std::string stalls_text(const LaunchSummary& summary) {
  constexpr std::size_t kMost = 2;
  constexpr double kLeastShare = 0.05;
  std::string text;
  std::size_t count = 0;
  for (const StallShare& stall : summary.stalls.shares) {
    if (stall.reason == to_string(Stall::kSelected) || stall.share < kLeastShare) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {:.0f}%", stall.reason, 100 * stall.share);
    if (++count == kMost) break;
  }
  return text.empty() ? "-" : text;
}

std::string launch_title(const Launch& launch, std::size_t position) {
  return fmt::format("{} {}  {}", to_string(launch.kind), position, shown_name(launch.name));
}

std::string date_text(std::uint64_t unix_time) {
  if (unix_time == 0) return "";
  return utc_text(static_cast<std::time_t>(unix_time), "%Y-%m-%d %H:%M:%S UTC");
}

std::string value_text(const Value& value) {
  Metric metric;
  metric.value = value;
  return raw_page_text(metric);
}

// Rows of a table, but for texts that are too long for one: some metrics are lists of hundreds of
// names, and one of those would take the width from every other row.
class MetricRows {
 public:
  explicit MetricRows(std::vector<TableColumn> columns) : table_{std::move(columns), {}} {}

  // The last cell is the value, the first one its name.
  void add(std::vector<Cell> row) {
    constexpr std::size_t kLongestText = 40;
    Cell& value = row.back();
    if (value.number || value.text.size() <= kLongestText) {
      table_.rows.push_back(std::move(row));
      return;
    }
    Point& point = long_texts_.points.emplace_back();
    point.title = row.front().text;
    point.lines.push_back({"", std::move(value.text)});
  }

  void put_into(Document& document) {
    if (!table_.rows.empty()) document.blocks.emplace_back(std::move(table_));
    if (!long_texts_.points.empty()) document.blocks.emplace_back(std::move(long_texts_));
  }

 private:
  Table table_;
  Points long_texts_;
};

bool is_number(const Value& value) { return !std::holds_alternative<std::string>(value); }

void add_instances(const Profile& profile, const std::vector<const Metric*>& metrics,
                   Document& document) {
  MetricRows rows(
      {{"Metric", Align::kLeft, true}, {"Instance", Align::kRight}, {"Value", Align::kRight}});
  for (const Metric* metric : metrics) {
    if (!metric->instances) continue;
    const Instances& instances = *metric->instances;
    const bool correlated = column_size(instances.correlation) > 0;
    for (std::size_t i = 0; i < column_size(instances.values); ++i) {
      const Value place =
          correlated ? column_at(instances.correlation, i) : Value{std::uint64_t{i}};
      const Value value = column_at(instances.values, i);
      rows.add({{profile.metric_names[metric->id].name},
                {value_text(place)},
                {value_text(value), is_number(value)}});
    }
  }
  rows.put_into(document);
}

void add_if(Properties& properties, std::string_view name, std::string value) {
  if (!value.empty()) properties.rows.emplace_back(name, std::move(value));
}

std::string system_text(const SystemInfo& system) {
  std::string text;
  for (const std::string* part :
       {&system.computer, &system.os, &system.build, &system.architecture, &system.processor}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ", ";
    text += *part;
  }
  return text;
}

Properties session_properties(const Process& process) {
  const Session& session = process.session;
  Properties properties;
  add_if(properties, "recorded", date_text(session.unix_time));
  add_if(properties, "ncu command", redact_command(session.profiler_command));
  add_if(properties, "program", session.executable);
  add_if(properties, "arguments", redact_command(session.arguments));
  add_if(properties, "folder", session.working_directory);
  add_if(properties, "host", system_text(session.host));
  add_if(properties, "target", system_text(session.target));
  for (const auto& [provider, version] : session.versions) add_if(properties, provider, version);
  for (const auto& [name, value] : session.profiler_settings) add_if(properties, name, value);
  add_if(properties, "comments", redact_command(session.comments));
  return properties;
}

std::string clocks_text(const Profile& profile) {
  std::size_t known = 0;
  std::size_t locked = 0;
  for (const Launch& launch : profile.launches) {
    if (!launch.clocks) continue;
    ++known;
    if (launch.clocks->locked) ++locked;
  }
  if (known == 0) return "not recorded";
  if (locked == known) return "locked to base while profiling";
  if (locked == 0) return "not locked";
  return fmt::format("locked for {} of {} launches", locked, known);
}

}  // namespace

std::string nvidia_rule_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t start = text.find('@');
    plain += text.substr(0, start);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start + 1);
    const std::string_view link = text.substr(0, text.find('@'));
    const bool is_section = link.substr(0, 8) == "section:";
    const bool is_url = link.substr(0, 4) == "url:";
    const std::size_t middle = link.find(':', is_section ? 8 : 4);
    if ((!is_section && !is_url) || middle == std::string_view::npos ||
        link.size() == text.size()) {
      plain += '@';
      continue;
    }
    plain += is_section ? link.substr(middle + 1) : link.substr(4, middle - 4);
    text.remove_prefix(link.size() + 1);
  }
  return plain;
}

void add_source(const Profile& profile, Document& document) {
  std::set<std::string> devices;
  for (const Process& process : profile.processes) {
    for (const Device& device : process.session.devices) devices.insert(device.name);
  }
  std::string device_list;
  for (const std::string& device : devices)
    device_list += (device_list.empty() ? "" : ", ") + device;
  Properties properties;
  add_if(properties, "device", device_list);
  add_if(properties, "recorded by", profile.producer);
  add_if(properties, "clocks", clocks_text(profile));
  document.blocks.emplace_back(Heading{profile.path});
  document.blocks.emplace_back(std::move(properties));
}

void add_launches(const Profile& profile, const Selection& selection,
                  const std::vector<LaunchSummary>& summaries, Document& document) {
  Table table{{{"#", Align::kRight},
               {"Kernel", Align::kLeft, true},
               {"Grid", Align::kRight},
               {"Block", Align::kRight},
               {"Time", Align::kRight},
               {"SM %", Align::kRight},
               {"L1 %", Align::kRight},
               {"L2 %", Align::kRight},
               {"DRAM %", Align::kRight},
               {"Occ. %", Align::kRight},
               {"Warps wait for"}},
              {}};
  const std::vector<std::string> names = display_names(profile);
  for (std::size_t i = 0; i < selection.launches.size(); ++i) {
    const Launch& launch = profile.launches[selection.launches[i]];
    const LaunchSummary& summary = summaries[i];
    table.rows.push_back({{std::to_string(selection.launches[i]), true},
                          {shown_name(without_signature(names[selection.launches[i]]))},
                          {dim_text(launch.grid)},
                          {dim_text(launch.block)},
                          {time_text(summary.duration_ns)},
                          {percent_text(summary.sm_percent), true},
                          {percent_text(summary.l1_percent), true},
                          {percent_text(summary.l2_percent), true},
                          {percent_text(summary.dram_percent), true},
                          {occupancy_text(summary)},
                          {stalls_text(summary)}});
  }
  document.blocks.emplace_back(std::move(table));
  document.blocks.emplace_back(Paragraph{
      "Time is under ncu's replay, not wall time. SM, L1, L2, DRAM: percent of that level's "
      "peak. Occ.: achieved/theoretical. Waits: share of warp cycles."});
}

void add_metrics(const Profile& profile, const Selection& selection, Document& document) {
  const ChosenMetrics chosen(selection);
  for (const std::size_t position : selection.launches) {
    const Launch& launch = profile.launches[position];
    MetricRows rows({{"Metric", Align::kLeft, true}, {"Unit"}, {"Value", Align::kRight}});
    const std::vector<const Metric*> metrics = chosen.of(launch);
    for (const Metric* metric : metrics) {
      const MetricName& name = profile.metric_names[metric->id];
      rows.add({{name.name}, {name.unit}, {raw_page_text(*metric), is_number(metric->value)}});
    }
    document.blocks.emplace_back(Heading{launch_title(launch, position)});
    rows.put_into(document);
    add_instances(profile, metrics, document);
  }
}

void add_session(const Profile& profile, Document& document) {
  for (const Process& process : profile.processes) {
    document.blocks.emplace_back(Heading{fmt::format(
        "process {} {}", process.pid ? std::to_string(*process.pid) : "", process.name)});
    document.blocks.emplace_back(session_properties(process));
    const auto variables = redact_environment(process.session.environment);
    if (!variables.empty()) {
      document.blocks.emplace_back(Paragraph{"Environment (values hidden unless known harmless):"});
      document.blocks.emplace_back(Properties{variables});
    }
    for (const Device& device : process.session.devices) {
      Properties attributes;
      for (const auto& [name, value] : device.attributes) {
        attributes.rows.emplace_back(name, value_text(value));
      }
      document.blocks.emplace_back(Heading{fmt::format("device {} {}", device.id, device.name)});
      document.blocks.emplace_back(std::move(attributes));
    }
  }
}

void add_modules(const Profile& profile, Document& document) {
  if (profile.modules.empty()) {
    document.blocks.emplace_back(Paragraph{"No code is embedded in this file."});
    return;
  }
  Table modules{{{"#", Align::kRight},
                 {"SM"},
                 {"Cubin bytes", Align::kRight},
                 {"PTX bytes", Align::kRight},
                 {"Functions", Align::kLeft, true}},
                {}};
  Table files{
      {{"Module", Align::kRight}, {"Bytes", Align::kRight}, {"Source file", Align::kLeft, true}},
      {}};
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    const Module& module = profile.modules[i];
    std::string functions;
    for (const Symbol& symbol : module.functions) {
      functions += (functions.empty() ? "" : ", ") + symbol.name;
    }
    modules.rows.push_back({{std::to_string(i), true},
                            {fmt::format("sm_{}{}", module.sm_major, module.sm_minor)},
                            {group_digits(module.cubin_bytes), true},
                            {group_digits(module.ptx_bytes), true},
                            {functions}});
    for (const SourceFile& file : module.files) {
      files.rows.push_back({{std::to_string(i), true},
                            {file.bytes > 0 ? group_digits(file.bytes) : "not embedded", true},
                            {file.name}});
    }
  }
  document.blocks.emplace_back(std::move(modules));
  if (!files.rows.empty()) document.blocks.emplace_back(std::move(files));
}

void add_nvidia_rules(const Profile& profile, const Selection& selection, Document& document) {
  for (const std::size_t position : selection.launches) {
    const Launch& launch = profile.launches[position];
    document.blocks.emplace_back(Heading{launch_title(launch, position)});
    if (launch.nvidia_rules.empty()) {
      document.blocks.emplace_back(Paragraph{"No rule results in this report."});
    }
    for (const NvidiaRule& rule : launch.nvidia_rules) {
      std::string claim;
      if (rule.speedup) {
        claim = fmt::format(", NVIDIA estimates {:.1f}% {}", rule.speedup->percent,
                            rule.speedup->global ? "of the kernel" : "of the part it is about");
      }
      for (const NvidiaRule::Message& message : rule.messages) {
        document.blocks.emplace_back(
            Paragraph{fmt::format("[{}] {} ({}{}): {}", to_string(message.kind), rule.title,
                                  rule.section, claim, nvidia_rule_text(message.text))});
      }
    }
  }
}

}  // namespace proofline

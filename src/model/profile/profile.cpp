// SPDX-License-Identifier: Apache-2.0
//
// The little behaviour that the plain structs of model/ have: look-ups, names of enums.
#include "model/profile/profile.h"

#include <algorithm>
#include <cmath>

#include "base/record.h"

namespace proofline {

std::optional<double> as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::uint64_t>(&value))
    return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr || !std::isfinite(*real) || *real < 0) return std::nullopt;
  return *real;
}

bool is_negative(const Value& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr && *real < 0;
}

std::size_t column_size(const Column& column) {
  return std::visit(
      [](const auto& values) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          return 0;
        } else {
          return values.size();
        }
      },
      column);
}

Value column_at(const Column& column, std::size_t index) {
  return std::visit(
      [index](const auto& values) -> Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          return std::monostate{};
        } else {
          return values[index];
        }
      },
      column);
}

MetricId MetricNames::intern(std::string_view name, std::string_view unit) {
  if (const auto known = find(name)) return *known;
  auto& [names, ids] = *table_;
  const auto id = static_cast<MetricId>(names.size());
  names.push_back({std::string(name), std::string(unit)});
  ids.emplace(names.back().name, id);
  return id;
}

std::optional<MetricId> MetricNames::find(std::string_view name) const {
  const auto found = table_->ids.find(name);
  if (found == table_->ids.end()) return std::nullopt;
  return found->second;
}

const Metric* Launch::find(MetricId id) const {
  const auto found =
      std::lower_bound(metrics.begin(), metrics.end(), id,
                       [](const Metric& metric, MetricId wanted) { return metric.id < wanted; });
  return found != metrics.end() && found->id == id ? &*found : nullptr;
}

std::string_view to_string(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::kKernel: return "kernel";
    case LaunchKind::kRange: return "range";
    case LaunchKind::kGraph: return "graph";
    case LaunchKind::kCommandList: return "command-list";
  }
  return "";
}

std::string_view to_string(RuleMessageKind kind) {
  switch (kind) {
    case RuleMessageKind::kNone: return "none";
    case RuleMessageKind::kOk: return "ok";
    case RuleMessageKind::kWarning: return "warning";
    case RuleMessageKind::kError: return "error";
    case RuleMessageKind::kOptimization: return "optimization";
  }
  return "";
}

std::string_view device_name(const Profile& profile, const Launch& launch) {
  const auto find_in = [&](const Process& process) -> std::string_view {
    for (const Device& device : process.session.devices) {
      if (!launch.device || device.id == *launch.device) return device.name;
    }
    return {};
  };
  if (launch.process < profile.processes.size()) {
    const std::string_view own = find_in(profile.processes[launch.process]);
    if (!own.empty()) return own;
  }
  for (const Process& process : profile.processes) {
    const std::string_view other = find_in(process);
    if (!other.empty()) return other;
  }
  return {};
}

Record describe(const NvidiaRule::Speedup* /*type*/) {
  using Speedup = NvidiaRule::Speedup;
  return {
      about("speedup"),
      derived("scope",
              [](const Speedup& speedup) -> std::string_view {
                return speedup.global ? "kernel" : "part";
              })
          .one_of({"kernel", "part"}),
      member<&Speedup::percent>("percent").or_null(),
  };
}

Record describe(const NvidiaRule::Message* /*type*/) {
  using Message = NvidiaRule::Message;
  return {
      about("rule_message"),
      member<&Message::kind>("kind"),
      member<&Message::title>("title"),
      member<&Message::text>("text"),
  };
}

Record describe(const NvidiaRule* /*type*/) {
  return {
      about("nvidia_rule", "NVIDIA's own advice as the report has it."),
      member<&NvidiaRule::id>("id"),
      member<&NvidiaRule::title>("title"),
      member<&NvidiaRule::section>("section"),
      member<&NvidiaRule::speedup>("speedup"),
      member<&NvidiaRule::messages>("messages"),
  };
}

}  // namespace proofline

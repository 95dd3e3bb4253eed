// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <variant>

#include "workflow/run/play_command.h"

namespace proofline {
namespace {

// Each is timed on both sides, so more would take days.
constexpr std::size_t kMostSettings = 256;

// As it is read again: some units of values are written otherwise.
std::string told_word(const ToldValue& told) {
  const auto* number = std::get_if<double>(&told.value);
  if (number != nullptr && told.unit == "share") return fmt::format("{}%", *number * 100);
  std::string_view unit = told.unit;
  if (unit == "byte/s") unit = "B/s";
  if (unit == "1/s") unit = "Hz";
  return fmt::format("{}{}{}", value_word(told.value), unit.empty() ? "" : " ", unit);
}

bool names_key(const std::vector<std::string>& words, const std::string& key) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.find("{" + key + "}") != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> SweepSetting::words() const {
  std::vector<std::string> all;
  for (const auto& [key, value] : values) {
    all.push_back(fmt::format("{}={}", key, told_word(value)));
  }
  return all;
}

std::string SweepSetting::text() const { return fmt::format("{}", fmt::join(words(), " ")); }

void SweepSetting::apply(Workload& workload) const {
  for (const auto& [key, value] : values) workload[key] = value;
}

bool SweepSetting::is_in(const Workload& workload) const {
  return std::all_of(values.begin(), values.end(), [&](const auto& one) {
    const auto known = workload.find(one.first);
    return known != workload.end() && known->second.value == one.second.value;
  });
}

bool is_swept_by_arguments(const Playbook& playbook, const PlaybookTask& task,
                           const std::vector<std::string>& command) {
  if (task.sweep.empty()) return false;
  return std::all_of(task.sweep.begin(), task.sweep.end(), [&](const auto& one) {
    const std::string& key = one.first;
    const bool in_case =
        std::any_of(playbook.cases.begin(), playbook.cases.end(), [&](const PlaybookCase& known) {
          return known.set.contains(key) || names_key(known.args, key);
        });
    return !in_case && (names_key(command, key) || names_key(playbook.args, key));
  });
}

Result<std::vector<SweepSetting>> sweep_settings(const PlaybookTask& task) {
  std::vector<SweepSetting> all(1);
  for (const auto& [key, values] : task.sweep) {
    std::vector<SweepSetting> longer;
    for (const SweepSetting& before : all) {
      for (const ToldValue& value : values) {
        longer.push_back(before);
        longer.back().values.emplace_back(key, value);
      }
    }
    if (longer.size() > kMostSettings) {
      return fail(ErrorKind::kUsage, fmt::format("the sweep of {} has more than {} combinations",
                                                 task.id, kMostSettings));
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "playbook/deliverables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "analysis/launch/hot_spots_facts.h"
#include "analysis/launch/machine_code_facts.h"
#include "analysis/launch/stalls_facts.h"
#include "analysis/launch/throughput_facts.h"
#include "analysis/timeline/timeline_facts.h"
#include "playbook/evaluate.h"
#include "vocabulary/levels.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

void add_row(std::string label, const FactSource& source, const std::string& fact,
             std::vector<FieldResult>& rows) {
  const FactAnswer answer = source.fact({}, fact);
  if (answer.value) rows.push_back({std::move(label), answer.value, answer.unit, {}});
}

std::string text_of(const FactSource& source, const std::string& fact) {
  const FactAnswer answer = source.fact({}, fact);
  const auto* text = answer.value ? std::get_if<std::string>(&*answer.value) : nullptr;
  return text != nullptr ? *text : "";
}

// "5-10%" as shares; nothing where it is no such range.
std::optional<std::pair<double, double>> gain_range(const std::string& text) {
  double low = 0;
  double high = 0;
  const int read = std::sscanf(text.c_str(), "%lf-%lf%%", &low, &high);
  if (read < 1 || text.empty() || text.back() != '%') return std::nullopt;
  return std::pair(low / 100, (read == 1 ? low : high) / 100);
}

// What the eligible tasks would bring together: each saves its part of what the others leave.
void add_forecast(const CheckRun& run, std::vector<FieldResult>& rows) {
  double least = 1;
  double most = 1;
  for (const TaskResult& task : run.tasks) {
    if (task.state != TaskState::kEligible || task.expect.empty()) continue;
    rows.push_back({task.id, task.expect, "", {}});
    if (const auto gain = gain_range(task.expect)) {
      least *= 1 - gain->first;
      most *= 1 - gain->second;
    }
  }
  if (rows.empty()) return;
  rows.push_back({"together, at least", 1 - least, "share", {}});
  rows.push_back({"together, at most", 1 - most, "share", {}});
}

// The rows of a table that is made of what the run says.
std::vector<FieldResult> rows_of_run(std::string_view table, const CheckRun& run,
                                     const std::string& kernel) {
  std::vector<FieldResult> rows;
  const auto text = [](std::string_view word) { return std::string(word); };
  if (table == "checks" || table == "hypotheses") {
    for (const CheckResult& check : run.checks) {
      const bool hypothesis = check.kind == CheckKind::kHypothesis;
      if (hypothesis != (table == "hypotheses")) continue;
      if (!kernel.empty() && !check.kernel.empty() && check.kernel != kernel) continue;
      rows.push_back({check.id, text(to_string(check.verdict)), "", {}});
    }
  } else if (table == "options" || table == "attempts") {
    for (const TaskResult& task : run.tasks) {
      const bool tried = task.state == TaskState::kKept || task.state == TaskState::kReverted;
      if (table == "attempts" && !tried) continue;
      rows.push_back({task.id,
                      task.reason.empty() ? text(to_string(task.state))
                                          : text(to_string(task.state)) + ": " + task.reason,
                      "",
                      {}});
    }
  } else if (table == "pairs") {
    for (const TaskResult& task : run.tasks) {
      for (const Reading& reading : task.readings) {
        if (!reading.before) continue;
        rows.push_back({reading.what + " before", *reading.before, reading.unit, {}});
        rows.push_back({reading.what + " after", reading.value, reading.unit, {}});
      }
    }
  } else if (table == "forecast") {
    add_forecast(run, rows);
  }
  return rows;
}

// The time of each case, as far as there is evidence of it.
std::vector<FieldResult> rows_of_cases(const Playbook& playbook, const FactSource& source) {
  std::vector<FieldResult> rows;
  for (const PlaybookCase& one : playbook.cases) {
    const EvidenceSide side{EvidenceSide::Kind::kCase, one.id};
    for (const char* fact : {"bench.median", "duration"}) {
      const FactAnswer answer = source.fact(side, fact);
      if (answer.value) {
        rows.push_back({fmt::format("{} {}", one.id, fact), answer.value, answer.unit, {}});
      }
    }
  }
  return rows;
}

// The rows of a table that is made of facts.
std::vector<FieldResult> rows_of(std::string_view table, const FactSource& source) {
  constexpr std::size_t kMostRows = 10;
  constexpr double kLeastShare = 0.0005;  // less prints as nothing
  std::vector<FieldResult> rows;
  if (table == "stalls") {
    for (const StallReason& reason : stall_reasons()) {
      add_row(std::string(reason.name), source, facts::kStallShare[reason.stall].name, rows);
    }
  } else if (table == "pipes") {
    for (const LevelInfo& level : levels()) {
      add_row(std::string(level.name), source, facts::kThroughputShare[level.level].name, rows);
    }
  } else if (table == "hot" || table == "lanes") {
    const auto& place = table == "hot" ? facts::kHotLinePlace : facts::kLanesLinePlace;
    const auto& share = table == "hot" ? facts::kHotLineShare : facts::kLanesLineLostShare;
    for (std::size_t i = 0; i < kMostRows; ++i) {
      add_row(text_of(source, place[i].name), source, share[i].name, rows);
    }
  }
  if (table == "timeline") {
    for (const FactInfo& fact : {facts::kTimelineKernelsShare, facts::kTimelineCopyExposedShare,
                                 facts::kTimelineCommExposedShare, facts::kTimelineGpuIdleShare}) {
      add_row(std::string(fact.name), source, std::string(fact.name), rows);
    }
    for (std::size_t i = 0; i < kMostRows; ++i) {
      add_row(text_of(source, facts::kTimelineTopName[i].name), source,
              facts::kTimelineTopShare[i].name, rows);
    }
  }
  if (table != "stalls" && table != "pipes") return rows;
  const auto number = [](const FieldResult& row) { return std::get<double>(*row.value); };
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const FieldResult& row) { return number(row) < kLeastShare; }),
             rows.end());
  std::stable_sort(rows.begin(), rows.end(), [&](const FieldResult& a, const FieldResult& b) {
    return number(a) > number(b);
  });
  return rows;
}

}  // namespace

std::vector<DeliverableResult> fill_deliverables(const Playbook& playbook,
                                                 const std::vector<CheckedKernel>& kernels,
                                                 const CheckRun& run) {
  std::vector<DeliverableResult> filled_in;
  for (const PlaybookDeliverable& one : playbook.deliverables) {
    const std::size_t count = one.each == "kernel" ? kernels.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      DeliverableResult result;
      result.id = one.id;
      result.title = one.title;
      if (one.each == "kernel") result.kernel = kernels[i].locked().lock;
      for (const DeliverablePart& part : one.parts) {
        DeliverableResult::Part filled{part.text, rows_of(part.table, kernels[i]), part.table};
        if (part.table == "cases") filled.fields = rows_of_cases(playbook, kernels[i]);
        if (filled.fields.empty()) filled.fields = rows_of_run(part.table, run, result.kernel);
        for (const DeliverablePart::Field& field : part.fields) {
          EvaluatedValue value = evaluate_value(field.expr.expression, playbook.lets, kernels[i]);
          filled.fields.push_back(
              {field.label, std::move(value.value), value.unit, std::move(value.missing)});
        }
        result.parts.push_back(std::move(filled));
      }
      filled_in.push_back(std::move(result));
    }
  }
  return filled_in;
}

}  // namespace proofline

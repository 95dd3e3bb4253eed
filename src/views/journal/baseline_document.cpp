// SPDX-License-Identifier: Apache-2.0
#include "views/journal/baseline_document.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "views/journal/journal_document.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

std::string interval_text(const RecordedMeasurement& one) {
  if (!one.low_ns || !one.high_ns) return "-";
  return fmt::format("{} to {}", time_text(one.low_ns), time_text(one.high_ns));
}

}  // namespace

Document compose_baselines(const std::vector<Baseline>& baselines, const std::vector<Note>& notes) {
  Document document;
  if (baselines.empty()) {
    document.blocks.emplace_back(
        Paragraph{"No baselines; 'proofline journal baseline set NAME FILE' remembers one."});
  } else {
    Table table{{{"Name"},
                 {"Set"},
                 {"GPU"},
                 {"Configurations", Align::kRight},
                 {"File", Align::kLeft, true}},
                {}};
    for (const Baseline& one : baselines) {
      table.rows.push_back({{one.name},
                            {when_text(one.set)},
                            {one.gpu},
                            {std::to_string(one.measurements.size()), true},
                            {one.path}});
    }
    document.blocks.emplace_back(std::move(table));
  }
  add_notes(notes, document);
  return document;
}

Document compose_baseline(const Baseline& baseline, const std::vector<Note>& notes) {
  Document document;
  Properties facts{{{"Baseline", baseline.name}, {"File", baseline.path}}};
  if (!baseline.side.empty()) facts.rows.emplace_back("Side", baseline.side);
  if (!baseline.sha256.empty()) facts.rows.emplace_back("SHA-256", baseline.sha256);
  facts.rows.emplace_back("Set", baseline.set);
  facts.rows.emplace_back("GPU", baseline.gpu.empty() ? "-" : baseline.gpu);
  document.blocks.emplace_back(std::move(facts));
  Table table{{{"Configuration", Align::kLeft, true},
               {"State"},
               {"Median", Align::kRight},
               {"95 % interval", Align::kRight},
               {"Samples", Align::kRight}},
              {}};
  for (const RecordedMeasurement& one : baseline.measurements) {
    table.rows.push_back({{one.configuration},
                          {one.throttled_only ? one.state + ", throttled" : one.state},
                          {time_text(one.median_ns), true},
                          {interval_text(one), true},
                          {std::to_string(one.samples), true}});
  }
  document.blocks.emplace_back(std::move(table));
  add_notes(notes, document);
  return document;
}

}  // namespace proofline

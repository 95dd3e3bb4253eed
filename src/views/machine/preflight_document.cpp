// SPDX-License-Identifier: Apache-2.0
//
// The verdict, a line for each check, and what to do, the worst first.
#include "views/machine/preflight_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostKernels = 20;

Tone tone_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::kOk: return Tone::kGood;
    case CheckStatus::kNote: return Tone::kNeutral;
    case CheckStatus::kUnknown: return Tone::kWarning;
    case CheckStatus::kProblem:
    case CheckStatus::kMissing: return Tone::kBad;
  }
  return Tone::kNone;
}

Table checks_table(const Preflight& preflight) {
  Table table{{{"Status"}, {"What"}, {"Finding", Align::kLeft, true}}, {}};
  for (const PreflightCheck& check : preflight.checks) {
    table.rows.push_back({{std::string(to_string(check.status)), false, tone_of(check.status)},
                          {check.what},
                          {check.statement}});
  }
  return table;
}

Points advice(const Preflight& preflight) {
  std::vector<const PreflightCheck*> checks;
  for (const PreflightCheck& check : preflight.checks) {
    if (!check.next.empty()) checks.push_back(&check);
  }
  std::stable_sort(checks.begin(), checks.end(),
                   [](const auto* a, const auto* b) { return a->status > b->status; });
  Points points;
  for (const PreflightCheck* check : checks) {
    points.points.push_back({std::to_string(points.points.size() + 1) + ".",
                             check->what,
                             check->statement,
                             {{"next", check->next}}});
  }
  return points;
}

void add_run(const PreflightRun& run, Document& document) {
  if (!run.kernels.empty()) {
    document.blocks.emplace_back(Heading{"Kernels"});
    Table table{{{"Kernel", Align::kLeft, true, false, true},
                 {"Launches", Align::kRight},
                 {"Total", Align::kRight}},
                {}};
    for (std::size_t i = 0; i < std::min(run.kernels.size(), kMostKernels); ++i) {
      const PreflightKernel& kernel = run.kernels[i];
      table.rows.push_back({{table_name(kernel.name)},
                            {group_digits(kernel.launches)},
                            {time_text(static_cast<double>(kernel.total_ns))}});
    }
    document.blocks.emplace_back(std::move(table));
    if (run.kernels.size() > kMostKernels) {
      document.blocks.emplace_back(Paragraph{fmt::format(
          "and {} more, in {} json", run.kernels.size() - kMostKernels, option("format"))});
    }
  }
  if (!run.folder.empty()) document.blocks.emplace_back(Properties{{{"Run", run.folder}}});
}

}  // namespace

Document compose_preflight(const Preflight& preflight) {
  Document document;
  document.blocks.emplace_back(Points{{{"", preflight.headline, "", {}}}});
  document.blocks.emplace_back(checks_table(preflight));
  if (Points points = advice(preflight); !points.points.empty()) {
    document.blocks.emplace_back(Heading{"What to do"});
    document.blocks.emplace_back(std::move(points));
  }
  if (preflight.run) add_run(*preflight.run, document);
  add_notes(preflight.notes, document);
  return document;
}

Document compose_preflight_rows(const Preflight& preflight) {
  Table table{{{"Check"}, {"Status"}, {"Statement"}, {"Next"}}, {}};
  for (const PreflightCheck& check : preflight.checks) {
    table.rows.push_back(
        {{check.id}, {std::string(to_string(check.status))}, {check.statement}, {check.next}});
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline

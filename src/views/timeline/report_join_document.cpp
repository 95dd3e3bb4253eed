// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/report_join_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "views/notes.h"
#include "views/quantity.h"
#include "views/timeline/program_savings_table.h"

namespace proofline {
namespace {

constexpr std::size_t kMostUnpairedKernels = 8;

std::string left_out_text(std::size_t all, std::size_t shown) {
  return fmt::format("and {} more ({})", all - shown, option("all"));
}

// Communication is not made faster by a profile of its kernels.
std::string alone_name(const RanKernel& kernel) {
  std::string name = table_name(kernel.name);
  if (kernel.communication) name += " (communication)";
  return name;
}

std::string grids_text(const RanKernel& kernel) {
  return kernel.shapes.size() == 1 ? dim_text(kernel.shapes.front().grid)
                                   : fmt::format("{} of them", kernel.shapes.size());
}

void add_unprofiled(const ReportJoin& join, bool all, Document& document) {
  const std::vector<RanKernel>& kernels = join.savings.unprofiled;
  if (kernels.empty()) return;
  Table table;
  table.columns = {{"Ran, but not in the report", Align::kLeft, true, false, true},
                   {"Grid", Align::kRight, false, true},
                   {"Launches", Align::kRight},
                   {"Total", Align::kRight},
                   {"Share of time", Align::kRight}};
  const std::size_t shown = all ? kernels.size() : std::min(kernels.size(), kMostUnpairedKernels);
  for (std::size_t i = 0; i < shown; ++i) {
    const RanKernel& kernel = kernels[i];
    table.rows.push_back({{alone_name(kernel)},
                          {grids_text(kernel), true},
                          {group_digits(kernel.count), true},
                          {time_text(static_cast<double>(kernel.total_ns)), true},
                          {share_text(join.time.share(kernel.total_ns)), true}});
  }
  if (shown < kernels.size()) {
    table.rows.push_back({{left_out_text(kernels.size(), shown)}, {}, {}, {}, {}});
  }
  document.blocks.emplace_back(std::move(table));
}

void add_not_run(const ReportJoin& join, bool all, Document& document) {
  const std::vector<ReportedKernel>& kernels = join.savings.not_run;
  if (kernels.empty()) return;
  Table table;
  table.columns = {{"In the report, but did not run", Align::kLeft, true, false, true},
                   {"Grid", Align::kRight},
                   {"Block", Align::kRight}};
  const std::size_t shown = all ? kernels.size() : std::min(kernels.size(), kMostUnpairedKernels);
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back({{table_name(kernels[i].display_name)},
                          {dim_text(kernels[i].grid), true},
                          {dim_text(kernels[i].block), true}});
  }
  if (shown < kernels.size()) {
    table.rows.push_back({{left_out_text(kernels.size(), shown)}, {}, {}});
  }
  document.blocks.emplace_back(std::move(table));
}

std::string coverage_text(const ReportJoin& join) {
  const TimeParts& parts = join.time.parts;
  return fmt::format(
      "Of the {} between the GPU's first operation and the end of its last, kernels take {}; the "
      "report covers {} of their time.",
      time_text(static_cast<double>(join.time.span_ns)),
      share_text(join.time.share(parts.compute_ns)), share_text(join.savings.covered));
}

}  // namespace

std::string report_join_headline(const ReportJoin& join) {
  const ProgramSavings& savings = join.savings;
  if (savings.kernels.empty()) return "No kernel of the report ran in the timeline";
  if (savings.high <= 0) return "The report finds nothing in the kernels that ran";
  return fmt::format("Fixing what the report finds would save the program {} of {}",
                     gain_range_text(savings.low, savings.high),
                     time_text(static_cast<double>(join.time.span_ns)));
}

std::string nothing_joined_text(const ReportJoin& join) {
  constexpr std::size_t kMost = 3;
  std::string text =
      fmt::format("no kernel of {} ran in {}", quote(join.report.path), quote(join.timeline_path));
  for (std::size_t i = 0; i < std::min(kMost, join.savings.not_run.size()); ++i) {
    text += "\n  the report has " + quote(join.savings.not_run[i].name);
  }
  for (std::size_t i = 0; i < std::min(kMost, join.savings.unprofiled.size()); ++i) {
    text += "\n  the timeline has " + quote(join.savings.unprofiled[i].name);
  }
  if (join.time.kernels.empty() && join.time.graphs == 0) {
    text += "\n  the timeline has no kernel at all";
  }
  if (join.time.graphs > 0) {
    text += fmt::format(
        "\n  the timeline has {}, and does not say which kernels ran in them (nsys profile "
        "--cuda-graph-trace=node would)",
        plural(join.time.graphs, "graph launch", "graph launches"));
  }
  return text;
}

Document compose_report_join(const ReportJoin& join, bool all) {
  Document document;
  Point point{"", report_join_headline(join), "", {}};
  point.lines.push_back({"", coverage_text(join)});
  point.lines.push_back({"timeline", join.timeline_headline});
  document.blocks.emplace_back(Points{{std::move(point)}});
  document.blocks.emplace_back(
      Properties{{{"timeline", join.timeline_path}, {"report", join.report.path}}});
  add_program_savings(join.savings, document);
  add_unprofiled(join, all, document);
  add_not_run(join, all, document);
  add_notes(join.notes, document);
  return document;
}

Document compose_report_join_rows(const ReportJoin& join) {
  Table table;
  for (const std::string_view title :
       {"in", "name", "launches", "total_ns", "share", "cause", "gain_low", "gain_high",
        "program_saves_low", "program_saves_high"}) {
    table.columns.push_back({std::string(title)});
  }
  for (const KernelSaving& kernel : join.savings.kernels) {
    const auto found = [&](double number) {
      return kernel.cause.empty() ? Cell{} : number_cell(number);
    };
    table.rows.push_back({{"both"},
                          {kernel.name},
                          number_cell(static_cast<double>(kernel.launches)),
                          number_cell(static_cast<double>(kernel.total_ns)),
                          number_cell(kernel.share),
                          {kernel.cause},
                          found(kernel.gain.low),
                          found(kernel.gain.high),
                          found(kernel.low),
                          found(kernel.high)});
  }
  for (const RanKernel& kernel : join.savings.unprofiled) {
    table.rows.push_back({{"timeline"},
                          {kernel.name},
                          number_cell(static_cast<double>(kernel.count)),
                          number_cell(static_cast<double>(kernel.total_ns)),
                          number_cell(join.time.share(kernel.total_ns)),
                          {},
                          {},
                          {},
                          {},
                          {}});
  }
  for (const ReportedKernel& kernel : join.savings.not_run) {
    table.rows.push_back({{"report"}, {kernel.name}, {}, {}, {}, {}, {}, {}, {}, {}});
  }
  Document document;
  document.blocks.emplace_back(std::move(table));
  return document;
}

}  // namespace proofline

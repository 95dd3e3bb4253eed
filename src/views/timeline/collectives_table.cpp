// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/collectives_table.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "views/quantity.h"

namespace proofline {
namespace {

std::string bus_text(const std::optional<double>& rate) {
  return rate ? fmt::format("{:.3g} GB/s", *rate) : "-";
}

}  // namespace

void add_collectives(const TimelineReport& report, Document& document) {
  if (report.collectives.empty()) return;
  Table table{{{"Collectives", Align::kLeft, true},
               {"Group", Align::kLeft, true, true},
               {"Ranks", Align::kRight},
               {"Size"},
               {"Count", Align::kRight},
               {"Time", Align::kRight},
               {"Bytes", Align::kRight},
               {"Bus, median", Align::kRight},
               {"Bus, best", Align::kRight}},
              {}};
  for (const CollectiveTimes& one : report.collectives) {
    table.rows.push_back({{shown_name(one.name)},
                          {shown_name(one.group)},
                          {one.ranks > 0 ? group_digits(one.ranks) : "-", true},
                          {one.bytes ? std::string(to_string(one.size)) : "-"},
                          {group_digits(one.count), true},
                          {time_text(static_cast<double>(one.sum_ns)), true},
                          {bytes_text(one.bytes), true},
                          {bus_text(one.median_rate), true},
                          {bus_text(one.best_rate), true}});
  }
  document.blocks.emplace_back(std::move(table));
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/collectives_table.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "views/quantity.h"
#include "views/timeline/copy_words.h"

namespace proofline {
namespace {

std::string bus_text(const std::optional<double>& rate) {
  return rate ? fmt::format("{:.3g} GB/s", *rate) : "-";
}

void rate_member(JsonWriter& json, std::string_view name, const std::optional<double>& rate) {
  json.key(name);
  rate ? json.number(*rate) : json.null();
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
                          {one.bytes ? std::string(size_text(one.size)) : "-"},
                          {group_digits(one.count), true},
                          {time_text(static_cast<double>(one.sum_ns)), true},
                          {bytes_text(one.bytes), true},
                          {bus_text(one.median_rate), true},
                          {bus_text(one.best_rate), true}});
  }
  document.blocks.emplace_back(std::move(table));
}

void write_collectives(const TimelineReport& report, JsonWriter& json) {
  json.objects("collectives", report.collectives, [&](const CollectiveTimes& one) {
    json.member("name", one.name);
    json.member("group", one.group);
    json.member("ranks", std::uint64_t{one.ranks});
    json.member("size", one.bytes ? size_text(one.size) : "");
    json.member("count", one.count);
    json.member("total_ns", static_cast<std::uint64_t>(one.sum_ns));
    json.member("bytes", one.bytes);
    rate_member(json, "bus_median", one.median_rate);
    rate_member(json, "bus_best", one.best_rate);
  });
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/selftest_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// Beyond that a change is larger than what there is.
std::string detectable_text(double change) {
  return std::isfinite(change) && change < 1 ? share_text(change) : "-";
}

// The change that as many starts as there were can show, in the configuration that shows least.
std::string visible_text(const Selftest& selftest) {
  double change = 0;
  for (const SelftestConfiguration& one : selftest.configurations) {
    change = std::max(change, one.smallest_visible);
  }
  const std::string starts = plural(selftest.starts, "run");
  if (!std::isfinite(change)) return starts + " show no change, however large";
  return fmt::format("{} show changes of {} and more", starts, share_text(change));
}

Point verdict(const Selftest& selftest) {
  const FalseAlarms& alarms = selftest.false_alarms;
  Point point;
  const std::string windows =
      alarms.comparisons == 0 ? "too few runs for a window of them"
                              : fmt::format("{} of {} of {} runs report a change", alarms.alarms,
                                            plural(alarms.comparisons, "window"), alarms.window);
  if (alarms.observed > 0) {
    point.title = fmt::format("The program differs from itself, in {} of {}", alarms.observed,
                              plural(selftest.configurations.size(), "configuration"));
    point.lines.push_back(
        {"why", "something depends on the order of the runs, or on which of the two it is"});
  } else if (!alarms.kept()) {
    point.title = "Too many false alarms: " + windows;
  } else {
    point.title = "No false alarm as it ran; " + visible_text(selftest);
  }
  point.lines.push_back({"as it ran", windows});
  point.lines.push_back(
      {"promised",
       fmt::format("at most {} of comparisons; so few windows bound it to {} to {}",
                   share_text(alarms.promised), share_text(alarms.low), share_text(alarms.high))});
  if (!alarms.kept()) {
    point.lines.push_back({"next",
                           "lock the clocks, end what else runs on the machine, or measure longer; "
                           "'proofline doctor' says what disturbs"});
  }
  return point;
}

Properties facts(const Selftest& selftest) {
  Properties properties;
  properties.rows = {{"program", selftest.command},
                     {"timed by", selftest.timed_by},
                     {"runs", fmt::format("{} of each side", selftest.starts)}};
  if (!selftest.machine.gpu.empty()) properties.rows.emplace_back("GPU", selftest.machine.gpu);
  if (!selftest.folder.empty()) properties.rows.emplace_back("files", selftest.folder);
  return properties;
}

Table noise_table(const Selftest& selftest) {
  Table table{{{"Configuration", Align::kLeft, true},
               {"Median", Align::kRight},
               {"Spread", Align::kRight},
               {"Drift", Align::kRight},
               {"A against A"},
               {"Flags"}},
              {}};
  for (const SelftestConfiguration& one : selftest.configurations) {
    const DecidedConfiguration& compared = one.compared;
    table.rows.push_back(
        {{configuration_name(compared)},
         {time_text(compared.a_ns), true},
         {share_text(one.spread), true},
         {fmt::format("{:+.2f} %", 100 * one.drift), true},
         {fmt::format("{}, {:+.2f} %", compared.change, 100 * (compared.time.ratio - 1))},
         {fmt::format("{}", fmt::join(compared.flags, ", "))}});
  }
  return table;
}

Table detectable_table(const Selftest& selftest) {
  Table table{{{"Configuration", Align::kLeft, true}}, {}};
  for (const DetectableChange& seen : selftest.configurations.front().detectable) {
    table.columns.push_back({fmt::format("{} runs", seen.starts), Align::kRight});
  }
  for (const SelftestConfiguration& one : selftest.configurations) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back({configuration_name(one.compared)});
    for (const DetectableChange& seen : one.detectable) {
      row.push_back({detectable_text(seen.change), true});
    }
  }
  return table;
}

}  // namespace

Document compose_selftest(const Selftest& selftest) {
  Document document;
  document.blocks.emplace_back(Points{{verdict(selftest)}});
  document.blocks.emplace_back(facts(selftest));
  if (!selftest.configurations.empty()) {
    document.blocks.emplace_back(noise_table(selftest));
    document.blocks.emplace_back(Heading{"Smallest change that is seen 95 times in 100"});
    document.blocks.emplace_back(detectable_table(selftest));
    document.blocks.emplace_back(
        Callout{false, "-: no change, however large, is certain after so few runs."});
  }
  add_notes(selftest.notes, document);
  return document;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/ceilings_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// "1234.5", "61.23", "0.412": in GB/s or TFLOP/s, four digits or so.
std::string number_text(const Ceiling& ceiling, double per_second) {
  const double number = per_second / (ceiling.bytes ? 1e9 : 1e12);
  const int decimals = number >= 100 ? 1 : number >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}", number, decimals);
}

std::string_view unit_of(const Ceiling& ceiling) { return ceiling.bytes ? "GB/s" : "TFLOP/s"; }

std::string rate_text(const Ceiling& ceiling) {
  return fmt::format("{}{} {}", ceiling.at_least ? "at least " : "",
                     number_text(ceiling, ceiling.per_second), unit_of(ceiling));
}

std::string interval_text(const Ceiling& ceiling) {
  if (!ceiling.interval) return "not known";
  return fmt::format("{} to {} {}", number_text(ceiling, ceiling.interval->low),
                     number_text(ceiling, ceiling.interval->high), unit_of(ceiling));
}

Properties facts(const Ceilings& ceilings) {
  const BenchmarkMachine& machine = ceilings.machine;
  std::string gpu = machine.gpu.empty() ? "not known" : machine.gpu;
  if (!machine.compute_capability.empty()) gpu += ", cc " + machine.compute_capability;
  if (!machine.driver.empty()) gpu += ", driver " + machine.driver;
  Properties properties;
  properties.rows.emplace_back("GPU", std::move(gpu));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) properties.rows.emplace_back(name, value);
  };
  add("uuid", machine.uuid);
  add("measured", ceilings.measured_at);
  add("file", ceilings.path);
  return properties;
}

Table ceilings_table(const Ceilings& ceilings) {
  Table table{{{"Ceiling"},
               {"Throughput", Align::kRight},
               {"95 % interval", Align::kRight},
               {"SM clock", Align::kRight},
               {"Samples", Align::kRight, false, true},
               {"Throttled", Align::kRight},
               {"How", Align::kLeft, true, true}},
              {}};
  table.rows.reserve(ceilings.ceilings.size());
  for (const Ceiling& one : ceilings.ceilings) {
    table.rows.push_back({{shown_name(one.name)},
                          {rate_text(one), true},
                          {interval_text(one), true},
                          {one.sm_mhz ? fmt::format("{:.0f} MHz", *one.sm_mhz) : "-", true},
                          {group_digits(one.samples), true},
                          {group_digits(one.throttled), true},
                          {shown_name(one.how)}});
  }
  return table;
}

}  // namespace

Document compose_ceilings(const Ceilings& ceilings) {
  Document document;
  document.blocks.emplace_back(facts(ceilings));
  document.blocks.emplace_back(ceilings_table(ceilings));
  if (std::any_of(ceilings.ceilings.begin(), ceilings.ceilings.end(),
                  [](const Ceiling& one) { return one.at_least; })) {
    document.blocks.emplace_back(
        Callout{false, "at least: this GPU has a faster way, which was not measured"});
  }
  add_notes(ceilings.notes, document);
  return document;
}

Document compose_ceilings_rows(const Ceilings& ceilings) {
  Table table;
  for (const char* title : {"ceiling", "unit", "per_second", "low", "high", "samples", "throttled",
                            "sm_mhz", "at_least", "how"}) {
    table.columns.push_back({title});
  }
  for (const Ceiling& one : ceilings.ceilings) {
    const auto end = [&](double Interval::*bound) {
      return number_cell(one.interval ? std::optional((*one.interval).*bound) : std::nullopt);
    };
    table.rows.push_back({{one.name},
                          {one.bytes ? "B/s" : "FLOP/s"},
                          number_cell(one.per_second),
                          end(&Interval::low),
                          end(&Interval::high),
                          {std::to_string(one.samples), true},
                          {std::to_string(one.throttled), true},
                          number_cell(one.sm_mhz),
                          {one.at_least ? "yes" : "no"},
                          {one.how}});
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline

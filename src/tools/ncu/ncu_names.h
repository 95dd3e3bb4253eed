// SPDX-License-Identifier: Apache-2.0
//
// The names of sections, sets and metrics that a user types, checked against what the installed ncu
// knows before anything is launched: ncu itself says nothing of a wrong set or a wrong form, and of
// a wrong metric only after the program has reached its first kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/note.h"
#include "vocabulary/metric_catalogue.h"

namespace proofline {

struct NcuMetric {
  std::string name;  // without suffixes: "dram__bytes"
  MetricKind kind = MetricKind::kCounter;
};

// The identifiers in what `ncu --list-sections` printed; none where it is something else.
std::vector<std::string> parse_ncu_list(std::string_view printed);
// The same for `ncu --query-metrics`, of all devices.
std::vector<NcuMetric> parse_ncu_metrics(std::string_view printed);

struct CheckedNames {
  std::vector<std::string> names;     // to hand to ncu
  std::vector<std::string> sections;  // that bring what cannot be asked for by a metric's name
  std::vector<Note> notes;            // which name was taken for which, and why
};

// Outdated names and those in the wrong case become the right ones, with a note; kUsage for unknown
// ones, with the nearest. What ncu expands itself (regex:, group:, breakdown:, pmsampling:) is
// passed on.
Result<CheckedNames> check_ncu_sections(const std::vector<std::string>& typed,
                                        const std::vector<std::string>& known);
Result<CheckedNames> check_ncu_metrics(const std::vector<std::string>& typed,
                                       const std::vector<NcuMetric>& known);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a metric's name mean:
//
//   lts  t_sectors  srcunit_tex  lookup_miss  .sum  .per_second
//
// is misses (lookup_miss) of 32-byte sectors (t_sectors) that L1 asked for (srcunit_tex) in a slice
// of L2 (lts), over all slices (.sum), for each second.
#pragma once

#include <string_view>
#include <vector>

namespace proofline {

struct MetricNameParts {
  std::string_view sampler;    // "pmsampling"; "breakdown" and "group" are lists of names
  std::string_view domain;     // "SM_A.TriageCompute": the counter's place for sampling
  std::string_view unit;       // "lts"; empty where the name has no __
  std::string_view base;       // without sampler, domain and suffixes: "lts__t_sectors"
  std::string_view rollup;     // "sum", "avg", "min", "max", or empty
  std::string_view submetric;  // "per_second", "pct_of_peak_sustained_elapsed", "ratio", or empty
};

// Any text can be split; parts that it lacks are empty. The views are those of the name.
MetricNameParts split_metric_name(std::string_view name);

struct NamePart {
  std::string_view text;
  std::string_view meaning;  // empty where we know none
};

// The parts in their order; together they are the name.
std::vector<NamePart> decode_metric_name(const MetricNameParts& name);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What `compare --format json` prints of two timelines, member by member.
#include <array>

#include "base/record_schema.h"
#include "views/timeline/timeline_comparison.h"

namespace proofline {

Record describe(const TimelineSide* /*type*/) {
  using Side = TimelineSide;
  return {
      about("side"),
      member<&Side::path>("path"),
      member<&Side::format>("format"),
      member<&Side::producer>("producer"),
      member<&Side::headline>("headline", "its own verdict"),
      member<&Side::gpu>("gpu", "the one that is compared: with the least kernel time"),
      member<&Side::steps>("steps"),
      member<&Side::wall_ns>("wall_ns").at_least(0),
      member<&Side::span_ns>("span_ns",
                             "from the GPU's first operation to its last, or of a mean step")
          .at_least(0),
  };
}

Record describe(const TimelineChange* /*type*/) {
  using Change = TimelineChange;
  return {
      about("change"),
      member<&Change::name>("name"),
      member<&Change::a_ns>("a_ns", "0 where it is not there").at_least(0),
      member<&Change::b_ns>("b_ns").at_least(0),
      derived("change_ns", "above 0: B takes longer",
              [](const Change& change) { return change.change_ns(); }),
      member<&Change::a_count>("a_count", "0 where nothing is counted").at_least(0),
      member<&Change::b_count>("b_count").at_least(0),
  };
}

Record describe(const TimelineComparison* /*type*/) {
  using Comparison = TimelineComparison;
  return {
      about("timeline_comparison"),
      schema_version(),
      tool(),
      derived("sources", "A, then B",
              [](const Comparison& comparison) {
                return std::array{comparison.a, comparison.b};
              }),
      member<&Comparison::notes>("notes"),
      member<&Comparison::by_step>("by_step",
                                   "both have steps, but not equally many: all times and counts "
                                   "are those of a mean step"),
      derived("headline", [](const Comparison& one) { return timeline_comparison_headline(one); }),
      member<&Comparison::parts>(
          "parts", "where the time of the GPU goes; they add up to span_ns of each side"),
      member<&Comparison::kernels>("kernels", "the largest change first, as in all that follow"),
      member<&Comparison::copies>("copies"),
      member<&Comparison::calls>("calls"),
      member<&Comparison::operators>("operators", "by the GPU time that they launched"),
      member<&Comparison::steps>("steps", "by name"),
  };
}

ResultSchema timeline_comparison_record() {
  return {"timeline-comparison",
          "What `proofline compare --format json` prints of two timelines",
          {record_of<TimelineComparison>}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What `compare --format json` prints of a timeline and a report, member by member.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/record_schema.h"
#include "views/timeline/report_join_document.h"

namespace proofline {
namespace {

struct UnprofiledKernel {
  std::string_view name;
  std::uint64_t launches = 0;
  std::int64_t total_ns = 0;
  double share = 0;
  bool communication = false;
};

std::vector<UnprofiledKernel> unprofiled_kernels(const ReportJoin& join) {
  std::vector<UnprofiledKernel> kernels;
  for (const RanKernel& one : join.savings.unprofiled) {
    kernels.push_back(
        {one.name, one.count, one.total_ns, join.time.share(one.total_ns), one.communication});
  }
  return kernels;
}

Record describe(const UnprofiledKernel* /*type*/) {
  using Kernel = UnprofiledKernel;
  return {
      about("unprofiled_kernel"),
      member<&Kernel::name>("name"),
      member<&Kernel::launches>("launches"),
      member<&Kernel::total_ns>("total_ns").at_least(0),
      member<&Kernel::share>(
          "share", "of timeline.span_ns; kernels that run side by side may add up to more than 1")
          .at_least(0),
      member<&Kernel::communication>("communication"),
  };
}

}  // namespace

Record describe(const ReportedKernel* /*type*/) {
  using Kernel = ReportedKernel;
  return {
      about("reported_kernel"),
      member<&Kernel::name>("name"),
      member<&Kernel::grid>("grid"),
      member<&Kernel::block>("block"),
  };
}

Record describe(const ReportJoin* /*type*/) {
  using Join = ReportJoin;
  return {
      about("timeline_join"),
      schema_version(),
      tool(),
      group(
          "timeline",
          {
              member<&Join::timeline_path>("path"),
              member<&Join::timeline_format>("format"),
              member<&Join::timeline_producer>("producer"),
              member<&Join::timeline_headline>("headline", "its own verdict"),
              derived("gpu",
                      "with the most kernel time; \"\" where the timeline does not tell its name",
                      [](const Join& join) { return join.time.device_name; }),
              derived("span_ns",
                      "from that GPU's first operation to the end of its last, without start-up",
                      [](const Join& join) { return join.time.span_ns; })
                  .at_least(0),
              derived("kernels", "the share of it that kernels take",
                      [](const Join& join) { return join.time.share(join.time.parts.compute_ns); })
                  .share(),
          }),
      group("report",
            {
                inlined<&Join::report>(),
                member<&Join::reported>("kernels", "each grid and block of one is another"),
            }),
      member<&Join::notes>("notes"),
      derived("headline", [](const Join& join) { return report_join_headline(join); }),
      member<&Join::savings>("savings"),
      derived("only_in_timeline", "ran, and the report lacks them, or lacks these grids",
              [](const Join& join) { return unprofiled_kernels(join); }),
      derived("only_in_report",
              [](const Join& join) -> const std::vector<ReportedKernel>& {
                return join.savings.not_run;
              }),
  };
}

ResultSchema timeline_join_record() {
  return {"timeline-join",
          "What `proofline compare --format json` prints of a timeline and a report of the same "
          "program",
          {record_of<ReportJoin>}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "proofline/timeline.h"

#include <utility>

#include "api/access.h"
#include "base/propagate.h"
#include "workflow/timeline/timeline_files.h"

namespace proofline {

const std::string& JudgedTimeline::headline() const { return diagnosis_->verdict.headline; }
const std::vector<Finding>& JudgedTimeline::findings() const { return diagnosis_->findings; }
const Facts& JudgedTimeline::facts() const { return diagnosis_->facts; }
const std::vector<Note>& JudgedTimeline::notes() const { return diagnosis_->report.notes; }

Result<JudgedTimeline> load_timeline(const std::vector<std::string>& paths,
                                     std::optional<std::uint64_t> rank) {
  TimelinePlan plan;
  plan.paths = paths;
  plan.rank = rank;
  ASSIGN_OR_RETURN(auto diagnosis, read_timeline_files(plan));
  return ApiAccess::make(std::move(diagnosis));
}

}  // namespace proofline

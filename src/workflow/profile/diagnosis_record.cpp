// SPDX-License-Identifier: Apache-2.0
#include "base/record_schema.h"
#include "diagnosis/comparison/compare.h"
#include "workflow/profile/diagnose_files.h"

namespace proofline {

Record describe(const DiagnosedReports* /*type*/) {
  using Reports = DiagnosedReports;
  return {
      about("diagnosed_reports"),
      inlined<&Reports::diagnosis>(),
      derived(
          "baseline",
          "with `proofline diagnose --baseline`: how each file compares with the earlier profile",
          [](const Reports& reports) {
            std::vector<BaselineComparison> baseline;
            for (const ProfileComparison& one : reports.since) baseline.push_back({&one});
            return baseline;
          })
          .if_there(),
  };
}

ResultSchema diagnosis_record() {
  return {
      "diagnosis", "What `proofline diagnose --format json` prints", {record_of<DiagnosedReports>}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/diagnose.h"

#include "analysis/analysis.h"
#include "proofline/diagnose.h"
#include "proofline/facts.h"

namespace proofline {

Diagnosis diagnose(const Profile& profile, const DiagnoseOptions& options) {
  return diagnose(std::span<const Profile>(&profile, 1), options);
}

Facts facts_of(const Profile& profile, const Launch& launch) {
  return gather_facts(profile, launch, {});
}

}  // namespace proofline

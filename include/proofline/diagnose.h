// SPDX-License-Identifier: Apache-2.0
//
// What bounds each kernel of a profile, the causes ranked by what removing each could gain, the
// numbers that prove them, and what to do next.
//
//   const proofline::Diagnosis diagnosis = proofline::diagnose(*profile);
//   for (const proofline::KernelDiagnosis& kernel : diagnosis.kernels) {
//     std::cout << kernel.function << ": " << kernel.verdict.headline << '\n';
//   }
//
// The diagnosis (model/diagnosis/diagnosis.h) stays valid when the profile is gone.
#pragma once

#include <span>

#include "model/diagnosis/diagnosis.h"
#include "model/profile/profile.h"

namespace proofline {

Diagnosis diagnose(const Profile& profile, const DiagnoseOptions& options = {});

// Of several files: their kernels in one ranking.
Diagnosis diagnose(std::span<const Profile> profiles, const DiagnoseOptions& options);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Profiles in, a diagnosis out: launches of one kernel and shape are one entry, every rule looks at
// its facts, causes subsume the symptoms they explain, and what remains is ranked by gain.
#pragma once

#include <span>

#include "model/diagnosis/diagnosis.h"
#include "model/profile/profile.h"
#include "readers/read_profile.h"

namespace proofline {

// What a reader must keep of a profile for the facts that rules read; with `code`, also for those
// that the machine code tells, which take time to decode.
ReadOptions diagnosis_read_options(bool code = false);

Diagnosis diagnose(std::span<const Profile> profiles, const DiagnoseOptions& options = {});

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Profiles in, a diagnosis out: launches of one kernel and shape are one entry, every rule looks at
// its facts, causes subsume the symptoms they explain, and what remains is ranked by gain.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "model/profile/profile.h"
#include "readers/reader.h"

namespace proofline {

struct DiagnoseOptions {
  // Distinct bytes of device memory a kernel touches, by its function name: only the user can know.
  std::map<std::string, double> unique_bytes;
  // The launches to look at, as positions in each profile; empty: all launches of all profiles.
  std::vector<std::vector<std::size_t>> launches;
};

// What a reader must keep of a profile for the facts to be complete.
ReadOptions diagnosis_read_options();

Diagnosis diagnose(std::span<const Profile> profiles, const DiagnoseOptions& options = {});

}  // namespace proofline

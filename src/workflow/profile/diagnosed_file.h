// SPDX-License-Identifier: Apache-2.0
//
// A file read and diagnosed, ready to be compared with another one.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "diagnosis/comparison/compare.h"
#include "diagnosis/diagnose.h"

namespace proofline {

struct DiagnosedFile {
  std::vector<Profile> profiles = std::vector<Profile>(1);  // stays put when this moves
  Diagnosis diagnosis;
  ComparedSide side;
};

// `kernel` chooses by name, "" all; `unique_bytes` as in DiagnoseOptions.
Result<DiagnosedFile> read_diagnosed(const std::string& path, const std::string& kernel,
                                     const std::map<std::string, double>& unique_bytes,
                                     const InputLimits& limits);

// Each of the diagnosed profiles against the baseline.
std::vector<ProfileComparison> compare_with(const DiagnosedFile& baseline,
                                            std::span<const Profile> profiles,
                                            const Diagnosis& diagnosis);

}  // namespace proofline

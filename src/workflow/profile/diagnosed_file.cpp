// SPDX-License-Identifier: Apache-2.0
//
// Reads and diagnoses as `diagnose` does, so that both say the same of a file.
#include "workflow/profile/diagnosed_file.h"

#include <utility>

#include "base/propagate.h"
#include "readers/read_profile.h"
#include "workflow/profile/select_launches.h"

namespace proofline {

Result<DiagnosedFile> read_diagnosed(const std::string& path, const std::string& kernel,
                                     const std::map<std::string, double>& unique_bytes,
                                     const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto profile, read_profile(path, diagnosis_read_options(), limits));
  DiagnosedFile file;
  file.profiles[0] = std::move(profile);
  auto launches = select_launches(file.profiles, LaunchFilter{kernel, {}});
  RETURN_IF_ERROR(launches);
  DiagnoseOptions options;
  options.unique_bytes = unique_bytes;
  options.launches = std::move(*launches);
  file.diagnosis = diagnose(file.profiles, options);
  file.side = side_of(file.profiles, file.diagnosis);
  return file;
}

std::vector<ProfileComparison> compare_with(const DiagnosedFile& baseline,
                                            std::span<const Profile> profiles,
                                            const Diagnosis& diagnosis) {
  std::vector<ProfileComparison> comparisons;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    comparisons.push_back(compare_profiles(baseline.side, side_of(profiles, diagnosis, i)));
    // The diagnosis has the notes of its own files.
    std::erase_if(comparisons.back().notes,
                  [](const Note& note) { return note.side == NoteSide::kB; });
  }
  return comparisons;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Reads a profile of any format that offers one (readers/format.h).
#pragma once

#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "model/profile/profile.h"

namespace proofline {

// What a caller wants besides the launches with their scalar metrics. Readers skip the rest.
struct ReadOptions {
  bool instances = false;     // values below the launch; most of a full report's bytes
  bool code = false;          // embedded cubins, PTX and source files with their bytes
  bool lines = false;         // the line tables of embedded cubins
  bool nvidia_rules = false;  // NVIDIA's own rule results
  // The instances of those metrics alone for which this says yes.
  bool (*instances_of)(std::string_view metric) = nullptr;

  bool wants_instances(std::string_view metric) const {
    return instances || (instances_of != nullptr && instances_of(metric));
  }
};

// Finds the format by the bytes, and reads.
Result<Profile> read_profile(const std::string& path, const ReadOptions& options = {},
                             const InputLimits& limits = {});
Result<Profile> read_profile(Input& input, const ReadOptions& options);

}  // namespace proofline

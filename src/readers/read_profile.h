// SPDX-License-Identifier: Apache-2.0
//
// Reads a profile of any format that offers one (readers/format.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
  // Where few instances are wanted: those of the PC samples, of which a reader may leave out the
  // zeros (nearly all of them are), and of the metrics named here.
  bool pc_samples = false;
  std::vector<std::string_view> instances_of = {};

  bool wants_instances(std::string_view metric) const;
};

// Finds the format by the bytes, and reads.
Result<Profile> read_profile(const std::string& path, const ReadOptions& options = {},
                             const InputLimits& limits = {});
Result<Profile> read_profile(Input& input, const ReadOptions& options);

}  // namespace proofline

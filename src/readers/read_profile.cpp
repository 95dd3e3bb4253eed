// SPDX-License-Identifier: Apache-2.0
#include "readers/read_profile.h"

#include <algorithm>

#include "base/propagate.h"
#include "readers/format.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {

bool ReadOptions::wants_instances(std::string_view metric) const {
  return instances || (pc_samples && is_stall_sample(metric)) ||
         std::find(instances_of.begin(), instances_of.end(), metric) != instances_of.end();
}

Result<Profile> read_profile(Input& input, const ReadOptions& options) {
  ASSIGN_OR_RETURN(const Format* format, identify(input, {InputKind::kProfile}));
  Profile profile;
  profile.path = input.name();
  profile.format = format->name;
  RETURN_IF_ERROR(format->read_profile(input, options, profile));
  RETURN_IF_ERROR(input.finish());
  return profile;
}

Result<Profile> read_profile(const std::string& path, const ReadOptions& options,
                             const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  return read_profile(input, options);
}

}  // namespace proofline

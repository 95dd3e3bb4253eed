// SPDX-License-Identifier: Apache-2.0
//
// The metrics of a profile that patterns mean, under their names of today where old ones were
// given.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile/profile.h"
#include "workflow/announcer.h"

namespace proofline {

// In the order of their names; all that ncu's raw page has where there is no pattern. Tells what is
// wrong with a name, and which pattern matches nothing; an error where none does.
Result<std::vector<MetricId>> select_metrics(const Profile& profile,
                                             const std::vector<std::string>& patterns,
                                             Announcer& announcer);

}  // namespace proofline

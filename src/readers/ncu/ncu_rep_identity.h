// SPDX-License-Identifier: Apache-2.0
//
// Last step of reading an .ncu-rep file: what a launch's identity takes from several places.
#pragma once

#include "model/profile/profile.h"

namespace proofline::ncu_file {

// After the whole file: names, devices and grids of all launches, and the producer.
void identify_launches(Profile& profile);

}  // namespace proofline::ncu_file

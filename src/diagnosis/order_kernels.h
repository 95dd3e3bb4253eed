// SPDX-License-Identifier: Apache-2.0
//
// The order in which kernels and launches are shown: what could save most, what takes longest, by
// name. Ties keep the order they had.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "model/profile/profile.h"

namespace proofline {

// What a fix of the first cause could save of the time of all launches: total x the middle of its
// gain; nothing where no time or no cause is known.
std::optional<double> could_save_ns(const KernelDiagnosis& kernel);

enum class KernelOrder { kTotal, kCouldSave, kName, kCount };

void order_kernels(KernelOrder order, std::vector<KernelDiagnosis>& kernels);

enum class LaunchOrder { kLaunch, kTime, kName };

// Positions in the profile.
void order_launches(const Profile& profile, LaunchOrder order, std::vector<std::size_t>& launches);

}  // namespace proofline

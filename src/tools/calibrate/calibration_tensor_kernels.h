// SPDX-License-Identifier: Apache-2.0
//
// The calibration kernels of the tensor cores; see calibration_kernels.h.
#pragma once

#include <optional>
#include <string_view>

#include "tools/calibrate/calibration_kernels.h"

namespace proofline {

// "tensor-f16", ... Nothing where such a chip cannot do that.
std::optional<RoundsKernel> compose_tensor(std::string_view name, ComputeCapability chip);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The checks of `doctor` by what they look at; each adds its answers, and none where there is
// nothing to say.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight.h"
#include "model/machine/machine.h"
#include "model/machine/preflight.h"

namespace proofline {

using PreflightChecks = std::vector<PreflightCheck>;

inline constexpr std::string_view kCounterPermission = "counter-permission";

// GPU, driver, and the right to read hardware counters.
void check_driver(const Machine& machine, PreflightChecks& checks);
// NVIDIA's programs, and whether their versions fit the driver and each other.
void check_tools(const Machine& machine, PreflightChecks& checks);
// Clocks, heat, memory, modes, and who else is there.
void check_gpus(const Machine& machine, PreflightChecks& checks);
void check_environment(const Machine& machine, PreflightChecks& checks);
// Where reports and temporary files go.
void check_folders(const Machine& machine, PreflightChecks& checks);
void check_command(const Machine& machine, const PreflightCommand& command,
                   PreflightChecks& checks);

// The GPUs that CUDA_VISIBLE_DEVICES leaves; all where it cannot be told which.
std::vector<GpuState> visible_gpus(const Machine& machine);
// "sm_90" of "9.0"
std::string sm_name(std::string_view compute_capability);

}  // namespace proofline

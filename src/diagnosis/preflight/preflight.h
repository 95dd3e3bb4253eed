// SPDX-License-Identifier: Apache-2.0
//
// Judges a machine, and a command that is to be profiled on it: what is there, what is missing,
// what would spoil the numbers, and what to do about each. Nothing is asked or run here.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/program/binary_facts.h"
#include "model/machine/machine.h"
#include "model/machine/preflight.h"

namespace proofline {

// The command that the user gave.
struct PreflightCommand {
  BinaryFacts binary;
  PreflightRun run;
};

Preflight judge_machine(const Machine& machine,
                        const std::optional<PreflightCommand>& command = std::nullopt);

// Programs can use a GPU here, though NVML may not say which.
bool has_gpu(const Machine& machine);

// Whether an environment variable of that name is one that the checks look at.
bool changes_gpu_programs(std::string_view variable);

}  // namespace proofline

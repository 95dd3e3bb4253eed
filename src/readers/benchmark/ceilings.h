// SPDX-License-Identifier: Apache-2.0
//
// Reads files that `proofline calibrate` stored, and finds those of a GPU.
#pragma once

#include <optional>
#include <string>

#include "base/input.h"
#include "base/result.h"
#include "model/measurement/ceilings.h"
#include "readers/benchmark/ceilings_text.h"

namespace proofline {

Result<Ceilings> read_ceilings(Input& input);
Result<Ceilings> read_ceilings(const std::string& path, const InputLimits& limits = {});

// As parse_ceilings_for.
Result<Ceilings> read_ceilings_for(const BenchmarkMachine& machine, const std::string& path,
                                   const InputLimits& limits = {});

// Those of find_ceilings_file. Nothing where there are none; an error where there are some that
// cannot be read or are of another GPU.
Result<std::optional<Ceilings>> find_ceilings(const BenchmarkMachine& machine);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Reads what `proofline calibrate` stored (docs/ceilings.schema.json), and finds it for a GPU.
#pragma once

#include <optional>
#include <string>

#include "base/input.h"
#include "base/result.h"
#include "model/measurement/ceilings.h"

namespace proofline {

Result<Ceilings> read_ceilings(Input& input);
Result<Ceilings> read_ceilings(const std::string& path, const InputLimits& limits = {});

// To be held against what was measured on this machine: an error where the two are of different
// kinds of GPU; where they are or may be of two GPUs of one kind, a note says so. What was noted
// when they were measured is left in the file.
Result<Ceilings> read_ceilings_for(const BenchmarkMachine& machine, const std::string& path,
                                   const InputLimits& limits = {});

// Where those of this GPU are kept below a folder: ".proofline/ceilings/GPU-0011....json".
std::string ceilings_file(const std::string& folder, const std::string& uuid);

// The file that PROOFLINE_CEILINGS names, else those of this GPU in the nearest .proofline here or
// above. Nothing where there are none; an error where there are some that cannot be read or are of
// another GPU.
Result<std::optional<Ceilings>> find_ceilings(const BenchmarkMachine& machine);

}  // namespace proofline

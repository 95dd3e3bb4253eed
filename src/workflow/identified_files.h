// SPDX-License-Identifier: Apache-2.0
//
// What files are, told by their bytes.
#pragma once

#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "readers/format.h"

namespace proofline {

struct IdentifiedFile {
  std::string path;
  const Format* format = nullptr;  // null: none that is known
  std::string problem;             // why, then
};

// A single file's error is the result; of several, each has its own problem.
Result<std::vector<IdentifiedFile>> identify_files(const std::vector<std::string>& paths,
                                                   const InputLimits& limits);

}  // namespace proofline

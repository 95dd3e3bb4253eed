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

struct Record;

struct IdentifiedFile {
  std::string path;
  const Format* format = nullptr;  // null: none that is known
  std::string problem;             // why, then
};

// What it can be read as.
std::vector<InputKind> kinds_of(const IdentifiedFile& file);

struct IdentifiedFiles {
  std::vector<IdentifiedFile> files;
};
Record describe(const IdentifiedFiles*);

// A single file's error is the result; of several, each has its own problem.
Result<IdentifiedFiles> identify_files(const std::vector<std::string>& paths,
                                       const InputLimits& limits);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Several configurations of one program: NAME=ARGS from the command line or from a file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace proofline {

struct ProfileConfig {
  std::string name;
  std::string arguments;           // as given
  std::vector<std::string> words;  // the same, to be added to the program's own
};

// Those of the flags, then those of the file: one a line, # begins a comment. kUsage with the place
// of what is wrong.
Result<std::vector<ProfileConfig>> read_configs(const std::vector<std::string>& flags,
                                                const std::string& file);

}  // namespace proofline

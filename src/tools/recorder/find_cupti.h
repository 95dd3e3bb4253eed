// SPDX-License-Identifier: Apache-2.0
//
// Finds NVIDIA's libcupti, which toolkits, packages and Python wheels put into different places.
// It is looked at, never loaded: that happens in the user's program.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace proofline {

struct CuptiSearch {
  std::vector<std::string> folders;
  unsigned driver = 0;  // major version of NVIDIA's driver, such as 580; 0: unknown
};

// Of this machine: LD_LIBRARY_PATH, the toolkits beside the programs of PATH and in the usual
// places, the system's libraries, Python's packages.
CuptiSearch cupti_search();

// The newest that the driver can work with; of several the first. PROOFLINE_CUPTI names another one
// to take instead. kTool where there is none: the message says where it was looked for.
Result<std::string> find_cupti(const CuptiSearch& search);

}  // namespace proofline

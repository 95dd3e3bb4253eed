// SPDX-License-Identifier: Apache-2.0
//
// How the user's program is run, whatever for.
#pragma once

#include <chrono>
#include <cmath>
#include <string>

#include "tools/process/run_folder.h"

namespace proofline {

struct RunOptions {
  std::string runs = kUsualRuns;  // where the files of the run are kept
  std::string name;               // of the run; "": the program's
  std::string folder;             // where the program runs; "" here
  double time_limit = 0;          // seconds; 0: none was given
  bool show_output = false;
  bool dry_run = false;

  std::chrono::milliseconds limit() const {
    return std::chrono::milliseconds(std::llround(1000 * time_limit));
  }
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The runs and plays that are kept on the disk. A folder without run.json or play.json is none of
// ours, nor is a symbolic link.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/machine/kept_run.h"
#include "tools/process/run_folder.h"
#include "workflow/run/play_plan.h"

namespace proofline {

struct RunPlaces {
  std::string runs = kUsualRuns;
  std::string plays = kUsualPlays;
};

// The newest first.
std::vector<KeptRun> kept_runs(const RunPlaces& places);

// The one whose name begins so, with its steps and files. kUsage where there is none or several.
Result<KeptRunDetails> describe_kept_run(const RunPlaces& places, const std::string& name);

}  // namespace proofline

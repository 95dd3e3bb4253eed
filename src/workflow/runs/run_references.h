// SPDX-License-Identifier: Apache-2.0
//
// What must not be removed because something speaks of it: entries of the journal and those that
// wait for a team's, baselines and notes among them, and plays whose evidence is elsewhere. A
// run's name begins with the time of its start, so it is found in whatever text it stands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/machine/kept_run.h"

namespace proofline {

// Why runs stay, by their names. An error where the journal cannot be read: then nothing is known.
using RunReferences = std::map<std::string, std::string, std::less<>>;
Result<RunReferences> find_run_references(const std::vector<KeptRun>& runs,
                                          const std::string& journal);

}  // namespace proofline

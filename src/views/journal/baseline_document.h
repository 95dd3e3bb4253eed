// SPDX-License-Identifier: Apache-2.0
//
// Named baselines as documents: all of them, or one with the medians that it held.
#pragma once

#include <vector>

#include "model/journal/baseline.h"
#include "model/note.h"
#include "views/document.h"

namespace proofline {

Document compose_baselines(const std::vector<Baseline>& baselines, const std::vector<Note>& notes);
Document compose_baseline(const Baseline& baseline, const std::vector<Note>& notes);

}  // namespace proofline

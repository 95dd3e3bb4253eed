// SPDX-License-Identifier: Apache-2.0
//
// Change points in the times that a journal's attempts measured: where a configuration became
// slower than it had been since the last such point, and by what.
#pragma once

#include <vector>

#include "model/journal/attempt.h"
#include "model/journal/history_change.h"

namespace proofline {

// In the order of the attempts. A kept attempt's own measurement was made in turn, so its interval
// counts as it is; between two attempts it is wider by what equal programs differ by when they are
// measured at other times. Times of other GPUs, drivers or locked clocks do not compare.
std::vector<HistoryChange> regressions_of(const std::vector<Attempt>& attempts);

}  // namespace proofline

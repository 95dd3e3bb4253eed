// SPDX-License-Identifier: Apache-2.0
//
// A selftest as a document: the false-alarm rate against the promise, then for each configuration
// its spread, its drift and the smallest change that so many starts show.
//
//   The promise holds: 0 % of 2000 comparisons put together from its starts report a change
//   promised: at most 5 %
//   interval: 0 % to 0.19 %, at 95 % confidence
//
//   Configuration    Median  Spread    Drift  A against A    Flags
//   -------------  --------  ------  -------  -------------  ---------
//   fake n=1024    99.99 us     0 %  +0.00 %  same, +0.00 %  no-spread
//
//   Smallest change that is seen 95 times in 100
//
//   Configuration  5 starts  10 starts  20 starts  50 starts  100 starts
//   -------------  --------  ---------  ---------  ---------  ----------
//   fake n=1024           -          -      0.5 %      0.5 %       0.5 %
//
// Both sides are the same program, so every change is a false alarm. "A against A" is what `decide`
// says of the two sides; the drift is the last third of the starts against the first; "-": no
// change, however large, is certain after so few runs.
#pragma once

#include "model/measurement/selftest.h"
#include "views/document.h"

namespace proofline {

Document compose_selftest(const Selftest& selftest);

}  // namespace proofline

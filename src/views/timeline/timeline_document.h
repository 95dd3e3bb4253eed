// SPDX-License-Identifier: Apache-2.0
//
// A timeline on a page: the verdict, where the GPU's time goes (all of it), what rules found, and
// the tables after it.
//
//   host-bound: the GPU waits for the host 41 % of the time, as launches come too slowly
//     next: put the loop into a CUDA graph (torch.compile mode="reduce-overhead"), ...
//
//   Where the time goes      Time      Share
//   kernels                  12.1 ms   52.3 %
//   idle: host               7.3 ms    31.4 %
//   ...
//   span of GPU 0            23.2 ms   100 %
//
// "Share" is of the GPU's span, from the start of its first operation to the end of its last.
#pragma once

#include "diagnosis/timeline/diagnose_timeline.h"
#include "views/document.h"

namespace proofline {

struct TimelineParts {
  bool all = false;    // every row of every table
  bool facts = false;  // every fact
};

Document compose_timeline(const TimelineDiagnosis& diagnosis, const TimelineParts& parts);

}  // namespace proofline

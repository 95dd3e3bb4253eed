// SPDX-License-Identifier: Apache-2.0
//
// A timeline as a trace that Perfetto (https://ui.perfetto.dev) and chrome://tracing open, in the
// layout of PyTorch's profiler, so that our own reader gets the same figures out of it (but that of
// several processes such a trace does not tell which one waited for a GPU):
//
//   GPU 0 NVIDIA H200
//     stream 7      |add|      |mul|
//     stream 7 (2)        |add|            what overlaps on one stream has lanes of its own
//   python 77
//     thread 78     |cudaLaunchKernel| ~~> an arrow leads from each call to what it asked for
#pragma once

#include "base/output.h"
#include "model/timeline/timeline.h"

namespace proofline {

void write_chrome_trace(const Timeline& timeline, Output& output);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The ways to time an execution on the GPU. All of them keep the GPU busy while the host prepares
// what is timed: else the time that the host takes to launch would be part of it.
#pragma once

#include <memory>

#include "base/result.h"
#include "gpu.h"
#include "model/measurement/benchmark.h"
#include "sampler.h"

namespace proofline::bench {

// Events before and after. They see, besides the kernel, what the GPU does between an event and a
// kernel.
std::unique_ptr<Timer> make_event_timer(Execution& execution, Gpu& gpu, CacheState cache);

// Replays a graph of many launches and divides by their number. Not for a cold cache. Throws where
// the launches cannot be captured.
std::unique_ptr<Timer> make_graph_timer(Execution& execution, Gpu& gpu, double expected_ns);

// Start and end of the kernels as the GPU notes them for CUPTI: from the first one of an execution
// to the last. Only one can exist at a time. An error where there is no CUPTI, or another tool has
// it.
Result<std::unique_ptr<Timer>> make_cupti_timer(Execution& execution, Gpu& gpu, CacheState cache);

// Whether an execution launches kernels and does nothing else on the GPU; false where that cannot
// be found out.
bool has_only_kernels(Execution& execution, Gpu& gpu);

}  // namespace proofline::bench

// SPDX-License-Identifier: Apache-2.0
//
// Which calls of CUDA a timeline shows: those that ask for work, wait, allocate, capture, or load
// code. The many others (queries, attributes) take no time to speak of, and each record costs some.
#pragma once

namespace proofline::trace {

// By CUPTI's name, such as "cudaLaunchKernel_v7000".
bool is_wanted_call(const char* name);

}  // namespace proofline::trace

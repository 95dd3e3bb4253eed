// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this process with the GPU's own times, as CUPTI hands them out. CUPTI has one set
// of callbacks for a process, so all of this is one as well.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace proofline::bench {

struct KernelSpan {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

// From here on kernels are noted. kTool where that cannot be: no libcupti, one that is too old, or
// a profiler that has it already.
Result<void> start_noting_kernels();
// Those noted since the last call, by their start; the stream must have been waited for.
Result<std::vector<KernelSpan>> take_kernels();
void stop_noting_kernels();

// The time of each of `executions` executions, in which all these kernels ran, one execution after
// the other and all alike: from the start of its first kernel to the end of its last. kTool where
// the kernels do not make that many equal groups.
Result<std::vector<double>> execution_times(const std::vector<KernelSpan>& kernels,
                                            std::size_t executions);

}  // namespace proofline::bench

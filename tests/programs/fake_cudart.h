// SPDX-License-Identifier: Apache-2.0
//
// A CUDA runtime without a GPU: memory is the host's, and a clock goes on by what is launched. Link
// it in place of CUDA's. FAKE_GPU in the environment chooses another machine:
//
//   none        there is no GPU
//   no-capture  streams cannot be captured into a graph
//   breaks      the fifth launch fails, and everything after it
//   full        no memory can be had
#pragma once

#include <cuda_runtime.h>

namespace fake {

// What a kernel costs besides its own time, and an event; a replayed graph costs nothing.
inline constexpr double kLaunchPauseNs = 1000;
inline constexpr double kEventNs = 500;

// A kernel of this duration.
void launch(cudaStream_t stream, double ns);

}  // namespace fake

// SPDX-License-Identifier: Apache-2.0
//
// What CUDA's and HIP's calls do to a timeline, by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace proofline {

enum class ApiKind : std::uint8_t {
  kOther,
  kSynchronise,  // the host waits for the GPU
  kLaunch,       // kernels and graphs
  kAllocate,     // memory taken or given back
};

// "cudaLaunchKernel_v7000", "cudaMemcpyAsync_ptsz": without what tells a version of the interface
// or its default stream. "cuMemAlloc_v2" is another call than "cuMemAlloc" and stays.
std::string_view plain_api_name(std::string_view name);

// Of a plain name.
ApiKind api_kind(std::string_view name);

}  // namespace proofline
